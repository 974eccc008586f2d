package io.heartwheel.history;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Incident;
import io.heartwheel.session.SessionObserver;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes, stalls and incidents as an operator's log has them, however many there are at once.
 *
 * <pre>
 *   DEBUG closes    each close: device, session, reason, and the evidence in words
 *   INFO  closes    while deadlines close connections: how many in the last second, by reason
 *   INFO  closes    while connections are refused: how many in the last second, a line for each reason, with the evidence of one of them in words
 *   WARN  CloseLog  a mass expiry begins; it is over; an event loop stood still for more than a second (one line a second);
 *                   two connections take one device id from each other (one line a second)
 * </pre>
 *
 * The logger of the first two is {@value #CLOSES}, that of the last is this class's.
 *
 * <p>Has no thread: {@link #tell} is to be called once a second. Event loops tell it of closes, which costs an addition or two unless DEBUG is on;
 * whatever is logged is logged on the caller's thread.
 */
public final class CloseLog implements SessionObserver {
    /** Name of the logger of closes. */
    public static final String CLOSES = "io.heartwheel.closes";

    private static final Logger CLOSES_LOG = LoggerFactory.getLogger(CLOSES);
    private static final Logger LOG = LoggerFactory.getLogger(CloseLog.class);

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int SCOPES_TOLD = 8;

    private final LongSupplier nanoClock;
    /** Closes by deadlines since last told, by the ordinal of their reason. */
    private final AtomicLongArray untold = new AtomicLongArray(CloseReason.all().size());

    /** Refusals since last told, by the ordinal of their reason, and the first of them. */
    private final AtomicLongArray refusals =
            new AtomicLongArray(CloseReason.all().size());

    private final AtomicReferenceArray<@Nullable Evidence> refused =
            new AtomicReferenceArray<>(CloseReason.all().size());

    /** Conflicts since last told; null: none. */
    private final AtomicReference<@Nullable Conflicts> conflicts = new AtomicReference<>();

    /** Whether something was counted since last told; set after it was counted, taken back before the counts are read. */
    private volatile boolean toTell;

    // ---- under the lock
    private long toldNanos;
    private long stallToldNanos;
    private long stallsUntold;
    private long worstUntoldNanos;

    private record Conflicts(ConnectionEvent.IdConflict first, long others) {}

    private record Count(CloseReason reason, long closes) {}

    /** @param nanoClock monotonic nanoseconds */
    public CloseLog(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        toldNanos = nanoClock.getAsLong();
        stallToldNanos = toldNanos - SECOND_NANOS;
    }

    // ------------------------------------------------------------------ closes

    @Override
    public void closed(Evidence evidence) {
        CloseReason reason = evidence.reason();
        if (reason != null && reason.isDeadline()) {
            untold.incrementAndGet(reason.ordinal());
            somethingToTell();
        } else if (reason != null && evidence.refused()) {
            refused.compareAndSet(reason.ordinal(), null, evidence);
            refusals.incrementAndGet(reason.ordinal());
            somethingToTell();
        }
        if (CLOSES_LOG.isDebugEnabled()) {
            CLOSES_LOG.debug(
                    "{} session {} {}: {}",
                    who(evidence),
                    evidence.identity().sessionId(),
                    reason == null ? "open" : reason.label(),
                    evidence.text());
        }
    }

    @Override
    public void idConflict(ConnectionEvent.IdConflict begun) {
        conflicts.updateAndGet(now -> now == null ? new Conflicts(begun, 0) : new Conflicts(now.first, now.others + 1));
        somethingToTell();
    }

    private void somethingToTell() {
        if (!toTell) {
            toTell = true;
        }
    }

    private static String who(Evidence evidence) {
        return evidence.established() ? evidence.identity().deviceId() : "nobody at " + evidence.remote();
    }

    /** Tells what is to be told of the time since the last call. Any thread, once a second, and once at the end. */
    public void tell() {
        long nowNanos = nanoClock.getAsLong();
        long tookNanos;
        synchronized (this) {
            tookNanos = nowNanos - toldNanos;
            toldNanos = nowNanos;
        }
        if (toTell) {
            toTell = false;
            tellCloses(tookNanos);
            tellRefusals(tookNanos);
            tellConflicts();
        }
        tellStalls(nowNanos);
    }

    private void tellCloses(long tookNanos) {
        List<Count> counts = CloseReason.all().stream()
                .map(reason -> new Count(reason, untold.getAndSet(reason.ordinal(), 0)))
                .filter(count -> count.closes > 0)
                .sorted(Comparator.comparingLong(Count::closes).reversed())
                .toList();
        long all = counts.stream().mapToLong(Count::closes).sum();
        if (all > 0) {
            CLOSES_LOG.info(
                    "closed {} in the last {}: {}",
                    all == 1 ? "1 connection" : number(all) + " connections",
                    time(tookNanos),
                    counts.stream()
                            .map(count -> count.reason.label() + " " + number(count.closes))
                            .collect(Collectors.joining(", ")));
        }
    }

    private void tellRefusals(long tookNanos) {
        for (CloseReason reason : CloseReason.all()) {
            Evidence one = refused.getAndSet(reason.ordinal(), null);
            if (one != null) {
                // one that is counted while this is told is told a second later
                long all = refusals.getAndSet(reason.ordinal(), 0);
                CLOSES_LOG.info(
                        "refused {} in the last {} as {}, {}from {}: {}",
                        all <= 1 ? "1 connection" : number(all) + " connections",
                        time(tookNanos),
                        reason.label(),
                        all <= 1 ? "" : "one of them ",
                        one.remote(),
                        one.text());
            }
        }
    }

    private void tellConflicts() {
        Conflicts told = conflicts.getAndSet(null);
        if (told != null) {
            long others = told.others;
            LOG.warn(
                    "{}, because both have the device id {}{}; the newer one waits, longer each time",
                    told.first.text(),
                    told.first.identity().deviceId(),
                    others > 0 ? ", and so with " + number(others) + (others == 1 ? " more id" : " more ids") : "");
        }
    }

    private static String time(long nanos) {
        return nanos < 2 * SECOND_NANOS ? "second" : seconds(nanos);
    }

    // ------------------------------------------------------------------ stalls

    @Override
    public void stalled(int loop, long nanos) {
        if (nanos <= SECOND_NANOS) {
            return;
        }
        synchronized (this) {
            long nowNanos = nanoClock.getAsLong();
            if (nowNanos - stallToldNanos < SECOND_NANOS) {
                stallsUntold++;
                worstUntoldNanos = Math.max(worstUntoldNanos, nanos);
                return;
            }
            stallToldNanos = nowNanos;
        }
        LOG.warn("event loop {} stood still for {}; deadlines of its peers are moved by as much", loop, seconds(nanos));
    }

    private void tellStalls(long nowNanos) {
        long stalls;
        long worstNanos;
        synchronized (this) {
            if (stallsUntold == 0 || nowNanos - stallToldNanos < SECOND_NANOS) {
                return;
            }
            stalls = stallsUntold;
            worstNanos = worstUntoldNanos;
            stallsUntold = 0;
            worstUntoldNanos = 0;
            stallToldNanos = nowNanos;
        }
        LOG.warn(
                "event loops stood still {} more, for {} at most",
                stalls == 1 ? "once" : number(stalls) + " times",
                seconds(worstNanos));
    }

    // ------------------------------------------------------------------ incidents

    @Override
    public void incident(Incident incident) {
        if (incident.ended()) {
            LOG.warn(
                    "mass expiry {} is over after {}: {} suspects, of which {} spoke after all, {} were closed and {} left; it stood out in {}",
                    incident.number(),
                    seconds(TimeUnit.MILLISECONDS.toNanos(incident.lastedMillis())),
                    number(incident.suspects()),
                    number(incident.absolved()),
                    number(incident.closed()),
                    number(incident.left()),
                    failureGroups(incident));
        } else {
            LOG.warn(
                    "mass expiry {} begins: {} of {} connections were found dead; each is asked again before any more are closed; it stands out in {}",
                    incident.number(),
                    number(incident.expired()),
                    number(incident.connections()),
                    failureGroups(incident));
        }
    }

    private static String failureGroups(Incident incident) {
        List<String> failureGroups = incident.failureGroups();
        String told = String.join(", ", failureGroups.subList(0, Math.min(SCOPES_TOLD, failureGroups.size())));
        return failureGroups.size() <= SCOPES_TOLD
                ? told
                : told + " and " + (failureGroups.size() - SCOPES_TOLD) + " more";
    }

    private static String number(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }
}
