package io.heartwheel.push;

import static io.heartwheel.push.PushWorld.ids;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.TestDatabase.Fate;
import io.heartwheel.session.FakeSession;
import io.heartwheel.wheel.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Memory of messages that are kept on the disk while their devices are there. */
class StoredMemoryTest {
    @AutoClose
    private final TestDatabase database = new TestDatabase();

    private final PushWorld world = new PushWorld(3, database, 1_000_000_000_000_000L);

    private static Outcome outcome(CompletableFuture<PushResult> result) {
        assertTrue(result.isDone(), "not yet");
        return result.join().outcome();
    }

    private void limit(long totalBytes) {
        world.pushes.reconfigure(new PushSettings(
                100, 1 << 20, totalBytes, Duration.ofHours(1), 1 << 16, PushSettings.DEFAULTS.stored()));
    }

    private StoredMessages kept() {
        return world.pushes.rows();
    }

    private void acknowledgeAll(FakeSession device) {
        device.onData = data -> device.onLoop(() -> device.ack(data.messageId(), true));
    }

    private void storeFor(String device, int rows, int bytes) {
        for (int id = 1; id <= rows; id++) {
            Push push = new Push(
                    device,
                    id,
                    true,
                    new byte[bytes],
                    Push.Ack.DEVICE,
                    false,
                    Duration.ofHours(1).toNanos(),
                    true);
            assertEquals(Outcome.QUEUED, outcome(world.push(push)));
        }
    }

    private FakeSession connect(String device) {
        FakeSession session = world.loops.get(0).accept("heartwheel");
        world.loops.get(0).tasks.add(() -> session.hello(device, ""));
        world.settle();
        return session;
    }

    @Test
    void load_noMemory_isTriedAgainAndNothingNewerOvertakes() {
        limit(1_200);
        for (long id = 1; id <= 6; id++) {
            world.store(Push.Ack.DEVICE, id);
        }
        FakeSession device = world.connect(0);
        CompletableFuture<PushResult> direct = world.push(Push.Ack.SENT, 7);
        assertEquals(List.of(1L), ids(device));
        acknowledgeAll(device);
        world.on(device, () -> device.ack(1, true));
        assertEquals(Outcome.SENT, outcome(direct));
        assertEquals(LongStream.rangeClosed(1, 7).boxed().toList(), ids(device));
        world.assertNothingLeft();
    }

    @Test
    void load_manyDevicesAtOnce_readsNoMoreThanMayBeInMemory() {
        int most = 8_000;
        limit(most);
        for (int i = 1; i <= 20; i++) {
            Push push = new Push(
                    "device-" + i,
                    i,
                    true,
                    new byte[2_000],
                    Push.Ack.DEVICE,
                    false,
                    Duration.ofHours(1).toNanos(),
                    true);
            assertEquals(Outcome.QUEUED, outcome(world.push(push)));
        }
        PushWorld.Loop loop = world.loops.get(0);
        for (int i = 1; i <= 20; i++) {
            String device = "device-" + i;
            FakeSession session = loop.accept("heartwheel");
            acknowledgeAll(session);
            loop.tasks.add(() -> session.hello(device, ""));
        }
        do {
            world.gateway.runTasks();
        } while (loop.step());
        assertTrue(database.step(1_000)); // all of them are read before any loop is there again
        assertEquals(2, kept().claimed(), "half of it, and what is above is one row");
        world.pass(Duration.ofSeconds(20));
        world.assertNothingLeft();
    }

    @Test
    void load_othersAcknowledgeNothing_leaveRoomForPushesAndForOthers() {
        for (int i = 1; i <= 25; i++) {
            storeFor("mute-" + i, 5, 100);
        }
        storeFor(PushWorld.DEVICE, 5, 100);
        limit(64_000);
        for (int i = 1; i <= 25; i++) {
            assertFalse(connect("mute-" + i).data.isEmpty());
        }
        FakeSession device = world.loops.get(1).accept("heartwheel");
        acknowledgeAll(device);
        world.loops.get(1).tasks.add(() -> device.hello(PushWorld.DEVICE, ""));
        world.settle();
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L), ids(device));
        for (long id = 100; id < 145; id++) {
            assertFalse(world.push(Push.Ack.DEVICE, id).join().outcome() == Outcome.FULL);
        }
    }

    @Test
    void load_noRoomForAnyOther_isToldWhenThereIsAndDoesNotAskMeanwhile() {
        for (int i = 1; i <= 20; i++) {
            storeFor("d" + i, 2, 2_000);
        }
        limit(8_000);
        FakeSession first = connect("d1");
        for (int i = 2; i <= 20; i++) {
            FakeSession other = connect("d" + i);
            acknowledgeAll(other);
            if (i == 2) {
                assertEquals(1, other.data.size());
                other.onData = data -> {}; // as the first, it acknowledges nothing
            }
        }
        int[] commits = {0};
        database.fate = () -> {
            commits[0]++;
            return Fate.COMMITTED;
        };
        world.pass(Duration.ofSeconds(10));
        assertTrue(commits[0] <= 11, () -> commits[0] + " works in 10 s: no more than look for what has expired");
        acknowledgeAll(first);
        world.on(first, () -> first.ack(1, true));
        assertEquals(1, kept().room.devices(), "all but the second have got what is theirs");
    }

    @Test
    void load_oneIsNotAcknowledged_goesOnWhenOthersMakeRoom() {
        storeFor("d1", 3, 2_000);
        storeFor("d2", 1, 2_000);
        storeFor("d3", 1, 2_000);
        limit(16_000);
        FakeSession second = connect("d2");
        FakeSession third = connect("d3");
        FakeSession first = connect("d1");
        assertEquals(List.of(1L), ids(first), "rows take more than a quarter");
        world.on(second, () -> second.ack(1, true));
        assertEquals(List.of(1L), ids(first), "still");
        world.on(third, () -> third.ack(1, true));
        assertEquals(List.of(1L, 2L), ids(first));
        acknowledgeAll(first);
        world.on(first, () -> first.ack(1, true));
        world.on(first, () -> first.ack(2, true));
        assertEquals(List.of(1L, 2L, 3L), ids(first));
        world.assertNothingLeft();
    }

    @Test
    void load_largerThanAllMemory_isDeliveredToo() {
        storeFor(PushWorld.DEVICE, 2, 5_000);
        limit(4_000);
        FakeSession device = world.connect(0);
        assertEquals(List.of(1L), ids(device));
        acknowledgeAll(device);
        world.on(device, () -> device.ack(1, true));
        assertEquals(List.of(1L, 2L), ids(device));
        world.assertNothingLeft();
    }

    private List<Timer> fillWheel() {
        List<Timer> all = new ArrayList<>();
        assertThrows(RejectedExecutionException.class, () -> {
            while (true) {
                all.add(world.gateway.timers.once(Duration.ofHours(9).toNanos(), () -> {}));
            }
        });
        return all;
    }

    @Test
    void cancel_diskAndWheelAreFull_isRemovedLater() {
        storeFor("d1", 1, 10);
        List<Timer> all = fillWheel();
        boolean[] found = {false};
        database.fate = () -> {
            boolean first = !found[0];
            found[0] = true;
            return first ? Fate.COMMITTED : Fate.FAILED;
        };
        CompletableFuture<Boolean> taken = world.pushes.cancel("d1", 1, true).toCompletableFuture();
        world.settle();
        database.fate = () -> Fate.COMMITTED;
        world.pass(Duration.ofSeconds(2));
        assertTrue(taken.isDone() && taken.join());
        all.forEach(Timer::cancel);
        world.assertNothingLeft();
    }

    @Test
    void load_diskFailsAndWheelIsFull_isTriedOnceASecond() {
        storeFor("d1", 1, 10);
        FakeSession device = world.loops.get(0).accept("heartwheel");
        fillWheel();
        int[] works = {0};
        database.fate = () -> ++works[0] > 500 ? Fate.COMMITTED : Fate.FAILED;
        world.on(device, () -> device.hello("d1", ""));
        assertTrue(works[0] <= 2, () -> works[0] + " works while no time has passed");
    }

    @Test
    void load_wheelIsFull_isTriedAgainWithoutSpinning() {
        FakeSession first = connect("d1");
        FakeSession second = connect("d2");
        List<Timer> all = fillWheel();
        storeFor("d1", 1, 10);
        storeFor("d2", 1, 10);
        int[] commits = {0};
        database.fate = () -> {
            commits[0]++;
            return Fate.COMMITTED;
        };
        world.pass(Duration.ofSeconds(5));
        assertTrue(first.data.isEmpty() && second.data.isEmpty(), "there is no room in the wheel");
        assertTrue(commits[0] <= 2 * 6, () -> commits[0] + " works in 5 s");
        all.forEach(Timer::cancel);
        world.pass(Duration.ofSeconds(2));
        assertEquals(2, first.data.size() + second.data.size());
    }
}
