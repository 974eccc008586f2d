package io.heartwheel.event;

import org.jspecify.annotations.Nullable;

/**
 * A stretch of one connection's life: when complete frames came in, and nothing else of it. A traced connection is told in as many stretches as it
 * needs; the last one tells its end.
 *
 * <pre>
 *   trace begins      connected                 from                      +reads[0]  +reads[1]      ended
 *        |----------------|----- earlier stretches --|-------------------------|----------|-------------|
 * </pre>
 *
 * Milliseconds count from the beginning of the trace; no address and no device id is in it, and its number is in no other fact.
 *
 * @param atEpochMillis when it was put together; is not told
 * @param trace drawn when the trace began, so that those of several processes can lie in one file
 * @param connection from 1 on, in this trace
 * @param protocol {@code heartwheel}, {@code heartwheel.v1}, {@code heartwheel.json.v1}, {@code plain} or {@code handshake}
 * @param connectedMillis when it was accepted
 * @param fromMillis where the first of {@code readsMillis} counts from: when it was accepted, or the last one of the stretch before
 * @param intervalMillis the heartbeat interval granted; 0: none, or none yet
 * @param graceHundredths closed after interval x grace, hundredths
 * @param readsMillis each the time since the one before it. Not to be changed
 * @param endedMillis when it was closed; 0 while it is open
 * @param ended why; null while it is open
 */
@SuppressWarnings("ArrayRecordComponent") // thousands of numbers, on their way to a file
public record TraceSegment(
        long atEpochMillis,
        long trace,
        long connection,
        String protocol,
        long connectedMillis,
        long fromMillis,
        int intervalMillis,
        int graceHundredths,
        int[] readsMillis,
        long endedMillis,
        @Nullable CloseReason ended)
        implements Fact {
    @Override
    public @Nullable EventKind kind() {
        return null;
    }
}
