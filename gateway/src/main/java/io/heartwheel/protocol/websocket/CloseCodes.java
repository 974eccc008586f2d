package io.heartwheel.protocol.websocket;

/** Codes of a close frame, RFC 6455 section 7.4 and the IANA registry. Pure functions; any thread. */
final class CloseCodes {
    static final int NORMAL = 1000;

    /** A connection's {@code closeCode}: the reason decides. */
    static final int BY_REASON = 0;
    /** A connection's {@code closeCode}: a close frame with no code in it, which answers one. */
    static final int EMPTY = -1;

    private CloseCodes() {}

    /** Whether a peer may send this code: registered and not reserved for use inside, or of a library or an application. */
    static boolean mayBeSent(int code) {
        if (code >= 3000) {
            return code <= 4999;
        }
        return (code >= NORMAL && code <= 1003) || (code >= 1007 && code <= 1014);
    }

    /** For people: why a connection ended whose peer sent this. */
    static String describe(int code) {
        return code == EMPTY ? "the device said close" : "the device said close " + code;
    }
}
