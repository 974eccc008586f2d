package io.heartwheel.loadgen.judge;

import io.heartwheel.loadgen.scenario.Contract;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.WsHandshake;

/** Judge of what a gateway does about credentials: refusals, warnings, expiries. Pure functions of what the device saw. */
public final class AuthOracle {

    private AuthOracle() {}

    /** Judgement of the end of a connection whose token expires, or is said to have expired. */
    public enum Expiry {
        /** It has nothing to do with the token. */
        OTHER,
        /** Closed with 4008, not before the token expired, nor much later. */
        RIGHT,
        /** Closed with 4008 before the token in force expired, which may be one that was accepted lately. */
        EARLY,
        /** Closed with 4008 while a newer token, sent in time, had waited for its answer for longer than that may take. */
        IGNORED,
        /** Closed with 4008, but later than {@code missed-after}. */
        LATE,
        /** Closed without 4008 after the token expired. */
        WRONG_CODE,
        /** Not closed by {@code missed-after}, and it ended in another way since. */
        MISSED
    }

    /**
     * End of a connection; nanoseconds since the run began, or durations.
     *
     * @param expires whether its token does
     * @param expiresNanos when
     * @param offeredNanos when a newer one was sent that was not answered; below 0 if there is none
     * @param seenNanos when the end was seen; now, if there is none
     * @param ownNanos how much of the time between expiry and sight the generator itself could not see
     * @param byGateway whether the gateway ended it
     */
    public record End(
            boolean expires,
            long expiresNanos,
            long offeredNanos,
            long seenNanos,
            long ownNanos,
            boolean byGateway,
            int code) {

        /** How much later than its token expired; without what the generator itself could not see. */
        public long latenessNanos() {
            long seen = seenNanos - expiresNanos;
            return seen <= 0 ? seen : Math.max(0, seen - ownNanos);
        }
    }

    /** Judges it. */
    public static Expiry judge(End end, Contract contract) {
        boolean told = end.byGateway() && end.code() == CloseCodes.AUTH_EXPIRED;
        if (!end.expires()) {
            return told ? Expiry.EARLY : Expiry.OTHER;
        }
        long late = end.latenessNanos();
        boolean inTime = end.offeredNanos() >= 0 && end.offeredNanos() < end.expiresNanos();
        long waited = end.seenNanos() - end.offeredNanos() - end.ownNanos();
        if (told) {
            if (late < -contract.earlyAllowanceNanos()) {
                return Expiry.EARLY;
            }
            if (inTime && waited > contract.answerWithinNanos()) {
                return Expiry.IGNORED;
            }
            // One that was being checked when the old one expired keeps the connection open for a while.
            return late > contract.missedAfterNanos() && !inTime ? Expiry.LATE : Expiry.RIGHT;
        }
        if (late < 0 || inTime) {
            return Expiry.OTHER;
        }
        if (late > contract.missedAfterNanos()) {
            return Expiry.MISSED;
        }
        return end.byGateway() ? Expiry.WRONG_CODE : Expiry.OTHER;
    }

    /** Judgement of a warning. */
    public enum Warning {
        /** It came when it had to, and tells how much time is left. */
        RIGHT,
        /** It came too early, or too late, or of a token that does not expire. */
        WRONG_TIME,
        /** It tells another time than is left. */
        WRONG_REMAINING
    }

    /**
     * Judges a warning.
     *
     * @param acceptedNanos since when the token is in force
     * @param nowNanos when the warning came
     * @param ownNanos how late the generator itself may have seen it
     */
    public static Warning judge(
            long acceptedNanos,
            long expiresNanos,
            long warnBeforeNanos,
            long nowNanos,
            long ownNanos,
            long remainingMillis,
            Contract contract) {
        long due = Math.max(acceptedNanos, expiresNanos - warnBeforeNanos);
        // A gateway may have welcomed the device a little before the device was told.
        long earliest = expiresNanos - warnBeforeNanos - contract.earlyAllowanceNanos();
        if (nowNanos < earliest || nowNanos - due - ownNanos > contract.missedAfterNanos()) {
            return Warning.WRONG_TIME;
        }
        return remains(expiresNanos, nowNanos, ownNanos, remainingMillis, contract)
                ? Warning.RIGHT
                : Warning.WRONG_REMAINING;
    }

    /** Whether a gateway tells the time that is left, as far as a client can see. */
    public static boolean remains(
            long expiresNanos, long nowNanos, long ownNanos, long remainingMillis, Contract contract) {
        long said = nowNanos + remainingMillis * 1_000_000;
        long allowed = contract.answerWithinNanos() + ownNanos;
        return Math.abs(said - expiresNanos) <= allowed;
    }

    /**
     * Whether an answer refuses a credential, with whatever code.
     *
     * @param code 0 if there was none
     * @param detail what was said instead, such as a status line
     */
    public static boolean refusesCredential(int code, String detail) {
        return refusedRight(code, detail) || code == CloseCodes.AUTH_UNAVAILABLE;
    }

    /** Whether a wrong credential was refused as it has to be: for good, or with the word to try again, which is never wrong. */
    public static boolean refusedRight(int code, String detail) {
        return code == CloseCodes.UNAUTHORIZED
                || code == CloseCodes.UNAUTHORIZED_NOW
                || (code == CloseCodes.NONE && (WsHandshake.isRefusal(detail) || WsHandshake.isLater(detail)));
    }
}
