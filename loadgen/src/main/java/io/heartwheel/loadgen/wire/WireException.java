package io.heartwheel.loadgen.wire;

/**
 * Fault of the peer against the wire document. Carries the close code that section 6 of the wire document gives the fault and has no stack
 * trace: a misbehaving peer costs a counter.
 */
public final class WireException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int code;

    /**
     * A fault of the peer.
     *
     * @param code close code, 4400..4599, or a WebSocket code, 1000..1015
     * @param message what was wrong, with the actual and the allowed value
     */
    public WireException(int code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    /** The close code that names the fault. */
    public int code() {
        return code;
    }
}
