package io.heartwheel.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Worlds of many seeds, judged by the {@link Oracle}. One seed alone: {@code -Dheartwheel.simulation.seed=N}; as long as you like: {@code mvn -q -pl
 * gateway test -Dtest=SimulationTest -Dheartwheel.simulation.hours=8} (or {@code minutes}).
 */
class SimulationTest {
    private static final int FIXED = 110;
    /** Random ones that once found a fault that no fixed one found. */
    static final long[] RARE = {
        -2384211390536207729L,
        3785624352236676045L,
        -8009143402816939669L,
        -3884455979577628668L,
        15651,
        3739429483174139222L,
        -131726223587858193L,
        -6551478144476911888L,
        4430675144504984861L,
        599751027189983847L,
        6942937328743600961L,
        7307426779015609398L,
        -6134820277713860268L,
        7441732156175226352L,
        6691209814310860869L,
        -2679235587603187993L,
        -894566452894060557L,
        7582395086575381533L
    };

    private static final int NEW = 10;
    private static final int SCALE = 12;
    private static final long LEAST_SECONDS = 10_000_000;

    private final Simulation simulation = new Simulation();

    /** How long to go on, as told on the command line; 0: one run of the fixed seeds and a few new ones. */
    static long minutes() {
        return Long.getLong("heartwheel.simulation.minutes", 0) + 60 * Long.getLong("heartwheel.simulation.hours", 0);
    }

    @Test
    void worlds_ofManySeeds_keepTheContract() {
        Long only = Long.getLong("heartwheel.simulation.seed");
        long minutes = minutes();
        if (only != null) {
            judge(only);
        } else if (minutes > 0) {
            untilTired(System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes));
        } else {
            for (long seed : RARE) {
                judge(seed);
            }
            for (long seed = 0; seed < FIXED; seed++) {
                judge(seed);
            }
            SplittableRandom seeds = new SplittableRandom(Long.getLong("test.seed", System.nanoTime()));
            for (int i = 0; i < NEW; i++) {
                judge(newSeed(seeds));
            }
            assertTrue(simulation.livedSeconds() >= LEAST_SECONDS, simulation::toString);
        }
        System.out.println(simulation);
    }

    @Test
    void world_sameSeed_isTheSame() {
        Simulation again = new Simulation();
        judge(17);
        assertEquals(null, again.world(17, SCALE));
        assertEquals(simulation.toString(), again.toString());
    }

    private void untilTired(long untilNanos) {
        SplittableRandom seeds = new SplittableRandom();
        for (long world = 1; System.nanoTime() - untilNanos < 0; world++) {
            judge(seeds.nextLong());
            if (world % 1_000 == 0) {
                System.out.println(simulation);
            }
        }
    }

    private static long newSeed(SplittableRandom seeds) {
        long seed = seeds.nextLong();
        System.out.println("simulation: new seed " + seed);
        return seed;
    }

    private void judge(long seed) {
        String failureTrace = simulation.world(seed, SCALE);
        if (failureTrace != null) {
            fail(failureTrace);
        }
    }
}
