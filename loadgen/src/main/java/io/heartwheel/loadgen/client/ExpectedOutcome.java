package io.heartwheel.loadgen.client;

/** Expected outcome of a connection, by what its device did. */
public enum ExpectedOutcome {
    /** It keeps its promise: nobody may close it. */
    LIVE("live"),
    /** It fell silent, its socket open. */
    SILENT("silent"),
    /** It vanished without a word: neither hears nor says anything, so its close is not seen, only that it was closed. */
    VANISHED("vanished"),
    /** It was away about as long as allowed: closing it is right, and keeping it too. */
    UNDECIDED("away about as long as allowed"),
    /** It connected and said nothing. */
    UNGREETED("never-hello"),
    /** It began a message and sends a byte of it now and then. */
    DRIPPING("dripping"),
    /** It takes no bytes. */
    STUCK("not reading"),
    /** It does what this server sets no limit to: closing it is right, and keeping it too. */
    UNLIMITED("doing what has no limit"),
    /** It shows a wrong credential: nobody may welcome it. */
    UNADMITTED("with a wrong credential"),
    /** It said goodbye itself. */
    LEAVING("leaving");

    private final String label;

    ExpectedOutcome(String label) {
        this.label = label;
    }

    /** Words for tables. */
    public String label() {
        return label;
    }

    /** Whether a close is due. */
    public boolean closeDue() {
        return this != LIVE && this != LEAVING && this != UNDECIDED && this != UNLIMITED && this != UNADMITTED;
    }

    /** Whether it says nothing more, not even answers. */
    public boolean quiet() {
        return this != LIVE && this != LEAVING && this != UNADMITTED;
    }
}
