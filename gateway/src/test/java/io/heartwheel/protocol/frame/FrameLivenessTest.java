package io.heartwheel.protocol.frame;

import static io.heartwheel.session.VirtualGateway.TICK_NANOS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.liveness.DefaultsBut;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.LivenessSettings.Age;
import io.heartwheel.liveness.LivenessSettings.Deadline;
import io.heartwheel.liveness.LivenessSettings.Heartbeat;
import io.heartwheel.liveness.LivenessSettings.ReadProgress;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBufUtil;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every deadline of a connection, from the first byte to the close, on a wheel and a loop under virtual time. */
class FrameLivenessTest {
    private static final Duration INTERVAL = Duration.ofSeconds(60);
    /** Interval and a quarter of the grace. */
    private static final Duration ASKED = Duration.ofMillis(67_500);
    /** By so much a probe may be later, to go out with others. */
    private static final Duration SLACK = Duration.ofSeconds(1);

    private static final Duration TICK = Duration.ofNanos(TICK_NANOS);

    private VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());

    private final List<FrameDevice> devices = new ArrayList<>();

    private FrameDevice device(String id) {
        FrameDevice device = new FrameDevice(gateway, id);
        devices.add(device);
        return device;
    }

    @AfterEach
    void releaseAll() {
        devices.forEach(device -> device.channel.finishAndReleaseAll());
    }

    private CloseReason onlyClose() {
        assertEquals(1, gateway.closed.size(), "closed exactly once");
        return gateway.closed.get(0).reason();
    }

    @ParameterizedTest
    @ValueSource(
            longs = {Long.MIN_VALUE, Long.MIN_VALUE + 1, -45_000_000_000L, -1, 0, Long.MAX_VALUE - 45_000_000_000L})
    void heartbeat_silentDevice_probedOnceThenClosedWithinOneTick(long startNanos) {
        gateway = new VirtualGateway(startNanos, LivenessSettings.defaults());
        FrameDevice device = device("a").hello();
        gateway.pass(ASKED.minusNanos(1));
        assertEquals(0, gateway.probes);
        gateway.pass(SLACK.plus(TICK));
        assertEquals(1, gateway.probes);
        assertEquals(FrameType.PING, device.lastTypeOut());
        gateway.pass(INTERVAL.plus(INTERVAL.dividedBy(2))
                .minus(ASKED)
                .minus(SLACK)
                .minus(TICK)
                .minusNanos(1));
        assertTrue(device.isOpen(), "never before the deadline");
        gateway.pass(TICK.plusNanos(2));
        assertFalse(device.isOpen());
        assertEquals(CloseReason.HEARTBEAT_TIMEOUT, onlyClose());
        assertEquals(1, gateway.probes);
        long lateness = gateway.closed.get(0).latenessNanos();
        assertTrue(lateness >= 0 && lateness <= TICK_NANOS, "lateness " + lateness);
        assertEquals(0, gateway.armed());
    }

    @Test
    void heartbeat_answeredProbe_countsAsSignOfLife() {
        FrameDevice device = device("a").hello();
        for (int i = 0; i < 50; i++) {
            gateway.pass(ASKED.plus(SLACK).plus(TICK));
            device.pong();
        }
        assertTrue(device.isOpen());
        assertEquals(50, gateway.probes);
    }

    @Test
    void handshake_nothingSent_closedWithinOneTick() {
        FrameDevice device = device("a");
        gateway.pass(Duration.ofSeconds(10).minusNanos(1));
        assertTrue(device.isOpen());
        gateway.pass(TICK.plusNanos(1));
        assertEquals(CloseReason.HANDSHAKE_TIMEOUT, onlyClose());
        assertEquals(0, gateway.events.size(), "never established, so no event");
    }

    @Test
    void readProgress_drippedFrame_closedAtItsDeadline() {
        FrameDevice device = device("a").hello();
        byte[] frame = device.dataFrame(1, new byte[1000]);
        int sent = 0;
        while (device.isOpen() && sent < frame.length) {
            device.send(frame, sent++, 1);
            gateway.pass(Duration.ofSeconds(1));
        }
        assertEquals(CloseReason.READ_STALLED, onlyClose());
        assertTrue(sent >= 10 && sent <= 12, "after " + sent + " bytes at one a second");
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 12_800, 50_000})
    void frame_peerDeadInTheMiddle_closedAsEveryDeadPeer(int bytes) {
        FrameDevice device = device("a").hello(5_000);
        device.send(device.dataFrame(1, new byte[60_000]), 0, bytes);
        gateway.pass(Duration.ofMillis(7_500).minusNanos(1));
        assertTrue(device.isOpen());
        assertEquals(1, gateway.probes);
        gateway.pass(TICK.plusNanos(1));
        assertEquals(CloseReason.HEARTBEAT_TIMEOUT, onlyClose());
        assertEquals(
                "silent for 7.5 s: heartbeat 5.0 s x 1.50",
                gateway.evidence.get(0).cause());
        assertTrue(
                gateway.evidence.get(0).text().startsWith("closed after 7.5 s of silence: heartbeat 5 s"),
                gateway.evidence.get(0)::text);
        assertTrue(gateway.closed.get(0).silentNanos()
                <= Duration.ofMillis(7_500).plus(TICK).toNanos());
    }

    @Test
    void readProgress_slowButSteadyUpload_outlivesTheHeartbeat() {
        FrameDevice device = device("a").hello();
        byte[] frame = device.dataFrame(1, new byte[60_000]);
        for (int from = 0; from < frame.length; from += 200) {
            device.send(frame, from, Math.min(200, frame.length - from));
            gateway.pass(Duration.ofSeconds(1));
        }
        assertTrue(device.isOpen(), "300 s at 200 bytes a second, with a heartbeat of 60 s");
        assertTrue(gateway.events.get(1) instanceof ConnectionEvent.Message);
        gateway.pass(Duration.ofSeconds(91));
        assertEquals(CloseReason.HEARTBEAT_TIMEOUT, onlyClose());
    }

    @Test
    void writerIdle_quietGateway_sendsASignOfLifeThatAsksNothing() {
        gateway = new VirtualGateway(
                0,
                DefaultsBut.heartbeat(new Heartbeat(
                        true,
                        Duration.ofHours(1),
                        Duration.ofSeconds(1),
                        Duration.ofHours(24),
                        1.5,
                        true,
                        0.25,
                        null)));
        FrameDevice device = device("a").hello();
        gateway.pass(Duration.ofMinutes(5).minusNanos(1));
        assertEquals(0, gateway.keepAlives);
        gateway.pass(TICK.plusNanos(1));
        assertEquals(1, gateway.keepAlives);
        assertEquals(FrameType.PONG, device.lastTypeOut());
        gateway.pass(Duration.ofMinutes(16));
        assertEquals(4, gateway.keepAlives);
    }

    @Test
    void age_oldConnection_getsGoAwayThenClose() {
        gateway =
                new VirtualGateway(0, DefaultsBut.age(new Age(true, Duration.ofSeconds(40), 0, Duration.ofSeconds(5))));
        FrameDevice device = device("a").hello();
        gateway.pass(Duration.ofSeconds(40).minusNanos(1));
        assertEquals(FrameType.WELCOME, device.lastTypeOut());
        gateway.pass(TICK.plusNanos(1));
        assertEquals(FrameType.GOAWAY, device.lastTypeOut());
        device.ping();
        gateway.pass(Duration.ofSeconds(5).plus(TICK));
        assertEquals(CloseReason.MAX_AGE, onlyClose());
    }

    @Test
    void switches_everyDeadlineOff_nothingIsEverArmed() {
        Deadline off = new Deadline(false, Duration.ofSeconds(1));
        gateway = new VirtualGateway(
                0,
                new LivenessSettings(
                        off,
                        new Heartbeat(false, INTERVAL, INTERVAL, INTERVAL, 1.5, true, 0.25, null),
                        new ReadProgress(false, Duration.ofSeconds(1), 1),
                        off,
                        off,
                        off,
                        new Age(false, INTERVAL, 0, INTERVAL),
                        Set.of()));
        FrameDevice silent = device("a");
        FrameDevice device = device("b").hello();
        device.send(device.dataFrame(1, new byte[9]), 0, 3);
        gateway.pass(Duration.ofHours(2));
        assertTrue(silent.isOpen() && device.isOpen());
        assertEquals(0, gateway.armed());
    }

    @Test
    void pong_onePing_isAnsweredInPlaceWithItsBytes() {
        FrameDevice device = device("a").hello();
        device.send(ByteBufUtil.decodeHexDump("03000003cafe01"));
        assertEquals("04000003cafe01", device.lastHexOut());
    }
}
