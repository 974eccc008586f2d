package io.heartwheel.loadgen.judge;

import io.heartwheel.loadgen.client.AllowedEnds;
import io.heartwheel.loadgen.client.ConnectionEnd;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.pace.Comeback;
import io.heartwheel.loadgen.scenario.Contract;
import io.heartwheel.loadgen.wire.CloseCodes;
import java.util.concurrent.TimeUnit;

/** Judge of each close: was the gateway right. A pure function of what the device saw. */
public final class Oracle {

    /** Gaps this close to the allowed silence, or a tenth of it if that is less, leave it open who was at fault. */
    private static final long DOUBT_NANOS = 100_000_000L;

    /** HTTP's word for it, before an upgrade. */
    private static final int REQUEST_TIMEOUT = 408;

    private Oracle() {}

    /** Judgement of a close. */
    public enum Judgement {
        /** A device that broke its promise was closed, not too early and with the right code. */
        DETECTED,
        /** It was closed, so long after its deadline that it counts as missed, whatever the code. */
        MISSED,
        /** It was closed before its deadline: a false kill. */
        EARLY,
        /** A live device was closed that had kept its promise: a false kill. */
        FALSE_KILL,
        /** A device that broke its promise was closed with another code than is due to it, or with none. */
        WRONG_CODE,
        /** A device was closed before its deadline, but the generator itself had been late with an earlier frame of it. */
        OWN_FAULT
    }

    /**
     * A close as its device saw it; nanoseconds since the run began, or durations.
     *
     * @param expectedOutcome what was to become of the connection
     * @param code {@link io.heartwheel.loadgen.wire.CloseCodes#NONE} when it ended without one
     * @param lastSentNanos its last sign of life
     * @param widestGapNanos its longest silence before
     * @param allowedSilenceNanos how long it may be silent
     * @param earliestNanos before which it must not be closed; the deadline itself where that is known
     * @param deadlineNanos by when it had to be closed; of a live device when it would have had to
     * @param seenNanos when the end was seen
     * @param ownNanos how much of the time between deadline and sight the generator itself could not see
     * @param due the ends that are right for what the device did
     */
    public record Close(
            ExpectedOutcome expectedOutcome,
            ConnectionEnd ending,
            int code,
            long lastSentNanos,
            long widestGapNanos,
            long allowedSilenceNanos,
            long earliestNanos,
            long deadlineNanos,
            long seenNanos,
            long ownNanos,
            AllowedEnds due) {

        /** How much later than the reckoned deadline the close was seen; below 0 is early. */
        public long seenLatenessNanos() {
            return seenNanos - deadlineNanos;
        }

        /** The same without what the generator itself could not see: the least that the gateway was late by. */
        public long latenessNanos() {
            long seen = seenLatenessNanos();
            return seen <= 0 ? seen : Math.max(0, seen - ownNanos);
        }

        /** The same in words. */
        public String latenessText() {
            return TimeUnit.NANOSECONDS.toMillis(latenessNanos()) + " ms after its deadline";
        }

        /** Whether its deadline is known; of a device in the dark, or that does not read, only the gateway knows. */
        public boolean isTimed() {
            return expectedOutcome == ExpectedOutcome.SILENT
                    || expectedOutcome == ExpectedOutcome.UNGREETED
                    || expectedOutcome == ExpectedOutcome.DRIPPING;
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
        return switch (close.expectedOutcome()) {
            case LIVE, LEAVING, UNDECIDED, UNLIMITED ->
                close.inDoubt(close.longestSilenceNanos()) ? Judgement.OWN_FAULT : Judgement.FALSE_KILL;
            case VANISHED ->
                close.longestSilenceNanos() < close.allowedSilenceNanos() ? Judgement.FALSE_KILL : right(close);
            default -> {
                if (close.isTimed() && close.latenessNanos() > contract.missedAfterNanos()) {
                    yield Judgement.MISSED;
                }
                if (close.seenNanos() - close.earliestNanos() >= -contract.earlyAllowanceNanos()) {
                    yield right(close);
                }
                // Its last frame may have crossed a close that an earlier gap had earned it.
                boolean earned =
                        close.expectedOutcome() == ExpectedOutcome.SILENT && close.inDoubt(close.widestGapNanos());
                yield earned ? Judgement.OWN_FAULT : Judgement.EARLY;
            }
        };
    }

    /** Judgement of the return of a device that was given a retry window. */
    public enum Return {
        /** It was let in when it came. */
        IN_WINDOW,
        /** It came in its window, and was not let in by its end. */
        LATE,
        /** It did not wait for its window. */
        EARLY
    }

    /**
     * Judges the return of a device. One that comes at the last moment is welcomed a little later: {@link
     * Contract#answerWithinNanos} is given for that.
     *
     * @param calledNanos when it began to connect, since the GOAWAY
     * @param welcomedNanos when it was welcomed, since the GOAWAY, without what the generator itself was late by
     */
    public static Return judge(Comeback.Window window, long calledNanos, long welcomedNanos, Contract contract) {
        if (calledNanos < window.leastNanos()) {
            return Return.EARLY;
        }
        return welcomedNanos <= window.mostNanos() + contract.answerWithinNanos() ? Return.IN_WINDOW : Return.LATE;
    }

    /**
     * Whether a gateway that did not let a device in may have waited for it in vain: the device itself was about as late with
     * its first word as the handshake may take.
     *
     * @param code what it was told, {@link CloseCodes#NONE} when nothing
     * @param firstWordNanos how long it took for that
     */
    public static boolean wasWaitedFor(int code, long firstWordNanos, long handshakeNanos) {
        boolean told = code == CloseCodes.HANDSHAKE_TIMEOUT || code == REQUEST_TIMEOUT || code == CloseCodes.NONE;
        return told && firstWordNanos >= handshakeNanos - Math.min(DOUBT_NANOS, handshakeNanos / 10);
    }

    private static Judgement right(Close close) {
        return close.due().accepts(close.ending(), close.code()) ? Judgement.DETECTED : Judgement.WRONG_CODE;
    }
}
