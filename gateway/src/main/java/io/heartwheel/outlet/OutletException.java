package io.heartwheel.outlet;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Failure to deliver that says more than that. Its message says what the receiver did, for people; it holds no secret. */
public final class OutletException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The receiver named no time. */
    public static final long NOT_SAID = -1;

    private final boolean pauses;
    private final long retryAfterMillis;

    private OutletException(String message, boolean pauses, long retryAfterMillis, @Nullable Throwable from) {
        super(message, from);
        this.pauses = pauses;
        this.retryAfterMillis = retryAfterMillis;
    }

    /**
     * To be tried again.
     *
     * @param retryAfterMillis no sooner than this, or {@link #NOT_SAID}
     */
    public static OutletException retry(String message, long retryAfterMillis, @Nullable Throwable from) {
        return new OutletException(message, false, retryAfterMillis, from);
    }

    /** The receiver wants no more: the outlet pauses until the operator resumes it. */
    public static OutletException pause(String message) {
        return new OutletException(message, true, NOT_SAID, null);
    }

    /** Whether the outlet pauses until the operator resumes it. */
    public boolean pauses() {
        return pauses;
    }

    /** No sooner than this, milliseconds; or {@link #NOT_SAID}. */
    public long retryAfterMillis() {
        return retryAfterMillis;
    }
}
