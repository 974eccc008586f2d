package io.heartwheel.process;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Waits for what another process does. */
final class Await {
    /** Long enough for anything on a machine with other things to do. */
    static final Duration LONG = Duration.ofSeconds(40);

    private static final long STEP_MILLIS = 10;

    private Await() {}

    /**
     * Until it holds.
     *
     * @throws AssertionError if it does not in {@link #LONG}
     */
    static void until(String what, Callable<Boolean> holds) throws Exception {
        until(() -> what, LONG, holds);
    }

    /**
     * Until it holds.
     *
     * @throws AssertionError if it does not in time
     */
    static void until(Supplier<String> what, Duration atMost, Callable<Boolean> holds) throws Exception {
        long endNanos = System.nanoTime() + atMost.toNanos();
        while (!holds.call()) {
            if (System.nanoTime() - endNanos >= 0) {
                throw new AssertionError("not in " + atMost.toSeconds() + " s: " + what.get());
            }
            TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
        }
    }
}
