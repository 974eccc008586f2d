package io.heartwheel.loadgen.client;

/**
 * The messages a device has under way: which were acknowledged, which came back. Ids count from 1 in each connection, so
 * that a gap, a repetition and a wrong order show. Keeps the last {@value #MOST}. Owner: the device's event loop.
 *
 * <pre>
 *       oldest not acknowledged          newest sent
 *            v                                v
 *   ... A A  .  A  .  .  .  .  .  .  .  .  .  .      A: acknowledged; at most 64 between the two
 * </pre>
 */
public final class Mail {

    /** Messages that may wait for their acknowledgement at once. */
    static final int MOST = 64;

    private final long[] due = new long[MOST];
    private final long[] sent = new long[MOST];
    private long newest;
    /** All ids up to this one are settled. */
    private long settled;
    /** Bit {@code id mod 64}: acknowledged, of those after {@code settled}. */
    private long acknowledged;

    /** Bit {@code id mod 64}: acknowledged as accepted, of the last 64 sent. */
    private long good;

    private long accepted;
    /** Of the accepted ones those that came back. */
    private long returned;

    private long newestEchoed;
    /** Bit {@code id mod 64}: came back, of the 64 ids up to the newest that did. */
    private long cameBack;

    private long newestAcknowledged;
    private long answeredId;

    /** What happened to a message. */
    public enum Fact {
        /** Sent; an ACK is due. */
        SENT,
        /** Sent in a protocol that has no ACK. */
        SENT_UNASKED,
        /** Not sent: too many wait for their ACK. */
        HELD_BACK,
        /** Acknowledged as accepted. */
        ACCEPTED,
        /** Acknowledged as refused. */
        REFUSED,
        /** Acknowledged after a later one. */
        OVERTAKEN,
        /** Acknowledged twice, or came back twice. */
        DOUBLED,
        /** Acknowledged though nobody sent it. */
        UNASKED,
        /** Came back, the next in order. */
        ECHOED,
        /** Came back after a later one. */
        DISORDERED
    }

    /** Takes down a message that is sent now; answers its id. */
    long send(long dueNanos, long nowNanos, boolean ackWanted) {
        newest++;
        good &= ~(1L << (newest % MOST));
        due[(int) (newest % MOST)] = dueNanos;
        sent[(int) (newest % MOST)] = nowNanos;
        if (!ackWanted) {
            settled = newest;
        }
        return newest;
    }

    /** Whether no more may be sent before something is acknowledged. */
    boolean isFull() {
        return isFull(MOST);
    }

    /** The same where so many may wait. */
    boolean isFull(int most) {
        return newest - settled >= Math.min(MOST, most);
    }

    /** The newest message sent; 0 before the first. */
    long newest() {
        return newest;
    }

    /** An ACK came. */
    Fact acknowledge(long id, boolean taken) {
        if (id > newest || id < 1) {
            return Fact.UNASKED;
        }
        long bit = 1L << (id % MOST);
        if (id <= settled || (acknowledged & bit) != 0) {
            return Fact.DOUBLED;
        }
        answeredId = id;
        acknowledged |= bit;
        while (settled < newest && (acknowledged & 1L << ((settled + 1) % MOST)) != 0) {
            settled++;
            acknowledged &= ~(1L << (settled % MOST));
        }
        if (taken) {
            good |= bit;
            accepted++;
            returned += id <= newestEchoed && (cameBack & bit) != 0 ? 1 : 0;
        }
        boolean overtaken = id < newestAcknowledged;
        newestAcknowledged = Math.max(newestAcknowledged, id);
        return overtaken ? Fact.OVERTAKEN : taken ? Fact.ACCEPTED : Fact.REFUSED;
    }

    /** Whether a message with this id was sent. */
    boolean wasSent(long id) {
        return id >= 1 && id <= newest;
    }

    /** The oldest message that is not acknowledged; one more than was sent when all are. */
    long oldestWaiting() {
        return settled + 1;
    }

    /** The message that comes back next if none is lost; one more than was sent when all have. */
    long nextEcho() {
        return newestEchoed + 1;
    }

    /** A message came back. */
    Fact echo(long id) {
        if (id > newest || id < 1) {
            return Fact.UNASKED;
        }
        long bit = 1L << (id % MOST);
        if (id <= newestEchoed) {
            boolean known = id <= newestEchoed - MOST || (cameBack & bit) != 0;
            if (known) {
                return Fact.DOUBLED;
            }
            cameBack |= bit;
            returned += wasAccepted(id) ? 1 : 0;
            return Fact.DISORDERED;
        }
        for (long skipped = Math.max(newestEchoed + 1, id - MOST + 1); skipped < id; skipped++) {
            cameBack &= ~(1L << (skipped % MOST));
        }
        cameBack |= bit;
        newestEchoed = id;
        returned += wasAccepted(id) ? 1 : 0;
        return Fact.ECHOED;
    }

    /** Of what was sent long ago only that it was acknowledged is still known. */
    private boolean wasAccepted(long id) {
        return id <= newest - MOST || (good & 1L << (id % MOST)) != 0;
    }

    /** When the message acknowledged last was meant to be sent. */
    long dueNanos() {
        return due[(int) (answeredId % MOST)];
    }

    /** When it was. */
    long sentNanos() {
        return sent[(int) (answeredId % MOST)];
    }

    /** Whether it was the newest then: only then does an uncorrected measurement mean something. */
    boolean wasNewest() {
        return answeredId == newest;
    }

    /** Messages accepted that never came back, if the gateway echoes. */
    public long missing() {
        return accepted - returned;
    }

    /** Messages that were due this long before and are not acknowledged. */
    public long overdue(long dueBeforeNanos) {
        long overdue = 0;
        for (long id = settled + 1; id <= newest; id++) {
            boolean open = (acknowledged & 1L << (id % MOST)) == 0;
            overdue += open && due[(int) (id % MOST)] <= dueBeforeNanos ? 1 : 0;
        }
        return overdue;
    }
}
