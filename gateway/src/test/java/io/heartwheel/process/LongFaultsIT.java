package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As {@link FaultsIT}, but longer than a build may take: run by the profile {@code faults}. */
@Tag("faults")
class LongFaultsIT {
    private static final int LIVE = 6_000;
    private static final int ANSWERING = 500;
    private static final int SILENT = 90;
    private static final int IN_ROW = 1_000;
    private static final int CLOSE_RATE = 100;
    private static final int SOAKING = 5_000;
    private static final int SILENT_A_ROUND = 10;
    private static final int MOST_ROUNDS = 400;
    private static final int LONGEST_STALL_MILLIS = 8_000;
    private static final int BALLAST_MILLIONS = 8;

    @TempDir
    private Path scratch;

    /** The promise: the peers' clocks stand still while we do, also for ten times as long as they may be silent. */
    @Test
    void stop_halfAMinute_killsNoLiveOneAndMissesNoSilentOne() throws Exception {
        try (GatewayProcess gateway = FaultTrial.setup().start();
                FaultTrial trial = new FaultTrial(gateway, LIVE, ANSWERING, SILENT)) {
            trial.fallSilent();
            Stall stall = FaultTrial.freeze(gateway, Duration.ofSeconds(30));
            trial.judge("gateway stopped for half a minute", Contract.with(stall));
        }
    }

    /**
     * The promise: whatever stalls come one after the other, of the process, of one loop, by the collector, nobody who lives is closed, and who falls silent
     * between them is.
     */
    @Test
    void soak_oneFaultAfterTheOther_killsNoLiveOneAndMissesNoSilentOne() throws Exception {
        Random random = new Random(seed());
        long soakNanos = TimeUnit.SECONDS.toNanos(Long.getLong("heartwheel.faults.soak-seconds", 120));
        try (GatewayProcess gateway = FaultTrial.setup()
                        .jvm("-Xmx768m", Ballast.agent(scratch, BALLAST_MILLIONS), LoopFreezer.AGENT)
                        .start();
                Herd herd = new Herd(Herd.Settings.of(gateway.tcp(), "soak"));
                LoopFreezer loops = new LoopFreezer(gateway)) {
            herd.connect(SOAKING);
            herd.answerOnly(SOAKING - ANSWERING, ANSWERING);
            List<Stall> stalls = new ArrayList<>();
            long endNanos = System.nanoTime() + soakNanos;
            int round = 0;
            for (; System.nanoTime() - endNanos < 0 && round < MOST_ROUNDS; round++) {
                herd.silence(round * SILENT_A_ROUND, SILENT_A_ROUND);
                stalls.add(fault(random, gateway, loops));
                TimeUnit.MILLISECONDS.sleep(random.nextInt(LONGEST_STALL_MILLIS / 2));
            }
            Contract contract = Contract.with(stalls.toArray(Stall[]::new));
            Await.until("the last silent ones are closed", () -> herd.count().silent() == 0);
            int live = SOAKING - round * SILENT_A_ROUND;
            FaultTrial.verdict(round + " faults in a row", herd.reports(), contract, live);
        }
    }

    /**
     * The promise: in an incident so many suspects a second are closed, and no more. Also when we stood still while they stood in the row: those whose turn
     * went by meanwhile are not all closed at once, for then they would all come back at once.
     */
    @Test
    void stop_whileSuspectsWait_keepsTheRate() throws Exception {
        try (GatewayProcess gateway = FaultTrial.setup()
                        .set("breaker.patience", "1s", "breaker.close-rate", Integer.toString(CLOSE_RATE))
                        .set("breaker.share", "0.01", "breaker.least", "1")
                        .start();
                Herd herd = new Herd(Herd.Settings.of(gateway.tcp(), "row"))) {
            herd.connect(2 * IN_ROW);
            // the breaker counts who has beaten for an interval
            TimeUnit.MILLISECONDS.sleep(3_500);
            herd.silence(0, IN_ROW);
            Await.until("the row moves", () -> herd.count().silent() < IN_ROW - CLOSE_RATE);
            Freeze.of(gateway.pid(), Duration.ofSeconds(4));
            Await.until("all silent ones are closed", () -> herd.count().silent() == 0);
            long[] ends = herd.reports().stream()
                    .filter(DeviceReport::silent)
                    .mapToLong(DeviceReport::endedNanos)
                    .sorted()
                    .toArray();
            int most = 0;
            for (int first = 0, last = 0; last < ends.length; last++) {
                for (; ends[last] - ends[first] >= TimeUnit.SECONDS.toNanos(1); first++) {}
                most = Math.max(most, last - first + 1);
            }
            System.out.println("stopped while they stood in the row: at most " + most + " a second");
            assertTrue(most <= CLOSE_RATE * 3 / 2, most + " in one second, at most " + CLOSE_RATE + " were to be");
        }
    }

    private static Stall fault(Random random, GatewayProcess gateway, LoopFreezer loops) throws Exception {
        Duration length = Duration.ofMillis(1 + random.nextInt(LONGEST_STALL_MILLIS));
        return switch (random.nextInt(3)) {
            case 0 -> FaultTrial.freeze(gateway, length);
            case 1 -> loops.freeze(random.nextInt(loops.loops()), length).perhaps();
            default -> {
                long beganNanos = System.nanoTime();
                for (int i = random.nextInt(6); i >= 0; i--) {
                    gateway.collectGarbage();
                }
                yield new Stall(beganNanos, beganNanos, System.nanoTime(), System.nanoTime()).perhaps();
            }
        };
    }

    private static long seed() {
        long wanted = Long.getLong("heartwheel.faults.seed", 0);
        long seed = wanted == 0 ? System.nanoTime() : wanted;
        System.out.println("soak: seed " + seed);
        return seed;
    }
}
