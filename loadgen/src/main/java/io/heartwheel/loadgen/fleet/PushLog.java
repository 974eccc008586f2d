package io.heartwheel.loadgen.fleet;

import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pushes to one device, and which of them arrived. Of devices that are pushed to alone; owned by their event loop. Times
 * are nanoseconds since the run began.
 *
 * <pre>
 *   listening:   |-- before ----|        |-- now ---------&gt;
 *                                   ^ called ... answered ... + answer-within    connected all the time: it had to come
 *             ^ called .....................................                     nobody can say
 * </pre>
 */
final class PushLog {

    /** The end of a time that has not ended. */
    static final long OPEN = Long.MAX_VALUE;

    private final BitSet came = new BitSet();
    /** Came after a later one, and what the server had said to it is not known yet. */
    private final BitSet overtaken = new BitSet();

    private final List<Due> due = new ArrayList<>(0);
    private final List<Kept> kept = new ArrayList<>(0);
    private final IntObjectHashMap<Item> items = new IntObjectHashMap<>(1);
    private int connections;
    private int newest;
    private int reportedUpTo;
    private int damaged;

    private final long knownSinceNanos;
    private long listensFromNanos;
    private long listensUntilNanos;
    private long beforeFromNanos = OPEN;
    private long beforeUntilNanos = Long.MIN_VALUE;

    /** A log that begins with the first push: since when the device listens, or since when it does not. */
    PushLog(boolean listens, long sinceNanos) {
        knownSinceNanos = sinceNanos;
        listensFromNanos = sinceNanos;
        listensUntilNanos = listens ? OPEN : sinceNanos;
    }

    /** A message that is waited for: how it came, and what was said of it. */
    static final class Item {
        /** By the server; 0 in a protocol without ids. */
        long id;

        /** The device's connection that it came on last; below 0: one that was replaced. */
        int connection;

        /** When the server was asked for it; 0: nobody knows yet. */
        long calledNanos;

        int arrivals;
        long firstNanos;
        /** Whether it may come again on this connection: the device said not now. */
        boolean refused;
        /** When the device acknowledged it; {@link #OPEN}: not yet. */
        long acknowledgedNanos = OPEN;
        /** Since when the caller knows what came of it; {@link #OPEN}: not yet. */
        long toldNanos = OPEN;
    }

    /**
     * A push that has to prove itself: an accepted one that must come, a refused one whose device must turn out to have
     * been absent, or a failed one whose gateway must turn out to have been hindered.
     *
     * @param byNanos until when the device has to be connected for that
     */
    record Due(int sequence, PushOutcome.Said said, String answer, long calledNanos, long answeredNanos, long byNanos) {

        boolean accepted() {
            return said == PushOutcome.Said.ACCEPTED;
        }
    }

    /** A push that the server keeps until the device is there for it. */
    static final class Kept {
        final int sequence;
        final String answer;
        /** From when on it is to come. */
        final long fromNanos;

        /** How long the device was connected at a stretch since then, before its present connection. */
        private long beforeNanos;

        Kept(int sequence, String answer, long fromNanos) {
            this.sequence = sequence;
            this.answer = answer;
            this.fromNanos = fromNanos;
        }
    }

    /** Kind of a message that arrived. */
    enum Arrival {
        NEXT,
        DOUBLED,
        /** After a later one, of which the server had said that it accepted it. */
        DISORDERED,
        /** After a later one; see what the server says of it. */
        OVERTAKEN
    }

    // ---- the connection

    void listens(long nowNanos) {
        if (listensUntilNanos == OPEN) {
            return;
        }
        beforeFromNanos = listensFromNanos;
        beforeUntilNanos = listensUntilNanos;
        listensFromNanos = nowNanos;
        listensUntilNanos = OPEN;
        connections++;
    }

    /**
     * From here on nothing need come; answers what was due and is no more: what may still lie unread, and what so far is
     * only late.
     *
     * @param readNanos what had come by then has been read
     * @param lateNanos what is overdue for so long is lost, not late
     */
    List<Due> deaf(long nowNanos, long readNanos, long lateNanos) {
        if (listensUntilNanos != OPEN) {
            return List.of();
        }
        kept.forEach(each -> each.beforeNanos = waited(each, nowNanos));
        listensUntilNanos = nowNanos;
        List<Due> over = due.stream()
                .filter(each -> each.byNanos() + (each.accepted() ? lateNanos : 0) > readNanos)
                .toList();
        due.removeAll(over);
        return over;
    }

    /** Whether it listened all that time, as far as can be said now. */
    boolean listened(long fromNanos, long untilNanos) {
        return (listensFromNanos <= fromNanos && listensUntilNanos >= untilNanos)
                || (beforeFromNanos <= fromNanos && beforeUntilNanos >= untilNanos);
    }

    /** Whether it did not listen at any moment of that time. */
    boolean wasDeaf(long fromNanos, long untilNanos) {
        boolean now = listensFromNanos <= untilNanos && listensUntilNanos >= fromNanos;
        boolean before = beforeFromNanos <= untilNanos && beforeUntilNanos >= fromNanos;
        return fromNanos >= knownSinceNanos && !now && !before;
    }

    /** How long the device was connected at a stretch, and did not get it. */
    long waited(Kept one, long nowNanos) {
        long now = listensUntilNanos == OPEN ? nowNanos - Math.max(one.fromNanos, listensFromNanos) : 0;
        return Math.max(one.beforeNanos, now);
    }

    /** When its connection before the present one ended; 0: it had none. */
    long leftNanos() {
        return Math.max(0, beforeUntilNanos);
    }

    // ---- what comes

    /** What is known of this message; empty at first. */
    Item item(int sequence) {
        Item known = items.get(sequence);
        if (known == null) {
            known = new Item();
            items.put(sequence, known);
        }
        return known;
    }

    /** Number of the device's connection. */
    int connections() {
        return connections;
    }

    Arrival came(int sequence) {
        if (came.get(sequence)) {
            return Arrival.DOUBLED;
        }
        came.set(sequence);
        if (sequence > newest) {
            newest = sequence;
            return Arrival.NEXT;
        }
        if (sequence > reportedUpTo) {
            overtaken.set(sequence);
            return Arrival.OVERTAKEN;
        }
        boolean promised = owed(sequence) != null || kept.stream().anyMatch(each -> each.sequence == sequence);
        return promised ? Arrival.DISORDERED : Arrival.OVERTAKEN;
    }

    /** Whether a later one has come. */
    boolean passed(int sequence) {
        return newest > sequence;
    }

    boolean hasCome(int sequence) {
        return came.get(sequence);
    }

    /** A message came of which nobody can say which it was. */
    void damaged() {
        damaged++;
    }

    // ---- what the server says

    /** The server's word on this push is known; answers whether it came after a later one. */
    boolean reported(int sequence) {
        reportedUpTo = Math.max(reportedUpTo, sequence);
        boolean late = overtaken.get(sequence);
        overtaken.clear(sequence);
        return late;
    }

    void owe(Due owed) {
        due.add(owed);
    }

    void keep(Kept one) {
        kept.add(one);
    }

    /** Takes what is kept of this push: it has come. Null when nothing is. */
    @Nullable
    Kept taken(int sequence) {
        for (Kept each : kept) {
            if (each.sequence == sequence) {
                kept.remove(each);
                return each;
            }
        }
        return null;
    }

    List<Kept> kept() {
        return kept;
    }

    /** What of this push is due; null when nothing is. */
    @Nullable
    Due owed(int sequence) {
        for (Due each : due) {
            if (each.sequence() == sequence && each.accepted()) {
                return each;
            }
        }
        return null;
    }

    void settle(Due settled) {
        due.remove(settled);
    }

    /** Those that were not accepted, and whose device has been connected for as long as is asked. */
    List<Due> notAccepted(long readNanos) {
        return due.stream()
                .filter(each -> !each.accepted() && each.byNanos() <= readNanos)
                .toList();
    }

    /** What is due, without what came too damaged to say which it was: each such message was one of these. */
    List<Due> due() {
        int[] found = {damaged};
        return due.stream().filter(each -> !each.accepted() || found[0]-- <= 0).toList();
    }
}
