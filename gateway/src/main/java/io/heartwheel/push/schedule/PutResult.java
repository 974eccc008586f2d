package io.heartwheel.push.schedule;

import java.util.concurrent.CompletionException;

/** Result of putting a schedule. Immutable; any thread. */
public sealed interface PutResult {
    /**
     * It is there, on the disk too if it is durable.
     *
     * @param replaced whether another stood under its key
     */
    record Stored(ScheduleView view, boolean replaced) implements PutResult {}

    /**
     * It is not there; what was under its key stays.
     *
     * @param detail for people
     */
    record Refused(Cause cause, String detail) implements PutResult {
        /** What rows say by failing. */
        static Refused of(Throwable failure) {
            Throwable from = failure.getCause();
            Throwable cause = failure instanceof CompletionException && from != null ? from : failure;
            return cause instanceof NotTaken known
                    ? known.refused
                    : new Refused(Cause.NOT_STORED, cause.getMessage() == null ? cause.toString() : cause.getMessage());
        }
    }

    /** Rows do not take one, and say why. Without stack trace. */
    final class NotTaken extends Exception {
        private static final long serialVersionUID = 1;

        private final transient Refused refused;

        /** What is answered. */
        public NotTaken(Cause cause, String detail) {
            super(detail, null, false, false);
            refused = new Refused(cause, detail);
        }
    }

    /** Cause of a refusal. */
    enum Cause {
        /** Its time cannot be. */
        TIME,
        /** A limit is reached. */
        FULL,
        /** It does not fit in a row. */
        TOO_LARGE,
        /** The disk did not take it. */
        NOT_STORED
    }
}
