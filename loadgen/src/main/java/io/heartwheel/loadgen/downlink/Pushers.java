package io.heartwheel.loadgen.downlink;

import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.scenario.Scenario;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** Senders of all that a scenario pushes, each of its downlinks by itself; none where it pushes nothing. For the thread that asks the players. */
public final class Pushers implements AutoCloseable {

    private static final long WATCH_MILLIS = 200;
    private static final long LOOK_MILLIS = 50;
    private static final long SECOND = 1_000_000_000L;
    private static final long MOST_PATIENCE_NANOS = 60 * SECOND;
    private static final Timing[] SLOWNESS = {
        Timing.ROUND_TRIP, Timing.ROUND_TRIP_COLD, Timing.PUSH, Timing.PUSH_TO_ALL, Timing.PUSH_CALL
    };

    private final Scenario scenario;
    private final List<Pusher> all;
    private final NanoClock clock;
    private long slowestNanos;

    /**
     * Pushers that have not begun.
     *
     * @param clock the monotonic one of this process
     * @param clockName names it, so that players of the same machine know it for their own
     */
    public Pushers(Scenario scenario, NanoClock clock, String clockName) {
        this.scenario = scenario;
        this.clock = clock;
        this.all = IntStream.range(0, scenario.downlinks().size())
                .mapToObj(number -> new Pusher(scenario, number, clock, clockName))
                .toList();
    }

    /**
     * Begins; times count from here.
     *
     * @throws IllegalStateException when there is nobody to push to, or nobody to push through
     */
    public void begin(Worker worker) {
        all.forEach(each -> each.begin(worker));
    }

    /**
     * Tells the worker what came of pushes since the last report, after a look at the run.
     *
     * @param seen its timings are those since the look before
     */
    public void report(Worker worker, Ledger seen) {
        for (Timing timing : SLOWNESS) {
            slowestNanos = Math.max(slowestNanos, seen.of(timing).summary().maxNanos());
        }
        report(worker);
    }

    private void report(Worker worker) {
        all.forEach(each -> each.report(worker));
    }

    /**
     * Waits for what is still under way: first for the answers, as long as the run was at most, then for as long as an accepted message may take; while
     * some have not come longer, twice as long as anything took in this run, so that on a machine that stands still for
     * seconds one that is only late is not taken for lost.
     *
     * @param snapshot takes a look at the run and answers what was counted so far
     * @param stop whether not to wait any longer
     */
    public void settle(Worker worker, Supplier<Ledger> snapshot, BooleanSupplier stop) throws InterruptedException {
        if (all.isEmpty()) {
            return;
        }
        long most = clock.nanos() + scenario.durationNanos();
        long known = -1;
        long giveUp = clock.nanos();
        while (!all.stream().allMatch(Pusher::isAnswered)
                && (clock.nanos() - giveUp < 0 || answered() > known)
                && clock.nanos() - most < 0
                && !stop.getAsBoolean()) {
            if (answered() > known) {
                // As long as answers come, those behind them are called.
                known = answered();
                giveUp = clock.nanos() + most(Downlink::timeoutNanos) + SECOND;
            }
            watch(worker, snapshot);
        }
        report(worker);
        long by = clock.nanos() + scenario.contract().answerWithinNanos();
        while (clock.nanos() - by < 0 && !stop.getAsBoolean()) {
            watch(worker, snapshot);
        }
        long last = clock.nanos()
                + Math.max(
                        Math.max(scenario.contract().missedAfterNanos(), most(Downlink::withinNanos)),
                        Math.min(MOST_PATIENCE_NANOS, 2 * slowestNanos));
        while (!allCame(snapshot.get()) && clock.nanos() - last < 0 && !stop.getAsBoolean()) {
            watch(worker, snapshot);
        }
        if (stop.getAsBoolean()) {
            return;
        }
        // Two more: between them each loop has read what lies in its sockets.
        report(worker);
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        report(worker);
    }

    private void watch(Worker worker, Supplier<Ledger> snapshot) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(WATCH_MILLIS);
        report(worker, snapshot.get());
    }

    private long answered() {
        return all.stream().mapToLong(Pusher::answered).sum();
    }

    private long most(ToLongFunction<Downlink> figure) {
        return scenario.downlinks().stream().mapToLong(figure).max().orElse(0);
    }

    private boolean allCame(Ledger seen) {
        long gone = seen.of(Count.PUSHES_EXCUSED) + seen.of(Count.PUSHES_TO_NOBODY);
        return seen.of(Count.PUSHES_DELIVERED) + gone
                >= all.stream().mapToLong(Pusher::promised).sum();
    }

    @Override
    public void close() {
        all.forEach(Pusher::close);
    }
}
