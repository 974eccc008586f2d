package io.heartwheel.presence;

import io.heartwheel.event.EventSink;
import io.heartwheel.event.Snapshot;
import io.heartwheel.event.Snapshot.Cause;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionRegistry;
import java.util.Iterator;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots of all connected devices, as events and at a pace: one at a time, and those that are asked for meanwhile are one, the next.
 *
 * <p>Why a consumer knows all when it has seen {@code begun}, one {@code present} of each device and {@code ended}:
 * <ul>
 *   <li>A device that stays is in the registry all the while, so it is found. Its {@code present} is made and published on its own loop, like all its other
 *       events, so it stands among them where it is true: behind its {@code connected} and before its end.
 *   <li>A device that comes after {@code begun} has its {@code connected} behind it; one that goes has its end there. One that is taken over has both, of
 *       different epochs, and is perhaps found in neither session.
 *   <li>{@code ended} is published when the last loop has published its part.
 * </ul>
 *
 * If the sink loses events while one is made ({@link #eventsLost}), it is not ended but begun anew, at half the rate and after a pause that doubles, up to a
 * minute; one that comes to its end sets both back. A gap that an outlet finds in what was written earlier leaves one that runs as it is: the next, at most one a
 * minute, comes out of that outlet behind the gap.
 *
 * <p>{@link #step} on one thread, all else on any. Guarded by this: what is wanted, and which one runs.
 */
public final class Snapshots implements Step {
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long GAP_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_DOUBLINGS = 6;
    private static final long OUTLET_GAP_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int LEAST_RATE = 100;
    /** Tasks on the loops that have not run yet, at most. */
    private static final int MOST_PENDING = 1_000;

    /** One that runs. The thread that steps owns the iterator; the loops count. */
    private record Run(
            long number,
            Cause cause,
            Iterator<Session> devices,
            long expected,
            Pace pace,
            AtomicInteger pending,
            AtomicLong told) {}

    /**
     * Answer to who asks for one.
     *
     * @param snapshot its number
     * @param joined whether it had been asked for already, and has not begun
     */
    public record Asked(long snapshot, boolean joined) {}

    /**
     * Progress of snapshots.
     *
     * @param running number of the one that runs; 0: none
     * @param cause of that; null if none runs
     * @param devices that were connected as it began
     * @param told of those so far
     * @param waiting number of the one that was asked for and has not begun; 0: none
     * @param ended number of the latest that came to its end; 0: none did
     * @param abandoned how many were begun anew, because events were lost
     */
    public record Progress(
            long running, @Nullable Cause cause, long devices, long told, long waiting, long ended, long abandoned) {}

    private final SessionRegistry registry;
    private final EventSink sink;
    private final int rate;
    private final LongSupplier nanoClock;
    private final LongSupplier wallMillis;
    private Runnable asked = () -> {};

    private long last;
    private @Nullable Cause wanted;
    private long notBeforeNanos;
    /** Until then none is made for a gap that an outlet found. */
    private long quietUntilNanos;

    private @Nullable Run run;
    private boolean spoiled;
    private int restarts;
    private long ended;
    private long abandoned;
    private long completed;

    /**
     * @param nanoClock that of {@link #step}
     * @param wallMillis milliseconds since 1970
     */
    public Snapshots(
            SessionRegistry registry,
            EventSink sink,
            PresenceSettings settings,
            LongSupplier nanoClock,
            LongSupplier wallMillis) {
        this.registry = registry;
        this.sink = sink;
        this.rate = settings.rate();
        this.nanoClock = nanoClock;
        this.wallMillis = wallMillis;
        quietUntilNanos = nanoClock.getAsLong();
    }

    /** Called when one is asked for; quick. Replaces the one before. */
    synchronized void onAsked(Runnable listener) {
        asked = listener;
    }

    /**
     * Asks for one: the one that was asked for and has not begun, or else a new one. One that runs goes on.
     *
     * @param cause {@link Cause#GAP}: an outlet found a gap in what was written earlier
     */
    public synchronized Asked ask(Cause cause) {
        long nowNanos = nanoClock.getAsLong();
        if (cause != Cause.GAP) {
            return want(cause, nowNanos);
        }
        long leastNanos = nowNanos + GAP_PAUSE_NANOS;
        return want(cause, quietUntilNanos - leastNanos > 0 ? quietUntilNanos : leastNanos);
    }

    /** The sink has lost events, and has told it: asks for one, and one that runs is void. */
    public synchronized void eventsLost() {
        if (run != null && !spoiled) {
            spoiled = true;
            abandoned++;
            restarts = Math.min(restarts + 1, MOST_DOUBLINGS);
        }
        want(Cause.GAP, nanoClock.getAsLong() + (GAP_PAUSE_NANOS << restarts));
    }

    private Asked want(Cause cause, long dueNanos) {
        boolean joined = wanted != null;
        if (!joined || notBeforeNanos - dueNanos > 0) {
            notBeforeNanos = dueNanos;
        }
        if (!joined || cause == Cause.GAP) {
            wanted = cause;
        }
        asked.run();
        return new Asked(last + 1, joined);
    }

    /** How far they are. */
    public synchronized Progress progress() {
        Run now = spoiled ? null : run;
        return new Progress(
                now == null ? 0 : now.number(),
                now == null ? null : now.cause(),
                now == null ? 0 : now.expected(),
                now == null ? 0 : now.told().get(),
                wanted == null ? 0 : last + 1,
                ended,
                abandoned);
    }

    /** How many came to their end. */
    public synchronized long completed() {
        return completed;
    }

    @Override
    public long step(long nowNanos) {
        Run now;
        synchronized (this) {
            if (spoiled) {
                run = null;
                spoiled = false;
            }
            if (run == null) {
                if (wanted == null) {
                    return IDLE_NANOS;
                }
                if (notBeforeNanos - nowNanos > 0) {
                    return notBeforeNanos - nowNanos;
                }
                begin(wanted, nowNanos);
            }
            now = run;
        }
        return now == null ? IDLE_NANOS : walk(now, nowNanos);
    }

    /** Under the lock: what is told is told in order, and the sink never blocks. */
    private void begin(Cause cause, long nowNanos) {
        wanted = null;
        last++;
        quietUntilNanos = cause == Cause.GAP ? nowNanos + OUTLET_GAP_NANOS : quietUntilNanos;
        long devices = registry.size();
        sink.publish(new Snapshot(wallMillis.getAsLong(), last, false, cause, devices));
        Pace pace = new Pace(Math.max(Math.min(rate, LEAST_RATE), rate >> restarts), nowNanos);
        run = new Run(last, cause, registry.round(), devices, pace, new AtomicInteger(), new AtomicLong());
    }

    private long walk(Run now, long nowNanos) {
        int may = Math.min(
                now.pace().mayNow(nowNanos), MOST_PENDING - now.pending().get());
        int used = 0;
        while (used < may && now.devices().hasNext()) {
            tell(now, now.devices().next());
            used++;
        }
        now.pace().used(used);
        // a loop that had no task left when it was asked has published its part
        if (now.devices().hasNext() || now.pending().get() > 0) {
            return STEP_NANOS;
        }
        return end(now) ? IDLE_NANOS : 1;
    }

    private void tell(Run now, Session session) {
        now.pending().incrementAndGet();
        try {
            session.onLoop(() -> {
                try {
                    if (session.isEstablished()) {
                        sink.publish(session.present(now.number()));
                        now.told().incrementAndGet();
                    }
                } finally {
                    now.pending().decrementAndGet();
                }
            });
        } catch (RejectedExecutionException stopped) {
            // its loop has ended, and its connection with it
            now.pending().decrementAndGet();
        }
    }

    /** Whether there is nothing left to do. */
    private synchronized boolean end(Run now) {
        if (!spoiled) {
            long told = now.told().get();
            sink.publish(new Snapshot(wallMillis.getAsLong(), now.number(), true, now.cause(), told));
            ended = now.number();
            completed++;
            restarts = 0;
            run = null;
        }
        return !spoiled && wanted == null;
    }
}
