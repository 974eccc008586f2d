package io.heartwheel.simulation;

import org.jspecify.annotations.Nullable;

/**
 * Runs worlds and tells of the first violation: what it needs of the world, and the story of the connection that it befell.
 */
public final class Simulation {
    private long livedNanos;
    private long judged;
    private long happenings;
    private int worlds;

    /**
     * Runs these seeds.
     *
     * @return the story of the first violation, null if there was none
     */
    public static @Nullable String run(long[] seeds, int scale) {
        Simulation simulation = new Simulation();
        for (long seed : seeds) {
            String story = simulation.world(seed, scale);
            if (story != null) {
                return story;
            }
        }
        return null;
    }

    /** @return the story of the violation, null if there was none */
    @Nullable
    String world(long seed, int scale) {
        Circumstances is = Circumstances.of(seed, scale);
        World world = run(is, World.Cut.whole(is));
        worlds++;
        livedNanos += world.oracle.livedNanos();
        judged += world.oracle.judged();
        happenings += world.happenings();
        Violation violation = world.oracle.violation();
        return violation == null ? null : new Story(this, is, violation).tell();
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
