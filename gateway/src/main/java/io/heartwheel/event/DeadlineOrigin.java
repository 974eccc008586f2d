package io.heartwheel.event;

/** Source of a deadline. */
public enum DeadlineOrigin {
    /** Nobody: it is the built-in default. */
    DEFAULT("default", "default"),
    /** The operator's configuration. */
    CONFIGURED("configured", "configured"),
    /** The device asked for this interval and was granted it. */
    ASKED("asked", "asked by the device"),
    /** The device asked for another interval and was granted the nearest one allowed. */
    CLAMPED("clamped", "the nearest allowed to what the device asked"),
    /** The gateway, when it sent the device away. */
    SENT_AWAY("sent_away", "set when it was sent away"),
    /** What the device was admitted with says so. */
    GRANTED("granted", "granted when it was admitted");

    private final String label;
    private final String words;

    DeadlineOrigin(String label, String words) {
        this.label = label;
        this.words = words;
    }

    /** Lower-case name for programs. */
    public String label() {
        return label;
    }

    /** The same for people. */
    public String words() {
        return words;
    }
}
