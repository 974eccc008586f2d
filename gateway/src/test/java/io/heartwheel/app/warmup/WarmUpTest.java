package io.heartwheel.app.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.log.LogCapture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Bounds of the warm-up, and what is left of it: a line of the log. */
@Timeout(60)
@Isolated("looks at the threads of the process")
class WarmUpTest {
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    @TempDir
    Path directory;

    private final Map<String, String> keys = new HashMap<>();

    private void set(String key, String value) {
        keys.put("heartwheel." + key, value);
    }

    private static boolean never() {
        return false;
    }

    private static String resource(String name) throws Exception {
        return Path.of(WarmUpTest.class
                        .getResource("/io/heartwheel/transport/tls/" + name)
                        .toURI())
                .toString();
    }

    private GatewaySettings settings() throws Exception {
        return ConfigLoader.read(null, keys, Map.of()).settings();
    }

    private WarmUp warmUp(LongSupplier clock, BooleanSupplier stopped) throws Exception {
        return new WarmUp(settings(), clock, stopped);
    }

    /** All lines of all loggers meanwhile. */
    private static List<String> linesOf(Runnable task) {
        try (LogCapture log = new LogCapture("io.heartwheel")) {
            log.level(Level.DEBUG);
            task.run();
            return log.messages();
        }
    }

    private static Set<Thread> threads() {
        Set<Thread> all = new HashSet<>(Thread.getAllStackTraces().keySet());
        all.removeIf(thread -> thread.getThreadGroup() == null
                || thread.getThreadGroup().getName().equals("system"));
        return all;
    }

    private static void assertEnded(Set<Thread> before) throws InterruptedException {
        Set<Thread> left = threads();
        left.removeAll(before);
        for (Thread each : left) {
            each.join(20_000);
            assertFalse(each.isAlive(), each::toString);
        }
    }

    @Test
    void play_twoRounds_leavesNoThreadAndOneLine() throws Exception {
        WarmUp warmUp = warmUp(System::nanoTime, WarmUpTest::never);
        Set<Thread> before = threads();

        List<String> lines = linesOf(() -> warmUp.play(MINUTE_NANOS, 2));

        assertEquals(1, lines.size(), lines::toString);
        assertTrue(
                lines.get(0)
                        .matches(
                                "warm-up: \\d+ ms, 2 rounds: 128 connections, 512 heartbeats, \\d+ closed for silence"),
                lines::toString);
        assertEnded(before);
    }

    /** Its backlog is full, so the kernel answers no SYN for a second. */
    @Test
    void connect_nobodyAnswers_endsWhenItMust() throws Exception {
        List<Device> fill = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), full.getLocalPort());
            AtomicInteger asked = new AtomicInteger();
            for (int i = 0; i < 8; i++) {
                asked.set(0);
                fill.add(new Device(at, false, ByteBuffer.allocate(1_024), () -> asked.incrementAndGet() < 50));
            }
            assertEquals(50, asked.get(), "it gave up");
            fill.get(7).beat();
            assertTrue(fill.get(7).isEnded());
        } finally {
            fill.forEach(Device::close);
        }
    }

    /** Linux would keep it for a minute, and a listener of the real gateway may want it. */
    @Test
    void close_device_leavesItsPortToListeners() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
            Device device = new Device(at, false, ByteBuffer.allocate(1_024), () -> true);
            try (Socket accepted = server.accept()) {
                int port = accepted.getPort();
                device.close();
                assertEquals(-1, accepted.getInputStream().read());
                accepted.close();
                try (ServerSocket listener = new ServerSocket()) {
                    listener.setReuseAddress(true);
                    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                }
            }
        }
    }

    @Test
    void play_listenerHasTls_shakesHands() throws Exception {
        set("listeners.tcp.bind", "127.0.0.1:0");
        set("listeners.tcp.protocol", "auto");
        set("listeners.tcp.tls.enabled", "true");
        set("listeners.tcp.tls.certificate-file", resource("ec.pem"));
        set("listeners.tcp.tls.key-file", resource("ec.key"));
        set("listeners.websocket.enabled", "false");
        WarmUp warmUp = warmUp(System::nanoTime, WarmUpTest::never);
        Set<Thread> before = threads();

        List<String> lines = linesOf(() -> warmUp.play(MINUTE_NANOS, 1));

        assertEquals(1, lines.size(), lines::toString);
        assertTrue(
                lines.get(0).contains(" 1 rounds: 8 connections, 8 TLS handshakes, 32 heartbeats, "), lines::toString);
        assertEnded(before);
    }

    /** The clock goes on a tenth of a second with each look. */
    @Test
    void play_timeIsOver_endsAmidTheRound() throws Exception {
        AtomicLong now = new AtomicLong();
        WarmUp warmUp = warmUp(() -> now.addAndGet(100_000_000), WarmUpTest::never);

        List<String> lines = linesOf(() -> warmUp.play(TimeUnit.SECONDS.toNanos(1), 32));

        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.get(0).matches(".* 1 rounds: [1-4] connections, 0 heartbeats, .*"), lines::toString);
    }

    /** SIGTERM. */
    @Test
    void play_processIsToEnd_playsNothing() throws Exception {
        WarmUp warmUp = warmUp(System::nanoTime, () -> true);

        assertTrue(linesOf(() -> warmUp.play(MINUTE_NANOS, 32)).get(0).contains(" 0 rounds: 0 connections,"));
    }

    @Test
    void play_roundsAreOver_ends() throws Exception {
        WarmUp warmUp = warmUp(() -> 0, WarmUpTest::never);

        assertTrue(linesOf(() -> warmUp.play(MINUTE_NANOS, 3)).get(0).contains(" 3 rounds: "));
    }

    @Test
    void play_certificateCannotBeUsed_tellsItAndReturns() throws Exception {
        set("listeners.tcp.tls.enabled", "true");
        Path pem = Files.writeString(directory.resolve("none.pem"), "none");
        set("listeners.tcp.tls.certificate-file", pem.toString());
        set("listeners.tcp.tls.key-file", pem.toString());
        WarmUp warmUp = warmUp(System::nanoTime, WarmUpTest::never);
        Set<Thread> before = threads();

        List<String> lines = linesOf(() -> warmUp.play(MINUTE_NANOS, 1));

        assertEquals(1, lines.size(), lines::toString);
        assertTrue(
                lines.get(0).startsWith("the warm-up failed, so the first devices are served more slowly: ")
                        && lines.get(0).contains("listeners.tcp.tls.certificate-file"),
                lines::toString);
        assertEnded(before);
    }

    @Test
    void run_switchedOff_doesNothing() throws Exception {
        set("warm-up.enabled", "false");
        WarmUp warmUp = warmUp(
                () -> {
                    throw new AssertionError("the clock was asked");
                },
                WarmUpTest::never);

        assertEquals(List.of(), linesOf(() -> warmUp.run(0)));
    }

    @Test
    void run_startIsSlow_doesNothingAndSaysSo() throws Exception {
        WarmUp warmUp = warmUp(() -> 0, WarmUpTest::never);

        assertEquals(List.of("warm-up: none, this start has taken 751 ms without it"), linesOf(() -> warmUp.run(751)));
    }

    /** 50 ms are asked for, of which the end takes 12: the clock's second look is past them. */
    @Test
    void run_atMostIsShort_takesNoLonger() throws Exception {
        set("warm-up.at-most", "50ms");
        AtomicLong now = new AtomicLong();
        WarmUp warmUp = warmUp(() -> now.getAndAdd(38_000_000), WarmUpTest::never);

        assertTrue(linesOf(() -> warmUp.run(100)).get(0).contains(" 0 rounds: "));
    }

    /** What makes its expiries: its silent devices are closed as real ones are. */
    @Test
    void round_devicesFallSilent_areClosedForIt() throws Exception {
        byte[] token = "a token of the test".getBytes(StandardCharsets.US_ASCII);
        try (PrivateGateway gateway = new PrivateGateway(settings(), token);
                Devices devices = new Devices(gateway, settings().listeners(), token, () -> true)) {
            while (devices.expiries() < 8) {
                devices.round();
            }
        }
    }

    @Test
    void gateway_strangerFindsThePort_isRefused() throws Exception {
        byte[] token = "a token of the test".getBytes(StandardCharsets.US_ASCII);
        byte[] guess = "a guess of the same".getBytes(StandardCharsets.US_ASCII);
        try (PrivateGateway gateway = new PrivateGateway(settings(), token);
                Devices strangers = new Devices(gateway, settings().listeners(), guess, () -> true)) {
            strangers.round();

            assertEquals(0, gateway.registry().size());
            String page = new String(gateway.metrics().render(null).body(), StandardCharsets.UTF_8);
            page.lines()
                    .filter(line -> line.startsWith("heartwheel_opens_total"))
                    .forEach(line -> assertTrue(line.endsWith(" 0.0"), line));
        }
    }
}
