package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random lives of timers beside a naive model. Seeds are fixed but for some, which are new in every run and of which the first is printed; {@code
 * -Dheartwheel.fuzz.seed=N} runs one seed alone, {@code -Dheartwheel.fuzz.lives=N} that many new ones.
 */
class TimersModelFuzzTest {

    private static final int STEPS = 300;
    private static final int FIXED_SEEDS = 100;

    private static void live(long seed, boolean punctual) {
        int step = 0;
        TimersModel model = new TimersModel(new SplittableRandom(seed), punctual);
        try {
            while (step < STEPS) {
                model.step();
                step++;
            }
            model.finish();
        } catch (Throwable failure) {
            fail("seed " + seed + (punctual ? ", on time" : ", at random") + ", step " + step + ", " + model, failure);
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
                System.out.println("timers fuzz: first new seed " + seed);
            }
            live(seed, punctual);
        }
    }

    /** Late turns and jumps: never early, nothing lost, nothing twice, nothing in a burst. */
    @Test
    void timers_randomLifeTurnedAtRandom_agreesWithTheModel() {
        liveOn(false);
    }

    /** Turned when the wheel asks for it: never more than one tick late. */
    @Test
    void timers_randomLifeTurnedOnTime_agreesWithTheModelAndIsNeverATickLate() {
        liveOn(true);
    }
}
