package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import org.jspecify.annotations.Nullable;

/** Older connection of a device that has opened a second one: how and when it ended. On the device's event loop. */
public interface Takeover {

    /** Whether the newer connection was welcomed. */
    default boolean isSucceeded() {
        return succeededNanos() >= 0;
    }

    /** When the newer connection was welcomed; below 0 when it was not. */
    long succeededNanos();

    /** Whether the end of the older connection cannot be seen. */
    boolean isUnreachable();

    /** Whether the older connection was seen to end. */
    default boolean hasEnded() {
        return ending() != null;
    }

    /** When that was. */
    long endedNanos();

    /** How it ended; null while it has not. */
    @Nullable
    ConnectionEnd ending();

    /** The code it was closed with, or {@link CloseCodes#NONE}. */
    int code();

    /** Whether it was closed as taken over, and so as it should be. */
    boolean isTakenOver();

    /** Whether the takeover was judged. */
    boolean isJudged();

    /** The takeover is judged, this once. */
    void judge();
}
