package io.heartwheel.loadgen.uplink;

import io.heartwheel.loadgen.fleet.UplinkEvent;
import io.heartwheel.loadgen.fleet.UplinkReport;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.scenario.Uplink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Intake of all that came out of the gateway: takes each event id once, and tells the workers. Receivers call {@link #take} and
 * {@link #count} on any thread; {@link #report} and {@link #settle} are for the thread that asks the workers.
 *
 * <p>Bounded: beyond {@value #MOST_QUEUED} events that no worker was told of it takes no more, and of event ids it knows the
 * latest {@value #REMEMBERED} at least. One that comes again after that counts as a message that came out twice.
 */
public final class EventIntake {

    static final int MOST_QUEUED = 500_000;
    static final int REMEMBERED = 1 << 18;
    private static final int MOST_IN_A_REPORT = 5_000;
    private static final long WATCH_MILLIS = 200;

    private final Uplink uplink;
    private final NanoClock clock;
    private final ArrayDeque<UplinkEvent> queue = new ArrayDeque<>(); // guarded by this
    private final Map<Count, Long> counts = new HashMap<>(); // guarded by this
    private Set<Long> known = new HashSet<>(); // guarded by this
    private Set<Long> knownBefore = new HashSet<>(); // guarded by this

    /** An empty one. */
    public EventIntake(Uplink uplink, NanoClock clock) {
        this.uplink = uplink;
        this.clock = clock;
    }

    /** Takes a batch; answers false, and takes nothing, when the workers are too far behind. */
    synchronized boolean take(List<EventReader.Read> batch) {
        if (queue.size() + batch.size() > MOST_QUEUED) {
            return false;
        }
        for (EventReader.Read read : batch) {
            if (!isNew(read.key())) {
                count(Count.UPLINK_REPEATED, 1);
                continue;
            }
            count(Count.UPLINK_EVENTS, 1);
            count(Count.UPLINK_GAPS, read.gaps());
            count(Count.UPLINK_OTHERS, read.foreign() ? 1 : 0);
            if (read.event() != null) {
                queue.add(read.event());
            }
        }
        return true;
    }

    private boolean isNew(long key) {
        if (knownBefore.contains(key) || !known.add(key)) {
            return false;
        }
        if (known.size() >= REMEMBERED) {
            knownBefore = known;
            known = new HashSet<>();
        }
        return true;
    }

    /** Counts several. */
    synchronized void count(Count what, long many) {
        if (many > 0) {
            counts.merge(what, many, Long::sum);
        }
    }

    /** Tells the worker what came out since the last report. */
    public void report(Worker worker) {
        report(worker, false, false);
    }

    private void report(Worker worker, boolean last, boolean complete) {
        UplinkReport report;
        do {
            report = next(last, complete);
            worker.cameOut(report);
        } while (report.events().size() == MOST_IN_A_REPORT);
    }

    private synchronized UplinkReport next(boolean last, boolean complete) {
        List<UplinkEvent> some = new ArrayList<>(Math.min(queue.size(), MOST_IN_A_REPORT));
        while (some.size() < MOST_IN_A_REPORT && !queue.isEmpty()) {
            some.add(queue.remove());
        }
        Map<String, Long> counted = new HashMap<>();
        counts.forEach((count, many) -> counted.put(count.label(), many));
        counts.clear();
        return new UplinkReport(some, counted, last, complete);
    }

    /**
     * Ends observation: devices send nothing new, and what was acknowledged has {@code uplink.within} to come out. Then
     * {@code uplink.settle} more, because what is told of presence follows.
     *
     * @param snapshot takes a look at the run and answers what was counted so far
     * @param stop whether not to wait any longer: then nothing that is missing counts as lost
     */
    public void settle(Worker worker, Supplier<Ledger> snapshot, BooleanSupplier stop) throws InterruptedException {
        long giveUp = clock.nanos() + uplink.withinNanos();
        long quietSince = clock.nanos();
        report(worker, true, false);
        while (!stop.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(WATCH_MILLIS);
            report(worker, true, false);
            Ledger seen = snapshot.get();
            long now = clock.nanos();
            if (seen.of(Count.UPLINK_CAME) < seen.of(Count.DATA_ACCEPTED)) {
                quietSince = now;
            }
            if (now - quietSince >= uplink.settleNanos() || now - giveUp >= 0) {
                report(worker, true, true);
                return;
            }
        }
    }
}
