package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.RecordedConnection;
import io.heartwheel.loadgen.client.RecordedEnd;
import java.util.Arrays;

/** A life as far as its lines have been read. */
final class RecordedDraft {
    private final long connectedMillis;
    private long toldMillis;
    private long intervalMillis;
    private int graceHundredths;
    private int[] beats = new int[0];
    private int count;

    /** @throws IllegalArgumentException if this is not the beginning of a life */
    RecordedDraft(RecordedLine first) {
        connectedMillis = first.connectedMillis();
        toldMillis = connectedMillis;
        add(first);
    }

    /** @throws IllegalArgumentException if it does not follow upon the line before */
    void add(RecordedLine line) {
        if (line.fromMillis() != toldMillis || line.connectedMillis() != connectedMillis) {
            throw new IllegalArgumentException("from_ms = " + line.fromMillis() + " of a connection of connected_ms = "
                    + line.connectedMillis() + ": need " + toldMillis + " of " + connectedMillis
                    + ", a line before it is missing");
        }
        if (line.intervalMillis() > 0) {
            intervalMillis = line.intervalMillis();
        }
        graceHundredths = line.graceHundredths();
        int[] reads = line.readsMillis();
        if (count + reads.length > beats.length) {
            beats = Arrays.copyOf(beats, Math.max(count + reads.length, 2 * count));
        }
        for (int read : reads) {
            toldMillis += read;
            beats[count++] = sinceConnect("reads_ms", toldMillis);
        }
    }

    private int sinceConnect(String key, long millis) {
        long since = millis - connectedMillis;
        if (since < 0 || since > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    key + " reaches " + since + " ms after the connect: need 0..2147483647 ms");
        }
        return (int) since;
    }

    /** @throws IllegalArgumentException if it ended before it was heard last */
    RecordedConnection ended(RecordedLine last) {
        if (last.endedMillis() < toldMillis) {
            throw new IllegalArgumentException(
                    "ended_ms = " + last.endedMillis() + ": need at least " + toldMillis + ", when it was heard last");
        }
        return life(last.ended(), sinceConnect("ended_ms", last.endedMillis()));
    }

    /** The recording goes no further. */
    RecordedConnection untold() {
        return life(RecordedEnd.UNTOLD, (int) (toldMillis - connectedMillis));
    }

    private RecordedConnection life(RecordedEnd ended, int endedAtMillis) {
        return new RecordedConnection(
                connectedMillis, intervalMillis, graceHundredths, Arrays.copyOf(beats, count), ended, endedAtMillis);
    }
}
