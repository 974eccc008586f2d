package io.heartwheel.drain;

import java.util.concurrent.CompletionStage;

/** Control of drains for the operator. Any thread; nothing blocks. */
public interface DrainControl {

    /** The request is impossible in the present state; the message says why. Carries no stack trace: nothing is broken. */
    final class Conflict extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String why;

        /** @param why a sentence for the operator */
        public Conflict(String why) {
            super(why, null, false, false);
            this.why = why;
        }

        /** The sentence. */
        public String why() {
            return why;
        }
    }

    /** How drains are configured. */
    DrainSettings settings();

    /** Reckons what such a drain would do now; walks over all devices, some ten milliseconds for a million. */
    DrainPlan forecast(DrainOrder order);

    /**
     * Begins a drain.
     *
     * @throws Conflict if there is one
     */
    DrainProgress start(DrainOrder order);

    /**
     * Takes back a drain after which the process would stay: listeners open again, devices that were told and have not gone may stay.
     *
     * @return where it stood; fails with {@link Conflict} if there is none to take back, with another exception if the listeners do not open
     */
    CompletionStage<DrainProgress> cancel();

    /** Where the latest drain stands. */
    DrainProgress progress();
}
