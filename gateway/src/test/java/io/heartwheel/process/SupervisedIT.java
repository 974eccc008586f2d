package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.NotifyListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Messages of a gateway to a service manager, from its start to its end, on a socket that really listens. */
@Execution(ExecutionMode.CONCURRENT)
class SupervisedIT {
    private static final String WATCHDOG_MICROS = "1500000";
    /** Five periods: no machine that runs these tests stands still for so long unnoticed. */
    private static final long QUIET_MILLIS = 2_500;

    @TempDir
    Path scratch;

    private GatewaySetup supervised() {
        return GatewayProcess.with().environment("NOTIFY_SOCKET", socket());
    }

    private String socket() {
        return scratch.resolve("notify").toString();
    }

    @Test
    void life_supervised_isToldInOrder() throws Exception {
        try (NotifyListener systemd = new NotifyListener(socket());
                GatewayProcess gateway = supervised().start();
                WireClient device = WireClient.hello(gateway.tcp(), "d1")) {
            assertEquals("STATUS=0 devices, 2 listeners; 0 closed by a deadline in the last minute", systemd.next());
            assertEquals("READY=1", systemd.next());
            assertEquals(
                    "STATUS=1 device, 2 listeners; 0 closed by a deadline in the last minute", systemd.next("STATUS="));
            gateway.signal("TERM");
            systemd.next("STOPPING=1");
            // two seconds of drain, and half a minute for what comes after
            assertEquals("EXTEND_TIMEOUT_USEC=32000000", systemd.next());
            assertEquals("STATUS=draining 1 device", systemd.next());
            device.close();
            assertEquals(0, gateway.awaitExit());
            systemd.next("STATUS=ended");
            assertFalse(systemd.seen().contains("WATCHDOG=1"), "nobody asked for it");
        }
    }

    @Tag("timed")
    @Test
    void watchdog_asked_isFedUntilALoopStandsAndAfter() throws Exception {
        try (NotifyListener systemd = new NotifyListener(socket());
                GatewayProcess gateway = supervised()
                        .environment("WATCHDOG_USEC", WATCHDOG_MICROS)
                        .jvm(LoopFreezer.AGENT)
                        .start();
                LoopFreezer freezer = new LoopFreezer(gateway)) {
            for (int sign = 0; sign < 5; sign++) {
                systemd.next("WATCHDOG=1");
            }
            for (int loop = 0; loop < freezer.loops(); loop++) {
                CompletableFuture<Stall> frozen = freeze(freezer, loop, Duration.ofSeconds(12));
                boolean quiet = false;
                while (!quiet && !frozen.isDone()) {
                    quiet = !systemd.comes("WATCHDOG=1", QUIET_MILLIS);
                }
                assertTrue(quiet, "loop " + loop + " stands and the watchdog is fed: " + systemd.seen());
                assertEquals(200, gateway.admin("GET", "/metrics").status(), "the others go on");
                frozen.join();
                systemd.next("WATCHDOG=1");
                systemd.next("WATCHDOG=1");
            }
            // the stalls are logged, but none is a fault
            assertEquals(List.of(), gateway.log(" ERROR "));
        }
    }

    private static CompletableFuture<Stall> freeze(LoopFreezer freezer, int loop, Duration length) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return freezer.freeze(loop, length);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void watchdog_stoppedProcess_isNotFed() throws Exception {
        try (NotifyListener systemd = new NotifyListener(socket());
                GatewayProcess gateway = supervised()
                        .environment("WATCHDOG_USEC", WATCHDOG_MICROS)
                        .start()) {
            systemd.next("WATCHDOG=1");
            try (Freeze freeze = new Freeze(gateway.pid())) {
                // the last ones before may be on their way
                int late = 0;
                while (late < 3 && systemd.comes("WATCHDOG=1", QUIET_MILLIS)) {
                    late++;
                }
                assertTrue(late < 3, () -> "fed by a process that stands: " + systemd.seen());
                freeze.end();
            }
            systemd.next("WATCHDOG=1");
        }
    }

    /** A watchdog meant for another process, a wrapper's say, is not ours to feed. */
    @Test
    void watchdog_ofAnotherProcess_isNotFed() throws Exception {
        try (NotifyListener systemd = new NotifyListener(socket());
                GatewayProcess gateway = supervised()
                        .environment("WATCHDOG_USEC", WATCHDOG_MICROS)
                        .environment("WATCHDOG_PID", "1")
                        .start()) {
            systemd.next("READY=1");
            assertFalse(systemd.comes("WATCHDOG=1", QUIET_MILLIS));
            assertTrue(gateway.isAlive());
        }
    }

    @Test
    void start_managerGone_runsAllTheSame() throws Exception {
        try (GatewayProcess gateway = supervised().start();
                WireClient device = WireClient.hello(gateway.tcp(), "d1")) {
            assertEquals(1, gateway.log("NOTIFY_SOCKET = " + socket()).size());
            device.ping((byte) 1);
            device.next(WireFrame.PONG);
        }
    }
}
