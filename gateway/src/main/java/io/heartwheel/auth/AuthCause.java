package io.heartwheel.auth;

/** Cause of a refusal, or of having no answer: a closed list, so that metrics may be labelled with it. */
public enum AuthCause {
    /** No method knows the device or its kind of token. */
    UNKNOWN_DEVICE("unknown_device"),
    /** It shows no token and no certificate. */
    NOTHING_SHOWN("nothing_shown"),
    /** Not the token of this device. */
    WRONG_TOKEN("wrong_token"),
    /** A token of no accepted form. */
    MALFORMED("malformed"),
    /** An algorithm that is not configured. */
    ALGORITHM("algorithm"),
    /** No key of this id, or none that fits. */
    UNKNOWN_KEY("unknown_key"),
    /** The signature is not right. */
    SIGNATURE("signature"),
    /** Past its time. */
    EXPIRED("expired"),
    /** Before its time. */
    NOT_YET_VALID("not_yet_valid"),
    /** Of another issuer. */
    ISSUER("issuer"),
    /** For another audience. */
    AUDIENCE("audience"),
    /** For another device id than the claimed one. */
    OTHER_DEVICE("other_device"),
    /** A certificate that its issuer has revoked. */
    REVOKED("revoked"),
    /** The operator's service said no. */
    DENIED("denied"),
    /** Too many failures from this source shortly before: it was not looked at. */
    TOO_MANY_FAILURES("too_many_failures"),
    /** No answer in time. */
    TIMEOUT("timeout"),
    /** The service that knows is not there. */
    OUTAGE("outage"),
    /** More wait for an answer than may. */
    BUSY("busy"),
    /** A fault of ours. */
    FAULT("fault");

    private final String label;

    AuthCause(String label) {
        this.label = label;
    }

    /** Lower-case name in metrics and evidence. */
    public String label() {
        return label;
    }
}
