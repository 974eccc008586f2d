package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reason of a close reaches every peer that reads, however much it sends before; and a peer that never reads makes nobody wait. */
@Tag("timed")
@ExtendWith(StallWitness.class)
@Execution(ExecutionMode.CONCURRENT)
class LastWordsIT {
    private static final int BURST_BYTES = 4 << 20;
    private static final int PIECE_BYTES = 16 << 10;
    /** Several times what a quiet peer is waited for. */
    private static final int PIECES = 60;

    private static final int PAUSE_MILLIS = 50;

    @TempDir
    private static Path scratch;

    private static TestCertificates certificates;
    private static GatewayProcess impatient;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(scratch);
        impatient = secured().set("write-progress.timeout", "1s").start();
    }

    @AfterAll
    static void end() throws Exception {
        impatient.close();
    }

    /** With listeners {@code tcp}, {@code websocket}, {@code tls} and {@code wss}. */
    private static GatewaySetup secured() throws Exception {
        return GatewayProcess.with("sink.kind", "echo", "heartbeat.interval", "60s")
                .set("listeners.wss.protocol", "websocket")
                .tls("tls", certificates)
                .tls("wss", certificates);
    }

    /** A peer that breaks the limit, sends on and on, and reads at last. */
    private static void sendAndReadAtLast(GatewayProcess gateway, String listener) throws Exception {
        try (Socket socket = open(gateway, listener, 0)) {
            boolean framed = listener.startsWith("t");
            WireClient device = framed ? new WireClient(socket) : null;
            WebSocketWire peer = framed ? null : new WebSocketWire(socket).upgraded("/ws/" + listener, "");
            OutputStream out = socket.getOutputStream();
            if (framed) {
                device.sayHello(listener);
                out.write(new byte[] {5, (byte) 0x80, 0, 0, 0x40, 0, 0, 0});
            } else {
                out.write(new byte[] {(byte) 0x82, (byte) 0xFF, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0});
            }
            out.write(new byte[BURST_BYTES]);
            for (int piece = 0; piece < PIECES; piece++) {
                out.write(new byte[PIECE_BYTES]);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
            if (framed) {
                device.expectClose(4405);
            } else {
                peer.expectClose(1009);
            }
        }
    }

    @Test
    void reason_reachesAPeerThatSendsForSecondsBeforeItReads() throws Exception {
        try (GatewayProcess gateway = secured().start()) {
            // each on a thread of its own: who waited for the others would be quiet for too long
            List<FutureTask<Void>> ends = new ArrayList<>();
            for (String listener : List.of("tcp", "websocket", "tls", "wss")) {
                ends.add(Background.run(() -> sendAndReadAtLast(gateway, listener)));
            }
            for (FutureTask<Void> end : ends) {
                end.get(60, TimeUnit.SECONDS);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "tls"})
    void reason_behindABacklog_reachesAPeerThatReadsLater(String listener) throws Exception {
        try (GatewayProcess gateway = secured().start();
                WireClient device = new WireClient(open(gateway, listener, 8_192))) {
            device.sayHello("late-reader");
            FutureTask<Void> sending = Background.run(() -> send(device, BURST_BYTES * 4));
            Await.until(
                    "the gateway stops reading", () -> gateway.metrics().sum("heartwheel_reading_pauses_total") >= 1);
            assertEquals(204, gateway.status("DELETE", "/v1/devices/late-reader"));
            // several times what a quiet peer is waited for
            TimeUnit.SECONDS.sleep(3);
            device.nextClose(4007);
            sending.get();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "tls", "wss"})
    void peer_thatNeverReads_givesItsDescriptorBackWithoutAWarning(String listener) throws Exception {
        try (Socket once = open(impatient, listener, 0)) {
            // what is loaded for the first connection stays open
            once.getOutputStream().write(0);
        }
        Await.until("it left", () -> impatient.metrics().sum("heartwheel_connections") == 0);
        double before = impatient.metrics().closes("write_stalled");
        long descriptors = impatient.descriptors();
        try (Socket socket = open(impatient, listener, 8_192)) {
            if (listener.equals("wss")) {
                WebSocketWire peer = new WebSocketWire(socket).upgraded("/ws/deaf", "");
                flood(() -> peer.send(WebSocketWire.BINARY, new byte[32_768]));
            } else {
                WireClient device = new WireClient(socket);
                device.sayHello("deaf-" + listener);
                flood(() -> device.send(WireFrame.data(1, 0, new byte[32_768])));
            }
            Await.until("closed", () -> impatient.metrics().closes("write_stalled") > before);
            // Netty's handler would hold it for three seconds more, and warn then
            Await.until("the descriptor is back", () -> impatient.descriptors() <= descriptors);
        }
        assertEquals(List.of(), impatient.warnings());
    }

    private interface Sending {
        void send() throws IOException;
    }

    private static void flood(Sending sending) {
        try {
            while (true) {
                sending.send();
            }
        } catch (IOException closedOnUs) {
            // as it has to be
        }
    }

    private static void send(WireClient device, int bytes) throws IOException {
        byte[] frame = WireFrame.data(1, 0, new byte[32_768]);
        for (int sent = 0; sent < bytes; sent += frame.length) {
            device.send(frame);
        }
    }

    private static Socket open(GatewayProcess gateway, String listener, int receiveBytes) throws Exception {
        Socket plain = WireClient.narrow(gateway.port(listener), receiveBytes).socket();
        if (!listener.equals("tls") && !listener.equals("wss")) {
            return plain;
        }
        return certificates.secured(plain);
    }
}
