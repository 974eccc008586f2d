package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The deadlines of section 4 on real sockets: never early, and not much later than the contract on a machine that may be busy. Everything is
 * measured from before the device acts, so that "not before" is never in the test's favour.
 */
@Tag("timed")
@ExtendWith(StallWitness.class)
@Execution(ExecutionMode.CONCURRENT)
class DeadlinesIT {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    /** What a busy machine may add to the contract. */
    private static final long SLACK = 8 * SECOND;

    private static final long INTERVAL = SECOND;
    private static final long HEARTBEAT = 2 * SECOND;

    private static GatewayProcess gateway;
    /** One that is patient with silence, and not with age. */
    private static GatewayProcess ageing;

    @BeforeAll
    static void start() throws Exception {
        gateway = GatewayProcess.with("heartbeat.interval", "1s", "heartbeat.grace", "2.0", "sink.kind", "echo")
                .set("write-progress.timeout", "2s", "handshake.timeout", "2s")
                .start();
        ageing = GatewayProcess.with("writer-idle.timeout", "1s", "heartbeat.interval", "60s", "sink.kind", "echo")
                .set("age.enabled", "true", "age.timeout", "4s", "age.jitter", "0", "age.goaway-lead", "1s")
                .set("reader-idle.enabled", "true", "reader-idle.timeout", "2s")
                .start();
    }

    @AfterAll
    static void end() throws Exception {
        try {
            gateway.close();
        } finally {
            ageing.close();
        }
    }

    @Test
    void silence_behindAnsweredProbes_isProbedOnceAndThenClosed() throws Exception {
        try (WireClient device = WireClient.connect(gateway.tcp())) {
            assertEquals(100, device.sayHello("hasty", 1, 0).intervalMillis());
        }
        try (WireClient device = WireClient.connect(gateway.tcp())) {
            long answeredNanos = System.nanoTime();
            WireFrame welcome = device.sayHello("own-pace", 1_500, 0);
            assertEquals(1_500, welcome.intervalMillis());
            assertEquals(200, welcome.graceHundredths());
            for (int i = 0; i < 3; i++) {
                device.expect(WireFrame.PING);
                assertElapsed(answeredNanos, 3 * SECOND / 2);
                answeredNanos = System.nanoTime();
                device.send(WireFrame.PONG);
            }
            device.expect(WireFrame.PING);
            String words = device.expectClose(4001);
            assertElapsed(answeredNanos, 3 * SECOND);
            assertTrue(words.contains("silent"), words);
        }
    }

    /** Its beat was on its way when the deadline passed: it is told why, and not by a reset. */
    @Test
    void silence_beatJustBehindTheClose_meetsNoReset() throws Exception {
        for (int i = 0; i < 5; i++) {
            try (WireClient device = WireClient.connect(gateway.tcp())) {
                device.sayHello("late-" + i, 500, 0);
                device.expect(WireFrame.PING);
                assertEquals(WireFrame.CLOSE, device.read().type());
                for (int beat = 0; beat < 3; beat++) {
                    device.ping();
                }
                device.expectEnd();
            }
        }
    }

    @Test
    void handshake_unfinished_isClosed() throws Exception {
        try (WireClient device = WireClient.connect(gateway.tcp())) {
            long beganNanos = System.nanoTime();
            device.send(Arrays.copyOf(WireFrame.hello("slow"), 10)).expectClose(4006);
            // accepted before connect returned, at the earliest
            assertElapsed(beganNanos, 2 * SECOND - SECOND / 2);
        }
        try (WebSocketWire peer = WebSocketWire.connect(gateway.webSocket())) {
            assertEquals(408, peer.send("GET /ws/slow HTTP/1.1\r\n").answer().status());
            peer.drainToEnd();
        }
    }

    /** A device that sends and does not read, into an echo: the gateway stops reading from it, then ends it; nobody else notices. */
    @Test
    void consumer_thatDoesNotRead_isClosedWhileNeighboursGoOn() throws Exception {
        long most = 64L << 20;
        AtomicLong taken = new AtomicLong();
        try (WireClient slow = WireClient.narrow(gateway.tcp(), 8_192)) {
            slow.sayHello("slow-consumer");
            FutureTask<Void> pushing = Background.run(() -> {
                byte[] frame = WireFrame.data(1, 0, new byte[32_768]);
                try {
                    while (taken.get() < most) {
                        slow.send(frame);
                        taken.addAndGet(frame.length);
                    }
                } catch (IOException closedOnUs) {
                    // as it has to be
                }
            });
            long worstNanos = 0;
            try (WireClient neighbour = WireClient.hello(gateway.tcp(), "neighbour")) {
                for (int i = 0; !pushing.isDone(); i++) {
                    long beganNanos = System.nanoTime();
                    neighbour.roundTrip(i);
                    worstNanos = Math.max(worstNanos, System.nanoTime() - beganNanos);
                }
            }
            pushing.get();
            assertTrue(worstNanos < 2 * SECOND, "a neighbour waited " + worstNanos / 1e9 + " s");
            // what the kernel holds for both directions, the watermark and one read; far from all
            assertTrue(taken.get() < most / 2, taken + " bytes were taken from a device that does not read");
            Await.until("closed as 4004", () -> gateway.metrics().closes("write_stalled") >= 1);
            assertTrue(gateway.metrics().sum("heartwheel_reading_pauses_total") >= 1);
        }
    }

    @Test
    void gateway_withNothingToSay_givesASignOfLife() throws Exception {
        try (WireClient device = WireClient.connect(ageing.tcp())) {
            long beganNanos = System.nanoTime();
            device.sayHello("quiet");
            assertEquals(0, device.expect(WireFrame.PONG).payload().length);
            assertElapsed(beganNanos, SECOND);
        }
    }

    @Test
    void connection_ofGreatAge_isSentAwayAndClosed() throws Exception {
        try (WireClient device = WireClient.connect(ageing.tcp())) {
            long beganNanos = System.nanoTime();
            device.sayHello("old");
            assertEquals(4005, device.next(WireFrame.GOAWAY).code());
            assertElapsed(beganNanos, 4 * SECOND - SECOND / 2);
            device.nextClose(4005);
            assertElapsed(beganNanos, 5 * SECOND - SECOND / 2);
        }
    }

    @Test
    void plainPeer_idle_isClosedUnprobedWhereTheOperatorWantsIt() throws Exception {
        try (WebSocketWire peer = WebSocketWire.plain(ageing.webSocket(), "/ws/idle")) {
            long beganNanos = System.nanoTime();
            WebSocketWire.Frame frame = peer.text("x").read();
            while (frame.opcode() != WebSocketWire.CLOSE) {
                assertTrue(frame.opcode() != WebSocketWire.PING, "a probe");
                frame = peer.read();
            }
            assertEquals(4002, frame.code());
            assertElapsed(beganNanos, 2 * SECOND);
        }
    }

    @Test
    void plainPeer_silent_isProbedByPingAndClosed() throws Exception {
        try (WebSocketWire peer = WebSocketWire.connect(gateway.webSocket())) {
            long beganNanos = System.nanoTime();
            peer.upgraded("/ws/plain", "");
            byte[] asked = peer.expect(WebSocketWire.PING).payload();
            assertElapsed(beganNanos, INTERVAL);
            long answeredNanos = System.nanoTime();
            peer.send(WebSocketWire.PONG, asked);
            peer.expect(WebSocketWire.PING);
            peer.expectClose(4001);
            assertElapsed(answeredNanos, HEARTBEAT);
        }
    }

    /** Not before the deadline, and not long after it. */
    private static void assertElapsed(long beganNanos, long deadlineNanos) {
        long elapsedNanos = System.nanoTime() - beganNanos;
        String what = elapsedNanos / 1e9 + " s, deadline " + deadlineNanos / 1e9 + " s";
        assertTrue(elapsedNanos >= deadlineNanos, () -> "early: " + what);
        assertTrue(elapsedNanos < deadlineNanos + SLACK, () -> "late: " + what);
    }
}
