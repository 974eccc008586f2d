package io.heartwheel.drain;

import java.util.Locale;

/** Phase of a drain. */
public enum DrainPhase {
    /** There is none. */
    NONE,
    /** Whoever asks hears that the gateway is not ready, so that balancers turn elsewhere; whoever comes is taken. */
    NOTICE,
    /** Devices are told to leave, at the pace of the plan. */
    TELLING,
    /** All have been told, or the time for it is over; they have time to go. */
    WAITING,
    /** Whoever has not gone is closed. */
    CLOSING,
    /** Nobody is left, or the time is over. */
    DRAINED,
    /** It was taken back. */
    CANCELLED;

    /** Lower-case name in metrics and answers. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether nothing more happens in it. */
    public boolean isOver() {
        return this == DRAINED || this == CANCELLED;
    }
}
