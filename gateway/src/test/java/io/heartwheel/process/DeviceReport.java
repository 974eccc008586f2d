package io.heartwheel.process;

/**
 * Report of one device of a {@link Herd}. Times are nanoseconds of the machine's monotonic clock, which all processes of one machine
 * share.
 *
 * @param id its device id
 * @param silent whether it was told to be silent; else it is a live one
 * @param intervalNanos granted by WELCOME
 * @param graceHundredths granted by WELCOME
 * @param lastSentNanos before it wrote its last complete frame
 * @param widestGapNanos the longest time between two of its frames, or between the last one and its end
 * @param excuseNanos how long the herd itself stood still since its last frame
 * @param lastHeardNanos when it last read anything
 * @param endedNanos when it saw the end of the connection; 0 if that stands
 * @param code of the CLOSE it got; 0: none
 * @param pings probes it saw
 * @param answered probes it answered
 * @param pongs answers to its own PINGs
 */
record DeviceReport(
        String id,
        boolean silent,
        long intervalNanos,
        int graceHundredths,
        long lastSentNanos,
        long widestGapNanos,
        long excuseNanos,
        long lastHeardNanos,
        long endedNanos,
        int code,
        int pings,
        int answered,
        int pongs) {
    private static final int SILENCE_FIRST = 4001;
    private static final int SILENCE_LAST = 4004;

    /** The silence it may keep before it is closed. */
    long timeoutNanos() {
        return intervalNanos / 100 * graceHundredths;
    }

    /** What a probed device has at the least to answer in. */
    long answerNanos() {
        return (timeoutNanos() - intervalNanos) / 2;
    }

    boolean isOpen() {
        return endedNanos == 0;
    }

    /** It was told that it had been silent, or stuck. */
    boolean closedForSilence() {
        return code >= SILENCE_FIRST && code <= SILENCE_LAST;
    }

    /** It was silent for too long, or could not answer, by its own report: a close is right. */
    boolean brokeItsPromise() {
        return widestGapNanos >= timeoutNanos() || 2 * excuseNanos >= answerNanos();
    }
}
