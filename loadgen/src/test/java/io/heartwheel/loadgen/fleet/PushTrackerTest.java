package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pushes to one device that are waited for, in virtual time: what the device says, and each finding about what its gateway says. */
final class PushTrackerTest {

    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final String WELCOME = "0200001c0100000007d000960000000000000007000000000000000100010000";
    private static final long ID = 0xF000_0000_0000_0001L;
    private static final Set<Count> FAULTS = EnumSet.of(
            Count.PUSHES_LOST,
            Count.PUSHES_LATE,
            Count.PUSHES_DOUBLED,
            Count.PUSHES_DISORDERED,
            Count.PUSHES_CHANGED,
            Count.PUSHES_MISDELIVERED,
            Count.PUSHES_REFUSED,
            Count.PUSHES_TO_NOBODY,
            Count.PUSHES_UNPROVEN,
            Count.PUSHES_CONTRADICTED,
            Count.PUSHES_RENAMED,
            Count.PUSHES_EXPIRED_WRONG);

    private Recorder recorder;
    private PushTracker tracker;
    private Downlink downlink;
    private Scenario scenario;
    private Device device;
    private EmbeddedChannel channel = new EmbeddedChannel();
    private long now = SECOND;

    /** A connected device that does this about what wants an ACK. */
    private void device(Reply reply) {
        device(reply, "");
    }

    private void device(Reply reply, String more) {
        scenario = TestScenarios.of(
                """
                clients = 2, seed = 5, contract.answer-within = 1s, reconnect.policy = full-jitter
                downlink { http.addresses = ["127.0.0.1:7090"], nonce = 7
                  acks { timeout = 3s, devices { %s = 1, late-by = 300ms }, %s } }
                """
                        .formatted(reply.label(), more));
        downlink = scenario.downlinks().get(0);
        recorder = new Recorder(scenario.contract(), () -> now, LoopStalls.none());
        LoopDevices devices = new LoopDevices(Slice.whole(2), 0, 1);
        BitSet recipients = new BitSet();
        recipients.set(0, 2);
        tracker = new PushTracker(downlink, scenario.seed(), recorder, recipients, devices);
        PacingLoop<Device> pacing = new PacingLoop<>() {
            @Override
            public void due(Device owner, long dueNanos) {}

            @Override
            public void connect(Device owner, long intendedNanos) {}
        };
        LoopContext<Device> context = recorder.context(scenario, scenario.deviceDefaults(), pacing, 0, String::valueOf);
        context.pushesTo(tracker);
        device = new Device(context, scenario.targets().get(0).dialect(), Behaviours.steady(), 0);
        devices.all[0] = device;
        connect();
    }

    private void connect() {
        device.connect(scenario.targets().get(0).dialect(), now);
        channel = new EmbeddedChannel(device);
        channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(WELCOME)));
        assertTrue(device.isOpen());
        said();
        report();
    }

    @AfterEach
    void tidy() {
        channel.finishAndReleaseAll();
    }

    private void comes(int sequence, long id, boolean ackWanted) {
        byte[] message = PushMessage.of(downlink.nonce(), 0, sequence, now, 64, false, sequence);
        ByteBuf frame = Unpooled.buffer();
        Frames.header(frame, FrameType.DATA, ackWanted ? FrameType.FLAG_ACK : 0, 8 + message.length);
        channel.writeInbound(frame.writeLong(id).writeBytes(message));
    }

    private void comes(int sequence) {
        comes(sequence, ID + sequence, true);
    }

    /** What the device has said since: the status of each ACK; -1 for a CLOSE. */
    private List<Integer> said() {
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
    private void keeps(Reply reply, int came) {
        device(reply, "ask.stored = 1");
        for (int sequence = 1; sequence <= came; sequence++) {
            comes(sequence);
        }
    }

    private void leaves(long forNanos) {
        channel.close();
        now += forNanos;
    }

    private void report(PushOutcome... outcomes) {
        tracker.report(List.of(outcomes), 0);
    }

    private void told(int sequence, Ask ask, Said said, long id, long afterNanos) {
        now += afterNanos;
        report(new PushOutcome(
                0, sequence, ask, said, said.name(), List.of(), id, now - afterNanos, 0, now - afterNanos, now));
    }

    private void told(int sequence, Said said, long afterNanos) {
        told(sequence, Ask.DEVICE, said, ID + sequence, afterNanos);
    }

    private void assertFound(Count... found) {
        now += 10 * SECOND;
        report();
        report();
        tracker.finish();
        for (Count count : FAULTS) {
            long wanted = Arrays.stream(found).filter(each -> each == count).count();
            assertEquals(wanted, recorder.ledger().of(count), () -> count + " of " + recorder.evidence());
        }
    }

    private void assertFound(Count found, String evidence) {
        assertFound(found);
        assertTrue(
                recorder.evidence().stream()
                        .anyMatch(each -> each.kind() == GatewayFault.Kind.PUSHES
                                && each.detail().matches(evidence)),
                recorder.evidence()::toString);
    }

    private long timed(Timing timing) {
        return recorder.recent.of(timing).summary().count();
    }

    // ---- what devices do

    @Test
    void received_eachReply_saysWhatItIs() {
        Map<Reply, List<Integer>> replies = Map.of(
                Reply.PROMPT, List.of(0),
                Reply.TWICE, List.of(0, 0),
                Reply.NEVER, List.of(),
                Reply.LATE, List.of(),
                Reply.REFUSE, List.of(1),
                Reply.LEAVE, List.of(-1));
        replies.forEach((reply, wanted) -> {
            device(reply);
            comes(1);
            assertEquals(wanted, said(), reply::name);
            channel.finishAndReleaseAll();
        });
    }

    @Test
    void received_late_isAcknowledgedAfterAWhileOnTheSameConnectionOnly() {
        device(Reply.LATE);
        comes(1);
        channel.advanceTimeBy(301, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        assertEquals(List.of(0), said());
        comes(2);
        EmbeddedChannel older = channel;
        channel.close();
        connect();
        older.advanceTimeBy(301, TimeUnit.MILLISECONDS);
        older.runScheduledPendingTasks();
        assertEquals(List.of(), said());
        older.finishAndReleaseAll();
    }

    @Test
    void received_again_isAcknowledgedUnlessItNeverIs() {
        for (Reply reply : Reply.values()) {
            device(reply);
            comes(1);
            channel.close();
            connect();
            comes(1);
            assertEquals(reply == Reply.NEVER ? List.of() : List.of(0), said(), reply::name);
            assertEquals(1, recorder.ledger().of(Count.PUSHES_REPEATED));
            told(1, reply == Reply.NEVER ? Said.EXPIRED : Said.ACKNOWLEDGED, 3 * SECOND);
            assertFound();
            channel.finishAndReleaseAll();
        }
    }

    @Test
    void received_withoutAWish_isNotAcknowledged() {
        device(Reply.PROMPT);
        comes(1, ID, false);
        assertEquals(List.of(), said());
    }

    // ---- what the gateway says of it

    @Test
    void told_whatWasAcknowledged_isProvenAndTimed() {
        device(Reply.PROMPT);
        comes(1);
        told(1, Said.ACKNOWLEDGED, MILLI);
        comes(2, ID, false);
        told(2, Ask.RECEIVED, Said.ACKNOWLEDGED, ID, MILLI);
        comes(3, ID, false);
        told(3, Ask.SENT, Said.ACCEPTED, ID, MILLI);
        assertFound();
        assertEquals(1, timed(Timing.PUSH_CALL));
        assertEquals(1, timed(Timing.PUSH_CALL_RECEIVED));
        assertEquals(1, timed(Timing.PUSH_CALL_DEVICE));
        assertEquals(2, recorder.ledger().of(Count.PUSHES_ACKNOWLEDGED));
        assertEquals(1, recorder.ledger().of(Count.PUSHES_ACCEPTED));
    }

    @Test
    void told_deliveredBeforeItCame_isFound() {
        device(Reply.PROMPT);
        told(1, Said.ACKNOWLEDGED, MILLI);
        assertFound(Count.PUSHES_UNPROVEN, "push 1 was told as delivered \\(ACKNOWLEDGED\\) and had not come");
    }

    @Test
    void told_acknowledgedByADeviceThatNeverDid_isFound() {
        device(Reply.NEVER);
        comes(1);
        told(1, Said.ACKNOWLEDGED, MILLI);
        assertFound(Count.PUSHES_UNPROVEN, ".* and its device had not said so");
    }

    @Test
    void told_acknowledgedBeforeTheDeviceDid_isFound() {
        device(Reply.REFUSE);
        comes(1);
        long early = now + MILLI;
        now += SECOND;
        comes(1);
        report(new PushOutcome(0, 1, Ask.DEVICE, Said.ACKNOWLEDGED, "200", List.of(), ID + 1, 0, 0, 0, early));
        assertFound(Count.PUSHES_UNPROVEN);
    }

    @Test
    void told_readByADeviceThatNeverAcknowledges_isProven() {
        device(Reply.NEVER);
        comes(1);
        told(1, Ask.RECEIVED, Said.ACKNOWLEDGED, ID + 1, MILLI);
        assertFound();
    }

    @Test
    void told_anotherId_isFound() {
        device(Reply.PROMPT);
        comes(1);
        told(1, Ask.DEVICE, Said.ACKNOWLEDGED, ID, MILLI);
        assertFound(Count.PUSHES_RENAMED, "push 1 has two ids, 1729.* and 1729.*");
    }

    @Test
    void came_againUnderAnotherId_isFound() {
        device(Reply.NEVER);
        comes(1);
        channel.close();
        connect();
        comes(1, ID, true);
        assertFound(Count.PUSHES_RENAMED);
    }

    @Test
    void came_twiceOnAConnection_isFoundUnlessItWasRefused() {
        device(Reply.REFUSE);
        comes(1);
        comes(1);
        assertEquals(List.of(1, 0), said());
        comes(1);
        told(1, Said.ACKNOWLEDGED, MILLI);
        assertFound(Count.PUSHES_DOUBLED, "push 1 twice");
    }

    @Test
    void came_againLongAfterItsAnswer_isFound() {
        device(Reply.PROMPT);
        comes(1);
        told(1, Said.ACKNOWLEDGED, MILLI);
        channel.close();
        now += 2 * SECOND;
        connect();
        comes(1);
        assertFound(Count.PUSHES_DOUBLED, "push 1 again 2000 ms after its answer");
    }

    @Test
    void came_againThoughOnlySent_isFound() {
        device(Reply.PROMPT);
        comes(1, ID, false);
        channel.close();
        connect();
        comes(1, ID, false);
        told(1, Ask.SENT, Said.ACCEPTED, ID, MILLI);
        assertFound(Count.PUSHES_DOUBLED);
    }

    @Test
    void came_behindALaterOne_isFound() {
        device(Reply.PROMPT);
        told(1, Ask.SENT, Said.ACCEPTED, ID, MILLI);
        comes(2);
        comes(1, ID, false);
        assertFound(Count.PUSHES_DISORDERED);
    }

    @Test
    void told_sentAndNeverCame_isFound() {
        device(Reply.PROMPT);
        told(1, Ask.SENT, Said.ACCEPTED, ID, MILLI);
        assertFound(Count.PUSHES_LOST);
    }

    // ---- what is kept

    private void kept(int sequence) {
        told(sequence, Ask.STORED, Said.QUEUED, ID + sequence, MILLI);
    }

    @Test
    void kept_comesWhenTheDeviceIsBack_isRightAndAlwaysAcknowledged() {
        keeps(Reply.NEVER, 1);
        kept(1);
        leaves(0);
        kept(2);
        leaves(60 * SECOND);
        connect();
        said();
        now += 2 * SECOND;
        comes(2);
        assertEquals(List.of(0), said());
        assertEquals(2, recorder.ledger().of(Count.PUSHES_QUEUED));
        assertFound();
    }

    @Test
    void kept_neverComesToADeviceThatIsThere_isFound() {
        keeps(Reply.PROMPT, 0);
        kept(1);
        now += 4 * SECOND;
        report();
        leaves(SECOND);
        connect();
        assertFound(Count.PUSHES_LOST, "push 1 was kept \\(QUEUED\\) and never came, to a device that was .*");
    }

    @Test
    void kept_forADeviceThatIsNeverThereForLong_isExcused() {
        keeps(Reply.PROMPT, 0);
        kept(1);
        for (int i = 0; i < 10; i++) {
            leaves(SECOND);
            connect();
            now += 2 * SECOND;
        }
        leaves(0);
        assertFound();
        assertEquals(1, recorder.ledger().of(Count.PUSHES_EXCUSED));
    }

    @Test
    void kept_overtakenByALaterOne_isFound() {
        keeps(Reply.PROMPT, 0);
        kept(1);
        kept(2);
        comes(2);
        leaves(0);
        assertFound(Count.PUSHES_LOST);
        keeps(Reply.PROMPT, 0);
        kept(1);
        comes(2);
        comes(1);
        assertFound(Count.PUSHES_DISORDERED);
    }

    @Test
    void kept_comesLongAfterItsDevice_isFound() {
        keeps(Reply.PROMPT, 0);
        leaves(0);
        kept(1);
        connect();
        now += 3_100 * MILLI;
        comes(1);
        assertFound(Count.PUSHES_LATE, "push 1 came 3100 ms after its device was connected \\(QUEUED\\)");
    }

    @Test
    void kept_comesUnderAnotherIdThanItsCallerWasTold_isFound() {
        keeps(Reply.PROMPT, 0);
        kept(1);
        comes(1, ID, true);
        assertFound(Count.PUSHES_RENAMED);
    }

    @Test
    void kept_comesAgainThoughAcknowledgedLongBeforeTheDeviceLeft_isFound() {
        keeps(Reply.PROMPT, 2);
        kept(1);
        kept(2);
        now += 500 * MILLI;
        leaves(0);
        connect();
        comes(1); // its ACK may have been lost
        assertEquals(1, recorder.ledger().of(Count.PUSHES_REPEATED));
        now += 2 * SECOND;
        leaves(0);
        connect();
        comes(2);
        assertFound(Count.PUSHES_DOUBLED, "push 2 again, which was acknowledged 2\\d+ ms before that .*");
    }

    @Test
    void failed_whileTheServerIsDown_isExcused() {
        device(Reply.PROMPT);
        tracker.outageUntil(now + SECOND);
        told(1, Said.FAILED, MILLI);
        told(2, Said.FAILED, 2 * SECOND);
        told(3, Said.FAILED, MILLI);
        assertEquals(2, recorder.ledger().of(Count.PUSHES_FAILED_EXCUSED));
        assertEquals(1, recorder.ledger().of(Count.PUSHES_FAILED));
    }

    @Test
    void told_twoAnswersUnderOneKey_isFound() {
        device(Reply.PROMPT);
        comes(1);
        told(1, Said.CONTRADICTED, MILLI);
        assertFound(Count.PUSHES_CONTRADICTED);
    }

    @Test
    void expired_ofADeviceThatSaidNothing_isRight() {
        device(Reply.NEVER);
        comes(1);
        told(1, Said.EXPIRED, 3 * SECOND);
        assertFound();
        assertEquals(1, recorder.ledger().of(Count.PUSHES_EXPIRED));
    }

    @Test
    void expired_beforeItsTime_isFound() {
        device(Reply.NEVER);
        comes(1);
        told(1, Said.EXPIRED, 3 * SECOND - 2 * MILLI);
        assertFound(Count.PUSHES_EXPIRED_WRONG, "push 1 expired 2 ms before its time");
    }

    @Test
    void expired_thoughAcknowledged_isFound() {
        device(Reply.PROMPT);
        comes(1);
        told(1, Said.EXPIRED, 3 * SECOND);
        assertFound(Count.PUSHES_EXPIRED_WRONG, "push 1 expired though acknowledged 3000 ms before");
    }

    @Test
    void expired_thoughReadByItsDevice_isFound() {
        device(Reply.NEVER);
        comes(1, ID, false);
        told(1, Ask.RECEIVED, Said.EXPIRED, ID, 3 * SECOND);
        assertFound(Count.PUSHES_EXPIRED_WRONG, "push 1 expired though read 3000 ms before");
    }

    @Test
    void expired_thoughTheDeviceWasThere_isFound() {
        device(Reply.PROMPT);
        told(1, Said.EXPIRED, 3 * SECOND);
        assertFound(Count.PUSHES_EXPIRED_WRONG, ".* it never came to its device, which was there for 3000 ms");
    }

    @Test
    void expired_ofADeviceThatWasAway_isRight() {
        device(Reply.PROMPT);
        channel.close();
        told(1, Said.EXPIRED, 3 * SECOND);
        assertFound();
    }

    @Test
    void came_longAfterItExpired_isFound() {
        device(Reply.PROMPT);
        channel.close();
        told(1, Said.EXPIRED, 3 * SECOND);
        now += 2 * SECOND;
        connect();
        comes(1);
        assertFound(Count.PUSHES_LATE, "push 1 came 2000 ms after it had expired");
    }
}
