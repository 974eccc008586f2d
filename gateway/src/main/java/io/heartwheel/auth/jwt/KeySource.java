package io.heartwheel.auth.jwt;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Source of the keys in force. Any thread. */
interface KeySource extends AutoCloseable {
    /** Answer to a key id that is not among the keys in force. */
    enum Missing {
        /** The keys are as they should be: there is no such key. */
        NO_SUCH_KEY,
        /** They were read for another key a moment ago, and are read again soon: it was not looked for yet. */
        NOT_YET,
        /** They cannot be read now, so nobody knows. */
        OUTAGE,
        /** As many wait for them as may. */
        BUSY,
        /** Whoever asked is told when they were read again. */
        WAITING
    }

    /** Outcome that those who waited are told. */
    enum Outcome {
        /** The keys were read again. */
        READ,
        /** They could not be read. */
        FAILED,
        /** The deadline passed. */
        TOO_LATE
    }

    /** One who waits for the keys to be read again. Told once, on the thread of the source or of whoever closes it; does not block. */
    interface Waiter {
        void done(Outcome outcome);
    }

    /** The keys to use now; null if there are none, or only some that are too old. */
    @Nullable
    KeySet inForce();

    /**
     * Asks for a key that is not among those in force. {@code waiter} is told only after {@link Missing#WAITING}.
     *
     * @param kid its id; null: any, because none is in force
     */
    Missing missing(@Nullable String kid, long deadlineNanos, Waiter waiter);

    /** Reads files again that have changed and stand still; blocks. Gives problems for the operator, after which the earlier keys stay in force. */
    default List<String> refresh() {
        return List.of();
    }

    /** As {@link #refresh}, whether they stand still or not. */
    default List<String> reload() {
        return refresh();
    }

    /** For metrics. */
    default JwkStatus status() {
        return JwkStatus.NONE;
    }

    /** Reads them no more. Whoever waits is told {@link Outcome#FAILED}. */
    @Override
    default void close() {}
}
