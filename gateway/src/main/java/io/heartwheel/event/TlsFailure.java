package io.heartwheel.event;

/** Kinds of TLS failure: a closed list, for metrics and the text of the close. Immutable; any thread. */
public enum TlsFailure {
    /** The first bytes are no TLS record. */
    NOT_TLS("not_tls", "the peer does not speak TLS here"),
    /** It speaks only versions that are not spoken here. */
    VERSION("version", "the peer speaks no version of TLS that is spoken here"),
    /** It knows no cipher, group or signature that is used here. */
    CIPHER("cipher", "the peer has no cipher in common with this listener"),
    /** It showed no certificate where one is required. */
    CERTIFICATE_MISSING("certificate_missing", "the device showed no certificate, and one is required"),
    /** Its certificate is none of the authority's, expired, or broken. */
    CERTIFICATE_BAD("certificate_bad", "the device's certificate was not accepted"),
    /** It does not like ours, or gave up with an alert. */
    PEER_ALERT(
            "peer_alert",
            "the peer gave up with an alert, as it does when it does not accept the gateway's certificate"),
    /** Anything else that TLS does not allow. */
    MALFORMED("malformed", "what the peer sent is not as TLS has it");

    private final String label;
    private final String text;

    TlsFailure(String label, String text) {
        this.label = label;
        this.text = text;
    }

    /** Lower-case name in metrics. */
    public String label() {
        return label;
    }

    /** For the evidence of the close. */
    public String text() {
        return text;
    }
}
