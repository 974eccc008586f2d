package io.heartwheel.loadgen.judge;

import io.heartwheel.loadgen.wire.CloseCodes;
import java.util.Locale;

/**
 * Fault of the gateway, with what is needed to find it in the gateway's log.
 *
 * @param device device id
 * @param atSeconds when it was seen, since the run began
 * @param message the number of the message that it is about; 0: none
 * @param expectedOutcome what was to become of its connection
 * @param silentMillis since the device's last frame
 * @param allowedMillis interval x grace; {@link #UNLIMITED}: silence has no limit
 * @param widestGapMillis the device's longest silence before
 */
public record GatewayFault(
        Kind kind,
        String device,
        double atSeconds,
        int code,
        long message,
        String detail,
        String expectedOutcome,
        double silentMillis,
        double allowedMillis,
        double widestGapMillis) {

    /** Silence has no limit. */
    public static final double UNLIMITED = -1;

    /** Kind of a fault, the gravest first. */
    public enum Kind {
        ADMITTED("device welcomed with a wrong credential"),
        GOOD_REFUSED("device refused with a good credential"),
        LIVE_CLOSED("live device closed"),
        CLOSED_EARLY("device closed early"),
        SENT_AWAY("live device sent away by a GOAWAY that nobody ordered"),
        NEVER_CLOSED("device never closed"),
        CLOSED_LATE("device closed too late"),
        WRONG_CODE("device closed with the wrong code"),
        WIRE_BROKEN("wire broken by the gateway"),
        NOT_WELCOMED("device never welcomed"),
        WELCOMED_LATE("device welcomed too late"),
        LEFT_OPEN("socket left open after CLOSE"),
        MISDELIVERED("message of another device"),
        UNANSWERED("live device not answered"),
        ANSWERED_LATE("live device answered late"),
        TAKEOVER("takeover gone wrong"),
        MESSAGES("message gone wrong"),
        MESSAGE_ABSENT("message not come"),
        PUSHES("push gone wrong"),
        WARNED_WRONG("warning that a token expires gone wrong"),
        RENEWAL("renewal of a token gone wrong"),
        UPLINK("event gone wrong on its way out"),
        NOT_BACK("device not let in within its retry window"),
        UNWATCHED("device not watched to its deadline"),
        OWN_FAULT("device closed after the generator was late itself");

        private final String text;

        Kind(String text) {
            this.text = text;
        }
    }

    /** One line for people. */
    public String line() {
        return String.format(
                Locale.ROOT,
                "%s: %s (%s) at %.3fs, %s%s, %.1f ms after its last frame (%s, widest gap before %.1f ms)",
                kind.text,
                device,
                expectedOutcome,
                atSeconds,
                codeText(code),
                detail.isEmpty() ? "" : " \"" + detail + "\"",
                silentMillis,
                allowedMillis == UNLIMITED ? "no limit" : String.format(Locale.ROOT, "allowed %.0f ms", allowedMillis),
                widestGapMillis);
    }

    /** {@code 4001 HEARTBEAT_TIMEOUT}; the bare number of a code without a name. */
    public static String codeText(int code) {
        String name = CloseCodes.name(code);
        return code == CloseCodes.NONE || name.equals(Integer.toString(code)) ? name : code + " " + name;
    }
}
