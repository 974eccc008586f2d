package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
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
@Execution(ExecutionMode.CONCURRENT)
class SlowReaderIT {
    /** Small, so that the device's kernel makes room, and acknowledges, every few kilobytes. */
    private static final int RECEIVE_BYTES = 4_096;

    private static final int STEP_MILLIS = 50;
    /** Several times the write deadline. */
    private static final int STEPS = 140;

    @TempDir
    private static Path scratch;

    private static TestCertificates certificates;

    @BeforeAll
    static void certify() throws Exception {
        certificates = new TestCertificates(scratch);
    }

    @ParameterizedTest
    @CsvSource({"epoll, 5000, false", "epoll, 40000, false", "io_uring, 20000, false", "epoll, 20000, true"})
    void reader_slowAndSteady_livesUntilItStops(String transport, int bytesPerSecond, boolean overTls)
            throws Exception {
        GatewaySetup setup = GatewayProcess.with("transport.kind", transport, "sink.kind", "echo")
                .set("write-progress.timeout", "3s", "heartbeat.interval", "60s");
        if (overTls) {
            setup.set("listeners.tcp.tls.enabled", "true")
                    .set(
                            "listeners.tcp.tls.certificate-file",
                            certificates.certificate("gateway").toString(),
                            "listeners.tcp.tls.key-file",
                            certificates.key("gateway").toString());
        }
        try (GatewayProcess gateway = setup.start();
                WireClient narrow = WireClient.narrow(gateway.tcp(), RECEIVE_BYTES);
                WireClient device = overTls ? new WireClient(secured(narrow.socket())) : narrow) {
            device.sayHello("slow-reader");
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> sendUntilItEnds(device));
            Await.until(
                    "the gateway stops reading",
                    () -> gateway.metrics().sum("heartwheel_reading_pauses_total") >= 1 || sending.isDone());
            long read = drain(narrow.socket(), bytesPerSecond);
            assertEquals(0, gateway.metrics().closes("write_stalled"), "while it read " + read + " bytes");

            Await.until("closed when it stops", () -> gateway.metrics().closes("write_stalled") == 1);
            JsonNode close = gateway.admin("GET", "/v1/closed?limit=1")
                    .json()
                    .get("closed")
                    .get(0);
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

    private static Socket secured(Socket plain) throws Exception {
        SSLSocketFactory factory = certificates.client(null).getSocketFactory();
        return factory.createSocket(plain, plain.getInetAddress().getHostAddress(), plain.getPort(), true);
    }
}
