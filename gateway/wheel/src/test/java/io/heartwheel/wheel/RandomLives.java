package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.SplittableRandom;

/**
 * Runs random lives of something beside a naive model of it. Seeds are fixed but for some, which are new in every run and of which the first is
 * printed; {@code -Dheartwheel.fuzz.seed=N} runs one seed alone, {@code -Dheartwheel.fuzz.lives=N} that many new ones.
 *
 * @param name what lives
 * @param fixedSeeds seeds that are the same in every run, from 0
 * @param steps steps a life
 * @param birth makes a new life
 */
record RandomLives(String name, int fixedSeeds, int steps, Birth birth) {

    /** A life and its model, which throws when they differ; {@code toString} tells where it stands. */
    interface Life {
        void step();

        /** Runs it to its end. */
        void finish();
    }

    /** Makes a life, turned on time or at random. */
    interface Birth {
        Life from(SplittableRandom random, boolean punctual);
    }

    void run(boolean punctual) {
        Long only = Long.getLong("heartwheel.fuzz.seed");
        if (only != null) {
            live(only, punctual);
            return;
        }
        for (long seed = 0; seed < fixedSeeds; seed++) {
            live(seed, punctual);
        }
        SplittableRandom seeds = new SplittableRandom(Long.getLong("test.seed", System.nanoTime()));
        for (int i = 0; i < Integer.getInteger("heartwheel.fuzz.lives", 20); i++) {
            long seed = seeds.nextLong();
            if (i == 0) {
                System.out.println(name + " fuzz: first new seed " + seed);
            }
            live(seed, punctual);
        }
    }

    private void live(long seed, boolean punctual) {
        int step = 0;
        Life life = birth.from(new SplittableRandom(seed), punctual);
        try {
            while (step < steps) {
                life.step();
                step++;
            }
            life.finish();
        } catch (Throwable failure) {
            String turned = punctual ? ", turned on time" : ", turned at random";
            fail(name + ", seed " + seed + turned + ", step " + step + ", " + life, failure);
        }
    }
}
