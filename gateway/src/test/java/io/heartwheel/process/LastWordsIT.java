package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reason of a close reaches every peer that reads, however much it sends before; and a peer that never reads makes nobody wait. */
@Tag("timed")
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
        impatient = secured("epoll").set("write-progress.timeout", "1s").start();
    }

    @AfterAll
    static void end() throws Exception {
        impatient.close();
    }

    /** With listeners {@code tcp}, {@code websocket}, {@code tls} and {@code wss}. */
    private static GatewaySetup secured(String transport) throws Exception {
        GatewaySetup setup = GatewayProcess.with("transport.kind", transport, "sink.kind", "echo")
                .set("heartbeat.interval", "60s", "listeners.wss.protocol", "websocket");
        for (String listener : List.of("tls", "wss")) {
            setup.set("listeners." + listener + ".bind", "127.0.0.1:0");
            setup.set("listeners." + listener + ".tls.enabled", "true");
            setup.set(
                    "listeners." + listener + ".tls.certificate-file",
                    certificates.certificate("gateway").toString());
            setup.set(
                    "listeners." + listener + ".tls.key-file",
                    certificates.key("gateway").toString());
        }
        return setup;
    }

    /** A peer that breaks the limit, sends on and on, and reads at last. */
    private record Sender(Socket socket, WireClient frames, WebSocketWire webSocket) implements AutoCloseable {
        static Sender offending(GatewayProcess gateway, String listener) throws Exception {
            Socket socket = open(gateway, listener, 0);
            if (listener.equals("websocket") || listener.equals("wss")) {
                WebSocketWire peer = new WebSocketWire(socket).upgraded("/ws/" + listener, "");
                peer.send(ByteBuffer.allocate(14)
                        .put((byte) 0x82)
                        .put((byte) 0xFF)
                        .putLong(1L << 30)
                        .array());
                return new Sender(socket, null, peer);
            }
            WireClient device = new WireClient(socket);
            device.sayHello(listener);
            device.send(
                    ByteBuffer.allocate(8).putInt(0x05800000).putInt(1 << 30).array());
            return new Sender(socket, device, null);
        }

        void sendsAndReadsAtLast() {
            try (this) {
                send(BURST_BYTES);
                for (int piece = 0; piece < PIECES; piece++) {
                    send(PIECE_BYTES);
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                }
                expectTheReason();
            } catch (IOException | InterruptedException failed) {
                throw new AssertionError(failed);
            }
        }

        void send(int bytes) throws IOException {
            socket.getOutputStream().write(new byte[bytes]);
        }

        void expectTheReason() throws IOException {
            if (webSocket != null) {
                webSocket.expectClose(1009);
            } else {
                frames.expectClose(4405);
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring", "nio"})
    void reason_reachesAPeerThatSendsForSecondsBeforeItReads(String transport) throws Exception {
        try (GatewayProcess gateway = secured(transport).start()) {
            // each on a thread of its own: who waited for the others would be quiet for too long
            List<CompletableFuture<Void>> ends = new ArrayList<>();
            for (String listener : List.of("tcp", "websocket", "tls", "wss")) {
                Sender sender = Sender.offending(gateway, listener);
                ends.add(CompletableFuture.runAsync(sender::sendsAndReadsAtLast, task -> new Thread(task).start()));
            }
            for (CompletableFuture<Void> end : ends) {
                end.get(60, TimeUnit.SECONDS);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "tls"})
    void reason_behindABacklog_reachesAPeerThatReadsLater(String listener) throws Exception {
        try (GatewayProcess gateway = secured("epoll").start();
                WireClient device = new WireClient(open(gateway, listener, 8_192))) {
            device.sayHello("late-reader");
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(device, BURST_BYTES * 4));
            Await.until(
                    "the gateway stops reading", () -> gateway.metrics().sum("heartwheel_reading_pauses_total") >= 1);
            assertEquals(204, gateway.admin("DELETE", "/v1/devices/late-reader").status());
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
        assertEquals(List.of(), impatient.log(" WARN "));
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

    private static void send(WireClient device, int bytes) {
        byte[] frame = WireFrame.data(1, 0, new byte[32_768]);
        try {
            for (int sent = 0; sent < bytes; sent += frame.length) {
                device.send(frame);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Socket open(GatewayProcess gateway, String listener, int receiveBytes) throws Exception {
        Socket plain = WireClient.narrow(gateway.port(listener), receiveBytes).socket();
        if (!listener.equals("tls") && !listener.equals("wss")) {
            return plain;
        }
        return certificates
                .client(null)
                .getSocketFactory()
                .createSocket(plain, plain.getInetAddress().getHostAddress(), plain.getPort(), true);
    }
}
