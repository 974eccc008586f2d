package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.fleet.Conclusion;
import io.heartwheel.loadgen.fleet.Costs;
import io.heartwheel.loadgen.fleet.Part;
import io.heartwheel.loadgen.fleet.Player;
import io.heartwheel.loadgen.fleet.Reading;
import io.heartwheel.loadgen.fleet.Result;
import io.heartwheel.loadgen.fleet.Sample;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.report.Look;
import io.heartwheel.loadgen.scenario.Durations;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.Step;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * One run from the ramp to the result. One thread, and a helper for what takes its time: gateways that are started again,
 * memory that is measured.
 *
 * <pre>
 *   begin --ramp--&gt; observe --timeline: act, act ...--&gt; finish --&gt; result
 *            look       look       look       look                       (each a Sample, shown)
 * </pre>
 */
final class Conductor {

    private static final long RAMP_LOOK_MILLIS = 200;
    /** A ramp in which devices wait and nothing happens for so long is over. */
    private static final long STANDSTILL_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final double SECOND = 1e9;
    private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(8);

    private final Scenario scenario;
    private final Player player;
    private final Stage stage;
    private final Consumer<Look> shown;
    private final long periodNanos;
    private final Meters meters = Meters.ofThisProcess();
    private final List<Sample> series = new ArrayList<>();
    private final List<Result.Mark> marks = new ArrayList<>();
    private final List<Result.Mark> blows = new ArrayList<>();
    private final List<Future<?>> errands = new ArrayList<>();

    private final long beganNanos = System.nanoTime();
    private final Sampler sampler = new Sampler(meters.machineBusyNanos());

    private long observedFromNanos;

    /**
     * A run that begins now.
     *
     * @param shown told of each look
     * @param periodNanos between two looks
     */
    Conductor(Scenario scenario, Player player, Stage stage, Consumer<Look> shown, long periodNanos) {
        this.scenario = scenario;
        this.player = player;
        this.stage = stage;
        this.shown = shown;
        this.periodNanos = periodNanos;
    }

    /**
     * Runs it.
     *
     * @throws IllegalStateException when a player or a step of the timeline failed; then there is no result
     */
    Result run(String version) throws InterruptedException {
        String startedAt = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        ExecutorService helper = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "errands");
            thread.setDaemon(true);
            return thread;
        });
        try {
            player.begin();
            rampUp();
            double rampSeconds = elapsedNanos() / SECOND;
            player.observe();
            observedFromNanos = System.nanoTime();
            long busyAtObserve = meters.machineBusyNanos();
            long stolenAtObserve = meters.machineStolenNanos();
            Costs before = costs();
            if (anybodyIsThere()) {
                observe(helper);
            }
            Costs after = costs();
            long busy = meters.machineBusyNanos() - busyAtObserve;
            long stolen = meters.machineStolenNanos() - stolenAtObserve;
            look("verdict", 1, "");
            Part part = player.finish();
            settleErrands();
            return new Conclusion(scenario, part, busy, stolen, meters.processors())
                    .result(version, startedAt, rampSeconds, series, marks, blows, between(before, after));
        } finally {
            helper.shutdownNow();
        }
    }

    private long elapsedNanos() {
        return System.nanoTime() - beganNanos;
    }

    /** Waits until every device was welcomed or refused, or the patience for that is over, or nothing moves any more. */
    private void rampUp() throws InterruptedException {
        long patience = scenario.rampPatienceNanos();
        long lookAt = 0;
        long arrived = 0;
        long moved = 0;
        long movedAt = 0;
        while (arrived < scenario.clients() && elapsedNanos() < patience) {
            TimeUnit.MILLISECONDS.sleep(Math.min(RAMP_LOOK_MILLIS, TimeUnit.NANOSECONDS.toMillis(periodNanos)));
            if (elapsedNanos() >= lookAt || arrived > scenario.clients() * 0.98) {
                lookAt = elapsedNanos() + periodNanos;
                Ledger total = look("connecting", (double) arrived / scenario.clients(), "observe");
                arrived = total.of(Count.ARRIVED);
                boolean nobodyWaits = total.of(Count.STARTED) <= arrived;
                if (nobodyWaits || arrived + total.of(Count.STARTED) != moved) {
                    moved = arrived + total.of(Count.STARTED);
                    movedAt = elapsedNanos();
                } else if (elapsedNanos() - movedAt > STANDSTILL_NANOS) {
                    return;
                }
            }
        }
    }

    /** Where all were turned away there is nothing to see, and no reason to wait for it. */
    private boolean anybodyIsThere() {
        Ledger total = sampler.total();
        boolean stillToCome = scenario.anyInTheirOwnTime() && total.of(Count.REFUSED) == 0;
        return stillToCome || total.of(Count.OPENED) + total.of(Count.CONDEMNED) > 0;
    }

    private void observe(ExecutorService helper) throws InterruptedException {
        List<Step> timeline = scenario.timeline();
        long end = scenario.durationNanos();
        long nextLook = observedNanos() + periodNanos;
        int step = 0;
        while (observedNanos() < end) {
            long nextStep = step < timeline.size() ? timeline.get(step).atNanos() : end;
            TimeUnit.NANOSECONDS.sleep(Math.min(end, Math.min(nextLook, nextStep)) - observedNanos());
            while (step < timeline.size()
                    && observedNanos() >= timeline.get(step).atNanos()) {
                act(step++, helper);
            }
            if (observedNanos() >= nextLook) {
                nextLook = observedNanos() + periodNanos;
                look("observing", observedShare(), next(step));
            }
        }
    }

    private long observedNanos() {
        return System.nanoTime() - observedFromNanos;
    }

    private double observedShare() {
        return Math.min(1, (double) observedNanos() / scenario.durationNanos());
    }

    private String next(int step) {
        if (step >= scenario.timeline().size()) {
            return "";
        }
        Step coming = scenario.timeline().get(step);
        return coming.text() + " in " + Durations.text(Math.max(0, coming.atNanos() - observedNanos()));
    }

    private void act(int step, ExecutorService helper) {
        Step what = scenario.timeline().get(step);
        boolean blow = what.action().outage() || what.action() == Step.Action.CUT;
        if (blow) {
            look("observing", observedShare(), what.text());
        }
        Result.Mark mark = new Result.Mark(elapsedNanos() / SECOND, what.text());
        marks.add(mark);
        if (blow) {
            blows.add(mark);
        }
        player.act(step);
        if (!what.action().ofDevices()) {
            errands.add(helper.submit(() -> {
                stage.act(what);
                return null;
            }));
        }
    }

    /** What was sent for must have come: a timeline that could not be played is no run. */
    private void settleErrands() throws InterruptedException {
        for (Future<?> errand : errands) {
            try {
                errand.get(1, TimeUnit.MINUTES);
            } catch (ExecutionException e) {
                throw new IllegalStateException("timeline: " + String.valueOf(e.getCause()), e);
            } catch (TimeoutException e) {
                throw new IllegalStateException("timeline: a step was not done a minute after the end", e);
            }
        }
    }

    private Ledger look(String phase, double share, String next) {
        Reading reading = player.look();
        Sample sample = sampler.sample(reading, elapsedNanos(), meters.machineBusyNanos());
        series.add(sample);
        shown.accept(new Look(phase, share, scenario.clients(), sample, sampler.total(), next));
        return sampler.total();
    }

    /** At the end: lets the devices say goodbye, at the pace they came, and waits a while for that. */
    static void farewell(Player player, Scenario scenario) throws InterruptedException {
        player.dismiss();
        long until = System.nanoTime() + FAREWELL_NANOS + scenario.ramp().lengthNanos();
        while (player.present() > 0 && System.nanoTime() - until < 0) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private Costs costs() {
        Ledger total = sampler.total();
        return stage.costs(total.of(Count.OPENED) - total.of(Count.ENDED), total.of(Count.BEATS_SENT));
    }

    /** Memory as it was when observation began and all were there; CPU of the time between. */
    private static Costs between(Costs from, Costs to) {
        return new Costs(
                from.connections(),
                from.generatorProcesses(),
                from.generatorBytes(),
                to.generatorCpuNanos() - from.generatorCpuNanos(),
                from.gatewayProcesses(),
                from.gatewayBytes(),
                to.gatewayCpuNanos() - from.gatewayCpuNanos(),
                from.kernelBytes(),
                to.beats() - from.beats());
    }
}
