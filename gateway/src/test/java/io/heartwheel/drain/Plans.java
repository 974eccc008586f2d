package io.heartwheel.drain;

import java.time.Duration;
import java.util.Random;

/** Settings and orders of drains, for tests. */
final class Plans {
    private Plans() {}

    /** Windows from 1 s to 30 s. */
    static DrainSettings settings() {
        return settings(1_000, 30_000);
    }

    static DrainSettings settings(long retryMinMillis, long retryMaxMillis) {
        return new DrainSettings(
                Duration.ofMillis(retryMinMillis),
                Duration.ofMillis(retryMaxMillis),
                Duration.ofSeconds(10),
                10_000,
                1_000,
                Duration.ZERO,
                "",
                0);
    }

    static DrainOrder order(int goawayRate, int admitPerSecond, double deadlineSeconds) {
        return order(goawayRate, admitPerSecond, deadlineSeconds, 0);
    }

    static DrainOrder order(int goawayRate, int admitPerSecond, double deadlineSeconds, long noticeSeconds) {
        Duration deadline = Duration.ofMillis((long) (deadlineSeconds * 1e3));
        return new DrainOrder(goawayRate, admitPerSecond, deadline, false, Duration.ofSeconds(noticeSeconds));
    }

    static DrainPlan plan(int goawayRate, int admitPerSecond, double deadlineSeconds, long devices, long plain) {
        return DrainPlan.of(settings(), order(goawayRate, admitPerSecond, deadlineSeconds), devices, plain);
    }

    /** Draws what a test leaves to chance; the seed is told. */
    static Random random() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("drain tests seed " + seed);
        return new Random(seed);
    }
}
