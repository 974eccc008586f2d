package io.heartwheel.loadgen.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.pace.SlotRing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One device over TCP frames, in virtual time. */
final class DeviceTest {

    private static final long MILLI = 1_000_000L;
    /** Interval 2,000 ms, grace 1.5. */
    private static final String WELCOME = "0200001c0100000007d00096000000000000000700060a24181e400100010000";

    private final List<String> seen = new ArrayList<>();
    private long now;
    private long filed = -1;
    private final Crew crew = new Crew(
            () -> now,
            new Habits(2_000, 0.9, 0, 150, "", "d-", 4, MILLI),
            new Recorder(seen),
            (device, due) -> filed = due,
            1);
    private EmbeddedChannel channel = new EmbeddedChannel();

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private Device device(long silentAfterNanos) {
        crew.observeFrom(0);
        Device device = new Device(crew, new FrameDialect(), 3, silentAfterNanos);
        channel = new EmbeddedChannel(device);
        return device;
    }

    private Device welcomed(long silentAfterNanos) {
        Device device = device(silentAfterNanos);
        sent();
        receive(WELCOME);
        return device;
    }

    private void receive(String hex) {
        channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)));
    }

    private String sent() {
        ByteBuf out = channel.readOutbound();
        if (out == null) {
            return null;
        }
        String hex = ByteBufUtil.hexDump(out);
        out.release();
        return hex;
    }

    @Test
    void active_connected_saysHello() {
        device(Device.NEVER);
        assertTrue(sent().startsWith("0100002b4857010000" + "0007d0"));
    }

    @Test
    void welcome_inPieces_opensAndFilesTheFirstBeat() {
        now = 50 * MILLI;
        Device device = device(Device.NEVER);
        receive(WELCOME.substring(0, 10));
        assertFalse(device.isOpen());
        receive(WELCOME.substring(10));
        assertTrue(device.isOpen());
        assertEquals(3_000 * MILLI, device.allowedSilenceNanos());
        assertTrue(filed > now && filed <= now + 1_800 * MILLI, "filed at " + filed);
        assertEquals(List.of("opened"), seen);
    }

    @Test
    void beat_answered_isMeasuredFromTheIntendedTime() {
        Device device = welcomed(Device.NEVER);
        now = 1_010 * MILLI;
        assertEquals(2_800 * MILLI, device.beat(1_000 * MILLI));
        assertEquals("0300000400000001", sent());
        now = 1_015 * MILLI;
        receive("0400000400000001");
        assertEquals(List.of("opened", "beat lag 10", "answered 15 uncorrected 5"), seen);
    }

    @Test
    void beat_olderOneAnsweredAfterANewerWasSent_isReckonedBack() {
        Device device = welcomed(Device.NEVER);
        now = 1_000 * MILLI;
        device.beat(1_000 * MILLI);
        now = 2_800 * MILLI;
        device.beat(2_800 * MILLI);
        now = 2_900 * MILLI;
        receive("0400000400000001" + "0400000400000002");
        assertEquals(List.of("answered 1900 uncorrected -", "answered 100 uncorrected 100"), seen.subList(3, 5));
        assertEquals(0, device.overdueAnswers(now));
    }

    @Test
    void overdueAnswers_unanswered_countsOnlyThoseDueBefore() {
        Device device = welcomed(Device.NEVER);
        device.beat(1_000 * MILLI);
        device.beat(2_800 * MILLI);
        device.beat(4_600 * MILLI);
        assertEquals(0, device.overdueAnswers(999 * MILLI));
        assertEquals(1, device.overdueAnswers(1_000 * MILLI));
        assertEquals(2, device.overdueAnswers(4_599 * MILLI));
        assertEquals(3, device.overdueAnswers(4_600 * MILLI));
    }

    @Test
    void beat_pastTheSilentTime_isTheLastSignOfLife() {
        Device device = welcomed(1_500 * MILLI);
        assertEquals(2_800 * MILLI, device.beat(1_000 * MILLI));
        assertFalse(device.silent());
        now = 2_801 * MILLI;
        assertEquals(SlotRing.DONE, device.beat(2_800 * MILLI));
        assertTrue(device.silent());
        assertEquals(2_801 * MILLI, device.lastSentNanos());
        sent();
        sent();
        receive("03000000");
        device.sendData(1);
        assertNull(sent());
        assertEquals("probed", seen.get(seen.size() - 1));
    }

    @Test
    void beat_beforeObservation_isNeverTheLast() {
        Device device = welcomed(0);
        crew.observeFrom(5_000 * MILLI);
        assertEquals(2_800 * MILLI, device.beat(1_000 * MILLI));
        assertEquals(SlotRing.DONE, device.beat(5_000 * MILLI));
    }

    @Test
    void probe_live_isAnsweredWithTheSameBytes() {
        welcomed(Device.NEVER);
        receive("03000003cafe01");
        assertEquals("04000003cafe01", sent());
    }

    @Test
    void close_silentDevice_isTakenDownAndTheSocketLeftToTheGateway() {
        Device device = welcomed(0);
        device.beat(1_000 * MILLI);
        now = 4_010 * MILLI;
        receive("080000020fa1");
        assertTrue(device.isClosing());
        assertTrue(channel.isOpen());
        assertEquals(4_010 * MILLI, device.endedNanos());
        channel.close();
        assertEquals(List.of("ended CLOSE 4001", "gone"), seen.subList(2, 4));
    }

    @Test
    void close_liveDevice_hangsUp() {
        welcomed(Device.NEVER);
        receive("080000020fa1");
        assertFalse(channel.isOpen());
        assertEquals(List.of("opened", "ended CLOSE 4001", "gone"), seen);
    }

    @Test
    void bytesAfterClose_areAViolation() {
        Device device = welcomed(0);
        device.beat(1_000 * MILLI);
        receive("080000020fa1");
        receive("03000000");
        assertEquals("violated 4 bytes after CLOSE", seen.get(seen.size() - 1));
    }

    @Test
    void pong_nobodyAskedFor_countsOnlyWithoutBytes() {
        welcomed(Device.NEVER);
        receive("04000000");
        assertEquals(List.of("opened"), seen);
        receive("0400000400000009");
        assertEquals("violated PONG 9: need over 0, at most 0 (4406)", seen.get(1));
        assertFalse(channel.isOpen());
    }

    @Test
    void stream_endedWithoutClose_isTakenDown() {
        welcomed(Device.NEVER);
        channel.close();
        assertEquals(List.of("opened", "ended END_OF_STREAM 0", "gone"), seen);
    }

    @Test
    void close_beforeWelcome_isARefusal() {
        device(Device.NEVER);
        receive("080000021069");
        assertEquals(List.of("refused CLOSE 4201"), seen);
    }

    @Test
    void leave_live_saysCloseAndCountsAsLeft() {
        Device device = welcomed(Device.NEVER);
        device.leave();
        assertEquals("080000020fa0", sent());
        assertEquals(List.of("opened", "ended LEFT 0", "gone"), seen);
    }

    @Test
    void widestGap_betweenFrames_isKept() {
        Device device = welcomed(Device.NEVER);
        now = 1_000 * MILLI;
        device.beat(now);
        now = 2_700 * MILLI;
        device.beat(now);
        now = 2_800 * MILLI;
        device.beat(now);
        assertEquals(1_700 * MILLI, device.widestGapNanos());
    }
}
