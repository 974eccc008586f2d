package io.heartwheel.transport.tls;

/** Wrong value of a TLS key of a listener. Its message is complete. Immutable; any thread. */
final class TlsFault extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String key;
    private final String what;

    /**
     * For one value.
     *
     * @param key within the listener's block {@code tls}
     * @param what is wrong with it
     */
    TlsFault(String key, Object value, String what) {
        super(key + " = " + value + ": " + what);
        this.key = key;
        this.what = what;
    }

    /** For what its file holds. */
    TlsFault(String key, Object value, IllegalArgumentException broken) {
        this(key, value, String.valueOf(broken.getMessage()));
        initCause(broken);
    }

    String key() {
        return key;
    }

    String what() {
        return what;
    }
}
