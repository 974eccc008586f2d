package io.heartwheel.loadgen.judge;

import io.heartwheel.loadgen.wire.CloseCodes;
import java.util.Locale;

/**
 * Fault of the gateway, with what is needed to find it in the gateway's log.
 *
 * @param device device id
 * @param atSeconds when it was seen, since the run began
 * @param expectedOutcome what was to become of its connection
 * @param silentMillis since the device's last frame
 * @param allowedMillis interval x grace
 * @param widestGapMillis the device's longest silence before
 */
public record GatewayFault(
        Kind kind,
        String device,
        double atSeconds,
        int code,
        String detail,
        String expectedOutcome,
        double silentMillis,
        double allowedMillis,
        double widestGapMillis) {

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
        UNANSWERED("live device not answered"),
        TAKEOVER("takeover gone wrong"),
        MESSAGES("messages gone wrong"),
        PUSHES("push gone wrong"),
        WARNED_WRONG("warning that a token expires gone wrong"),
        RENEWAL("renewal of a token gone wrong"),
        UPLINK("event gone wrong on its way out"),
        NOT_BACK("device not let in within its retry window"),
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
                "%s: %s (%s) at %.3fs, %s%s, %.1f ms after its last frame (allowed %.0f ms, widest gap before %.1f ms)",
                kind.text,
                device,
                expectedOutcome,
                atSeconds,
                codeText(code),
                detail.isEmpty() ? "" : " \"" + detail + "\"",
                silentMillis,
                allowedMillis,
                widestGapMillis);
    }

    /** {@code 4001 HEARTBEAT_TIMEOUT}; the bare number of a code without a name. */
    public static String codeText(int code) {
        String name = CloseCodes.name(code);
        return code == CloseCodes.NONE || name.equals(Integer.toString(code)) ? name : code + " " + name;
    }
}
