package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Ending;
import io.heartwheel.loadgen.wire.CloseCodes;

/** Says of each close whether the gateway was right. A pure function of what the device saw. */
public final class Oracle {

    /** Gaps this close to the allowed silence, or a tenth of it if that is less, leave it open who was at fault. */
    private static final long DOUBT_NANOS = 100_000_000L;

    private Oracle() {}

    /** What a close turned out to be. */
    public enum Judgement {
        /** A silent device was closed, not too early and with the right code. */
        DETECTED,
        /** A silent device was closed before its deadline: a false kill. */
        EARLY,
        /** A live device was closed that had kept its promise: a false kill. */
        FALSE_KILL,
        /** A silent device was closed with another code than 4001, or with none. */
        WRONG_CODE,
        /** A device was closed before its deadline, but the generator itself had been late with an earlier frame of it. */
        OWN_FAULT
    }

    /**
     * A close as its device saw it; nanoseconds since the run began, or durations.
     *
     * @param silent whether the device had fallen silent
     * @param code {@link CloseCodes#NONE} when the connection ended without one
     */
    public record Close(
            boolean silent,
            Ending ending,
            int code,
            long lastSentNanos,
            long widestGapNanos,
            long allowedSilenceNanos,
            long seenNanos) {

        /** How much later than the reckoned deadline the close was seen; below 0 is early. */
        public long latenessNanos() {
            return seenNanos - lastSentNanos - allowedSilenceNanos;
        }

        /** The longest this device said nothing. */
        long longestSilenceNanos() {
            return Math.max(widestGapNanos, seenNanos - lastSentNanos);
        }

        /** Whether a silence of this length may have earned it the close. */
        boolean inDoubt(long silenceNanos) {
            return silenceNanos >= allowedSilenceNanos - Math.min(DOUBT_NANOS, allowedSilenceNanos / 10);
        }
    }

    /** Judges one close. */
    public static Judgement judge(Close close, Contract contract) {
        if (!close.silent()) {
            return close.inDoubt(close.longestSilenceNanos()) ? Judgement.OWN_FAULT : Judgement.FALSE_KILL;
        }
        if (close.latenessNanos() < -contract.earlyAllowanceNanos()) {
            // Its last frame may have crossed a close that an earlier gap had earned it.
            return close.inDoubt(close.widestGapNanos()) ? Judgement.OWN_FAULT : Judgement.EARLY;
        }
        boolean right = close.ending() == Ending.CLOSE && close.code() == CloseCodes.HEARTBEAT_TIMEOUT;
        return right ? Judgement.DETECTED : Judgement.WRONG_CODE;
    }
}
