package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random lives of a small wheel beside a naive model, the structure checked after every step. Seeds are fixed but for one, which is new in every
 * run and printed; {@code -Dheartwheel.fuzz.seed=N} runs one seed alone, {@code -Dheartwheel.fuzz.lives=N} that many new ones.
 */
class WheelModelFuzzTest {

    private static final int STEPS = 600;
    private static final int FIXED_SEEDS = 150;

    private static void live(long seed, boolean punctual) {
        int step = 0;
        WheelModel model = new WheelModel(new SplittableRandom(seed), punctual);
        try {
            while (step < STEPS) {
                model.step();
                step++;
            }
            model.finish();
        } catch (Throwable failure) {
            fail(
                    "seed " + seed + (punctual ? ", turned on time" : ", turned at random") + ", step " + step + ", "
                            + model,
                    failure);
        }
    }

    private static void liveOn(boolean punctual) {
        Long only = Long.getLong("heartwheel.fuzz.seed");
        if (only != null) {
            live(only, punctual);
            return;
        }
        for (long seed = 0; seed < FIXED_SEEDS; seed++) {
            live(seed, punctual);
        }
        SplittableRandom seeds = new SplittableRandom();
        for (int i = 0; i < Integer.getInteger("heartwheel.fuzz.lives", 20); i++) {
            long seed = seeds.nextLong();
            if (i == 0) {
                System.out.println("wheel fuzz: first new seed " + seed);
            }
            live(seed, punctual);
        }
    }

    /** Jumps, slices, late turns: never early, nothing lost, nothing twice. */
    @Test
    void advance_randomLifeTurnedAtRandom_agreesWithTheModel() {
        liveOn(false);
    }

    /** Turned when the wheel asks for it, or when it wakes its sleeper: never more than one tick late. */
    @Test
    void advance_randomLifeTurnedOnTime_agreesWithTheModelAndIsNeverATickLate() {
        liveOn(true);
    }
}
