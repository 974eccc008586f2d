package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.Behaviours;
import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.client.LoopContext;
import io.heartwheel.loadgen.client.PacingLoop;
import io.heartwheel.loadgen.client.Payload;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.LoopStalls;
import io.heartwheel.loadgen.pace.SlotRing;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.wire.FrameType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One device and what comes out of its gateway, in virtual time: each finding can fail. */
final class UplinkTrackerTest {

    private static final long SECOND = 1_000_000_000L;
    private static final String WELCOME = "0200001c0100000007d000960000000000000007%016x00010000";
    private static final long EPOCH = 0x60a24181e4001L;

    private final Scenario scenario =
            TestScenarios.of("uplink { settle = 2s }, seed = 5, behaviours = [{ kind = chatty }]");
    private final Recorder recorder = new Recorder(scenario.contract(), this::now, LoopStalls.none());
    private final LoopDevices devices = new LoopDevices(Slice.whole(1), 0, 1);
    private final UplinkTracker tracker = tracker();
    private final List<Sent> sent = new ArrayList<>();
    private EmbeddedChannel channel = new EmbeddedChannel();
    private long now;
    private long due;
    private long epoch = EPOCH - 1;
    private long sequence;
    private String instance = "";
    /** In its events; 0: the epoch. */
    private long session;
    /** Epoch of messages in their events; 0: that of their connection. */
    private long told;

    private final Device device = device();

    private record Sent(long wireId, byte[] content, long epoch) {}

    private long now() {
        return now;
    }

    private Device device() {
        PacingLoop<Device> pacing = new PacingLoop<>() {
            @Override
            public void due(Device owner, long dueNanos) {
                due = dueNanos;
            }

            @Override
            public void connect(Device owner, long intendedNanos) {}
        };
        LoopContext<Device> context = recorder.context(scenario, scenario.deviceDefaults(), pacing, 0, String::valueOf);
        context.uplinkTo(tracker);
        Device made =
                new Device(context, dialect(), Behaviours.chatty(20, new Payload(Payload.Kind.UNIFORM, 0, 100)), 0);
        devices.all[0] = made;
        return made;
    }

    private UplinkTracker tracker() {
        return new UplinkTracker(Objects.requireNonNull(scenario.uplink()), recorder, devices);
    }

    private Dialect dialect() {
        return scenario.targets().get(0).dialect();
    }

    @AfterEach
    void tidy() {
        channel.finishAndReleaseAll();
    }

    private void connect() {
        epoch++;
        sequence = 0;
        device.connect(dialect(), now);
        channel = new EmbeddedChannel(device);
        channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(String.format(WELCOME, epoch))));
        assertTrue(device.isOpen());
        read();
        presence(UplinkEvent.Kind.PRESENT, epoch, ++sequence, 1);
    }

    private void disconnect() {
        channel.close();
        assertTrue(device.isGone());
    }

    private void read() {
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            if (out.getByte(0) == FrameType.DATA) {
                sent.add(new Sent(out.getLong(4), ByteBufUtil.getBytes(out, 12, out.readableBytes() - 12), epoch));
            }
            out.release();
        }
    }

    private void send(int many) {
        int until = sent.size() + many;
        while (sent.size() < until) {
            now = Math.max(now, due);
            long next = device.act(due);
            due = next == SlotRing.DONE ? due : next;
            read();
        }
    }

    private void acknowledge(Sent message) {
        channel.writeInbound(Unpooled.buffer()
                .writeInt(0x06000009)
                .writeLong(message.wireId())
                .writeByte(0));
    }

    private void event(UplinkEvent event) {
        tracker.report(new UplinkReport(List.of(event), Map.of(), false, false));
    }

    private void comesOut(Sent message) {
        comesOut(message, message.content());
    }

    private void comesOut(Sent message, byte[] content) {
        CRC32C sum = new CRC32C();
        sum.update(content);
        event(new UplinkEvent(
                UplinkEvent.Kind.MESSAGE,
                0,
                0,
                told == 0 ? message.epoch() : told,
                2,
                1,
                "",
                "",
                message.wireId(),
                content.length,
                sum.getValue()));
    }

    private void presence(UplinkEvent.Kind kind, long ofEpoch, long ofSequence, long incarnation) {
        event(new UplinkEvent(
                kind, 0, session == 0 ? ofEpoch : session, ofEpoch, ofSequence, incarnation, instance, "", 0, 0, 0));
    }

    private void finish() {
        now += 10 * SECOND;
        tracker.report(new UplinkReport(List.of(), Map.of(), true, true));
        tracker.finish();
    }

    private void assertCounts(Map<Count, Long> expected) {
        for (Count count : List.of(
                Count.UPLINK_LOST,
                Count.UPLINK_CHANGED,
                Count.UPLINK_OUT_OF_ORDER,
                Count.UPLINK_DOUBLED,
                Count.UPLINK_UNJUDGED,
                Count.PRESENCE_WRONG,
                Count.HOLDERS_STALE,
                Count.EPOCHS_FALLEN,
                Count.TAKEOVERS_UNTOLD,
                Count.NODES_DOWN_AGAIN)) {
            assertEquals(expected.getOrDefault(count, 0L), recorder.ledger().of(count), count.label());
        }
        boolean fault = expected.keySet().stream()
                .anyMatch(count -> count != Count.UPLINK_DOUBLED
                        && count != Count.UPLINK_UNJUDGED
                        && count != Count.NODES_DOWN_AGAIN);
        assertEquals(
                fault,
                recorder.evidence().stream().anyMatch(each -> each.kind() == GatewayFault.Kind.UPLINK),
                () -> recorder.evidence().toString());
    }

    // ---- messages

    @Test
    void finish_allCameInOrder_findsNothing() {
        connect();
        send(20);
        sent.forEach(this::acknowledge);
        sent.forEach(this::comesOut);
        finish();
        assertCounts(Map.of());
        assertEquals(20, recorder.ledger().of(Count.UPLINK_CAME));
        assertEquals(1, recorder.ledger().of(Count.PRESENCE_JUDGED));
    }

    @Test
    void finish_acknowledgedAfterItCame_isCountedOnce() {
        connect();
        send(1);
        comesOut(sent.get(0));
        assertEquals(0, recorder.ledger().of(Count.UPLINK_CAME));
        acknowledge(sent.get(0));
        finish();
        assertEquals(1, recorder.ledger().of(Count.UPLINK_CAME));
        assertCounts(Map.of());
    }

    @Test
    void finish_plantedLoss_isFound() {
        connect();
        send(5);
        sent.forEach(this::acknowledge);
        sent.subList(0, 3).forEach(this::comesOut);
        comesOut(sent.get(4));
        finish();
        assertCounts(Map.of(Count.UPLINK_LOST, 1L));
        assertTrue(recorder.evidence().get(0).detail().contains("message 4"), recorder.evidence()::toString);
    }

    @Test
    void finish_unacknowledgedAndNeverCame_isNoLoss() {
        connect();
        send(5);
        acknowledge(sent.get(0));
        comesOut(sent.get(0));
        finish();
        assertCounts(Map.of());
    }

    @Test
    void finish_runEndedEarly_judgesNothing() {
        connect();
        send(2);
        sent.forEach(this::acknowledge);
        tracker.finish();
        assertCounts(Map.of(Count.UPLINK_UNJUDGED, 2L));
    }

    @Test
    void report_plantedDouble_isCountedAndAllowed() {
        connect();
        send(2);
        sent.forEach(this::acknowledge);
        sent.forEach(this::comesOut);
        comesOut(sent.get(0));
        finish();
        assertCounts(Map.of(Count.UPLINK_DOUBLED, 1L));
    }

    @Test
    void report_plantedSwap_isFound() {
        connect();
        send(3);
        sent.forEach(this::acknowledge);
        comesOut(sent.get(1));
        comesOut(sent.get(0));
        comesOut(sent.get(2));
        finish();
        assertCounts(Map.of(Count.UPLINK_OUT_OF_ORDER, 1L));
    }

    @Test
    void report_plantedChange_isFound() {
        connect();
        send(4);
        sent.forEach(this::comesOut);
        Sent longest = sent.stream()
                .max((one, other) -> one.content().length - other.content().length)
                .orElseThrow();
        byte[] flipped = longest.content().clone();
        flipped[0] ^= 1;
        comesOut(longest, flipped);
        comesOut(longest, Arrays.copyOf(longest.content(), longest.content().length - 1));
        comesOut(new Sent(longest.wireId() + 1_000, longest.content(), epoch));
        comesOut(new Sent(longest.wireId(), longest.content(), epoch + 1));
        finish();
        assertCounts(Map.of(Count.UPLINK_CHANGED, 4L));
    }

    @Test
    void report_sentAgainOnTheNextConnection_comesFromEither() {
        connect();
        send(4);
        acknowledge(sent.get(0));
        disconnect();
        presence(UplinkEvent.Kind.ABSENT, epoch, 9, 1);
        now += SECOND;
        connect();
        assertEquals(4 + 3, sent.size(), "three are sent again");
        assertEquals(sent.get(1).wireId(), sent.get(4).wireId());
        sent.subList(4, 7).forEach(this::acknowledge);
        // the first two were committed before the end of the connection, the others were not
        sent.subList(0, 2).forEach(this::comesOut);
        sent.subList(5, 7).forEach(this::comesOut);
        finish();
        assertCounts(Map.of());
    }

    // ---- presence

    @Test
    void finish_connectedAndAbsentByTheEvents_isFound() {
        connect();
        presence(UplinkEvent.Kind.ABSENT, epoch, 2, 1);
        finish();
        assertCounts(Map.of(Count.PRESENCE_WRONG, 1L));
    }

    @Test
    void finish_connectedAndNoEvent_isFound() {
        connect();
        UplinkTracker deaf = tracker();
        now += 10 * SECOND;
        deaf.report(new UplinkReport(List.of(), Map.of(), true, true));
        deaf.finish();
        assertCounts(Map.of(Count.PRESENCE_WRONG, 1L));
    }

    @Test
    void finish_goneAndPresentByTheEvents_isFound() {
        connect();
        disconnect();
        finish();
        assertCounts(Map.of(Count.PRESENCE_WRONG, 1L));
    }

    @Test
    void finish_goneAndTheGatewayStartedSince_isRight() {
        connect();
        disconnect();
        event(new UplinkEvent(UplinkEvent.Kind.STARTED, -1, 0, 0, 0, 2, "", "", 0, 0, 0));
        finish();
        assertCounts(Map.of());
    }

    @Test
    void finish_connectedBeforeTheGatewayStarted_isFound() {
        connect();
        event(new UplinkEvent(UplinkEvent.Kind.STARTED, -1, 0, 0, 0, 2, "", "", 0, 0, 0));
        finish();
        assertCounts(Map.of(Count.PRESENCE_WRONG, 1L));
    }

    @Test
    void finish_endOfAnOlderConnectionComesLater_isRight() {
        connect();
        disconnect();
        now += SECOND;
        connect();
        presence(UplinkEvent.Kind.ABSENT, epoch - 1, 50, 1);
        presence(UplinkEvent.Kind.ABSENT, epoch, 1, 1);
        finish();
        assertCounts(Map.of());
    }

    @Test
    void finish_suspectAndRecovered_isPresent() {
        connect();
        presence(UplinkEvent.Kind.PRESENT, epoch, 2, 1);
        presence(UplinkEvent.Kind.PRESENT, epoch, 3, 1);
        finish();
        assertCounts(Map.of());
    }

    @Test
    void finish_changedAMomentAgo_isNotCompared() {
        connect();
        now += 10 * SECOND;
        disconnect();
        now += SECOND;
        tracker.report(new UplinkReport(List.of(), Map.of(), true, true));
        tracker.finish();
        assertCounts(Map.of());
        assertEquals(0, recorder.ledger().of(Count.PRESENCE_JUDGED));
    }

    // ---- a fleet

    /** The device comes back through this gateway. */
    private void comesTo(String gateway) {
        if (device.isOpen()) {
            disconnect();
            now += SECOND;
        }
        instance = gateway;
        connect();
    }

    private void takenOver(long ofEpoch, String by) {
        event(new UplinkEvent(UplinkEvent.Kind.TAKEN_OVER, 0, ofEpoch, ofEpoch, 9, 1, "a", by, 0, 0, 0));
    }

    /** Another gateway tells the latest connection as lost. */
    private void lost(String gateway) {
        long last = UplinkEvent.LAST;
        event(new UplinkEvent(UplinkEvent.Kind.ABSENT, 0, epoch, epoch, last, 0, gateway, UplinkEvent.LOST, 0, 0, 0));
    }

    private void ofGateway(UplinkEvent.Kind kind, String gateway, String detail) {
        event(new UplinkEvent(kind, -1, 0, 0, 0, 2, gateway, detail, 0, 0, 0));
    }

    @Test
    void finish_takenOverByAnotherGateway_isRightAndCounted() {
        comesTo("a");
        comesTo("b");
        takenOver(epoch - 1, "b");
        finish();
        assertCounts(Map.of());
        assertEquals(1, recorder.ledger().of(Count.TAKEOVERS_TOLD));
        assertEquals(1, recorder.ledger().of(Count.TAKEOVERS_ELSEWHERE));
    }

    @Test
    void finish_successorThatWasLostWithItsNode_isKnown() {
        comesTo("a");
        comesTo("b");
        takenOver(epoch - 1, "b");
        lost("b");
        disconnect();
        finish();
        assertCounts(Map.of());
    }

    @Test
    void finish_lostTakeover_isFound() {
        comesTo("a");
        comesTo("b");
        finish();
        assertCounts(Map.of(Count.HOLDERS_STALE, 1L));
    }

    @Test
    void finish_newerConnectionOfWhichNoEventTells_isFound() {
        comesTo("a");
        long known = epoch;
        UplinkEvent before = new UplinkEvent(UplinkEvent.Kind.PRESENT, 0, known, known, 3, 1, "a", "", 0, 0, 0);
        instance = "b";
        disconnect();
        device.connect(dialect(), now);
        channel = new EmbeddedChannel(device);
        channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(String.format(WELCOME, known + 1))));
        event(before);
        finish();
        assertCounts(Map.of(Count.PRESENCE_WRONG, 1L));
    }

    @Test
    void finish_takenOverByAConnectionThatNobodyTellsOf_isFoundUnlessItsGatewayWasKilled() {
        comesTo("a");
        comesTo("b");
        takenOver(epoch - 1, "c");
        ofGateway(UplinkEvent.Kind.STARTED, "c", "");
        finish();
        assertCounts(Map.of(Count.TAKEOVERS_UNTOLD, 1L));
    }

    @Test
    void finish_takenOverByAGatewayThatWasKilled_isNotJudged() {
        comesTo("a");
        comesTo("b");
        takenOver(epoch - 1, "c");
        ofGateway(UplinkEvent.Kind.STARTED, "c", UplinkEvent.LOST);
        finish();
        assertCounts(Map.of());
    }

    @Test
    void welcomed_epochThatFalls_isFound() {
        comesTo("a");
        presence(UplinkEvent.Kind.ABSENT, epoch, 9, 1);
        epoch -= 2;
        comesTo("b");
        finish();
        assertCounts(Map.of(Count.EPOCHS_FALLEN, 1L, Count.HOLDERS_STALE, 1L, Count.PRESENCE_WRONG, 1L));
    }

    @Test
    void finish_anotherGatewayStarted_isPresent() {
        comesTo("a");
        ofGateway(UplinkEvent.Kind.STARTED, "b", "");
        finish();
        assertCounts(Map.of());
    }

    @Test
    void report_nodeDownTwice_isFound() {
        ofGateway(UplinkEvent.Kind.NODE_DOWN, "a", "c 17");
        ofGateway(UplinkEvent.Kind.NODE_DOWN, "a", "c 99");
        assertEquals(2, recorder.ledger().of(Count.NODES_DOWN));
        assertCounts(Map.of());
        ofGateway(UplinkEvent.Kind.NODE_DOWN, "b", "c 17");
        assertEquals(2, recorder.ledger().of(Count.NODES_DOWN));
        assertCounts(Map.of(Count.NODES_DOWN_AGAIN, 1L));
    }

    @Test
    void finish_toldAsLostWithItsNodeAndStillConnected_isFound() {
        comesTo("a");
        lost("a");
        finish();
        assertCounts(Map.of(Count.PRESENCE_WRONG, 1L));
        assertEquals(1, recorder.ledger().of(Count.NODE_LOST));
    }

    /** The gateway stood still, and goes on with the same connection under another epoch. */
    private void goesOn() {
        session = epoch;
        presence(UplinkEvent.Kind.PRESENT, epoch + 5, 1, 1);
        session = 0;
    }

    @Test
    void finish_lostAndConnectedAgainUnderAnotherEpoch_isRightAndItsMessagesToo() {
        comesTo("a");
        goesOn();
        send(1);
        acknowledge(sent.get(0));
        told = epoch + 5;
        comesOut(sent.get(0));
        lost("a");
        finish();
        assertCounts(Map.of());
    }

    @Test
    void finish_anotherEpochOfOneThatNobodyToldAsLost_isFound() {
        comesTo("a");
        goesOn();
        finish();
        assertCounts(Map.of(Count.HOLDERS_STALE, 1L));
    }

    @Test
    void report_countsOfTheReceiver_areAdded() {
        tracker.report(new UplinkReport(List.of(), Map.of("uplink_gaps", 7L, "no_such", 1L), false, false));
        assertEquals(7, recorder.ledger().of(Count.UPLINK_GAPS));
    }
}
