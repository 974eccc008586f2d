package io.heartwheel.liveness;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop that the wheel found due, on their way to a verdict.
 *
 * <pre>
 *   wheel's thread            the loop
 *   propose --&gt; head --&gt; first look --dead?--&gt; unsure ---sockets are read--&gt; second look --unread bytes?--&gt; looked at again
 *                           |                                                     |
 *                       not dead: act                             not dead: lives |  dead
 *                                                                                 v
 *                                       breaker weighs the whole batch &lt;-- found dead
 *                                                                                 v
 *                                                               close: judged afresh, closed or held back
 * </pre>
 *
 * The first look is enough if the kernel says that nothing lies unread in the socket of a silent peer. What else looks dead gets a second one after the
 * loop has read its sockets: a peer whose frame had reached us before its deadline lives, however late we look. A few more follow if the kernel has heard
 * of the peer since the last frame that we took in: one round of a loop does not always reach every ready socket.
 * A peer that is not read because it does not drain is read once between two looks, and has a second look before it is asked as well: what it said may
 * wait unread. So has one that is read again since a moment ago. Once it is to be asked, it has to have been read since.
 *
 * <p>However many are due at once, the loop serves its sockets in between: each stage stops after {@link #SLICE_NANOS} and goes on after the next reads.
 * Nor do thousands of sockets that are ready at once keep the due waiting: between two of them a slice has its turn when the last one was so long ago
 * ({@link #betweenReads}).
 *
 * <p>Connections are linked through a field of their own, so nothing is allocated, and each is in one list at a time. Shared state: {@code head} (wheel:
 * compare-and-set push; loop: get-and-set take), each connection's {@code proposed} flag and link, and {@code waitingSinceNanos}. The flag is set by the
 * wheel's thread only and cleared by the loop only, before it acts, so each that is pushed is judged once (jcstress: {@code
 * PushWhileTakenIsJudgedOnceStress}); a proposal dropped because the flag was still set is harmless, because every judgement ends with arming the wheel
 * anew or with the end of the connection (jcstress: {@code DroppedProposalIsArmedAnewStress}). {@code waitingSinceNanos} is for the eye: set by the wheel,
 * cleared by the loop, volatile; a race makes it start a batch late.
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

    static {
        try {
            HEAD = MethodHandles.lookup().findVarHandle(ExpiryQueue.class, "head", MonitoredConnection.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LoopTasks loop;
    private final LongSupplier nanoClock;
    private final LivenessObserver observer;
    private final Stalls stalls;
    private final Breaker breaker;
    private final Runnable firstLook = this::firstLook;
    private final Runnable secondLook = this::secondLook;
    private final Runnable closeNext = this::closeNext;

    @SuppressWarnings("unused") // through HEAD
    private volatile @Nullable MonitoredConnection head;

    private volatile long waitingSinceNanos = NOBODY_WAITS;

    // ---- the loop's
    /** Taken from the wheel, to be looked at. */
    private @Nullable MonitoredConnection due;
    /** Looked dead once. */
    private @Nullable MonitoredConnection unsure;
    /** Looked dead once, sockets read since. */
    private @Nullable MonitoredConnection looking;
    /** Looked dead twice. */
    private @Nullable MonitoredConnection expired;

    /** Looked at since the inbox was last empty. */
    private int lookedAt;

    private long firstExpiredNanos;
    /** What had come by this time of those found dead had been read, of each of them. */
    private long expiredReadNanos;
    /** End of the last stage. */
    private long stageEndedNanos;
    /** A stage is at work. */
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
    private @Nullable MonitoredConnection closing;

    /** Sees no time but the clock's, and acts on the loop alone. */
    public ExpiryQueue(
            LoopTasks loop, LongSupplier nanoClock, LivenessObserver observer, Stalls stalls, Breaker breaker) {
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

    /** Proposes a connection. Wheel's thread only; never blocks. */
    public void propose(MonitoredConnection connection, long nowNanos) {
        if (!connection.markProposed()) {
            return;
        }
        MonitoredConnection before;
        do {
            before = (MonitoredConnection) HEAD.getVolatile(this);
            connection.nextProposed = before;
        } while (!HEAD.compareAndSet(this, before, connection));
        if (before == null) {
            if (waitingSinceNanos == NOBODY_WAITS) {
                waitingSinceNanos = nowNanos;
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
            due = (MonitoredConnection) HEAD.getAndSet(this, null);
        }
        while (due != null) {
            MonitoredConnection connection = due;
            due = next(connection);
            lookedAt++;
            if (connection.isSuspect()) {
                // one that drains again is not held any more, but may have to be asked, or closed for its silence
                connection.lookAtWrites(nowNanos);
            }
            Verdict verdict = Liveness.judge(connection, nowNanos);
            tellCredit(connection, verdict, nowNanos);
            if (isSurelySilent(connection, verdict)) {
                foundDead(connection, nowNanos);
            } else if (verdict.closes() || listensFirst(connection, verdict)) {
                lookTwice(connection, nowNanos);
            } else {
                act(connection, nowNanos);
            }
            if (due != null && isSliceOver(nowNanos)) {
                loop.executeAfterReads(firstLook);
                break;
            }
        }
        weigh(nowNanos);
        rest();
    }

    /** The wheel meets an entry at its deadline without credit: that is when credit keeps a connection. */
    private void tellCredit(MonitoredConnection connection, Verdict verdict, long nowNanos) {
        if (verdict == Verdict.KEEP && stalls.count() > 0) {
            long creditNanos = Liveness.creditInForceNanos(connection, nowNanos);
            if (creditNanos > 0) {
                observer.credited(creditNanos);
            }
        }
    }

    /** Whether an established peer is silent, and nothing that it said can lie anywhere unread. */
    private static boolean isSurelySilent(MonitoredConnection connection, Verdict verdict) {
        boolean silent = verdict == Verdict.CLOSE_HEARTBEAT || verdict == Verdict.CLOSE_READ_IDLE;
        return silent && connection.isEstablished() && !connection.framesWait() && connection.nothingUnread();
    }

    /** Nothing it said is unread now: where nobody weighs the dead, there is nothing to wait for. */
    private void foundDead(MonitoredConnection connection, long nowNanos) {
        if (breaker.watches()) {
            addExpired(connection, nowNanos, nowNanos);
        } else {
            act(connection, nowNanos);
        }
    }

    /** @param readNanos what it had said by then has been read */
    private void addExpired(MonitoredConnection connection, long readNanos, long nowNanos) {
        if (expired == null) {
            firstExpiredNanos = nowNanos;
            expiredReadNanos = readNanos;
        } else if (readNanos - expiredReadNanos < 0) {
            expiredReadNanos = readNanos;
        }
        connection.nextProposed = expired;
        expired = connection;
    }

    /** Whether what it said may wait unread because it does not drain, or did not until a moment ago: then it is heard before it is asked, too. */
    private static boolean listensFirst(MonitoredConnection connection, Verdict verdict) {
        boolean bySilence =
                switch (verdict) {
                    case PROBE, CLOSE_HEARTBEAT, CLOSE_READ_IDLE, CLOSE_READ_STALLED -> true;
                    default -> false;
                };
        return bySilence && connection.mayWaitUnread();
    }

    private void lookTwice(MonitoredConnection connection, long nowNanos) {
        if (unsure == null && looking == null) {
            askForSecondLook(nowNanos);
            defer(connection);
        } else {
            // the reads before the look that was asked for may be over, so what needs one of its own gets it then
            connection.unlistened();
            push(connection);
        }
    }

    private void defer(MonitoredConnection connection) {
        connection.listen();
        push(connection);
    }

    private void push(MonitoredConnection connection) {
        connection.nextProposed = unsure;
        unsure = connection;
    }

    private void askForSecondLook(long nowNanos) {
        lookAskedNanos = nowNanos;
        loop.executeAfterReads(secondLook);
    }

    private void secondLook() {
        long nowNanos = turned();
        lookReadNanos = lookAskedNanos;
        if (looking == null) {
            looking = unsure;
            unsure = null;
        }
        while (looking != null) {
            MonitoredConnection connection = looking;
            looking = next(connection);
            lookAgain(connection, nowNanos);
            if (looking != null && isSliceOver(nowNanos)) {
                askForSecondLook(nowNanos);
                break;
            }
        }
        if (looking == null && unsure != null) {
            askForSecondLook(nowNanos);
        }
        weigh(nowNanos);
        rest();
    }

    private void lookAgain(MonitoredConnection connection, long nowNanos) {
        // what has drained since the last look is no death to be counted
        connection.lookAtWrites(nowNanos);
        Verdict verdict = Liveness.judge(connection, nowNanos);
        boolean mayLieUnread = connection.isUnlistened() || isTooFresh(connection, verdict, lookReadNanos);
        if (listensFirst(connection, verdict) && mayLieUnread) {
            defer(connection);
        } else if (!verdict.closes()) {
            observer.reprieved();
            act(connection, nowNanos);
        } else if (isTooFresh(connection, verdict, lookReadNanos) || connection.hasUnreadBytes(nowNanos)) {
            defer(connection);
        } else if (verdict.findsTheDead() && connection.isEstablished()) {
            addExpired(connection, lookReadNanos, nowNanos);
        } else {
            act(connection, nowNanos);
        }
    }

    /** Whether this deadline was reached only after the sockets were read, be it behind another one: then what the peer owes may lie there. */
    private static boolean isTooFresh(MonitoredConnection connection, Verdict verdict, long readNanos) {
        return Liveness.judge(connection, readNanos) != verdict;
    }

    /**
     * Only whole batches are weighed: what is being closed goes first, what may still join is awaited for a moment. Called at the end of every
     * stage, so that whatever is awaited, its own stage comes back here.
     */
    private void weigh(long nowNanos) {
        boolean moreMayCome = head != null || due != null || unsure != null || looking != null;
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
            MonitoredConnection connection = closing;
            closing = next(connection);
            closeNext(connection, nowNanos);
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

    private void closeNext(MonitoredConnection connection, long nowNanos) {
        connection.lookAtWrites(nowNanos);
        // the others of its batch may have taken long
        Verdict verdict = Liveness.judge(connection, nowNanos);
        if (!verdict.findsTheDead()) {
            if (listensFirst(connection, verdict)) {
                // it drains since it was found dead, and nobody has read what it says
                lookTwice(connection, nowNanos);
                return;
            }
            if (!verdict.closes()) {
                observer.reprieved();
            }
            act(connection, nowNanos);
            return;
        }
        if (mayHaveSpoken(connection, verdict, nowNanos)) {
            lookTwice(connection, nowNanos);
            return;
        }
        OpenChecks.Suspicion suspicion = connection.checksOrNone().suspicion();
        if (suspicion == null) {
            if (breaker.holds(connection)) {
                connection.holdBack(verdict, nowNanos);
            }
            act(connection, nowNanos);
            return;
        }
        switch (suspicion.stage()) {
            case WAITING -> queueOrClose(connection, nowNanos);
            case QUEUED -> {
                if (breaker.isTurn(suspicion.heldUntilNanos(), nowNanos)) {
                    act(connection, nowNanos);
                } else {
                    queueOrClose(connection, nowNanos);
                }
            }
            case LAST_TURN -> act(connection, nowNanos);
        }
    }

    /** Whether it may have said something since it was found dead, or since this deadline became the one that counts. */
    private boolean mayHaveSpoken(MonitoredConnection connection, Verdict verdict, long nowNanos) {
        boolean tooFresh = isTooFresh(connection, verdict, closingReadNanos);
        boolean readLongAgo = nowNanos - closingReadNanos > GATHER_NANOS;
        return (tooFresh || readLongAgo)
                && !isSurelySilent(connection, verdict)
                && (tooFresh || connection.hasUnreadBytes(nowNanos));
    }

    private void queueOrClose(MonitoredConnection connection, long nowNanos) {
        long turnNanos = breaker.takeTurn(nowNanos);
        if (turnNanos - nowNanos > 0) {
            connection.queueForClose(turnNanos);
        }
        // what is not held back may be due beside it: the end of leaving
        act(connection, nowNanos);
    }

    private static void act(MonitoredConnection connection, long nowNanos) {
        connection.clearProposed();
        connection.enforce(nowNanos);
    }

    private static @Nullable MonitoredConnection next(MonitoredConnection connection) {
        MonitoredConnection next = connection.nextProposed;
        connection.nextProposed = null;
        return next;
    }

    private long turned() {
        atWork = true;
        long nowNanos = nanoClock.getAsLong();
        // a loop that was idle is as late as it answers
        long sinceNanos = waitingSinceNanos;
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
        if (head == null && due == null && unsure == null && looking == null && expired == null && closing == null) {
            tellJudged();
            waitingSinceNanos = NOBODY_WAITS;
        }
    }

    private void tellJudged() {
        if (lookedAt > 0) {
            observer.judged(stalls.loop(), lookedAt, overdueNanos(nanoClock.getAsLong()));
            lookedAt = 0;
        }
    }

    // ------------------------------------------------------------------ any thread

    /** For how long the oldest connection found due has been waiting for its verdict, nanoseconds; 0 if none waits. */
    public long overdueNanos(long nowNanos) {
        long sinceNanos = waitingSinceNanos;
        return sinceNanos == NOBODY_WAITS ? 0 : Math.max(0, nowNanos - sinceNanos);
    }
}
