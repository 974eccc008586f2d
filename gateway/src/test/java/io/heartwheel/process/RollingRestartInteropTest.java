package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two gateways behind HAProxy, as drain.md shows it, restarted one after the other while devices come without a pause. */
@Tag("interop")
class RollingRestartInteropTest {
    private static final Path DOCUMENT = Path.of("docs", "drain.md");
    private static final int DEVICES = 7070;
    private static final int READY = 9464;
    private static final int STATISTICS = 8404;
    private static final int COMERS = 4;

    @TempDir
    private Path scratch;

    private final Map<Integer, Integer> first = Balancer.freePorts(DEVICES, READY);
    private final Map<Integer, Integer> second = Balancer.freePorts(DEVICES, READY);
    private final Map<Integer, Integer> balancer = Balancer.freePorts(DEVICES, STATISTICS);
    private final List<GatewayProcess> started = new ArrayList<>();
    private final List<WireClient> staying = new ArrayList<>();
    private final AtomicBoolean enough = new AtomicBoolean();
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    RollingRestartInteropTest() throws IOException {}

    private String configuration() throws IOException {
        String config = Balancer.example(DOCUMENT, "haproxy");
        config = Balancer.replace(config, "bind *:7070", "bind 127.0.0.1:" + balancer.get(DEVICES));
        config = addressed(addressed(config, "10.0.0.11", first), "10.0.0.12", second);
        return config + "listen statistics\n    mode http\n    bind 127.0.0.1:" + balancer.get(STATISTICS)
                + "\n    stats enable\n    stats uri /\n";
    }

    private static String addressed(String config, String documented, Map<Integer, Integer> at) {
        String before = documented + ":7070 check port 9464";
        return Balancer.replace(config, before, "127.0.0.1:" + at.get(DEVICES) + " check port " + at.get(READY));
    }

    /** A column of a gateway in HAProxy's statistics. */
    private String statistic(String gateway, String column) throws IOException {
        URI page = URI.create("http://127.0.0.1:" + balancer.get(STATISTICS) + "/;csv");
        List<String> lines;
        try (var in = page.toURL().openStream()) {
            lines = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
        int at = List.of(lines.get(0).replace("# ", "").split(",")).indexOf(column);
        return lines.stream()
                .filter(line -> line.startsWith("gateways," + gateway + ","))
                .map(line -> line.split(",")[at])
                .findFirst()
                .orElseThrow(() -> new AssertionError(lines.toString()));
    }

    private long sum(String... columns) throws IOException {
        long sum = 0;
        for (String gateway : List.of("gateway1", "gateway2")) {
            for (String column : columns) {
                sum += Long.parseLong(statistic(gateway, column));
            }
        }
        return sum;
    }

    private void awaitUp(String gateway) throws Exception {
        Await.until(
                gateway + " up",
                () -> statistic(gateway, "status").equals("UP")
                        && statistic(gateway, "check_status").equals("L7OK"));
    }

    private void comeAndGo(Balancer haproxy, int number) {
        for (int i = 0; !enough.get(); i++) {
            try (WireClient device = WireClient.hello(haproxy.port(DEVICES), "comes-" + number + "-" + i)) {
                taken.incrementAndGet();
                device.send(WireFrame.encode(WireFrame.CLOSE, 0, new byte[] {0x0f, (byte) 0xa0}));
                TimeUnit.MILLISECONDS.sleep(10);
            } catch (IOException | AssertionError | InterruptedException refused) {
                failed.incrementAndGet();
            }
        }
    }

    private GatewayProcess start(Map<Integer, Integer> at, String notice) throws Exception {
        GatewayProcess gateway = GatewayProcess.with("listeners.tcp.bind", "127.0.0.1:" + at.get(DEVICES))
                .set("admin.monitor.enabled", "true", "admin.monitor.bind", "127.0.0.1:" + at.get(READY))
                .set("shutdown.notice", notice)
                .start();
        started.add(gateway);
        return gateway;
    }

    /** Without a notice HAProxy goes on sending devices to the closed listener for two checks: so the other figure means something. */
    @ParameterizedTest
    @CsvSource({"6s, true", "0s, false"})
    void rollingRestart_connectsAllTheTime_refusesNobodyWithANotice(String notice, boolean seamless) throws Exception {
        ExecutorService comers = Executors.newFixedThreadPool(COMERS);
        GatewayProcess one = start(first, notice);
        GatewayProcess two = start(second, notice);
        try (Balancer haproxy = Balancer.haproxy(scratch, configuration(), balancer)) {
            awaitUp("gateway1");
            awaitUp("gateway2");
            for (int i = 0; i < 20; i++) {
                staying.add(WireClient.hello(haproxy.port(DEVICES), "stays-" + i));
            }
            for (int i = 0; i < COMERS; i++) {
                int number = i;
                comers.execute(() -> comeAndGo(haproxy, number));
            }
            one.terminate();
            start(first, notice);
            awaitUp("gateway1");
            two.terminate();
            start(second, notice);
            awaitUp("gateway2");
            enough.set(true);
            comers.shutdown();
            assertTrue(comers.awaitTermination(1, TimeUnit.MINUTES));
            long refused = sum("wretr", "econ");
            String figures = String.format(
                    "notice %s: %d devices taken, %d not; HAProxy was refused %d times",
                    notice, taken.get(), failed.get(), refused);
            System.out.println(figures);
            assertTrue(taken.get() > 500, figures);
            assertEquals(seamless, refused == 0, figures);
            assertTrue(!seamless || failed.get() == 0, figures);
        } finally {
            enough.set(true);
            comers.shutdownNow();
            for (WireClient each : staying) {
                each.close();
            }
            for (GatewayProcess each : started) {
                each.close();
            }
        }
    }
}
