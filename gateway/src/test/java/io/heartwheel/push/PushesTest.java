package io.heartwheel.push;

import static io.heartwheel.push.PushWorld.ids;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.session.FakeSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages that wait for a device, on three event loops in virtual time. */
class PushesTest {
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private final PushWorld world = new PushWorld(3);

    /** Whatever has become of them: when their time is over nothing of them is left. */
    @AfterEach
    void nothingIsLeft() {
        world.pass(Duration.ofMinutes(6));
        world.assertNothingLeft();
    }

    private static Outcome outcome(CompletableFuture<PushResult> result) {
        assertTrue(result.isDone(), "no result yet");
        return result.join().outcome();
    }

    private static Push replied(long id, Duration timeout) {
        return new Push(
                PushWorld.DEVICE, id, true, PushWorld.text("?"), Push.Ack.DEVICE, true, timeout.toNanos(), false);
    }

    // ------------------------------------------------------------------ acknowledged by the device

    @Test
    void push_acknowledged_isTold() {
        FakeSession device = world.connect(0);
        CompletableFuture<PushResult> result = world.push(Push.Ack.DEVICE, 7);
        assertTrue(device.data.get(0).ackWanted());
        assertFalse(result.isDone());
        world.on(device, () -> device.ack(7, true));
        assertEquals(Outcome.ACKNOWLEDGED, outcome(result));
        assertEquals(device.epoch(), Objects.requireNonNull(result.join().to()).epoch());
        world.assertNothingLeft();
    }

    @Test
    void push_acksOfOthers_acknowledgeNothing() {
        FakeSession device = world.connect(0);
        CompletableFuture<PushResult> first = world.push(Push.Ack.DEVICE, 7);
        CompletableFuture<PushResult> second = world.push(Push.Ack.DEVICE, 8);
        world.on(device, () -> device.ack(9, true));
        world.on(device, () -> device.ack(7, true));
        world.on(device, () -> device.ack(7, true));
        assertTrue(first.isDone());
        assertFalse(second.isDone());
        assertEquals(2, world.pushes.strayAcks());
        world.pass(TEN_SECONDS);
        assertEquals(Outcome.EXPIRED, outcome(second));
        world.on(device, () -> device.ack(8, true));
        assertEquals(3, world.pushes.strayAcks(), "too late, with nothing in the queue any more");
    }

    @Test
    void push_reconnected_sendsAgainInOrderBeforeAnythingNewer() {
        FakeSession first = world.connect(0);
        CompletableFuture<PushResult> one = world.push(Push.Ack.DEVICE, 1);
        CompletableFuture<PushResult> two = world.push(Push.Ack.DEVICE, 2);
        world.push(Push.Ack.DEVICE, 3);
        world.on(first, () -> first.ack(2, true));
        assertTrue(two.isDone());
        world.on(first, first::hangUp);
        world.pass(Duration.ofSeconds(3));
        FakeSession second = world.connect(1);
        CompletableFuture<PushResult> four = world.push(Push.Ack.SENT, 4);
        assertEquals(List.of(1L, 3L, 4L), ids(second));
        assertEquals(Outcome.SENT, outcome(four));
        assertEquals(2, world.pushes.resends());
        world.on(second, () -> second.ack(1, true));
        assertEquals(Outcome.ACKNOWLEDGED, outcome(one));
        assertEquals(second.epoch(), Objects.requireNonNull(one.join().to()).epoch());
    }

    @Test
    void push_takenOverBetweenWriteAndAck_isSentAgainBeforeAnythingNewer() {
        FakeSession older = world.connect(0);
        CompletableFuture<PushResult> one = world.push(Push.Ack.DEVICE, 1);
        // the newer stands before the older's loop comes to its end
        FakeSession newer = world.loops.get(1).accept("heartwheel");
        world.loops.get(1).tasks.add(() -> newer.hello(PushWorld.DEVICE, ""));
        world.loops.get(1).step();
        CompletableFuture<PushResult> two = world.pushes
                .send(new Push(PushWorld.DEVICE, 2, true, new byte[0], Push.Ack.DEVICE, false, 10_000_000_000L, false))
                .toCompletableFuture();
        assertTrue(world.loops.get(1).step());
        world.settle();
        assertEquals(List.of(1L), ids(older));
        assertEquals(List.of(1L, 2L), ids(newer));
        assertFalse(one.isDone());
        world.on(newer, () -> newer.ack(1, true));
        world.on(newer, () -> newer.ack(2, true));
        assertEquals(Outcome.ACKNOWLEDGED, outcome(one));
        assertEquals(Outcome.ACKNOWLEDGED, outcome(two));
    }

    @Test
    void push_ackOfAConnectionThatIsTakenOver_isStray() {
        FakeSession first = world.connect(0);
        CompletableFuture<PushResult> one = world.push(Push.Ack.DEVICE, 1);
        world.on(first, first::hangUp);
        FakeSession older = world.connect(1);
        assertEquals(List.of(1L), ids(older));
        FakeSession newer = world.loops.get(2).accept("heartwheel");
        world.loops.get(1).tasks.add(() -> older.ack(1, true));
        world.loops.get(2).tasks.add(() -> newer.hello(PushWorld.DEVICE, ""));
        world.loops.get(2).step();
        world.loops.get(0).step();
        assertTrue(older.isEstablished());
        world.settle();
        assertEquals(1, world.pushes.strayAcks());
        assertFalse(one.isDone());
        world.on(newer, () -> newer.ack(1, true));
        assertEquals(newer.epoch(), Objects.requireNonNull(one.join().to()).epoch());
    }

    @Test
    void push_acceptedWhileANewerConnectionIsEstablished_findsIt() {
        FakeSession older = world.connect(0);
        FakeSession newer = world.loops.get(1).accept("heartwheel");
        // behind the look into the directory, and before the queue is there
        older.onAsked = () -> {
            older.onAsked = () -> {};
            world.loops.get(1).tasks.add(() -> newer.hello(PushWorld.DEVICE, ""));
            assertTrue(world.loops.get(1).step());
        };
        CompletableFuture<PushResult> one = world.push(Push.Ack.DEVICE, 1);
        assertFalse(older.isEstablished());
        assertEquals(List.of(1L), ids(newer));
        world.on(newer, () -> newer.ack(1, true));
        assertEquals(Outcome.ACKNOWLEDGED, outcome(one));
    }

    @Test
    void push_writeFails_endsTheConnectionAndIsSentOverTheNext() {
        for (int loop = 0; loop < 2; loop++) {
            FakeSession device = world.connect(loop);
            device.onData = data -> {
                throw new IllegalStateException("no room");
            };
            CompletableFuture<PushResult> one = world.push(Push.Ack.DEVICE, 1);
            assertFalse(device.isEstablished(), "else nothing more is sent over it");
            FakeSession again = world.connect(1 - loop);
            assertEquals(List.of(1L), ids(again));
            world.on(again, () -> again.ack(1, true));
            assertEquals(Outcome.ACKNOWLEDGED, outcome(one));
            world.assertNothingLeft();
        }
    }

    @Test
    void push_offlineWhileItWaits_expiresAtItsTimeout() {
        FakeSession device = world.connect(0);
        CompletableFuture<PushResult> result = world.push(Push.Ack.DEVICE, 1);
        world.on(device, device::hangUp);
        world.pass(Duration.ofMillis(9_980));
        assertFalse(result.isDone());
        world.pass(Duration.ofMillis(60));
        assertEquals(Outcome.EXPIRED, outcome(result));
        assertEquals(
                "not acknowledged in time; the device may have it",
                result.join().detail());
        world.assertNothingLeft();
        assertEquals(0, world.gateway.armed());
        FakeSession again = world.connect(1);
        assertTrue(ids(again).isEmpty(), "what was told as expired is not sent any more");
    }

    @Test
    void push_offline_isNotTaken() {
        assertEquals(Outcome.OFFLINE, outcome(world.push(Push.Ack.DEVICE, 1)));
        assertEquals(Outcome.OFFLINE, outcome(world.push(Push.Ack.SENT, 2)));
        world.assertNothingLeft();
    }

    @Test
    void push_moreThanTheWindow_waitsForAnAck() {
        FakeSession device = world.connect(0);
        List<CompletableFuture<PushResult>> results = new ArrayList<>();
        for (int id = 1; id <= 20; id++) {
            results.add(world.push(Push.Ack.DEVICE, id));
        }
        assertEquals(16, device.data.size());
        world.on(device, () -> device.ack(20, true));
        assertFalse(results.get(19).isDone(), "it was never sent");
        world.on(device, () -> device.ack(5, true));
        assertEquals(17, device.data.size());
        IntStream.rangeClosed(1, 20).forEach(id -> world.on(device, () -> device.ack(id, true)));
        assertEquals(LongStream.rangeClosed(1, 20).boxed().toList(), ids(device));
        assertTrue(results.stream().allMatch(each -> outcome(each) == Outcome.ACKNOWLEDGED));
    }

    @Test
    void push_windowFullWhenTheConnectionEnds_isOpenForTheNext() {
        FakeSession first = world.connect(0);
        for (int id = 1; id <= 20; id++) {
            world.push(Push.Ack.DEVICE, id);
        }
        world.on(first, first::hangUp);
        FakeSession second = world.connect(1);
        assertEquals(LongStream.rangeClosed(1, 16).boxed().toList(), ids(second));
    }

    @Test
    void push_deviceDoesNotRead_waitsUntilItDoes() {
        for (int loop = 0; loop < 2; loop++) {
            FakeSession device = world.connect(loop);
            world.on(device, () -> device.drains(false));
            CompletableFuture<PushResult> one = world.push(Push.Ack.DEVICE, 1);
            CompletableFuture<PushResult> two = world.push(Push.Ack.SENT, 2);
            assertTrue(ids(device).isEmpty());
            world.on(device, () -> device.drains(true));
            assertEquals(List.of(1L, 2L), ids(device));
            assertEquals(Outcome.SENT, outcome(two));
            world.on(device, () -> device.ack(1, true));
            assertEquals(Outcome.ACKNOWLEDGED, outcome(one));
        }
        assertEquals(0, world.pushes.resends());
    }

    @Test
    void push_refused_isSentAgainAfterAPauseThatGrows() {
        FakeSession device = world.connect(0);
        CompletableFuture<PushResult> one = world.push(Push.Ack.DEVICE, 1);
        world.on(device, () -> device.ack(1, false));
        world.push(Push.Ack.SENT, 2);
        assertEquals(List.of(1L, 2L), ids(device), "others pass it");
        world.pass(Duration.ofMillis(980));
        assertEquals(2, device.data.size());
        world.pass(Duration.ofMillis(60));
        assertEquals(List.of(1L, 2L, 1L), ids(device));
        world.on(device, () -> device.ack(1, false));
        world.pass(Duration.ofMillis(1_900));
        assertEquals(3, device.data.size());
        world.pass(Duration.ofMillis(200));
        assertEquals(4, device.data.size());
        world.on(device, () -> device.ack(1, true));
        assertEquals(Outcome.ACKNOWLEDGED, outcome(one));
        world.assertNothingLeft();
    }

    @Test
    void push_refusedAgainBeforeItsLoopSeesTheEndOfThePause_waitsForTheNewPause() {
        FakeSession device = world.connect(0);
        CompletableFuture<PushResult> one = world.push(Push.Ack.DEVICE, 1);
        world.on(device, () -> device.ack(1, false));
        world.gateway.pass(Duration.ofMillis(1_020));
        Runnable end = world.loops.get(0).tasks.remove();
        world.on(device, device::hangUp);
        FakeSession newer = world.connect(0);
        world.on(newer, () -> newer.ack(1, false));
        world.on(newer, end);
        assertEquals(List.of(1L), ids(newer));
        world.pass(Duration.ofMillis(2_100));
        assertEquals(List.of(1L, 1L), ids(newer));
        world.on(newer, () -> newer.ack(1, true));
        assertEquals(Outcome.ACKNOWLEDGED, outcome(one));
    }

    // ------------------------------------------------------------------ answered

    @Test
    void reply_answered_bringsTheAnswer() {
        FakeSession device = world.connect(0);
        CompletableFuture<PushResult> result = world.push(replied(9, TEN_SECONDS));
        world.on(device, () -> device.ack(9, true));
        assertFalse(result.isDone());
        world.on(device, () -> device.reply(8, true, PushWorld.text("no")));
        world.on(device, () -> device.reply(9, true, PushWorld.text("21.5")));
        assertEquals(Outcome.REPLIED, outcome(result));
        assertArrayEquals(
                PushWorld.text("21.5"),
                Objects.requireNonNull(result.join().reply()).payload());
    }

    @Test
    void reply_acknowledgedAndNotAnswered_expiresAndIsNotSentAgain() {
        FakeSession first = world.connect(0);
        CompletableFuture<PushResult> result = world.push(replied(9, TEN_SECONDS));
        world.on(first, () -> first.ack(9, true));
        world.on(first, first::hangUp);
        FakeSession second = world.connect(1);
        assertTrue(ids(second).isEmpty());
        world.pass(TEN_SECONDS.plusMillis(40));
        assertEquals(Outcome.EXPIRED, outcome(result));
        assertEquals("acknowledged, and not answered in time", result.join().detail());
    }

    @Test
    void reply_answeredAfterAReconnect_bringsTheAnswer() {
        FakeSession first = world.connect(0);
        CompletableFuture<PushResult> result = world.push(replied(9, TEN_SECONDS));
        world.on(first, () -> first.ack(9, true));
        world.on(first, first::hangUp);
        FakeSession second = world.connect(1);
        world.on(second, () -> second.reply(9, false, new byte[] {1}));
        assertEquals(Outcome.REPLIED, outcome(result));
    }

    // ------------------------------------------------------------------ received by the peer's stack

    @Test
    void received_pong_provesWhatWasSentBeforeItsPing() {
        FakeSession device = world.connect(0, "plain");
        CompletableFuture<PushResult> one = world.push(Push.Ack.RECEIVED, 1);
        CompletableFuture<PushResult> two = world.push(Push.Ack.RECEIVED, 2);
        CompletableFuture<PushResult> three = world.push(Push.Ack.RECEIVED, 3);
        assertEquals(
                List.of(1, 2, 3),
                device.pings.stream().map(FakeSession.Ping::behind).toList());
        assertFalse(device.data.get(0).ackWanted());
        world.on(device, () -> device.pong(0));
        world.on(device, () -> device.pong(Long.MAX_VALUE));
        assertFalse(one.isDone());
        world.on(device, () -> device.pong(device.pings.get(1).number()));
        assertEquals(Outcome.RECEIVED, outcome(one));
        assertEquals(Outcome.RECEIVED, outcome(two));
        assertFalse(three.isDone());
        world.on(device, () -> device.pong(device.pings.get(1).number()));
        assertFalse(three.isDone());
    }

    @Test
    void received_pongOfAnOlderConnection_provesNothing() {
        FakeSession first = world.connect(0);
        CompletableFuture<PushResult> one = world.push(Push.Ack.RECEIVED, 1);
        world.on(first, first::hangUp);
        FakeSession second = world.connect(1);
        assertEquals(List.of(1L), ids(second));
        world.on(second, () -> second.pong(first.pings.get(0).number()));
        assertFalse(one.isDone());
        world.on(second, () -> second.pong(second.pings.get(0).number()));
        assertEquals(Outcome.RECEIVED, outcome(one));
    }

    // ------------------------------------------------------------------ peers without an ACK

    @Test
    void push_peerThatCannotAcknowledge_isRefused() {
        FakeSession device = world.connect(0, "plain");
        CompletableFuture<PushResult> result = world.push(Push.Ack.DEVICE, 1);
        assertEquals(Outcome.CANNOT_ACKNOWLEDGE, outcome(result));
        assertTrue(device.data.isEmpty());
    }

    @Test
    void push_backAsAPeerThatCannotAcknowledge_waitsForOneThatCan() {
        FakeSession first = world.connect(0);
        CompletableFuture<PushResult> one = world.push(Push.Ack.DEVICE, 1);
        world.on(first, first::hangUp);
        FakeSession plain = world.connect(1, "plain");
        CompletableFuture<PushResult> two = world.push(Push.Ack.SENT, 2);
        assertEquals(List.of(2L), ids(plain));
        assertTrue(two.isDone());
        FakeSession again = world.connect(0);
        assertEquals(List.of(1L), ids(again));
        world.on(again, () -> again.ack(1, true));
        assertEquals(Outcome.ACKNOWLEDGED, outcome(one));
    }

    // ------------------------------------------------------------------ limits

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3|1000|10000|3|2|messages.per-device = 3: that many wait for the device",
                "100|10|10000|2|7|messages.bytes-per-device = 10B: 4 wait for the device, and this one has 7",
                "100|1000|1200|2|2|messages.total-bytes = 1200B: messages that wait take 1028, and this one 514"
            })
    void push_overALimit_isRefusedByName(
            int perDevice, long bytesPerDevice, long totalBytes, int waiting, int size, String detail) {
        world.connect(0);
        world.pushes.reconfigure(new PushSettings(
                perDevice, bytesPerDevice, totalBytes, Duration.ofHours(1), 1 << 16, StoredSettings.NONE));
        IntStream.rangeClosed(1, waiting).forEach(id -> world.push(Push.Ack.DEVICE, id));
        long waitingBytes = world.pushes.waitingBytes();
        CompletableFuture<PushResult> refused = world.push(new Push(
                PushWorld.DEVICE, 9, false, new byte[size], Push.Ack.DEVICE, false, TEN_SECONDS.toNanos(), false));
        assertEquals(Outcome.FULL, outcome(refused));
        assertEquals(detail, refused.join().detail());
        assertEquals(waiting, world.pushes.waiting());
        assertEquals(waitingBytes, world.pushes.waitingBytes());
    }

    @Test
    void push_idThatWaits_isRefused() {
        world.connect(0);
        world.push(Push.Ack.DEVICE, 1);
        assertEquals(Outcome.ID_IN_USE, outcome(world.push(Push.Ack.DEVICE, 1)));
        assertEquals(1, world.pushes.waiting());
    }

    @Test
    void nextId_clockThatStandsOrIsSetBack_grows() {
        long first = world.pushes.nextId();
        assertEquals(first + 1, world.pushes.nextId());
    }
}
