package io.heartwheel.event;

/** Cause for which a connection is not read. Any thread. */
public enum PauseCause {
    /** The sink has no room for its message. */
    SINK("sink", "the sink was full"),
    /** It sends faster than it may. */
    RATE("rate", "it sent too fast"),
    /** It does not take what is sent to it. */
    SEND_QUEUE("send_queue", "it does not drain");

    private final String label;
    private final String words;

    PauseCause(String label, String words) {
        this.label = label;
        this.words = words;
    }

    /** Lower-case name in events. */
    public String label() {
        return label;
    }

    /** The cause in a sentence, behind "because". */
    String words() {
        return words;
    }
}
