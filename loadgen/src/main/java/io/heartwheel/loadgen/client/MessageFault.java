package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.measure.Count;

/** Fault of a server with a message of a device. */
public enum MessageFault {
    /** No acknowledgement came by the end of its connection, or of the run, though its time was over. */
    UNACKNOWLEDGED(Count.DATA_UNACKNOWLEDGED, "was not acknowledged", true),
    /** Its acknowledgement came, later than it may. */
    ACKNOWLEDGED_LATE(Count.DATA_ACKNOWLEDGED_LATE, "was acknowledged late", false),
    /** It had to come back and never did. */
    LOST(Count.DATA_LOST, "was lost: it had to come back and never did", true),
    /** It came back, later than it may. */
    LATE(Count.DATA_LATE, "came back late", false),
    /** It had not come back in its time when its connection, or the run, ended; it may still have been under way. */
    OVERDUE(Count.DATA_LATE, "came back late: it had not come by the end", true),
    /** It came back with other bytes, or something else came instead. */
    CHANGED(Count.DATA_CHANGED, "came back changed", false),
    /** It was acknowledged or came back twice. */
    DOUBLED(Count.DATA_DOUBLED, "was doubled", false),
    /** It was acknowledged or came back behind a later one, in time or late. */
    DISORDERED(Count.DATA_DISORDERED, "was out of order: a later one came before it", false);

    private final Count count;
    private final String text;
    private final boolean absent;

    MessageFault(Count count, String text, boolean absent) {
        this.count = count;
        this.text = text;
        this.absent = absent;
    }

    /** What counts it. */
    public Count count() {
        return count;
    }

    /** What became of the message, as a part of a sentence. */
    public String text() {
        return text;
    }

    /** Whether the message did not come: if it came to another device, it is that fault instead. */
    public boolean isAbsent() {
        return absent;
    }
}
