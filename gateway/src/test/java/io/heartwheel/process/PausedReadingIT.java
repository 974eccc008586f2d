package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A device with pending pushes that reads nothing, so the gateway does not read from it: with heartbeats it stays open, and when it falls silent it is
 * found like every other, also with write progress off.
 */
@Tag("timed")
@ExtendWith(StallWitness.class)
@Execution(ExecutionMode.CONCURRENT)
class PausedReadingIT {
    private static final long HEARTBEAT = TimeUnit.SECONDS.toNanos(2);
    /** What a busy machine may add to the contract. */
    private static final long SLACK = 4 * HEARTBEAT;

    private static final int MOST_PUSHES = 400;

    @TempDir
    private Path scratch;

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "tls"})
    void device_thatTakesNothing_livesWhileItBeatsAndIsFoundWhenItDies(String listener) throws Exception {
        TestCertificates certificates = new TestCertificates(scratch);
        try (GatewayProcess gateway = GatewayProcess.with("write-progress.enabled", "false")
                        .set("heartbeat.interval", "1s", "heartbeat.grace", "2.0")
                        .tls("tls", certificates)
                        .start();
                WireClient narrow = WireClient.narrow(gateway.port(listener), 4_096);
                WireClient device =
                        listener.equals("tls") ? new WireClient(certificates.secured(narrow.socket())) : narrow) {
            device.sayHello("takes-nothing");
            AtomicBoolean alive = new AtomicBoolean(true);
            FutureTask<Long> beating = Background.run(() -> beat(device, alive));
            pushUntilPaused(gateway);
            TimeUnit.NANOSECONDS.sleep(3 * HEARTBEAT);
            assertEquals(0, gateway.metrics().sum("heartwheel_closes_total"), "it beats");

            alive.set(false);
            long lastBeatNanos = beating.get();
            Await.until("found", () -> gateway.metrics().closes("heartbeat_timeout") == 1);
            long elapsedNanos = System.nanoTime() - lastBeatNanos;
            assertTrue(elapsedNanos >= HEARTBEAT, () -> "early: " + elapsedNanos / 1e9 + " s");
            assertTrue(elapsedNanos < HEARTBEAT + SLACK, () -> "late: " + elapsedNanos / 1e9 + " s");
            JsonNode close = gateway.ask("/v1/closed?limit=1").at("/closed/0");
            assertTrue(close.get("traffic").get("reading_paused").asBoolean(), close::toString);
        }
    }

    private static void pushUntilPaused(GatewayProcess gateway) throws Exception {
        byte[] message = new byte[65_000];
        for (int i = 0; gateway.metrics().sum("heartwheel_reading_pauses_total") == 0; i++) {
            assertTrue(i < MOST_PUSHES, "the device takes everything");
            gateway.admin("POST", "/v1/devices/takes-nothing/messages", "application/octet-stream", message);
        }
    }

    /** Answers when the last went out, or just before. */
    private static long beat(WireClient device, AtomicBoolean alive) throws Exception {
        long lastNanos = System.nanoTime();
        while (alive.get()) {
            lastNanos = System.nanoTime();
            device.ping();
            TimeUnit.MILLISECONDS.sleep(250);
        }
        return lastNanos;
    }
}
