package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A slow and steady reader of a send queue of megabytes: no third of it is ever free, so the gateway's socket takes nothing, and still the device stays
 * open. When it stops reading it is closed.
 */
@Tag("timed")
@ExtendWith(StallWitness.class)
@Execution(ExecutionMode.CONCURRENT)
class SlowReaderIT {
    /** Small, so that the device's kernel makes room, and acknowledges, every few kilobytes. */
    private static final int RECEIVE_BYTES = 4_096;

    private static final int STEP_MILLIS = 50;
    /** Several times the write deadline. */
    private static final int STEPS = 140;

    @TempDir
    private Path scratch;

    @ParameterizedTest
    @CsvSource({"tcp, 5000, epoll", "tcp, 40000, epoll", "tcp, 20000, io_uring", "tls, 20000, epoll"})
    void reader_slowAndSteady_livesUntilItStops(String listener, int bytesPerSecond, String transport)
            throws Exception {
        TestCertificates certificates = new TestCertificates(scratch);
        try (GatewayProcess gateway = GatewayProcess.with("transport.kind", transport, "sink.kind", "echo")
                        .set("write-progress.timeout", "3s", "heartbeat.interval", "60s")
                        .tls("tls", certificates)
                        .start();
                WireClient narrow = WireClient.narrow(gateway.port(listener), RECEIVE_BYTES);
                WireClient device =
                        listener.equals("tls") ? new WireClient(certificates.secured(narrow.socket())) : narrow) {
            device.sayHello("slow-reader");
            FutureTask<Void> sending = Background.run(() -> sendUntilItEnds(device));
            Await.until(
                    "the gateway stops reading",
                    () -> gateway.metrics().sum("heartwheel_reading_pauses_total") >= 1 || sending.isDone());
            long read = drain(narrow.socket(), bytesPerSecond);
            assertEquals(0, gateway.metrics().closes("write_stalled"), "while it read " + read + " bytes");

            Await.until("closed when it stops", () -> gateway.metrics().closes("write_stalled") == 1);
            JsonNode close = gateway.ask("/v1/closed?limit=1").at("/closed/0");
            assertEquals("write_stalled", close.get("reason").asText());
            assertTrue(close.get("path").get("acknowledged_bytes").asLong() >= read, close.toString());
            assertTrue(close.get("text").asText().contains("its kernel had acknowledged "), close.toString());
            sending.get();
        }
    }

    /** Into an echo: sooner or later neither side takes anything any more. */
    private static void sendUntilItEnds(WireClient device) {
        byte[] frame = WireFrame.data(1, 0, new byte[32_768]);
        try {
            while (true) {
                device.send(frame);
            }
        } catch (IOException closedOnUs) {
            // as it has to be
        }
    }

    /** Reads at a steady pace what comes out of the socket, below TLS. */
    private static long drain(Socket socket, int bytesPerSecond) throws Exception {
        InputStream in = socket.getInputStream();
        long read = 0;
        for (int step = 0; step < STEPS; step++) {
            read += in.readNBytes(Math.min(in.available(), bytesPerSecond * STEP_MILLIS / 1_000)).length;
            TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
        }
        return read;
    }
}
