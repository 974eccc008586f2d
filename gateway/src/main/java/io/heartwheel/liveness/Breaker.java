package io.heartwheel.liveness;

import io.heartwheel.event.Incident;
import io.heartwheel.liveness.LivenessObserver.SuspectOutcome;
import io.heartwheel.wheel.Deadline;
import io.heartwheel.wheel.Timed;
import io.heartwheel.wheel.TimingWheel;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Breaker that holds closes back in a mass expiry, which is nearly always a fault between the peers and us and not the death of them all.
 *
 * <pre>
 *   found dead --batch--&gt; weigh: too many in the window?  --no--&gt;  closed as ever
 *                                  |
 *                                 yes: incident
 *                                  v
 *   suspect: asked again -- patience --&gt; silent still? --&gt; in the row, so many a second --&gt; judged afresh, closed
 *       |                                                                |
 *       +--------------- speaks: cleared &lt;-------------------------------+
 * </pre>
 *
 * Deaths are counted for all connections, and for those of each listener, event loop and subnet ({@link FailureGroups}), and the narrowest of these that
 * explains them is blamed; a whole batch is counted before anything of it is closed, so an expiry of all at one instant trips it before the first has gone. While a scope is open, whoever is found dead in it
 * for the first time becomes suspect.
 *
 * <p>Any thread; {@link #weigh} takes a lock for one walk over a batch. The wheel wakes it once a second while an incident lasts, and it goes on with
 * that on the executor it was given.
 */
public final class Breaker implements Timed, Suspects {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** So late, and a tick, may a turn be taken. In any second at most so much more than the rate is closed. */
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Kind of a scope. */
    public enum Kind {
        /** Everything. */
        ALL,
        /** One listener. */
        LISTENER,
        /** One event loop. */
        LOOP,
        /** One network of devices. */
        SUBNET;

        /** In metrics. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private volatile BreakerSettings settings;
    private final TimingWheel wheel;
    private final LongSupplier nanoClock;
    private final LongSupplier wallMillis;
    private final LivenessObserver observer;
    private final Executor executor;
    private final int handle;
    private final AtomicLong nextTurnNanos;

    private final AtomicLong suspects = new AtomicLong();
    /** Suspects of the incident that lasts, or lasted last, and what became of them, by {@link SuspectOutcome}. */
    private final AtomicLong suspected = new AtomicLong();

    private final AtomicLongArray settled = new AtomicLongArray(SuspectOutcome.values().length);
    private volatile long nextLookNanos;
    private volatile boolean open;
    /** The most connections that the incident has seen established; those at the last batch, where there is none. */
    private volatile int fleet;

    // ---- under the lock
    private final FailureGroups failureGroups;
    private long number;
    private long beganNanos;
    private long expired;
    private long connections;

    /**
     * Watches from now on. Takes one handle of the wheel.
     *
     * @param loops how many event loops there are
     * @param nanoClock the wheel's clock
     * @param wallMillis milliseconds since 1970, for the reports
     * @param executor where the end of an incident is looked for; never the wheel's thread
     */
    public Breaker(
            BreakerSettings settings,
            TimingWheel wheel,
            int loops,
            LongSupplier nanoClock,
            LongSupplier wallMillis,
            LivenessObserver observer,
            Executor executor) {
        this.settings = settings;
        this.wheel = wheel;
        this.nanoClock = nanoClock;
        this.wallMillis = wallMillis;
        this.observer = observer;
        this.executor = executor;
        long nowNanos = nanoClock.getAsLong();
        failureGroups = new FailureGroups(settings, loops, nowNanos);
        nextTurnNanos = new AtomicLong(nowNanos);
        handle = wheel.register(this);
    }

    // ------------------------------------------------------------------ connections come and go; any thread

    /** A connection was established. Any thread. */
    public void entered(MonitoredConnection connection) {
        if (settings.enabled()) {
            failureGroups.entered(connection);
        }
    }

    /** An established connection has ended. Any thread. */
    public void left(MonitoredConnection connection) {
        if (settings.enabled()) {
            failureGroups.left(connection);
        }
    }

    // ------------------------------------------------------------------ judgement

    /** Whether it counts deaths at all; the same as long as the process lives. */
    boolean watches() {
        return settings.enabled();
    }

    /**
     * Counts connections just found dead, linked by {@code nextProposed}; suspects among them were counted before. Afterwards {@link #holds} knows.
     *
     * @param batch the first of them
     */
    void weigh(@Nullable MonitoredConnection batch, long nowNanos) {
        if (!settings.enabled() || batch == null) {
            return;
        }
        Incident begun = null;
        synchronized (this) {
            if (open) {
                // whoever looks for the end each second may stand still
                failureGroups.closeQuiet(nowNanos);
            }
            boolean tripped = failureGroups.count(batch, nowNanos);
            fleet = open ? Math.max(fleet, failureGroups.established()) : failureGroups.established();
            if (tripped && !open) {
                begun = begin(nowNanos);
            }
        }
        if (begun != null) {
            observer.incident(begun);
        }
    }

    /** Whether this connection, found dead for the first time, is to be held back. */
    boolean holds(MonitoredConnection connection) {
        return open && failureGroups.isOpenFor(connection);
    }

    @Override
    public long patienceNanos() {
        return settings.patience().toNanos();
    }

    /**
     * Goes by other settings from now on, also while an incident lasts. Whether it watches, and how long a window is, stays as it was: counts begun would
     * be lost.
     */
    public void reconfigure(BreakerSettings fresh) {
        synchronized (this) {
            BreakerSettings merged = settings.renewedBy(fresh);
            settings = merged;
            failureGroups.reconfigure(merged);
        }
    }

    /** The next place in the row of those to be closed: a time not before now, one for each caller. */
    long takeTurn(long nowNanos) {
        long nanosPerClose = Math.max(1, TimeUnit.SECONDS.toNanos(1) / closesASecond());
        long turnNanos;
        long beforeNanos;
        do {
            beforeNanos = nextTurnNanos.get();
            turnNanos = beforeNanos - nowNanos > 0 ? beforeNanos : nowNanos;
        } while (!nextTurnNanos.compareAndSet(beforeNanos, turnNanos + nanosPerClose));
        return turnNanos;
    }

    /**
     * Whether a turn still holds. One that was missed by more than {@link #TURN_NANOS} and the tick that the wheel takes, because we stood still, is lost: else
     * all that came by meanwhile would be closed at once.
     */
    boolean isTurn(long turnNanos, long nowNanos) {
        return nowNanos - turnNanos <= TURN_NANOS + wheel.tickNanos();
    }

    @Override
    public void suspected() {
        suspects.incrementAndGet();
        suspected.incrementAndGet();
        observer.suspected();
    }

    @Override
    public void settled(SuspectOutcome outcome, long heldNanos) {
        settled.incrementAndGet(outcome.ordinal());
        suspects.decrementAndGet();
        observer.suspectSettled(outcome, heldNanos);
    }

    // ------------------------------------------------------------------ the incident

    private Incident begin(long nowNanos) {
        suspected.set(0);
        for (SuspectOutcome outcome : SuspectOutcome.values()) {
            settled.set(outcome.ordinal(), 0);
        }
        number++;
        beganNanos = nowNanos;
        expired = failureGroups.expired();
        connections = failureGroups.connections();
        open = true;
        lookSoon(nowNanos);
        return report(false, nowNanos);
    }

    private void lookSoon(long nowNanos) {
        nextLookNanos = Deadline.after(nowNanos, LOOK_NANOS);
        wheel.arm(handle, nextLookNanos);
    }

    @Override
    public long deadlineNanos() {
        return nextLookNanos;
    }

    @Override
    public void expire(long nowNanos) {
        try {
            executor.execute(this::lookForEnd);
        } catch (RejectedExecutionException ended) {
            // the loops have ended and with them every suspect; nobody is left to hear of it
            open = false;
        }
    }

    private void lookForEnd() {
        Incident ended = null;
        synchronized (this) {
            long nowNanos = nanoClock.getAsLong();
            boolean quiet = failureGroups.closeQuiet(nowNanos);
            if (quiet && suspects.get() == 0) {
                open = false;
                ended = report(true, nowNanos);
                failureGroups.forgetNames();
            } else {
                lookSoon(nowNanos);
            }
        }
        if (ended != null) {
            observer.incident(ended);
        }
    }

    private Incident report(boolean ended, long nowNanos) {
        return new Incident(
                number,
                ended,
                wallMillis.getAsLong(),
                TimeUnit.NANOSECONDS.toMillis(nowNanos - beganNanos),
                failureGroups.names(),
                expired,
                connections,
                suspected.get(),
                settled.get(SuspectOutcome.CLEARED.ordinal()),
                settled.get(SuspectOutcome.CLOSED.ordinal()),
                settled.get(SuspectOutcome.LEFT.ordinal()));
    }

    // ------------------------------------------------------------------ to look at; any thread

    /** How it is set. */
    public BreakerSettings settings() {
        return settings;
    }

    /** Suspects closed a second at most: as set, or by what the fleet is in the incident that lasts or lasted last. */
    public int closesASecond() {
        return settings.closesASecond(fleet);
    }

    /** Whether an incident lasts. */
    public boolean isOpen() {
        return open;
    }

    /** In how many scopes of this kind connections found dead are held back. */
    public int openGroups(Kind kind) {
        return failureGroups.open(kind);
    }

    /** Suspects now. */
    public long suspects() {
        return suspects.get();
    }

    /** The incident that lasts, as it stands; null if there is none. */
    public synchronized @Nullable Incident current() {
        return open ? report(false, nanoClock.getAsLong()) : null;
    }
}
