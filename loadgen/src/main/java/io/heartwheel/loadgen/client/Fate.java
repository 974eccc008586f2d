package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;

/** What is to become of a connection, by what its device did. */
public enum Fate {
    /** It keeps its promise: nobody may close it. */
    LIVE("live", CloseCodes.NONE),
    /** It fell silent, its socket open. */
    SILENT("silent", CloseCodes.HEARTBEAT_TIMEOUT),
    /** It vanished without a word: neither hears nor says anything, so its close is not seen, only that it was closed. */
    DARK("vanished", CloseCodes.HEARTBEAT_TIMEOUT),
    /** It was away about as long as allowed: closing it is right, and keeping it too. */
    DOUBTFUL("away about as long as allowed", CloseCodes.HEARTBEAT_TIMEOUT),
    /** It connected and said nothing. */
    UNGREETED("never-hello", CloseCodes.HANDSHAKE_TIMEOUT),
    /** It began a message and drips. */
    DRIPPING("dripping", CloseCodes.READ_STALLED),
    /** It takes no bytes. */
    STUCK("not reading", CloseCodes.WRITE_STALLED),
    /** It said goodbye itself. */
    LEAVING("leaving", CloseCodes.NONE);

    private final String label;
    private final int code;

    Fate(String label, int code) {
        this.label = label;
        this.code = code;
    }

    /** Words for tables. */
    public String label() {
        return label;
    }

    /** The code it should be closed with, or {@link CloseCodes#NONE}. */
    public int code() {
        return code;
    }

    /** Whether a close is due. */
    public boolean condemned() {
        return this != LIVE && this != LEAVING && this != DOUBTFUL;
    }

    /** Whether it says nothing more, not even answers. */
    boolean quiet() {
        return this != LIVE && this != LEAVING;
    }
}
