package io.heartwheel.loadgen.client;

/**
 * One recorded connection. Immutable, but for the array, which is not to be changed.
 *
 * @param connectAtMillis when it connected, counted from the first connect of the recording
 * @param intervalMillis heartbeat interval it was granted; 0: none
 * @param graceHundredths grace it was granted, hundredths
 * @param beatAtMillis when it was heard, counted from its own connect, never falling; the first is its greeting, if it was let in
 * @param ended how it ended
 * @param endedAtMillis when, counted from its own connect; with {@link RecordedEnd#UNTOLD} when it was heard last
 */
@SuppressWarnings("ArrayRecordComponent") // millions of them
public record RecordedConnection(
        long connectAtMillis,
        long intervalMillis,
        int graceHundredths,
        int[] beatAtMillis,
        RecordedEnd ended,
        int endedAtMillis) {

    /** The same with another end. */
    public RecordedConnection ended(RecordedEnd other) {
        return new RecordedConnection(
                connectAtMillis, intervalMillis, graceHundredths, beatAtMillis, other, endedAtMillis);
    }

    /** The same, connecting so much earlier. */
    public RecordedConnection earlier(long millis) {
        return new RecordedConnection(
                connectAtMillis - millis, intervalMillis, graceHundredths, beatAtMillis, ended, endedAtMillis);
    }
}
