package io.heartwheel.loadgen.client;

import java.util.function.LongBinaryOperator;

/**
 * Record of the messages of a device over all of its connections: which were acknowledged, which came back, and what the end of a
 * connection left open. Ids count from 1 over the device's life, so that a gap, a repetition and a wrong order show, and a
 * message that comes back late on a later connection is known. Owner: the device's event loop.
 *
 * <pre>
 *            oldest unsettled        first of this connection      newest sent
 *                  v                        v                          v
 *   . . . . . . .  L  .  ?  .  L  .  .  ?   A  A  .  A  .  .  .  .  .  .
 *                  |     |                  |
 *   overdue when its     open: nobody can   acknowledged, or come back
 *   connection ended     say what became of it
 * </pre>
 *
 * <p>Of a device that sends again, a message without acknowledgement is never left open: it waits, held, for the next
 * connection, or for a while after it was refused, and is sent again under its id.
 *
 * <p>Costs 13 bytes for each id from the oldest unsettled to the newest, at least 64 of them, and 21 where messages are sent
 * again; beyond {@value #REMEMBERED} the oldest are given their verdict and forgotten.
 */
public final class MessageTracker {

    /** Messages that may wait for their acknowledgement at once. */
    static final int MOST = 64;
    /** Ids remembered at the most. */
    static final int REMEMBERED = 1 << 16;
    /** What a connection's end left open is forgotten so many messages later. */
    private static final int OPEN_REMEMBERED = 256;

    private static final int LATE_FACTOR = 3;

    private static final int ASKED = 1;
    private static final int ACKNOWLEDGED = 2;
    private static final int REFUSED = 4;
    private static final int BACK = 8;
    /** The end of its connection, or a cut network, left open what became of it. */
    private static final int OPEN = 16;
    /** It had to come back before the end of its connection. */
    private static final int OVERDUE = 32;
    /** It was acknowledged shortly before the end of its connection. */
    private static final int YOUNG = 64;
    /** Not under way: it was refused, or its connection ended, and it is to be sent again. */
    private static final int HELD = 128;

    private final boolean echo;
    private final boolean resend;
    /** Until it is acknowledged when it was due, from then on when that was; when it was sent where nothing is acknowledged. */
    private long[] since = new long[MOST];

    private int[] bytes = new int[MOST];
    private byte[] state = new byte[MOST];
    /** Of each message the number of its last sending, where messages are sent again. */
    private long[] sendings;

    private long sent;
    private long newest;
    private long oldest = 1;
    private long firstHere = 1;
    private int waiting;
    private long newestSentNanos;
    private long newestAcknowledged;
    private long newestEchoed;
    private long answeredId;
    private long answeredDueNanos;
    private boolean afterItsAcknowledgement;

    private long unacknowledged;
    private long lostAndForgotten;
    private long openAndForgotten;
    private long unknownMessages;
    private String firstUnknown = "";

    /** Event of a message. */
    public enum Fact {
        /** Sent; an ACK is due. */
        SENT,
        /** Sent again under its id: it was refused, or not acknowledged on its connection. */
        RESENT,
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
        /** Acknowledged though nobody sent it on this connection. */
        UNASKED,
        /** Came back. */
        ECHOED,
        /** Came back after a later one of the same connection. */
        DISORDERED
    }

    /**
     * Account of the messages that did not come to a good end.
     *
     * @param lost they had to come back and did not
     * @param changed something else came instead of them, in a protocol that does not name its messages
     * @param unacknowledged not acknowledged in time
     * @param open the end of their connection left it open
     * @param detail of the first that was changed
     */
    public record Account(long lost, long changed, long unacknowledged, long open, String detail) {}

    /** @param echo whether messages are to come back */
    MessageTracker(boolean echo) {
        this(echo, false);
    }

    /**
     * A record of no messages.
     *
     * @param echo whether messages are to come back
     * @param resend whether what is not acknowledged is sent again
     */
    MessageTracker(boolean echo, boolean resend) {
        this.echo = echo;
        this.resend = resend;
        this.sendings = new long[resend ? MOST : 0];
    }

    private int slot(long id) {
        return (int) (id & state.length - 1);
    }

    private boolean is(long id, int what) {
        return (state[slot(id)] & what) != 0;
    }

    private void mark(long id, int what) {
        state[slot(id)] |= (byte) what;
    }

    /** Whether what is known of this id has not been overwritten. */
    private boolean known(long id) {
        return id >= 1 && id > newest - state.length && id <= newest;
    }

    // ---- sending and acknowledging

    /** Takes down a message that is sent now; answers its id. */
    long send(long dueNanos, long nowNanos, boolean ackWanted, int length) {
        if (newest + 1 - oldest >= state.length) {
            makeRoom();
        }
        newest++;
        int slot = slot(newest);
        since[slot] = ackWanted ? dueNanos : nowNanos;
        bytes[slot] = length;
        state[slot] = (byte) (ackWanted ? ASKED : 0);
        waiting += ackWanted ? 1 : 0;
        numberSending(slot);
        newestSentNanos = nowNanos;
        if (!ackWanted && !echo) {
            settle();
        }
        return newest;
    }

    private void numberSending(int slot) {
        if (resend) {
            sendings[slot] = ++sent;
        }
    }

    private void makeRoom() {
        if (state.length >= REMEMBERED) {
            forgetOldest();
            settle();
            return;
        }
        int mask = 2 * state.length - 1;
        long[] widerSince = new long[mask + 1];
        int[] widerBytes = new int[mask + 1];
        byte[] widerState = new byte[mask + 1];
        long[] widerSendings = new long[resend ? mask + 1 : 0];
        for (long id = Math.max(1, newest - state.length + 1); id <= newest; id++) {
            int slot = slot(id);
            widerSince[(int) (id & mask)] = since[slot];
            widerBytes[(int) (id & mask)] = bytes[slot];
            widerState[(int) (id & mask)] = state[slot];
            if (resend) {
                widerSendings[(int) (id & mask)] = sendings[slot];
            }
        }
        since = widerSince;
        bytes = widerBytes;
        state = widerState;
        sendings = widerSendings;
    }

    /** Whether no more may be sent before something is acknowledged, where so many may wait. */
    boolean isFull(int most) {
        return waiting >= Math.min(MOST, most) || (resend && newest + 1 - oldest >= REMEMBERED);
    }

    /** An ACK came; of a device that is leaving nothing more has to come back. */
    Fact acknowledge(long id, boolean taken, long nowNanos, boolean leaving) {
        if (id > newest || id < firstHere) {
            return Fact.UNASKED;
        }
        if (!known(id) || !is(id, ASKED) || is(id, ACKNOWLEDGED | HELD)) {
            return Fact.DOUBLED;
        }
        answeredId = id;
        answeredDueNanos = since[slot(id)];
        since[slot(id)] = nowNanos;
        if (resend && !taken) {
            mark(id, HELD);
            newestAcknowledged = Math.max(newestAcknowledged, sendings[slot(id)]);
            return Fact.REFUSED;
        }
        long place = resend ? sendings[slot(id)] : id;
        mark(id, ACKNOWLEDGED | (taken ? 0 : REFUSED) | (leaving ? OPEN : 0));
        waiting--;
        settle();
        boolean overtaken = place < newestAcknowledged;
        newestAcknowledged = Math.max(newestAcknowledged, place);
        return !taken ? Fact.REFUSED : overtaken ? Fact.OVERTAKEN : Fact.ACCEPTED;
    }

    // ---- sending again

    /** The first message from this one on that is to be sent again; 0 for none. */
    long nextHeld(long from) {
        for (long id = Math.max(from, oldest); resend && id <= newest; id++) {
            if (is(id, HELD)) {
                return id;
            }
        }
        return 0;
    }

    /** Since when it is known that a message has to be sent again. */
    long heldSinceNanos(long id) {
        return since[slot(id)];
    }

    /** Takes down that a held message is sent again now. */
    void again(long id, long nowNanos) {
        int slot = slot(id);
        state[slot] &= (byte) ~HELD;
        since[slot] = nowNanos;
        newestSentNanos = nowNanos;
        numberSending(slot);
    }

    /** The oldest message of this connection that waits for its acknowledgement; one more than was sent when none does. */
    long oldestWaiting() {
        long id = Math.max(oldest, firstHere);
        while (id <= newest && is(id, ACKNOWLEDGED)) {
            id++;
        }
        return id;
    }

    /** When the message acknowledged last was meant to be sent. */
    long dueNanos() {
        return answeredDueNanos;
    }

    /** When it was. */
    long sentNanos() {
        return newestSentNanos;
    }

    /** Whether it was the newest then: only then does an uncorrected measurement mean something. */
    boolean wasNewest() {
        return answeredId == newest;
    }

    // ---- coming back

    /** Whether a message with this id was sent. */
    boolean wasSent(long id) {
        return id >= 1 && id <= newest;
    }

    /** Its number of bytes; -1 when that is not known any more. */
    int length(long id) {
        return known(id) ? bytes[slot(id)] : -1;
    }

    /** Of a protocol that does not name its messages: the one that has to come back next. */
    long next() {
        return Math.max(newestEchoed + 1, firstHere);
    }

    /** Where to look for one that is not the next: the newest that may still come back, or came back already. */
    long firstKnown() {
        return Math.max(1, newest - Math.min(state.length, OPEN_REMEMBERED) + 1);
    }

    /** Whether a message of an earlier connection came back already, or may have: at QoS 1 MQTT may deliver it again then. */
    boolean cameBackEarlier(long id) {
        return wasSent(id) && id < firstHere && !isAwaited(id);
    }

    /** Whether a message is known that has not come back. */
    boolean isAwaited(long id) {
        return known(id) && !is(id, BACK);
    }

    /** The newest message sent; 0 before the first. */
    long newest() {
        return newest;
    }

    /** A message came back. */
    Fact echo(long id) {
        if (!wasSent(id)) {
            return Fact.UNASKED;
        }
        if (!known(id)) {
            return id >= firstHere && echo ? Fact.DOUBLED : Fact.ECHOED;
        }
        if (is(id, BACK)) {
            return Fact.DOUBLED;
        }
        afterItsAcknowledgement |= id >= firstHere && is(id, ACKNOWLEDGED);
        mark(id, BACK);
        settle();
        boolean late = id >= firstHere && id < newestEchoed;
        newestEchoed = Math.max(newestEchoed, id);
        return late ? Fact.DISORDERED : Fact.ECHOED;
    }

    /** Something came that is none of its messages. */
    void unknown(String detail) {
        firstUnknown = unknownMessages == 0 ? detail : firstUnknown;
        unknownMessages++;
    }

    /** Whether a message came back behind its acknowledgement: then one that is acknowledged may still be under way. */
    boolean cameAfterItsAcknowledgement() {
        return afterItsAcknowledgement;
    }

    // ---- what becomes of them

    /** Whether it has to come back and did not yet. */
    private boolean isExpected(long id) {
        return echo && !is(id, BACK | REFUSED | OPEN) && (!is(id, ASKED) || is(id, ACKNOWLEDGED));
    }

    private boolean isSettled(long id) {
        if (is(id, OPEN)) {
            return is(id, BACK | REFUSED) || newest - id >= OPEN_REMEMBERED;
        }
        return !isExpected(id) && (!is(id, ASKED) || is(id, ACKNOWLEDGED));
    }

    private void settle() {
        while (oldest <= newest && isSettled(oldest)) {
            openAndForgotten += is(oldest, OPEN) && !is(oldest, BACK | REFUSED) ? 1 : 0;
            oldest++;
        }
    }

    /**
     * Whether it will not come back any more. Where nothing is acknowledged it might still lie before a server that is slow:
     * late after its time, it is lost after {@value #LATE_FACTOR} times as long.
     */
    private boolean isOverdue(long id, long age, MessageContract held) {
        return id < newestEchoed || age > (is(id, ASKED) ? 1 : LATE_FACTOR) * held.echoWithinNanos();
    }

    /** How long it has been waiting to be acknowledged, or to come back. */
    private long age(long id, long nowNanos, LongBinaryOperator stall) {
        if (isSettled(id) || is(id, OPEN | HELD)) {
            return 0;
        }
        long from = since[slot(id)];
        return nowNanos - from - stall.applyAsLong(from, nowNanos);
    }

    private void forgetOldest() {
        if (isExpected(oldest)) {
            lostAndForgotten++;
        } else {
            openAndForgotten++;
        }
        oldest++;
    }

    /**
     * Its connection is over, or another one takes its place.
     *
     * @param excused whether the scenario broke it, or cut the network: what was not acknowledged then is not held against anybody
     * @param stall how much of a span the generator itself stood still
     */
    void disconnected(long endNanos, MessageContract held, boolean excused, LongBinaryOperator stall) {
        for (long id = Math.max(oldest, firstHere); id <= newest; id++) {
            if (is(id, OPEN)) {
                continue;
            }
            long age = age(id, endNanos, stall);
            if (is(id, ASKED) && !is(id, ACKNOWLEDGED)) {
                unacknowledged += age > held.answerWithinNanos() && !excused ? 1 : 0;
                mark(id, resend ? HELD : OPEN);
            } else if (isExpected(id)) {
                if (is(id, ASKED)) {
                    mark(id, isOverdue(id, age, held) ? OVERDUE : YOUNG);
                } else if (isOverdue(id, age, held) && !excused) {
                    mark(id, OVERDUE);
                } else {
                    unacknowledged += age > held.echoWithinNanos() && !excused ? 1 : 0;
                    mark(id, OPEN);
                }
            }
        }
        firstHere = resend ? oldestWaiting() : newest + 1;
        newestAcknowledged = resend ? sent : newest;
        newestEchoed = newest;
        waiting = resend ? waiting : 0;
        settle();
    }

    /** The network was cut: what is under way may come back or not. */
    void excuse() {
        for (long id = Math.max(oldest, firstHere); id <= newest && !resend; id++) {
            if (!is(id, BACK | REFUSED)) {
                mark(id, OPEN);
            }
        }
    }

    /**
     * What became of all of them.
     *
     * @param openedNanos since when its connection has been open; or after {@code nowNanos}
     * @param echoesFollow whether this server was ever seen to send a message back behind its acknowledgement: else what is
     *     acknowledged is back, or will never be
     * @param stall as in {@link #disconnected}
     */
    public Account account(
            long nowNanos, long openedNanos, MessageContract held, boolean echoesFollow, LongBinaryOperator stall) {
        long lost = lostAndForgotten;
        long open = openAndForgotten;
        long late = unacknowledged;
        for (long id = oldest; id <= newest; id++) {
            long age = age(id, nowNanos, stall);
            if (!isExpected(id)) {
                boolean waits = is(id, ASKED) && !is(id, ACKNOWLEDGED | OPEN);
                late += waits && age > held.answerWithinNanos() ? 1 : 0;
                open += is(id, OPEN) && !is(id, BACK | REFUSED) ? 1 : 0;
            } else if (id >= firstHere) {
                boolean gone = isOverdue(id, age, held);
                lost += gone ? 1 : 0;
                late += !gone && !is(id, ASKED) && age > held.echoWithinNanos() ? 1 : 0;
            } else if (held.redelivers()) {
                boolean hadTime = nowNanos - openedNanos > held.echoWithinNanos();
                lost += hadTime ? 1 : 0;
                open += hadTime ? 0 : 1;
            } else {
                boolean gone = is(id, OVERDUE) || !echoesFollow;
                lost += gone ? 1 : 0;
                open += gone ? 0 : 1;
            }
        }
        long changed = Math.min(lost, unknownMessages);
        return new Account(lost - changed, changed, late, open, changed > 0 ? firstUnknown : "");
    }
}
