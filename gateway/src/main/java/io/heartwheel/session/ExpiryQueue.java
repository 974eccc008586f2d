package io.heartwheel.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one event loop that the wheel found due, on their way to a verdict.
 *
 * <pre>
 *   wheel's thread            the loop
 *   propose --&gt; head --&gt; first look --dead?--&gt; doubted --sockets are read--&gt; second look --unread bytes?--&gt; doubted again
 *                           |                                                     |
 *                       not dead: act                             not dead: lives |  dead
 *                                                                                 v
 *                                       breaker weighs the whole batch &lt;-- condemned
 *                                                                                 v
 *                                                               sentence: judged afresh, closed or held back
 * </pre>
 *
 * Where the kernel says that nothing lies unread in the socket of a silent peer, the first look is enough. What else looks dead gets a second one after
 * the loop has read its sockets: a peer whose frame had reached us before its deadline lives, however late we look. Where the kernel tells when it last
 * heard of the peer, and that is after the last frame we took in, a few more looks follow: one round of a loop does not always reach every ready socket.
 * A peer that is not read because it does not drain is read once between two looks, and has a second look before it is asked as well: what it said may
 * wait unread. So has one that is read again since a moment ago.
 *
 * <p>However many are due at once, the loop serves its sockets in between: each stage stops after {@link #SLICE_NANOS} and goes on after the next reads.
 * Nor do thousands of sockets that are ready at once keep the due waiting: between two of them a slice has its turn when the last one was so long ago
 * ({@link #betweenReads}).
 *
 * <p>Sessions are linked through a field of their own, so nothing is allocated, and each is in one list at a time. Shared state: {@code head} (wheel:
 * compare-and-set push; loop: get-and-set take), each session's {@code proposed} flag and link, and {@code waitingSinceNanos}. The flag is set by the
 * wheel's thread only and cleared by the loop only, before it acts; a proposal dropped because the flag was still set is harmless, because every
 * judgement ends with arming the wheel anew or with the end of the session. {@code waitingSinceNanos} is for the eye: set by the wheel, cleared by the
 * loop, each opaque; a race makes it start a batch late.
 */
public final class ExpiryQueue {
    /** How long a loop judges before it looks at its sockets again, nanoseconds. */
    static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** The dead wait for this long at most for others that are still being looked at, so that the breaker sees them together, nanoseconds. */
    static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** A loop that has not come to the due for so long is behind: it has read more sockets than it should in one go, nanoseconds. */
    static final long BEHIND_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long NOBODY_WAITS = Long.MIN_VALUE;

    private static final VarHandle HEAD;
    private static final VarHandle WAITING_SINCE;

    static {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try {
            HEAD = lookup.findVarHandle(ExpiryQueue.class, "head", Session.class);
            WAITING_SINCE = lookup.findVarHandle(ExpiryQueue.class, "waitingSinceNanos", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The event loop, seen from here. */
    public interface Loop {
        /**
         * Runs the task on the loop soon. Any thread.
         *
         * @throws RejectedExecutionException if the loop has ended
         */
        void execute(Runnable task);

        /** Runs the task on the loop after every socket that is ready now has been offered to its handler. Loop only. */
        void executeAfterReads(Runnable task);

        /** Runs the task on the loop after that time. Loop only. */
        void executeIn(Runnable task, long nanos);
    }

    private final Loop loop;
    private final LongSupplier nanoClock;
    private final SessionObserver observer;
    private final Stalls stalls;
    private final Breaker breaker;
    private final Runnable firstLook = this::firstLook;
    private final Runnable secondLook = this::secondLook;
    private final Runnable closeNext = this::closeNext;

    @SuppressWarnings("unused") // through HEAD
    private volatile @Nullable Session head;

    @SuppressWarnings("UnusedVariable") // through WAITING_SINCE
    private long waitingSinceNanos = NOBODY_WAITS;

    // ---- the loop's
    /** Taken from the wheel, to be looked at. */
    private @Nullable Session due;
    /** Looked dead once. */
    private @Nullable Session doubted;
    /** Looked dead once, sockets read since. */
    private @Nullable Session looking;
    /** Looked dead twice. */
    private @Nullable Session expired;

    /** Looked at since the inbox was last empty. */
    private int lookedAt;

    private long firstExpiredNanos;
    /** What had come by this time of those condemned had been read, of each of them. */
    private long expiredReadNanos;
    /** When the last stage ended, and whether one is at work. */
    private long stageEndedNanos;

    private boolean atWork;
    /** The next slice of {@link #closeNext} after reads was asked for. */
    private boolean closeSliceAsked;
    /** All that was ready at this time had been read when {@link #looking} came to be looked at, and when {@link #closing} did. */
    private long lookReadNanos;

    private long closingReadNanos;
    /** When the next of each was asked for. */
    private long lookAskedNanos;

    private long closeSliceAskedNanos;
    /** Weighed, to be closed unless they have spoken or are held back. */
    private @Nullable Session closing;

    /** Sees no time but the clock's, and acts on the loop alone. */
    public ExpiryQueue(Loop loop, LongSupplier nanoClock, SessionObserver observer, Stalls stalls, Breaker breaker) {
        this.loop = loop;
        this.nanoClock = nanoClock;
        this.observer = observer;
        this.stalls = stalls;
        this.breaker = breaker;
        long nowNanos = nanoClock.getAsLong();
        lookReadNanos = nowNanos;
        closingReadNanos = nowNanos;
        stageEndedNanos = nowNanos;
    }

    // ------------------------------------------------------------------ the wheel's thread

    /** Proposes a session. Wheel's thread only; never blocks. */
    void propose(Session session, long nowNanos) {
        if (!session.markProposed()) {
            return;
        }
        Session before;
        do {
            before = (Session) HEAD.getVolatile(this);
            session.nextProposed = before;
        } while (!HEAD.compareAndSet(this, before, session));
        if (before == null) {
            if ((long) WAITING_SINCE.getOpaque(this) == NOBODY_WAITS) {
                WAITING_SINCE.setOpaque(this, nowNanos);
            }
            try {
                loop.execute(firstLook);
            } catch (RejectedExecutionException ended) {
                // the loop has ended and with it every channel it owned; nobody is left to judge
                HEAD.setVolatile(this, null);
            }
        }
    }

    // ------------------------------------------------------------------ the loop

    /**
     * One socket was read, and others may wait for their turn: in a loop that is behind, the next slice of what is due comes before them. Decides nothing
     * that has to wait for reads.
     */
    public void betweenReads() {
        if ((head == null && due == null && closing == null) || atWork) {
            return;
        }
        if (nanoClock.getAsLong() - stageEndedNanos < BEHIND_NANOS) {
            return;
        }
        if (closing != null) {
            closeSlice();
        } else {
            firstLook();
        }
    }

    private void firstLook() {
        long nowNanos = turned();
        if (due == null) {
            due = (Session) HEAD.getAndSet(this, null);
        }
        while (due != null) {
            Session session = due;
            due = next(session);
            lookedAt++;
            if (session.doubtOrNone().isSuspect()) {
                // one that drains again is not held any more, but may have to be asked, or closed for its silence
                session.lookAtBacklog(nowNanos);
                session.lookAtDraining(nowNanos);
            }
            Verdict verdict = Liveness.judge(session, nowNanos);
            if (isSurelySilent(session, verdict)) {
                foundDead(session, nowNanos);
            } else if (verdict.closes() || listensFirst(session, verdict)) {
                doubt(session, nowNanos);
            } else {
                act(session, nowNanos);
            }
            if (due != null && isSliceOver(nowNanos)) {
                loop.executeAfterReads(firstLook);
                break;
            }
        }
        weigh(nowNanos);
        rest();
    }

    /** Whether an established peer is silent, and nothing that it said can lie anywhere unread. */
    private static boolean isSurelySilent(Session session, Verdict verdict) {
        boolean silent = verdict == Verdict.CLOSE_HEARTBEAT || verdict == Verdict.CLOSE_READ_IDLE;
        return silent && session.isEstablished() && !session.framesWait() && session.nothingUnread();
    }

    /** Nothing it said is unread now: where nobody weighs the dead, there is nothing to wait for. */
    private void foundDead(Session session, long nowNanos) {
        if (breaker.watches()) {
            addExpired(session, nowNanos, nowNanos);
        } else {
            act(session, nowNanos);
        }
    }

    /** @param readNanos what it had said by then has been read */
    private void addExpired(Session session, long readNanos, long nowNanos) {
        if (expired == null) {
            firstExpiredNanos = nowNanos;
            expiredReadNanos = readNanos;
        } else if (readNanos - expiredReadNanos < 0) {
            expiredReadNanos = readNanos;
        }
        session.nextProposed = expired;
        expired = session;
    }

    /** Whether what it said may wait unread because it does not drain, or did not until a moment ago: then it is heard before it is asked, too. */
    private static boolean listensFirst(Session session, Verdict verdict) {
        boolean bySilence =
                switch (verdict) {
                    case PROBE, CLOSE_HEARTBEAT, CLOSE_READ_IDLE, CLOSE_READ_STALLED -> true;
                    default -> false;
                };
        return bySilence && session.mayWaitUnread();
    }

    private void doubt(Session session, long nowNanos) {
        if (doubted == null && looking == null) {
            askForSecondLook(nowNanos);
            defer(session);
        } else {
            // the reads before the look that was asked for may be over, so what needs one of its own gets it then
            session.unlistened();
            push(session);
        }
    }

    private void defer(Session session) {
        session.listen();
        push(session);
    }

    private void push(Session session) {
        session.nextProposed = doubted;
        doubted = session;
    }

    private void askForSecondLook(long nowNanos) {
        lookAskedNanos = nowNanos;
        loop.executeAfterReads(secondLook);
    }

    private void secondLook() {
        long nowNanos = turned();
        lookReadNanos = lookAskedNanos;
        if (looking == null) {
            looking = doubted;
            doubted = null;
        }
        while (looking != null) {
            Session session = looking;
            looking = next(session);
            lookAgain(session, nowNanos);
            if (looking != null && isSliceOver(nowNanos)) {
                askForSecondLook(nowNanos);
                break;
            }
        }
        if (looking == null && doubted != null) {
            askForSecondLook(nowNanos);
        }
        weigh(nowNanos);
        rest();
    }

    private void lookAgain(Session session, long nowNanos) {
        // what has drained since the last look is no death to be counted
        session.lookAtBacklog(nowNanos);
        session.lookAtDraining(nowNanos);
        Verdict verdict = Liveness.judge(session, nowNanos);
        if (listensFirst(session, verdict) && session.isUnlistened()) {
            defer(session);
        } else if (!verdict.closes()) {
            observer.reprieved();
            act(session, nowNanos);
        } else if (isTooFresh(session, verdict, lookReadNanos) || session.hasUnreadBytes(nowNanos)) {
            defer(session);
        } else if (verdict.findsTheDead() && session.isEstablished()) {
            addExpired(session, lookReadNanos, nowNanos);
        } else {
            act(session, nowNanos);
        }
    }

    /** Whether this deadline was reached only after the sockets were read, be it behind another one: then what the peer owes may lie there. */
    private static boolean isTooFresh(Session session, Verdict verdict, long readNanos) {
        return Liveness.judge(session, readNanos) != verdict;
    }

    /**
     * Only whole batches are weighed: what is being sentenced goes first, what may still join is awaited for a moment. Called at the end of every
     * stage, so that whatever is awaited, its own stage comes back here.
     */
    private void weigh(long nowNanos) {
        boolean moreMayCome = head != null || due != null || doubted != null || looking != null;
        boolean gathering = moreMayCome && nowNanos - firstExpiredNanos < GATHER_NANOS;
        if (expired == null || closing != null || gathering) {
            return;
        }
        breaker.weigh(expired, nowNanos);
        closing = expired;
        expired = null;
        // the reads before the latest look were of them all
        closingReadNanos = lookReadNanos - expiredReadNanos > 0 ? lookReadNanos : expiredReadNanos;
        closeSlice();
    }

    /** After the reads that were asked for. */
    private void closeNext() {
        closeSliceAsked = false;
        if (closeSliceAskedNanos - closingReadNanos > 0) {
            closingReadNanos = closeSliceAskedNanos;
        }
        closeSlice();
    }

    private void closeSlice() {
        long nowNanos = turned();
        while (closing != null) {
            Session session = closing;
            closing = next(session);
            closeNext(session, nowNanos);
            if (closing != null && isSliceOver(nowNanos)) {
                if (!closeSliceAsked) {
                    closeSliceAsked = true;
                    closeSliceAskedNanos = nowNanos;
                    loop.executeAfterReads(closeNext);
                }
                stageEnded();
                return;
            }
        }
        weigh(nowNanos);
        rest();
    }

    private void closeNext(Session session, long nowNanos) {
        session.lookAtBacklog(nowNanos);
        session.lookAtDraining(nowNanos);
        // the others of its batch may have taken long
        Verdict verdict = Liveness.judge(session, nowNanos);
        if (!verdict.findsTheDead()) {
            if (!verdict.closes()) {
                observer.reprieved();
            }
            act(session, nowNanos);
            return;
        }
        if (mayHaveSpoken(session, verdict, nowNanos)) {
            doubt(session, nowNanos);
            return;
        }
        switch (session.doubtOrNone().suspicion()) {
            case NONE -> {
                if (breaker.holds(session)) {
                    session.heldBack(verdict, nowNanos);
                    act(session, nowNanos);
                } else {
                    act(session, nowNanos);
                }
            }
            case WAITING -> queueOrClose(session, nowNanos);
            case IN_ROW -> {
                if (breaker.isTurn(session.doubtOrNone().heldUntilNanos(), nowNanos)) {
                    act(session, nowNanos);
                } else {
                    queueOrClose(session, nowNanos);
                }
            }
            case LAST_TURN -> act(session, nowNanos);
        }
    }

    /** Whether it may have said something since it was condemned, or since this deadline became the one that counts. */
    private boolean mayHaveSpoken(Session session, Verdict verdict, long nowNanos) {
        boolean tooFresh = isTooFresh(session, verdict, closingReadNanos);
        boolean readLongAgo = nowNanos - closingReadNanos > GATHER_NANOS;
        return (tooFresh || readLongAgo)
                && !isSurelySilent(session, verdict)
                && (tooFresh || session.hasUnreadBytes(nowNanos));
    }

    private void queueOrClose(Session session, long nowNanos) {
        long turnNanos = breaker.takeTurn(nowNanos);
        if (turnNanos - nowNanos > 0) {
            session.queueForClose(turnNanos);
        }
        // what is not held back may be due beside it: the end of leaving
        act(session, nowNanos);
    }

    private static void act(Session session, long nowNanos) {
        session.clearProposed();
        session.enforce(nowNanos);
    }

    private static @Nullable Session next(Session session) {
        Session next = session.nextProposed;
        session.nextProposed = null;
        return next;
    }

    private long turned() {
        atWork = true;
        long nowNanos = nanoClock.getAsLong();
        // a loop that was idle is as late as it answers
        long sinceNanos = (long) WAITING_SINCE.getOpaque(this);
        stalls.turned(nowNanos, sinceNanos == NOBODY_WAITS ? nowNanos : sinceNanos);
        return nowNanos;
    }

    private boolean isSliceOver(long beganNanos) {
        return nanoClock.getAsLong() - beganNanos >= SLICE_NANOS;
    }

    private void stageEnded() {
        atWork = false;
        stageEndedNanos = nanoClock.getAsLong();
    }

    private void rest() {
        stageEnded();
        if (head == null && due == null && doubted == null && looking == null && expired == null && closing == null) {
            tellJudged();
            WAITING_SINCE.setOpaque(this, NOBODY_WAITS);
        }
    }

    private void tellJudged() {
        if (lookedAt > 0) {
            observer.judged(stalls.loop(), lookedAt, overdueNanos(nanoClock.getAsLong()));
            lookedAt = 0;
        }
    }

    // ------------------------------------------------------------------ any thread

    /** For how long the oldest session found due has been waiting for its verdict, nanoseconds; 0 if none waits. */
    public long overdueNanos(long nowNanos) {
        long sinceNanos = (long) WAITING_SINCE.getOpaque(this);
        return sinceNanos == NOBODY_WAITS ? 0 : Math.max(0, nowNanos - sinceNanos);
    }
}
