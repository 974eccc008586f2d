package io.heartwheel.outlet;

import java.util.Locale;

/** State of an outlet. */
public enum OutletState {
    /** It delivers, or has delivered all there is. */
    RUNNING,
    /** The receiver failed, and is tried again after a while. */
    RETRYING,
    /** It delivers nothing until it is resumed. */
    PAUSED,
    /** It delivers nothing any more: the gateway ends, or an error of the gateway ended it. */
    ENDED;

    /** As it stands in answers and labels. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
