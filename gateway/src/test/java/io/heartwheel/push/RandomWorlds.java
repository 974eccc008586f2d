package io.heartwheel.push;

import java.sql.SQLException;

/** Runner of random worlds, each with a seed and a database of its own. A failure tells the seed. */
final class RandomWorlds {
    /** Of the first world, {@code -Dtest.seed}. */
    static final long SEED = Long.getLong("test.seed", System.nanoTime());

    private RandomWorlds() {}

    interface World {
        void run(long seed, TestDatabase database);
    }

    static void run(int count, World world) {
        for (long seed = SEED; seed < SEED + count; seed++) {
            try (TestDatabase database = new TestDatabase()) {
                world.run(seed, database);
            } catch (AssertionError | RuntimeException | SQLException failed) {
                throw new AssertionError("test.seed = " + seed, failed);
            }
        }
    }
}
