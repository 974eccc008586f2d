package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.Behaviour;
import io.heartwheel.loadgen.client.Behaviours;
import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.LoopContext;
import io.heartwheel.loadgen.client.PacingLoop;
import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.LoopStalls;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.scenario.Acks.Ask;
import io.heartwheel.loadgen.scenario.Acks.Reply;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.Frames;
import io.heartwheel.loadgen.wire.PushMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** One device that is pushed to, in virtual time, and the comparison of it. */
final class PushedDevice {

    static final long MILLI = 1_000_000L;
    static final long SECOND = 1_000 * MILLI;
    private static final String WELCOME = "0200001c0100000007d000960000000000000007000000000000000100010000";
    static final long ID = 0xF000_0000_0000_0001L;
    private static final Set<Count> FAULTS = EnumSet.of(
            Count.PUSHES_LOST,
            Count.PUSHES_LATE,
            Count.PUSHES_DOUBLED,
            Count.PUSHES_EARLY,
            Count.PUSHES_DISORDERED,
            Count.PUSHES_CHANGED,
            Count.PUSHES_MISDELIVERED,
            Count.PUSHES_REFUSED,
            Count.PUSHES_FAILED,
            Count.PUSHES_STALE,
            Count.PUSHES_TO_NOBODY,
            Count.PUSHES_UNPROVEN,
            Count.PUSHES_CONTRADICTED,
            Count.PUSHES_RENAMED,
            Count.PUSHES_EXPIRED_WRONG,
            Count.RUNS_DOUBLED,
            Count.RUNS_MISSED,
            Count.RUNS_LATE,
            Count.SCHEDULES_STOPPED);

    Recorder recorder;
    PushTracker tracker;
    GatewayOutages outages;
    /** Name of the gateway that has the device by the events. */
    String holder = "";

    Downlink downlink;
    Scenario scenario;
    Device device;
    EmbeddedChannel channel = new EmbeddedChannel();
    private final List<EmbeddedChannel> channels = new ArrayList<>();
    long now = SECOND;
    /** When messages were to be pushed; 0: when they come. */
    long intended;

    /** A connected device that does this about what wants an ACK. */
    void device(Reply reply) {
        device(reply, "");
    }

    void device(Reply reply, String more) {
        device("acks { timeout = 3s, devices { %s = 1, late-by = 300ms }, %s }".formatted(reply.label(), more));
    }

    void device(String pushes) {
        device(Behaviours.steady(), "http.addresses = [\"127.0.0.1:7090\"], " + pushes, "");
    }

    /** A connected device of gateways gw-0, gw-1 and gw-2, each of which answers for all; it is {@link #holder}'s. */
    void ofFleet(Behaviour behaviour, String step) {
        ofFleet(behaviour, step, "");
    }

    /** The same with more that is said of the pushes. */
    void ofFleet(Behaviour behaviour, String step, String pushes) {
        device(
                behaviour,
                pushes
                        + """
                http { any = true, unknown = [503, 504]
                addresses = ["127.0.0.1:7090", "127.0.0.1:7091", "127.0.0.1:7092"] }""",
                """
                gateways { start = true, count = 3, settings.cluster.node = "gw-{number}" }
                duration = 130s, timeline = [{ at = 0s, for = 20s, excuse = 4s, %s }]
                """
                        .formatted(step));
    }

    private void device(Behaviour behaviour, String pushes, String more) {
        scenario = TestScenarios.of(
                """
                clients = 2, seed = 5, contract.answer-within = 1s, reconnect.policy = full-jitter
                downlink { nonce = 7, %s }
                %s
                """
                        .formatted(pushes, more));
        downlink = scenario.downlinks().get(0);
        recorder = new Recorder(scenario.contract(), () -> now, LoopStalls.none());
        LoopDevices devices = new LoopDevices(Slice.whole(2), 0, 1);
        BitSet recipients = new BitSet();
        recipients.set(0, 2);
        outages = new GatewayOutages(scenario.gateways(), local -> holder);
        tracker = new PushTracker(downlink, scenario, recorder, recipients, devices, outages);
        PacingLoop<Device> pacing = new PacingLoop<>() {
            @Override
            public void due(Device owner, long dueNanos) {}

            @Override
            public void connect(Device owner, long intendedNanos) {}
        };
        LoopContext<Device> context = recorder.context(scenario, scenario.deviceDefaults(), pacing, 0, String::valueOf);
        context.pushesTo(tracker);
        context.observeFrom(0);
        device = new Device(context, scenario.targets().get(0).dialect(), behaviour, 0);
        devices.all[0] = device;
        connect();
    }

    void connect() {
        device.connect(scenario.targets().get(0).dialect(), now);
        channel = new EmbeddedChannel(device);
        channels.add(channel);
        channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(WELCOME)));
        assertTrue(device.isOpen());
        said();
        report();
    }

    void close() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    void comes(int sequence, long id, boolean ackWanted) {
        comes(sequence, id, ackWanted, 0);
    }

    /** The same with another last byte. */
    void changed(int sequence) {
        comes(sequence, ID + sequence, true, 1);
    }

    private void comes(int sequence, long id, boolean ackWanted, int change) {
        byte[] message = PushMessage.of(
                downlink.nonce(), recipient(), sequence, intended == 0 ? now : intended, 64, false, sequence);
        message[message.length - 1] ^= (byte) change;
        ByteBuf frame = Unpooled.buffer();
        Frames.header(frame, FrameType.DATA, ackWanted ? FrameType.FLAG_ACK : 0, 8 + message.length);
        channel.writeInbound(frame.writeLong(id).writeBytes(message));
    }

    private int recipient() {
        return downlink.toAll() ? PushMessage.ALL : 0;
    }

    void comes(int sequence) {
        comes(sequence, ID + sequence, true);
    }

    /** What the device has said since: the status of each ACK; -1 for a CLOSE. */
    List<Integer> said() {
        List<Integer> said = new ArrayList<>();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            if (out.getByte(0) == FrameType.ACK) {
                said.add((int) out.getByte(12));
            } else if (out.getByte(0) == FrameType.CLOSE) {
                said.add(-1);
            }
            out.release();
        }
        return said;
    }

    /** The same with messages that are kept, some of which have come. */
    void keeps(Reply reply, int came) {
        device(reply, "ask.stored = 1");
        for (int sequence = 1; sequence <= came; sequence++) {
            comes(sequence);
        }
    }

    void leaves(long forNanos) {
        channel.close();
        now += forNanos;
    }

    void report(PushOutcome... outcomes) {
        tracker.report(List.of(outcomes), 0);
    }

    void told(int sequence, Ask ask, Said said, long id, long afterNanos) {
        now += afterNanos;
        report(new PushOutcome(
                recipient(),
                sequence,
                ask,
                said,
                said.name(),
                List.of(),
                id,
                now - afterNanos,
                0,
                now - afterNanos,
                now));
    }

    void told(int sequence, Said said, long afterNanos) {
        told(sequence, Ask.DEVICE, said, ID + sequence, afterNanos);
    }

    void assertFound(Count... found) {
        now += 10 * SECOND;
        report();
        report();
        tracker.finish();
        for (Count count : FAULTS) {
            long wanted = Arrays.stream(found).filter(each -> each == count).count();
            assertEquals(wanted, recorder.ledger().of(count), () -> count + " of " + recorder.evidence());
        }
    }

    void assertFound(Count found, String evidence) {
        assertFound(found);
        assertTrue(
                recorder.evidence().stream()
                        .anyMatch(each -> each.kind() == GatewayFault.Kind.PUSHES
                                && each.detail().matches(evidence)),
                recorder.evidence()::toString);
    }

    long timed(Timing timing) {
        return recorder.recent.of(timing).summary().count();
    }
}
