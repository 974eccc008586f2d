package io.heartwheel.wheel;

import org.junit.jupiter.api.Test;

/** Random lives of timers beside a naive model: {@link RandomLives}. */
class TimersModelFuzzTest {

    private static final RandomLives LIVES = new RandomLives("timers", 100, 300, TimersModel::new);

    /** Late turns and jumps: never early, nothing lost, nothing twice, nothing in a burst. */
    @Test
    void timers_randomLifeTurnedAtRandom_agreesWithTheModel() {
        LIVES.run(false);
    }

    /** Turned when the wheel asks for it: never more than one tick late. */
    @Test
    void timers_randomLifeTurnedOnTime_agreesWithTheModelAndIsNeverATickLate() {
        LIVES.run(true);
    }
}
