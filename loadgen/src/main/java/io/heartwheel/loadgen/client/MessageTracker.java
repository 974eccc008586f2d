package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.measure.Count;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Judge of the messages of a device over all of its connections, whatever its protocol: which were acknowledged, which came back, each by its
 * own deadline, and what the end of a connection left open. Ids count from 1 over the device's life, so that a gap, a repetition and a wrong
 * order show, and a message that comes back late on a later connection is known. Owner: the device's event loop.
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
 * <p>Costs 25 bytes for each id from the oldest unsettled to the newest, at least {@value #FIRST_ROOM} of them, and 33 where messages are sent
 * again; beyond {@value #REMEMBERED} the oldest are given their verdict and forgotten.
 */
public final class MessageTracker {

    /** Messages that may wait for their acknowledgement at once. */
    static final int MOST = 64;
    /** Ids remembered at the most. */
    static final int REMEMBERED = 1 << 16;

    private static final int FIRST_ROOM = 16;
    /** What a connection's end left open is forgotten so many messages later. */
    private static final int OPEN_REMEMBERED = 256;

    private static final int LATE_FACTOR = 3;
    private static final long MICRO = 1_000;

    private static final int ASKED = 1;
    private static final int ACKNOWLEDGED = 2;
    private static final int REFUSED = 4;
    private static final int BACK = 8;
    /** The end of its connection, or a cut network, left open what became of it. */
    private static final int OPEN = 16;
    /** It had to come back before the end of its connection. */
    private static final int OVERDUE = 32;
    /** Not under way: it was refused, or its connection ended, and it is to be sent again. */
    private static final int HELD = 64;

    private final MessageContract held;
    private final boolean resend;
    private final LongBinaryOperator stall;
    private final Faults faults;

    private long[] sentNanos = new long[FIRST_ROOM];
    /** By how much it was sent later than it was due. */
    private int[] lagMicros = new int[FIRST_ROOM];
    /** When it was acknowledged or refused, or given up for its connection. */
    private long[] answeredNanos = new long[FIRST_ROOM];

    private int[] bytes = new int[FIRST_ROOM];
    private byte[] state = new byte[FIRST_ROOM];
    /** Of each message the number of its last sending, where messages are sent again. */
    private long[] sendings;

    private long sent;
    private long newest;
    private long oldest = 1;
    private long firstHere = 1;
    private int waiting;
    private long newestAcknowledged;
    private long newestEchoed;
    private long sinceDueNanos;
    private long sinceSentNanos;
    private boolean afterItsAcknowledgement;

    private long openAndForgotten;
    /** Of messages: what came when they were to come, and is none of them. */
    private final Map<Long, String> instead = new HashMap<>(0);
    /** What else came that is none of them. */
    private long unknownMessages;

    /** Event of a message. */
    public enum Fact {
        /** Sent; an ACK is due. */
        SENT(Count.DATA_SENT),
        /** Sent again under its id: it was refused, or not acknowledged on its connection. */
        RESENT(Count.DATA_RESENT),
        /** Sent in a protocol that has no ACK. */
        SENT_UNASKED(Count.DATA_SENT),
        /** Not sent: too many wait for their ACK. */
        HELD_BACK(Count.DATA_HELD_BACK),
        /** Acknowledged as accepted. */
        ACCEPTED(Count.DATA_ACCEPTED),
        /** Acknowledged as refused. */
        REFUSED(Count.DATA_REFUSED),
        /** Acknowledged though nobody sent it on this connection: told as a breach. */
        UNASKED(null),
        /** Came back. */
        ECHOED(Count.DATA_ECHOED),
        /** Came once more: told as a fault. */
        AGAIN(null);

        /** What counts it; null: what it is told as. */
        public final @Nullable Count count;

        Fact(@Nullable Count count) {
            this.count = count;
        }
    }

    /** Receiver of what is wrong with messages. */
    interface Faults {

        /**
         * Something is.
         *
         * @param sentNanos when it was sent; below 0 when that is forgotten
         * @param waitedNanos how long it was waited for, without what the generator stood still; 0 where that does not matter
         * @param detail more, in words
         */
        void fault(MessageFault what, long id, long sentNanos, long waitedNanos, String detail);
    }

    /**
     * A record of no messages.
     *
     * @param held what the server is held to
     * @param resend whether what is not acknowledged is sent again
     * @param stall how much of a span the generator itself stood still
     */
    MessageTracker(MessageContract held, boolean resend, LongBinaryOperator stall, Faults faults) {
        this.held = held;
        this.resend = resend;
        this.stall = stall;
        this.faults = faults;
        this.sendings = new long[resend ? FIRST_ROOM : 0];
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

    private void fault(MessageFault what, long id, long waitedNanos, String detail) {
        faults.fault(what, id, known(id) ? sentNanos[slot(id)] : -1, waitedNanos, detail);
    }

    private void fault(MessageFault what, long id) {
        fault(what, id, 0, "");
    }

    // ---- sending and acknowledging

    /** Takes down a message that is sent now; answers its id. */
    long send(long dueNanos, long nowNanos, boolean ackWanted, int length) {
        if (newest + 1 - oldest >= state.length) {
            makeRoom(nowNanos);
        }
        newest++;
        int slot = slot(newest);
        sentNanos[slot] = nowNanos;
        lagMicros[slot] = (int) Math.min(Integer.MAX_VALUE, (nowNanos - dueNanos) / MICRO);
        bytes[slot] = length;
        state[slot] = (byte) (ackWanted ? ASKED : 0);
        waiting += ackWanted ? 1 : 0;
        numberSending(slot);
        if (!ackWanted && !held.echo()) {
            settle();
        }
        return newest;
    }

    private void numberSending(int slot) {
        if (resend) {
            sendings[slot] = ++sent;
        }
    }

    private void makeRoom(long nowNanos) {
        if (state.length >= REMEMBERED) {
            forgetOldest(nowNanos);
            settle();
            return;
        }
        int room = 2 * state.length;
        long first = Math.max(1, newest - state.length + 1);
        sentNanos = wider(sentNanos, first, new long[room]);
        lagMicros = wider(lagMicros, first, new int[room]);
        answeredNanos = wider(answeredNanos, first, new long[room]);
        bytes = wider(bytes, first, new int[room]);
        sendings = resend ? wider(sendings, first, new long[room]) : sendings;
        state = wider(state, first, new byte[room]);
    }

    /** What is remembered from this id on, in a ring with more room. */
    private <A> A wider(A ring, long first, A more) {
        for (long id = first; id <= newest; id++) {
            System.arraycopy(ring, slot(id), more, (int) (id & 2L * state.length - 1), 1);
        }
        return more;
    }

    /** Whether no more may be sent before something is acknowledged, where so many may wait. */
    boolean isFull(int most) {
        return waiting >= Math.min(MOST, most) || (resend && newest + 1 - oldest >= REMEMBERED);
    }

    /** Which one a server means that does not say it: the oldest that can still be acknowledged in time, or else the newest that waits; none: one not sent yet. */
    long nextToAcknowledge(long nowNanos) {
        long next = newest + 1;
        for (long id = Math.max(oldest, firstHere); id <= newest; id++) {
            if (waits(id)) {
                next = id;
                if (age(id, nowNanos) <= held.answerWithinNanos()) {
                    break;
                }
            }
        }
        return next;
    }

    /**
     * An ACK came; of a device that is leaving nothing more has to come back.
     *
     * @param named whether the server says which it means; else no order can be seen
     * @param excused whether it may be late
     */
    Fact acknowledge(long id, boolean named, boolean taken, long nowNanos, boolean excused, boolean leaving) {
        if (id > newest || id < firstHere) {
            return Fact.UNASKED;
        }
        if (!known(id) || !waits(id)) {
            fault(MessageFault.DOUBLED, id);
            return Fact.AGAIN;
        }
        long waited = age(id, nowNanos);
        if (waited > held.answerWithinNanos() && !excused && !is(id, OPEN)) {
            fault(MessageFault.ACKNOWLEDGED_LATE, id, waited, "");
        }
        measure(id, nowNanos);
        answeredNanos[slot(id)] = nowNanos;
        long place = resend ? sendings[slot(id)] : id;
        if (resend && !taken) {
            mark(id, HELD);
        } else {
            mark(id, ACKNOWLEDGED | (taken ? 0 : REFUSED) | (leaving ? OPEN : 0));
            waiting--;
            settle();
            if (named && taken && place < newestAcknowledged) {
                fault(MessageFault.DISORDERED, id);
            }
        }
        newestAcknowledged = Math.max(newestAcknowledged, place);
        return taken ? Fact.ACCEPTED : Fact.REFUSED;
    }

    private boolean waits(long id) {
        return is(id, ASKED) && !is(id, ACKNOWLEDGED | HELD);
    }

    private void measure(long id, long nowNanos) {
        sinceSentNanos = nowNanos - sentNanos[slot(id)];
        sinceDueNanos = sinceSentNanos + lagMicros[slot(id)] * MICRO;
    }

    /** How long ago the message answered last was meant to be sent. */
    long sinceDueNanos() {
        return sinceDueNanos;
    }

    /** How long ago it was sent. */
    long sinceSentNanos() {
        return sinceSentNanos;
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
        return answeredNanos[slot(id)];
    }

    /** Takes down that a held message is sent again now. */
    void again(long id, long nowNanos) {
        int slot = slot(id);
        state[slot] &= (byte) ~HELD;
        sentNanos[slot] = nowNanos;
        lagMicros[slot] = 0;
        numberSending(slot);
    }

    private long oldestWaiting() {
        long id = Math.max(oldest, firstHere);
        while (id <= newest && is(id, ACKNOWLEDGED)) {
            id++;
        }
        return id;
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

    /** Whether a message was sent on an earlier connection. */
    boolean isEarlier(long id) {
        return wasSent(id) && id < firstHere;
    }

    /** Whether a message of an earlier connection came back already, or may have: at QoS 1 MQTT may deliver it again then. */
    boolean cameBackEarlier(long id) {
        return isEarlier(id) && !isAwaited(id);
    }

    /** Whether a message is known that has not come back. */
    boolean isAwaited(long id) {
        return known(id) && !is(id, BACK);
    }

    /** The newest message sent; 0 before the first. */
    long newest() {
        return newest;
    }

    /** The oldest one to which something may still happen; or above the newest. */
    long oldest() {
        return oldest;
    }

    /**
     * A message came back.
     *
     * @param excused whether it may be late
     */
    Fact echo(long id, long nowNanos, boolean excused) {
        if (!wasSent(id)) {
            return Fact.UNASKED;
        }
        if (!known(id) && !(id >= firstHere && held.echo())) {
            return Fact.ECHOED;
        }
        if (!known(id) || is(id, BACK)) {
            fault(MessageFault.DOUBLED, id);
            return Fact.AGAIN;
        }
        boolean here = id >= firstHere;
        long waited = isExpected(id) && here && !excused ? age(id, nowNanos) : 0;
        if (waited > held.echoWithinNanos()) {
            fault(MessageFault.LATE, id, waited, "");
        }
        measure(id, nowNanos);
        afterItsAcknowledgement |= here && is(id, ACKNOWLEDGED);
        mark(id, BACK);
        unknownMessages += instead.remove(id) == null ? 0 : 1;
        settle();
        if (here && id < newestEchoed) {
            fault(MessageFault.DISORDERED, id);
        }
        newestEchoed = Math.max(newestEchoed, id);
        return Fact.ECHOED;
    }

    /** It came back with other bytes, in this way. */
    void changed(long id, String detail) {
        fault(MessageFault.CHANGED, id, 0, detail);
    }

    /** Something came that is none of its messages, in this way not the one that has to come next. While none is under way it came instead of none. */
    void unknown(String detail) {
        if (oldest > newest) {
            return;
        }
        if (!isAwaited(next()) || instead.putIfAbsent(next(), detail) != null) {
            unknownMessages++;
        }
    }

    /** Whether a message came back behind its acknowledgement: then one that is acknowledged may still be under way. */
    boolean cameAfterItsAcknowledgement() {
        return afterItsAcknowledgement;
    }

    // ---- what becomes of them

    /** Whether it has to come back and did not yet. */
    private boolean isExpected(long id) {
        return held.echo() && !is(id, BACK | REFUSED | OPEN) && (!is(id, ASKED) || is(id, ACKNOWLEDGED));
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
        if (oldest > newest) {
            instead.clear();
            unknownMessages = 0;
        }
    }

    /**
     * Whether it will not come back any more. Where nothing is acknowledged it might still lie before a server that is slow:
     * late after its time, it is lost after {@value #LATE_FACTOR} times as long.
     */
    private boolean isOverdue(long id, long age) {
        return id < newestEchoed || age > (is(id, ASKED) ? 1 : LATE_FACTOR) * held.echoWithinNanos();
    }

    /** How long it has been waiting to be acknowledged, or to come back. */
    private long age(long id, long nowNanos) {
        if (isSettled(id) || is(id, OPEN | HELD)) {
            return 0;
        }
        int slot = slot(id);
        long from = is(id, ACKNOWLEDGED) ? answeredNanos[slot] : sentNanos[slot];
        return nowNanos - from - stall.applyAsLong(from, nowNanos);
    }

    private void forgetOldest(long nowNanos) {
        if (isExpected(oldest)) {
            lost(oldest);
        } else if (waits(oldest) && oldest >= firstHere) {
            waiting--;
            fault(MessageFault.UNACKNOWLEDGED, oldest, age(oldest, nowNanos), "");
        } else {
            openAndForgotten++;
        }
        oldest++;
    }

    /**
     * Its connection is over, or another one takes its place.
     *
     * @param excused whether the scenario broke it, or cut the network: that nothing came then is not held against anybody
     */
    void disconnected(long endNanos, boolean excused) {
        for (long id = Math.max(oldest, firstHere); id <= newest; id++) {
            if (is(id, OPEN)) {
                continue;
            }
            long age = age(id, endNanos);
            if (is(id, ASKED) && !is(id, ACKNOWLEDGED)) {
                if (age > held.answerWithinNanos() && !excused) {
                    fault(MessageFault.UNACKNOWLEDGED, id, age, "");
                }
                answeredNanos[slot(id)] = endNanos;
                mark(id, resend ? HELD : OPEN);
            } else if (isExpected(id) && (id < newestEchoed || (!excused && isOverdue(id, age)))) {
                mark(id, OVERDUE);
            } else if (isExpected(id) && !is(id, ASKED)) {
                if (age > held.echoWithinNanos() && !excused) {
                    fault(MessageFault.OVERDUE, id, age, "");
                }
                mark(id, OPEN);
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
     * Tells what became of all that did not come to a good end before; once, at the end.
     *
     * @param openedNanos since when its connection has been open; or after {@code nowNanos}
     * @param echoesFollow whether this server was ever seen to send a message back behind its acknowledgement: else what is
     *     acknowledged is back, or will never be
     * @return how many are left open, by the end of their connection or because their time is not over
     */
    long account(long nowNanos, long openedNanos, boolean echoesFollow) {
        long open = openAndForgotten;
        for (long id = oldest; id <= newest; id++) {
            long age = age(id, nowNanos);
            if (!is(id, OPEN) && age > held.answerWithinNanos() && waits(id)) {
                fault(MessageFault.UNACKNOWLEDGED, id, age, "");
            } else if (!isExpected(id)) {
                open += is(id, BACK | REFUSED) || (isSettled(id) && !is(id, OPEN)) ? 0 : 1;
            } else if (isLost(id, age, nowNanos - openedNanos, echoesFollow)) {
                lost(id);
            } else if (!is(id, ASKED) && age > held.echoWithinNanos()) {
                fault(MessageFault.OVERDUE, id, age, "");
            } else {
                open++;
            }
        }
        return open;
    }

    private boolean isLost(long id, long age, long connectedNanos, boolean echoesFollow) {
        if (id >= firstHere) {
            return isOverdue(id, age);
        }
        return held.redelivers() ? connectedNanos > held.echoWithinNanos() : is(id, OVERDUE) || !echoesFollow;
    }

    /** It never came back; where something came that is none of the messages, that came instead. */
    private void lost(long id) {
        String other = instead.remove(id);
        if (other == null && unknownMessages > 0) {
            unknownMessages--;
            other = "something else came instead";
        }
        fault(other == null ? MessageFault.LOST : MessageFault.CHANGED, id, 0, other == null ? "" : other);
    }
}
