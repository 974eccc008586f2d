package io.heartwheel.loadgen.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fake.Certificates;
import io.heartwheel.loadgen.fake.FakeGateway;
import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.pace.Comeback;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.ssl.OpenSslSessionContext;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Devices that speak TLS, against a server that does, over loopback. */
final class TlsTest {

    @TempDir
    private static Path scratch;

    private static Certificates certificates;
    private static FakeGateway gateway;
    private static FakeGateway asking;

    private final Sockets sockets = new Sockets();
    private final MultiThreadIoEventLoopGroup loops = sockets.loops("devices", 1);
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final LoopContext<Device> loopContext = new LoopContext<>(
            System::nanoTime,
            new DeviceDefaults(60_000, 0.9, 0, 150, "", "d-", 0, 1_000_000, DeviceDefaults.OWN_IDS),
            2_000_000_000L,
            1_000_000_000L,
            Comeback.NEVER,
            Observers.telling(told::add, TlsTest::words),
            new NoSchedule(),
            1,
            1);

    /** Nobody here beats. */
    private static final class NoSchedule implements PacingLoop<Device> {
        @Override
        public void due(Device device, long dueNanos) {}

        @Override
        public void connect(Device device, long intendedNanos) {
            throw new IllegalStateException("nobody asked for it");
        }
    }

    private static String words(String what, Object[] told) {
        return switch (what) {
            case "timed" ->
                told[0] != Timing.CONNECT_TLS ? null : (long) told[1] > 0 ? "secured" : "secured in " + told[1];
            case "opened" -> what;
            case "refused" -> what + " " + told[1] + ": " + told[3];
            case "violated", "ended" -> what + " " + told[1];
            default -> null;
        };
    }

    @BeforeAll
    static void start() throws Exception {
        certificates = new Certificates(scratch);
        gateway = new FakeGateway(List.of(Fault.NONE), certificates.server(false));
        asking = new FakeGateway(List.of(Fault.NONE), certificates.server(true));
    }

    @AfterAll
    static void end() {
        gateway.close();
        asking.close();
    }

    @AfterEach
    void close() {
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
    }

    private Tls trusting(String name) {
        return new Tls(certificates.certificate(name), false, null, null, "");
    }

    /** Connects a device and hears what becomes of it. */
    private List<String> connect(Tls tls, InetSocketAddress address, Dialect dialect) throws Exception {
        try (TlsFront front = tls.front()) {
            return connect(front, address, dialect);
        }
    }

    private List<String> connect(TlsFront front, InetSocketAddress address, Dialect dialect) throws Exception {
        Device device = new Device(loopContext, dialect, Behaviours.steady(), 0);
        var loop = loops.next();
        loop.execute(() -> {
            device.connect(dialect, 0);
            sockets.connect(loop, device, address, null, front);
        });
        String first = next();
        if (!first.equals("secured")) {
            return List.of(first);
        }
        String second = next();
        if (second.equals("opened")) {
            loop.execute(device::leave);
            assertEquals("ended LEFT", next());
        }
        return List.of(first, second);
    }

    private String next() throws InterruptedException {
        String text = told.poll(20, TimeUnit.SECONDS);
        assertNotNull(text, "nothing was told in 20 s");
        return text;
    }

    private static void assertRefused(List<String> told, String how, String why) {
        String last = told.get(told.size() - 1);
        assertTrue(last.startsWith("refused " + how) && last.contains(why), told::toString);
    }

    @Test
    void connect_toATrustedServer_isSecuredAndThenWelcomed() throws Exception {
        List<String> expected = List.of("secured", "opened");
        assertEquals(expected, connect(trusting("server"), gateway.tcp(), new HeartwheelDialect()));
        assertEquals(expected, connect(trusting("server"), gateway.webSocket(), new HeartwheelDialect("h", "/ws")));
        assertEquals(
                expected,
                connect(
                        trusting("server"),
                        gateway.webSocket(),
                        new PlainWsDialect("h", new WsRequest(Template.of("/ws"), false, Map.of(), null))));
    }

    @Test
    void front_ofManyDevices_resumesNoSessions() {
        try (TlsFront front = trusting("server").front()) {
            var sessions = (OpenSslSessionContext) front.context().sessionContext();
            assertFalse(sessions.isSessionCacheEnabled());
        }
    }

    @Test
    void connect_toAnUntrustedServer_isNotAcceptedUnlessInsecure() throws Exception {
        assertRefused(connect(trusting("device"), gateway.tcp(), new HeartwheelDialect()), "NOT_ACCEPTED", "");
        assertRefused(connect(Tls.DEFAULT, gateway.tcp(), new HeartwheelDialect()), "NOT_ACCEPTED", "");
        Tls insecure = new Tls(null, true, null, null, "another.example");
        assertEquals(List.of("secured", "opened"), connect(insecure, gateway.tcp(), new HeartwheelDialect()));
    }

    @Test
    void connect_serverName_isWhatTheCertificateMustSay() throws Exception {
        Path trust = certificates.certificate("server");
        Tls other = new Tls(trust, false, null, null, "another.example");
        assertRefused(connect(other, gateway.tcp(), new HeartwheelDialect()), "NOT_ACCEPTED", "another.example");
        Tls named = new Tls(trust, false, null, null, "localhost");
        assertEquals(List.of("secured", "opened"), connect(named, gateway.tcp(), new HeartwheelDialect()));
    }

    @Test
    void connect_whereACertificateIsAskedFor_needsOne() throws Exception {
        Tls shown = new Tls(
                certificates.certificate("server"),
                false,
                certificates.certificate("device"),
                certificates.key("device"),
                "");
        assertEquals(List.of("secured", "opened"), connect(shown, asking.tcp(), new HeartwheelDialect()));
        // TLS 1.3: the client is done before the server has looked for a certificate
        assertRefused(connect(trusting("server"), asking.tcp(), new HeartwheelDialect()), "RESET", "");
    }

    @Test
    void connect_toAServerWithoutTls_isNotAccepted() throws Exception {
        try (ServerSocket clear = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var answering = CompletableFuture.runAsync(() -> answerInTheClear(clear));
            InetSocketAddress address = (InetSocketAddress) clear.getLocalSocketAddress();
            assertRefused(
                    connect(trusting("server"), address, new HeartwheelDialect()), "NOT_ACCEPTED", "SSL/TLS record");
            answering.get(20, TimeUnit.SECONDS);
        }
    }

    private static void answerInTheClear(ServerSocket server) {
        try (Socket peer = server.accept()) {
            peer.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            peer.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void leave_beforeTheHandshakeIsOver_countsAsLeft() throws Exception {
        try (TlsFront front = trusting("server").front()) {
            Dialect dialect = new HeartwheelDialect();
            Device device = new Device(loopContext, dialect, Behaviours.steady(), 0);
            var loop = loops.next();
            loop.execute(() -> {
                device.connect(dialect, 0);
                sockets.connect(loop, device, gateway.tcp(), null, front);
                device.leave();
            });
            String first = next();
            assertTrue(first.startsWith("refused LEFT"), first);
        }
    }

    @Test
    void settings_contradictory_areRefused() {
        Path file = certificates.certificate("server");
        assertRefused("tls.insecure = true: need no trust-file beside it", () -> new Tls(file, true, null, null, ""));
        assertRefused(
                "tls.key-file = " + file + ": need a certificate-file beside it",
                () -> new Tls(null, false, null, file, ""));
        assertRefused(
                "tls.certificate-file = " + file + ": need a key-file beside it",
                () -> new Tls(null, false, file, null, ""));
    }

    @Test
    void front_unusableFile_namesIt() {
        Path none = scratch.resolve("none.crt");
        Path key = certificates.key("server");
        Path certificate = certificates.certificate("server");
        assertRefused(
                "tls.trust-file = " + none + ": need a file that can be read",
                () -> new Tls(none, false, null, null, "").front());
        assertRefused("tls.trust-file = " + key + ": need PEM certificates", () -> new Tls(key, false, null, null, "")
                .front());
        assertRefused(
                "tls.certificate-file = " + key + ": need PEM certificates",
                () -> new Tls(null, false, key, key, "").front());
        assertRefused(
                "tls.certificate-file = " + certificate + ": need PEM certificates, and their PEM key in "
                        + certificate,
                () -> new Tls(null, false, certificate, certificate, "").front());
    }

    private static void assertRefused(String message, org.junit.jupiter.api.function.Executable attempt) {
        String said = assertThrows(IllegalArgumentException.class, attempt).getMessage();
        assertTrue(said.startsWith(message), said);
    }
}
