package io.heartwheel.simulation;

import org.jspecify.annotations.Nullable;

/** Runs worlds and reports the first violation: what it needs of the world, and the trace of the connection concerned. */
public final class Simulation {
    private long livedNanos;
    private long judged;
    private long happenings;
    private int worlds;

    /**
     * Runs these seeds.
     *
     * @return the first with a violation and what that is, null if there was none
     */
    public static @Nullable String run(long[] seeds, int scale) {
        for (long seed : seeds) {
            Circumstances is = Circumstances.of(seed, scale);
            Violation violation =
                    new Simulation().run(is, World.Cut.whole(is)).oracle.violation();
            if (violation != null) {
                return "seed " + seed + ": " + violation.what();
            }
        }
        return null;
    }

    /** The trace of this seed's violation, null if there is none. */
    public static @Nullable String failureTrace(long seed, int scale) {
        return new Simulation().world(seed, scale);
    }

    /** @return the trace of the violation, null if there was none */
    @Nullable
    String world(long seed, int scale) {
        Circumstances is = Circumstances.of(seed, scale);
        World world = run(is, World.Cut.whole(is));
        worlds++;
        livedNanos += world.oracle.livedNanos();
        judged += world.oracle.judged();
        happenings += world.happenings();
        Violation violation = world.oracle.violation();
        return violation == null ? null : new FailureTrace(this, is, violation).tell();
    }

    World run(Circumstances is, World.Cut cut) {
        World world = new World(is, cut);
        try {
            world.run();
        } catch (RuntimeException | Error failure) {
            world.oracle.violate(null, world.now(), "threw " + failure + " " + failure.getStackTrace()[0]);
        }
        return world;
    }

    long livedSeconds() {
        return livedNanos / 1_000_000_000;
    }

    /** What was done so far. */
    @Override
    public String toString() {
        return "simulated " + livedSeconds() + " connection-seconds in " + worlds + " worlds, " + judged
                + " closes judged, " + happenings + " events";
    }
}
