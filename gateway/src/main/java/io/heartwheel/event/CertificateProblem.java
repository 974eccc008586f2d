package io.heartwheel.event;

/** Reasons for which a device's certificate is refused: a closed list. Immutable; any thread. */
public enum CertificateProblem {
    /** None of the authorities that are believed here stands behind it. */
    UNKNOWN_AUTHORITY("unknown_authority", "no authority that is trusted here has signed it"),
    /** Its time is over, or that of a certificate above it. */
    EXPIRED("expired", "it has expired"),
    /** Its time has not begun, or that of a certificate above it. */
    NOT_YET_VALID("not_yet_valid", "it is not valid yet"),
    /** It was changed after it had been signed, or signed with another key. */
    BAD_SIGNATURE("bad_signature", "its signature is wrong"),
    /** It is not made for this. */
    WRONG_USE("wrong_use", "it is not made for clients of TLS"),
    /** Anything else. */
    OTHER("other", "it breaks the rules for certificates");

    private final String label;
    private final String text;

    CertificateProblem(String label, String text) {
        this.label = label;
        this.text = text;
    }

    /** Lower-case name in events. */
    public String label() {
        return label;
    }

    /** For people: what is wrong with it. */
    public String text() {
        return text;
    }
}
