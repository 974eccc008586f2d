package io.heartwheel.simulation;

import java.util.SplittableRandom;

/**
 * Differences between worlds; all of them follow from the seed.
 *
 * @param clockStartNanos what the gateway's clock shows when the world begins
 * @param blackouts times at which many devices are out of reach at once
 * @param stallGapNanos mean time between stalls, 0 for none
 * @param lossPercent frames that vanish
 * @param aligned whether much falls exactly on a tick of the wheel
 * @param noisy whether three of ten devices, all of one subnet, fall silent together again and again, and the others hardly ever
 * @param kernelTells whether the socket tells when it last heard of the peer
 */
record Circumstances(
        long seed,
        long clockStartNanos,
        int loops,
        int devices,
        long durationNanos,
        long tickNanos,
        int buckets,
        int budget,
        Rules rules,
        StallCredit credit,
        MassRules mass,
        int blackouts,
        long stallGapNanos,
        double longestStallSeconds,
        int midBatchStalls,
        int lossPercent,
        boolean kernelTells,
        int burstPercent,
        int slowClaimPercent,
        boolean aligned,
        boolean noisy) {

    private static final long[] TICKS_MILLIS = {1, 5, 10, 20, 20, 100};
    private static final int[] BUCKETS = {4, 8, 16, 64, 512};

    /** @param scale how much is to happen: about so many thousand frames */
    static Circumstances of(long seed, int scale) {
        SplittableRandom random = new SplittableRandom(seed);
        double beat = Chance.even(random, 1, random.nextInt(4) == 0 ? 7_200 : 90);
        boolean aligned = random.nextInt(3) == 0;
        Rules rules = Rules.random(random, beat, aligned ? 100_000_000 : 1);
        double beats = Chance.even(random, 4, 60);
        long duration = (long) (beats * beat * Chance.SECOND);
        int most = (int) Math.max(8, Math.min(4_000, scale * 1_000 / beats));
        int devices = (int) Chance.even(random, 8, most + 1.0);
        boolean calm = random.nextInt(5) == 0;
        return new Circumstances(
                        seed,
                        clockStart(random, duration),
                        random.nextInt(2, 5),
                        devices,
                        duration,
                        TICKS_MILLIS[random.nextInt(TICKS_MILLIS.length)] * 1_000_000,
                        BUCKETS[random.nextInt(BUCKETS.length)],
                        random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(8, 50),
                        Chance.stream(seed, "patience", 0).nextInt(4) == 0 ? rules.context() : rules,
                        StallCredit.random(random),
                        MassRules.random(random),
                        random.nextInt(4),
                        calm ? 0 : (long) Chance.even(random, duration / 300.0, duration / 3.0),
                        Chance.even(random, 0.05, 40),
                        calm ? 0 : random.nextInt(4),
                        random.nextBoolean() ? 0 : random.nextInt(15),
                        random.nextBoolean(),
                        random.nextInt(101),
                        random.nextBoolean() ? 0 : random.nextInt(60),
                        aligned,
                        false)
                .perhapsNoisy();
    }

    /** Enough devices that one subnet of them trips a breaker, and windows in which they all come to be due. */
    private Circumstances perhapsNoisy() {
        boolean fits = devices >= 100 && rules.heartbeat() && rules.maxMillis() <= MassRules.MOST_WINDOW_MILLIS;
        if (!fits || Chance.stream(seed, "noise", 0).nextInt(3) != 0) {
            return this;
        }
        return new Circumstances(
                seed,
                clockStartNanos,
                loops,
                devices,
                durationNanos,
                tickNanos,
                buckets,
                budget,
                rules,
                credit,
                mass.against(devices),
                3,
                stallGapNanos,
                longestStallSeconds,
                midBatchStalls,
                0,
                kernelTells,
                burstPercent,
                slowClaimPercent,
                aligned,
                true);
    }

    /** How often the wheel's thread looks at its clock. */
    long pulseNanos() {
        return Math.max(1_000_000_000, durationNanos / 20_000);
    }

    /** Whether the socket tells for sure that nothing lies unread in it: not every transport that knows when it last heard of the peer does. */
    boolean unreadTells() {
        return kernelTells && Chance.stream(seed, "unread", 0).nextBoolean();
    }

    /** Whether its loops falter: again and again one stands still for a moment, between two rounds. */
    boolean isFaltering() {
        return midBatchStalls > 0 && Chance.stream(seed, "faltering", 0).nextInt(6) == 0;
    }

    /** Whether a device is one of those in the noisy subnet. */
    boolean isNoisy(int device) {
        return noisy && device % 10 < 3;
    }

    /** Which subnet a device is in; in a noisy world those of the others are many. */
    int subnet(int device) {
        if (!noisy) {
            return device % 5;
        }
        return isNoisy(device) ? 200 : device % Math.max(3, Math.min(60, devices / 10));
    }

    /** Anywhere, and most of all where a clock's sign or its wrap falls into the world. */
    private static long clockStart(SplittableRandom random, long durationNanos) {
        return switch (random.nextInt(5)) {
            case 0 -> -random.nextLong(durationNanos);
            case 1 -> Long.MAX_VALUE - random.nextLong(durationNanos);
            case 2 -> Long.MIN_VALUE + random.nextLong(1_000_000_000);
            case 3 -> random.nextLong(1_000_000_000);
            default -> random.nextLong();
        };
    }
}
