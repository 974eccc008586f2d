package io.heartwheel.wheel;

/** Thrown when every handle of a wheel is in use. Names the limit; has no stack trace. */
public final class WheelFullException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int maxEntries;

    WheelFullException(int maxEntries) {
        super("wheel.maxEntries = " + maxEntries + ": every handle is in use", null, false, false);
        this.maxEntries = maxEntries;
    }

    /** The limit that was reached, in entries. */
    public int maxEntries() {
        return maxEntries;
    }
}
