package io.heartwheel.push;

import static io.heartwheel.push.PushWorld.ids;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.KeptMessages.Given;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.TestDatabase.Fate;
import io.heartwheel.session.FakeSession;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Messages that are kept on the disk: for devices that are away, over restarts, in order. */
class StoredPushesTest {
    private static final long START_MICROS = 1_000_000_000_000_000L;

    @AutoClose
    private final TestDatabase database = new TestDatabase();

    private PushWorld world = new PushWorld(3, database, START_MICROS);

    private static Outcome outcome(CompletableFuture<PushResult> result) {
        assertTrue(result.isDone(), "not yet");
        return result.join().outcome();
    }

    private void restart() {
        database.kill();
        world = new PushWorld(3, database, world.nowMicros());
    }

    private void acknowledgeAll(FakeSession device) {
        device.onData = data -> device.onLoop(() -> device.ack(data.messageId(), true));
    }

    private long counted(Outcome wanted) {
        long[] found = new long[1];
        world.pushes.outcomes((outcome, count) -> found[0] += outcome == wanted ? count : 0);
        return found[0];
    }

    private StoredMessages kept() {
        return world.pushes.rows();
    }

    // ------------------------------------------------------------------ away

    @Test
    void store_deviceIsAway_isDeliveredInOrderBeforeAnythingNewer() {
        for (long id = 1; id <= 40; id++) {
            assertEquals(Outcome.QUEUED, outcome(world.store(Push.Ack.DEVICE, id)));
        }
        assertEquals(0, world.pushes.waiting(), "nothing in memory");
        assertEquals(0, world.gateway.timers.pending(), "nothing in the wheel");
        FakeSession device = world.connect(1);
        assertEquals(LongStream.rangeClosed(1, 16).boxed().toList(), ids(device), "a window");
        CompletableFuture<PushResult> direct = world.push(Push.Ack.SENT, 100);
        assertFalse(direct.isDone(), "it goes behind what waits");
        acknowledgeAll(device);
        world.on(device, () -> LongStream.rangeClosed(1, 16).forEach(id -> device.ack(id, true)));
        assertEquals(
                LongStream.concat(LongStream.rangeClosed(1, 40), LongStream.of(100))
                        .boxed()
                        .toList(),
                ids(device));
        assertEquals(Outcome.SENT, outcome(direct));
        assertEquals(40, counted(Outcome.ACKNOWLEDGED));
        world.assertNothingLeft();
    }

    @Test
    void store_deviceIsThere_isSentAtOnceAndNothingPushedAfterItComesBeforeIt() {
        FakeSession device = world.connect(0);
        CompletableFuture<PushResult> kept = world.store(Push.Ack.DEVICE, 1);
        assertEquals(Outcome.QUEUED, outcome(kept));
        assertEquals(Outcome.SENT, outcome(world.push(Push.Ack.SENT, 2)));
        assertEquals(List.of(1L, 2L), ids(device));
        world.on(device, () -> device.ack(1, true));
        world.assertNothingLeft();
    }

    @Test
    void store_answered_isBeforeADirectOneWhileItIsStillRead() {
        FakeSession device = world.connect(0);
        CompletableFuture<PushResult> kept = world.pushes
                .send(PushWorld.stored(Push.Ack.DEVICE, 1, Duration.ofHours(1)))
                .toCompletableFuture();
        assertTrue(database.step(1));
        assertFalse(kept.isDone(), "the queue does not know of it yet");
        assertTrue(world.loops.get(0).step());
        assertEquals(Outcome.QUEUED, outcome(kept));
        CompletableFuture<PushResult> direct = world.pushes
                .send(new Push(PushWorld.DEVICE, 2, true, new byte[0], Push.Ack.SENT, false, 1_000_000_000L, false))
                .toCompletableFuture();
        assertTrue(world.loops.get(0).step());
        assertTrue(ids(device).isEmpty() && !direct.isDone());
        world.settle();
        assertEquals(List.of(1L, 2L), ids(device));
    }

    @Test
    void give_whileTheDeviceIsHere_offersNothingThatItsQueueHas() {
        FakeSession device = world.connect(0);
        world.store(Push.Ack.DEVICE, 1);
        assertEquals(List.of(1L), ids(device));
        world.pushes
                .kept()
                .give(PushWorld.DEVICE, 0, (push, number, expires) -> CompletableFuture.completedFuture(Given.TAKEN));
        world.settle();
        assertEquals(1, kept().room.count());
        world.on(device, () -> device.ack(1, true));
        assertEquals(1, counted(Outcome.ACKNOWLEDGED));
        world.assertNothingLeft();
    }

    @Test
    void store_connectionEndsBeforeTheAck_comesAgainUnderTheSameIdAfterARestartToo() {
        world.store(Push.Ack.DEVICE, 1);
        world.store(Push.Ack.RECEIVED, 2);
        FakeSession first = world.connect(0);
        assertEquals(List.of(1L, 2L), ids(first));
        world.on(first, first::hangUp);
        assertEquals(0, world.pushes.waiting(), "at rest again");
        assertEquals(0, world.gateway.timers.pending());
        assertEquals(List.of(1L, 2L), ids(world.connect(1)));
        restart();
        assertEquals(2, kept().room.count());
        FakeSession device = world.connect(2);
        assertEquals(List.of(1L, 2L), ids(device));
        world.on(device, () -> device.pong(device.pings.get(0).number()));
        world.on(device, () -> device.ack(1, true));
        world.assertNothingLeft();
    }

    @Test
    void store_takenOver_goesOverTheNewerConnectionFromTheFirstOn() {
        FakeSession older = world.connect(0);
        world.store(Push.Ack.DEVICE, 1);
        world.store(Push.Ack.DEVICE, 2);
        assertEquals(List.of(1L, 2L), ids(older));
        FakeSession newer = world.connect(1);
        assertEquals(List.of(1L, 2L), ids(newer));
        world.on(newer, () -> newer.ack(2, true));
        world.on(newer, () -> newer.ack(1, true));
        world.assertNothingLeft();
    }

    @Test
    void store_peerThatCannotAcknowledge_getsTheOthersAndLeavesTheRest() {
        for (long id = 1; id <= 40; id++) {
            world.store(id == 20 || id == 40 ? Push.Ack.SENT : Push.Ack.DEVICE, id);
        }
        FakeSession plain = world.connect(0, "plain");
        assertEquals(List.of(20L, 40L), ids(plain));
        assertEquals(Outcome.SENT, outcome(world.push(Push.Ack.SENT, 50)));
        assertEquals(0, world.pushes.waiting(), "what it cannot take is not in memory");
        FakeSession device = world.loops.get(1).accept("heartwheel");
        acknowledgeAll(device);
        world.loops.get(1).tasks.add(() -> device.hello(PushWorld.DEVICE, ""));
        world.settle();
        assertEquals(LongStream.range(1, 40).filter(id -> id != 20).boxed().toList(), ids(device));
        world.assertNothingLeft();
    }

    @Test
    void store_refusedByTheDevice_comesAgainAndLetsOthersPass() {
        FakeSession device = world.connect(0);
        world.store(Push.Ack.DEVICE, 1);
        world.on(device, () -> device.ack(1, false));
        world.store(Push.Ack.DEVICE, 2);
        assertEquals(List.of(1L, 2L), ids(device));
        world.pass(Duration.ofMillis(1_040));
        assertEquals(List.of(1L, 2L, 1L), ids(device));
    }

    // ------------------------------------------------------------------ ends

    @Test
    void store_timeIsOverAtRest_isCountedOnceAndGone() {
        world.push(PushWorld.stored(Push.Ack.DEVICE, 1, Duration.ofSeconds(5)));
        world.push(PushWorld.stored(Push.Ack.DEVICE, 2, Duration.ofSeconds(60)));
        world.pass(Duration.ofSeconds(8));
        assertEquals(1, counted(Outcome.EXPIRED));
        assertEquals(1, kept().room.count());
        restart();
        world.pass(Duration.ofSeconds(60));
        assertEquals(1, counted(Outcome.EXPIRED));
        world.assertNothingLeft();
    }

    @Test
    void store_timeIsOverWhileLoaded_isCountedOnceAndGone() {
        world.push(PushWorld.stored(Push.Ack.DEVICE, 1, Duration.ofSeconds(5)));
        world.connect(0);
        world.pass(Duration.ofSeconds(8));
        assertEquals(1, counted(Outcome.EXPIRED));
        world.assertNothingLeft();
    }

    @Test
    void store_timeIsOverBeforeTheSweep_isNotDelivered() {
        world.push(PushWorld.stored(Push.Ack.DEVICE, 1, Duration.ofMillis(100)));
        world.pass(Duration.ofMillis(120));
        assertTrue(ids(world.connect(0)).isEmpty());
        world.pass(Duration.ofSeconds(3));
        assertEquals(1, counted(Outcome.EXPIRED));
        world.assertNothingLeft();
    }

    @Test
    void cancel_atRestLoadedAndInMemory_isTakenBack() {
        world.store(Push.Ack.DEVICE, 1);
        assertEquals(
                true, settled(world.pushes.cancel(PushWorld.DEVICE, 1, true).toCompletableFuture()));
        assertEquals(
                false, settled(world.pushes.cancel(PushWorld.DEVICE, 1, true).toCompletableFuture()));
        world.assertNothingLeft();
        FakeSession device = world.connect(0);
        world.store(Push.Ack.DEVICE, 2);
        CompletableFuture<PushResult> direct = world.push(Push.Ack.DEVICE, 3);
        assertEquals(List.of(2L, 3L), ids(device));
        for (long id = 2; id <= 3; id++) {
            assertEquals(
                    true,
                    settled(world.pushes.cancel(PushWorld.DEVICE, id, true).toCompletableFuture()));
        }
        assertEquals(Outcome.CANCELLED, outcome(direct));
        assertEquals("taken back; the device may have it", direct.join().detail());
        assertEquals(3, counted(Outcome.CANCELLED));
        world.assertNothingLeft();
    }

    @Test
    void waiting_storedAndDirect_isListedInOrder() {
        FakeSession device = world.connect(0);
        world.store(Push.Ack.DEVICE, 1);
        world.push(Push.Ack.DEVICE, 2);
        world.on(device, device::hangUp);
        world.store(Push.Ack.DEVICE, 3);
        world.pass(Duration.ofSeconds(4));
        assertEquals(
                List.of(
                        new Pushes.Waiting(1, 2, true, false, 4_000, 3_596_000),
                        new Pushes.Waiting(2, 2, false, false, 4_000, 6_000),
                        new Pushes.Waiting(3, 2, true, false, 4_000, 3_596_000)),
                settled(world.pushes.waiting(PushWorld.DEVICE).toCompletableFuture()));
        world.connect(1);
        assertTrue(settled(world.pushes.waiting(PushWorld.DEVICE).toCompletableFuture()).stream()
                .allMatch(Pushes.Waiting::sent));
        assertEquals(List.of(), settled(world.pushes.waiting("another").toCompletableFuture()));
    }

    @Test
    void waiting_behindTheFirstThousand_isFoundByItsId() {
        world.pushes.reconfigure(new PushSettings(
                2_000, 1 << 20, 64 << 20, Duration.ofHours(1), 1 << 16, PushSettings.DEFAULTS.stored()));
        for (long id = 1; id <= Pushes.MOST_LISTED + 1; id++) {
            world.store(Push.Ack.SENT, id);
        }
        long last = Pushes.MOST_LISTED + 1;
        assertEquals(
                Pushes.MOST_LISTED,
                settled(world.pushes.waiting(PushWorld.DEVICE).toCompletableFuture())
                        .size());
        assertEquals(
                last,
                settled(world.pushes.waiting(PushWorld.DEVICE, last).toCompletableFuture())
                        .get(0)
                        .id());
    }

    private <T> T settled(CompletableFuture<T> result) {
        world.settle();
        assertTrue(result.isDone());
        return result.join();
    }

    // ------------------------------------------------------------------ what the disk does

    @Test
    void store_diskIsFull_isRefusedByNameAndNeverDelivered() {
        for (Fate fate : List.of(Fate.FAILED, Fate.COMMITTED_UNKNOWN)) {
            database.fate = () -> fate;
            CompletableFuture<PushResult> refused = world.store(Push.Ack.DEVICE, 1);
            assertEquals(Outcome.NOT_STORED, outcome(refused));
            assertEquals("the disk is full: disk: no room", refused.join().detail());
            assertTrue(ids(world.connect(0)).isEmpty());
            database.fate = () -> Fate.COMMITTED;
            world.pass(Duration.ofSeconds(2));
            world.assertNothingLeft();
        }
    }

    @Test
    void load_diskFails_isTriedAgainAndNothingNewerOvertakes() {
        world.store(Push.Ack.DEVICE, 1);
        database.fate = () -> Fate.FAILED;
        FakeSession device = world.connect(0);
        CompletableFuture<PushResult> direct = world.push(Push.Ack.SENT, 2);
        world.pass(Duration.ofSeconds(4));
        assertTrue(ids(device).isEmpty());
        database.fate = () -> Fate.COMMITTED;
        world.pass(Duration.ofMillis(1_040));
        assertEquals(List.of(1L, 2L), ids(device));
        assertEquals(Outcome.SENT, outcome(direct));
    }

    @Test
    void store_allThatWereReadAreRefused_thoseBehindGoOn() {
        for (long id = 1; id <= 20; id++) {
            world.store(Push.Ack.DEVICE, id);
        }
        FakeSession device = world.connect(0);
        world.on(device, () -> LongStream.rangeClosed(1, 16).forEach(id -> device.ack(id, false)));
        assertEquals(LongStream.rangeClosed(1, 20).boxed().toList(), ids(device));
    }

    @Test
    void remove_diskFails_isNotDeliveredAgainAndRemovedLater() {
        world.store(Push.Ack.DEVICE, 1);
        FakeSession device = world.connect(0);
        boolean[] broken = {true};
        database.fate = () -> broken[0] ? Fate.FAILED : Fate.COMMITTED;
        world.on(device, () -> device.ack(1, true));
        world.on(device, device::hangUp);
        assertEquals(1, database.ask("SELECT count(*) FROM message"));
        broken[0] = false;
        world.store(Push.Ack.DEVICE, 2);
        assertEquals(List.of(2L), ids(world.connect(1)));
        world.pass(Duration.ofMillis(1_040));
        assertEquals(1, database.ask("SELECT count(*) FROM message"));
    }

    @Test
    void load_damagedRow_isNotDelivered() {
        world.store(Push.Ack.DEVICE, 1);
        world.store(Push.Ack.DEVICE, 2);
        database.change("UPDATE message SET payload = x'00' WHERE id = 1");
        FakeSession device = world.connect(0);
        assertEquals(List.of(2L), ids(device));
        assertEquals(1, kept().damaged());
        world.on(device, () -> device.ack(2, true));
        assertEquals(0, database.ask("SELECT count(*) FROM message"));
    }

    @Test
    void store_diskFailsForLong_holdsMemoryForSoMany() {
        database.fate = () -> Fate.FAILED;
        for (long id = 1; id <= 2 * StoredMessages.MOST_UNDONE; id++) {
            assertEquals(Outcome.NOT_STORED, outcome(world.store(Push.Ack.SENT, id)));
        }
        assertEquals(StoredMessages.MOST_UNDONE, kept().claimed());
        database.fate = () -> Fate.COMMITTED;
        world.pass(Duration.ofSeconds(2));
        world.assertNothingLeft();
        assertEquals(Outcome.QUEUED, outcome(world.store(Push.Ack.SENT, 1)));
    }

    @Test
    void cancel_diskRefuses_isNotDeniedWhileItIsThere() {
        world.store(Push.Ack.DEVICE, 1);
        int[] commits = {0};
        database.fate = () -> commits[0]++ == 0 ? Fate.COMMITTED : Fate.FAILED;
        CompletableFuture<Boolean> first =
                world.pushes.cancel(PushWorld.DEVICE, 1, true).toCompletableFuture();
        world.settle();
        CompletableFuture<Boolean> second =
                world.pushes.cancel(PushWorld.DEVICE, 1, true).toCompletableFuture();
        world.settle();
        assertFalse(first.isDone() || second.isDone(), "after a restart it would be delivered");
        database.fate = () -> Fate.COMMITTED;
        world.pass(Duration.ofMillis(1_040));
        assertTrue(first.join());
        assertFalse(second.join());
        world.assertNothingLeft();
    }

    // ------------------------------------------------------------------ limits

    private static PushSettings limits(long storedBytes, long totalBytes) {
        StoredSettings stored =
                new StoredSettings(StoredSettings.NONE.directory(), true, Duration.ofDays(1), storedBytes);
        return new PushSettings(100, 1 << 20, totalBytes, Duration.ofHours(1), 1 << 16, stored);
    }

    @Test
    void store_overTheLimitOfTheDisk_isRefusedByName() {
        world.pushes.reconfigure(limits(1_200, 1 << 20));
        world.store(Push.Ack.DEVICE, 1);
        world.store(Push.Ack.DEVICE, 2);
        CompletableFuture<PushResult> third = world.store(Push.Ack.DEVICE, 3);
        assertEquals(Outcome.FULL, outcome(third));
        assertEquals(
                "messages.stored-bytes = 1200B: what is on the disk takes 1028, and this one 514",
                third.join().detail());
        assertEquals(2, kept().room.count());
        assertEquals(1_028, kept().room.bytes().get());
    }

    @Test
    void store_overTheLimitOfTheDevice_isRefusedByNameAfterARestartToo() {
        for (long id = 1; id <= 256; id++) {
            world.store(Push.Ack.DEVICE, id);
        }
        restart();
        assertEquals(
                "messages.per-device = 256: that many wait for the device",
                world.store(Push.Ack.DEVICE, 300).join().detail());
    }

    @Test
    void store_noDirectory_isRefused() {
        PushWorld without = new PushWorld(1);
        assertEquals(
                Outcome.NO_STORE, outcome(without.push(PushWorld.stored(Push.Ack.DEVICE, 1, Duration.ofHours(1)))));
    }

    @Test
    void store_idThatWaits_isRefused() {
        world.store(Push.Ack.DEVICE, 1);
        assertEquals(Outcome.ID_IN_USE, outcome(world.store(Push.Ack.DEVICE, 1)));
        assertEquals(1, kept().room.count());
    }

    // ------------------------------------------------------------------ keys

    private CompletableFuture<PushResult> withKey(String key, long id, int fingerprint) {
        CompletableFuture<PushResult> result = world.pushes
                .send(PushWorld.stored(Push.Ack.DEVICE, id, Duration.ofDays(2)), key, new byte[] {(byte) fingerprint})
                .toCompletableFuture();
        world.settle();
        return result;
    }

    @Test
    void key_repeatedAfterARestart_isOneMessage() {
        assertEquals(7, withKey("k", 7, 1).join().messageId());
        restart();
        PushResult again = withKey("k", 8, 1).join();
        assertEquals(Outcome.QUEUED, again.outcome());
        assertEquals(7, again.messageId());
        assertEquals(Outcome.KEY_REUSED, outcome(withKey("k", 7, 2)));
        assertEquals(1, kept().room.count());
    }

    @Test
    void key_ofAMessageThatIsGone_isKeptForItsTimeAndThenForgotten() {
        withKey("k", 7, 1);
        FakeSession device = world.connect(0);
        world.on(device, () -> device.ack(7, true));
        assertEquals(0, kept().room.count());
        restart();
        assertEquals(7, withKey("k", 8, 1).join().messageId());
        database.change("UPDATE message_key SET until = 0");
        world.pass(Duration.ofSeconds(40));
        assertEquals(0, database.ask("SELECT count(*) FROM message_key"));
    }

    @Test
    void key_notStored_triesAnew() {
        for (Fate fate : List.of(Fate.FAILED, Fate.COMMITTED_UNKNOWN)) {
            database.fate = () -> fate;
            assertEquals(Outcome.NOT_STORED, outcome(withKey("k" + fate, 7, 1)));
            database.fate = () -> Fate.COMMITTED;
            world.pass(Duration.ofMillis(1_040));
            assertEquals(0, database.ask("SELECT count(*) FROM message_key"));
            assertEquals(Outcome.QUEUED, outcome(withKey("k" + fate, fate.ordinal() + 20, 1)));
            assertNotNull(world.connect(0));
            database.change("DELETE FROM message_key");
        }
    }
}
