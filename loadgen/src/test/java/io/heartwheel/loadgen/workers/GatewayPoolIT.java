package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.measure.Proc;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Real gateways on shared ports. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
final class GatewayPoolIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Path JAR = Path.of(System.getProperty("heartwheel.gateway.jar"));

    private static GatewaySetup setup(int count, String... more) {
        return TestGateways.loopback(JAR, count, List.of(more), SmallJvm.options(64L << 20));
    }

    private static void awaitConnections(GatewayPool pool, double connections) throws Exception {
        double seen = -1;
        while (seen != connections) {
            seen = 0;
            for (InetSocketAddress admin : pool.admins()) {
                URI metrics = URI.create("http://127.0.0.1:" + admin.getPort() + "/metrics");
                seen += HttpClient.newHttpClient()
                        .send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
                        .body()
                        .lines()
                        .filter(line -> line.matches("heartwheel_connections[{ ].*"))
                        .mapToDouble(line -> Double.parseDouble(line.replaceAll(".* ", "")))
                        .sum();
            }
        }
    }

    @Test
    void gateways_three_shareTheirPortsAndAreReadTogether() throws Exception {
        List<Long> pids = new ArrayList<>();
        List<Socket> sockets = new ArrayList<>();
        try (GatewayPool pool = new GatewayPool(setup(3))) {
            InetSocketAddress tcp = pool.start().get("tcp");
            for (int i = 0; i < 60; i++) {
                sockets.add(new Socket(tcp.getAddress(), tcp.getPort()));
            }
            awaitConnections(pool, 60);
            List<Proc.ProcessReading> processes = pool.processes();
            assertEquals(3, processes.size());
            assertTrue(processes.stream().allMatch(one -> one.proportionalBytes() > 1 << 20 && one.cpuNanos() > 0));
            for (Proc.ProcessReading one : processes) {
                pids.add(one.pid());
                assertTrue(maps(one.pid()).contains("/heartwheel-gateway.jsa"), "classes from the archive of the jar");
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        pids.forEach(pid -> assertFalse(WorkerPoolIT.isAlive(pid)));
    }

    /** While a gateway is gone somebody else's connection may get its port. */
    @Test
    void gateway_killedAndStartedAgain_hasItsPortsAndAnotherPid() throws Exception {
        for (int tries = 4; ; tries--) {
            try {
                killAndStartAgain();
                return;
            } catch (CompletionException e) {
                assertTrue(tries > 1 && e.toString().contains("Address already in use"), e::toString);
            }
        }
    }

    private static void killAndStartAgain() throws Exception {
        try (GatewayPool pool = new GatewayPool(setup(1))) {
            InetSocketAddress tcp = pool.start().get("tcp");
            InetSocketAddress admin = pool.addresses().get("admin");
            long before = pool.pid(0);
            pool.kill(List.of(0)).join();
            assertFalse(pool.isAlive(0));
            pool.startAgain(List.of(0)).join();
            assertNotEquals(before, pool.pid(0));
            assertEquals(tcp, pool.addresses().get("tcp"));
            assertEquals(admin, pool.addresses().get("admin"));
            new Socket(tcp.getAddress(), tcp.getPort()).close();
            CompletionException twice = assertThrows(
                    CompletionException.class, () -> pool.startAgain(List.of(0)).join());
            assertTrue(twice.getCause().getMessage().contains("still running"), twice::toString);
        }
    }

    @Test
    void gateway_terminatedOfTwo_drainsAndTheOtherStays() throws Exception {
        try (GatewayPool pool = new GatewayPool(setup(2))) {
            InetSocketAddress tcp = pool.start().get("tcp");
            pool.terminate(List.of(1), LONG).join();
            assertTrue(pool.isAlive(0));
            assertFalse(pool.isAlive(1));
            for (int i = 0; i < 20; i++) {
                new Socket(tcp.getAddress(), tcp.getPort()).close();
            }
            assertEquals(1, pool.processes().size());
        }
    }

    @Test
    void gateway_thatDoesNotEndInTime_isAFailureThatNamesIt() throws Exception {
        try (GatewayPool pool = new GatewayPool(setup(1))) {
            pool.start();
            pool.freeze(List.of(0), LONG);
            awaitState(pool.pid(0), 'T');
            CompletionException late =
                    assertThrows(CompletionException.class, () -> pool.terminate(List.of(0), Duration.ofMillis(1))
                            .join());
            assertInstanceOf(ProcessPool.Failure.class, late.getCause());
            assertEquals("gateway-0 had not ended after 1 ms", late.getCause().getMessage());
        }
    }

    @Test
    void gateway_frozen_goesOnByItselfAndLeavesNoShellBehind() throws Exception {
        List<ProcessHandle> shells = new ArrayList<>();
        try (GatewayPool pool = new GatewayPool(setup(1))) {
            pool.start();
            pool.freeze(List.of(0), Duration.ofSeconds(2));
            awaitState(pool.pid(0), 'T');
            awaitState(pool.pid(0), 'S');
            pool.freeze(List.of(0), LONG);
            awaitState(pool.pid(0), 'T');
            String pid = Long.toString(pool.pid(0));
            ProcessHandle.current()
                    .children()
                    .filter(child -> List.of(child.info().arguments().orElse(new String[0]))
                            .contains(pid))
                    .forEach(shell -> {
                        shells.add(shell);
                        shell.descendants().forEach(shells::add);
                    });
            assertFalse(shells.isEmpty());
        }
        for (ProcessHandle left : shells) {
            left.onExit().get(LONG.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void gateway_wrongSetting_isToldWithItsLog() throws Exception {
        try (GatewayPool pool = new GatewayPool(setup(1, "  wheel.tick = 1h"))) {
            ProcessPool.Failure failure = assertThrows(ProcessPool.Failure.class, pool::start);
            assertTrue(
                    failure.getMessage().startsWith("gateway-0 ended while starting; its log:\n"), failure::toString);
            assertTrue(failure.getMessage().contains("heartwheel.wheel.tick"), failure::toString);
        }
    }

    static String maps(long pid) throws Exception {
        return Files.readString(Path.of("/proc", Long.toString(pid), "maps"));
    }

    /** The third letter-field of {@code /proc/PID/stat}: T is stopped, S sleeps. */
    private static void awaitState(long pid, char state) throws Exception {
        Path stat = Path.of("/proc", Long.toString(pid), "stat");
        while (true) {
            String text = Files.readString(stat);
            if (text.charAt(text.lastIndexOf(')') + 2) == state) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }
}
