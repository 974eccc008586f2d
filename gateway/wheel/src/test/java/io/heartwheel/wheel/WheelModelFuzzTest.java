package io.heartwheel.wheel;

import org.junit.jupiter.api.Test;

/** Random lives of a small wheel beside a naive model, the structure checked after every step: {@link RandomLives}. */
class WheelModelFuzzTest {

    private static final RandomLives LIVES = new RandomLives("wheel", 50, 600, WheelModel::new);

    /** Jumps, slices, late turns: never early, nothing lost, nothing twice. */
    @Test
    void advance_randomLifeTurnedAtRandom_agreesWithTheModel() {
        LIVES.run(false);
    }

    /** Turned when the wheel asks for it, or when it wakes its sleeper: never more than one tick late. */
    @Test
    void advance_randomLifeTurnedOnTime_agreesWithTheModelAndIsNeverATickLate() {
        LIVES.run(true);
    }
}
