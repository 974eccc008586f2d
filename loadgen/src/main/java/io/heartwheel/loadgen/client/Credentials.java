package io.heartwheel.loadgen.client;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Maker of what the devices of a run show to be admitted. Called on the event loops, by several at once; must not block. Times are nanoseconds
 * since the run began.
 */
public interface Credentials {

    /** What a device does about the end of its token. */
    enum Habit {
        /** Sends a newer one when the gateway warns it. */
        RENEW,
        /** Sends a newer one before that. */
        EARLY,
        /** Is warned and does nothing: closed when its token expires. */
        NEVER,
        /** Does not understand AUTH: closed without a warning. */
        OLD,
        /** Shows what is wrong: not admitted. */
        WRONG;

        /** The name in a scenario. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What the device with this number does. */
    Habit habit(int index);

    /** What it shows now, when it connects or renews. */
    Credential made(int index, long nowNanos);

    /** Certificate that it shows; null: none of its own. */
    default @Nullable Identity identity(int index) {
        return null;
    }

    /** Observation begins at this time. */
    default void observeFrom(long nanos) {}

    /** Whether the scenario keeps the gateway from deciding at some time of this span. */
    default boolean isDisturbed(long fromNanos, long toNanos) {
        return false;
    }
}
