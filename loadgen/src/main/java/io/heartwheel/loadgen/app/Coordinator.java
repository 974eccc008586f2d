package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.downlink.Pushers;
import io.heartwheel.loadgen.fleet.DeviceAssignment;
import io.heartwheel.loadgen.fleet.RunReading;
import io.heartwheel.loadgen.fleet.Settling;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.judge.Conclusion;
import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.MachineTime;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.report.Snapshot;
import io.heartwheel.loadgen.scenario.Durations;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.Step;
import io.heartwheel.loadgen.uplink.EventIntake;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Coordinator of one run, from the ramp to the result. One thread, and a helper for what takes its time: gateways that are started again,
 * memory that is measured. A run always comes to a result: when workers are lost, a step of the timeline cannot be run
 * or the process is told to end, it ends there, and the result says what is missing.
 *
 * <pre>
 *   begin --ramp--&gt; observe --timeline: act, act ...--&gt; finish --&gt; result
 *            look       look       look       look                       (each a Sample, shown)
 * </pre>
 */
final class Coordinator {

    private static final long RAMP_SNAPSHOT_MILLIS = 200;
    /** A ramp in which devices wait and nothing happens for so long is over. */
    private static final long STANDSTILL_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final double SECOND = 1e9;
    /** What is compiled and loaded before is no cost of a heartbeat; a third of the time at most. */
    private static final long STEPS_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long GOODBYE_NANOS = TimeUnit.SECONDS.toNanos(8);

    private final Scenario scenario;
    private final Worker worker;
    private final Environment environment;
    private final Consumer<Snapshot> shown;
    private final EarlyEnd early;
    private final long periodNanos;
    private final Meters meters = Meters.ofThisProcess();
    private final List<Sample> series = new ArrayList<>();
    private final List<Result.Mark> marks = new ArrayList<>();
    private final List<Result.Mark> outages = new ArrayList<>();
    private final List<Future<?>> pendingSteps = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();
    private boolean lost;

    private final long beganNanos = System.nanoTime();
    private final Sampler sampler = new Sampler(meters.machineTime().busyNanos());

    private double rampSeconds;
    private long observedFromNanos;
    private MachineTime machine = MachineTime.UNKNOWN;
    private @Nullable Costs costs;
    private @Nullable Costs warm;

    /**
     * A run that begins now.
     *
     * @param shown told of each snapshot
     * @param periodNanos between two snapshots
     * @param early asked whether the run is to end
     */
    Coordinator(
            Scenario scenario,
            Worker worker,
            Environment environment,
            Consumer<Snapshot> shown,
            long periodNanos,
            EarlyEnd early) {
        this.scenario = scenario;
        this.worker = worker;
        this.environment = environment;
        this.shown = shown;
        this.periodNanos = periodNanos;
        this.early = early;
    }

    /** Runs it. */
    Result run(String version) throws InterruptedException {
        String startedAt = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        ExecutorService helper = Executors.newSingleThreadExecutor(new DefaultThreadFactory("steps", true));
        try (Pushers pushers = new Pushers(scenario, System::nanoTime, meters.clockName())) {
            rampAndObserve(helper, pushers);
            if (!cutShort()) {
                awaitSteps();
            }
        } catch (IllegalStateException e) {
            missing.add(String.valueOf(e.getMessage()));
        } finally {
            helper.shutdownNow();
        }
        WorkerResult seen = finish();
        DeviceAssignment assignment = new DeviceAssignment(scenario);
        return new Conclusion(
                        scenario,
                        assignment.clientsByTarget(),
                        assignment.clientsByBehaviour(),
                        seen,
                        machine,
                        meters.processors())
                .result(version, startedAt, rampSeconds, series, marks, outages, costs);
    }

    private void rampAndObserve(ExecutorService helper, Pushers pushers) throws InterruptedException {
        worker.begin();
        rampUp();
        rampSeconds = elapsedNanos() / SECOND;
        if (cutShort()) {
            return;
        }
        environment.observe(worker);
        observedFromNanos = System.nanoTime();
        MachineTime atObserve = meters.machineTime();
        Costs before = costs();
        if (anybodyIsThere()) {
            observe(helper, pushers);
        }
        machine = meters.machineTime().since(atObserve);
        if (!cutShort()) {
            costs = between(before, warm == null ? before : warm, costs());
            snapshot("verdict", "");
        }
    }

    /** What all saw, or those that are left. */
    private WorkerResult finish() {
        if (early.wanted()) {
            missing.add("the run was told to end "
                    + (observedFromNanos == 0
                            ? "during the ramp"
                            : "after " + Durations.text(Math.min(observedNanos(), scenario.durationNanos())) + " of "
                                    + Durations.text(scenario.durationNanos())));
        }
        try {
            return worker.finish().lacking(missing);
        } catch (IllegalStateException | IllegalArgumentException e) {
            missing.add(String.valueOf(e.getMessage()));
            return WorkerResult.NOTHING.lacking(missing);
        }
    }

    /** Whether the run ends here: it was told to, or a worker was lost. */
    private boolean cutShort() {
        return lost || early.wanted();
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
        while (arrived < scenario.clients() && elapsedNanos() < patience && !cutShort()) {
            // near the end sooner, so that the run does not wait for its own snapshot
            early.sleep(Math.max(
                    periodNanos / 4, Math.min(TimeUnit.MILLISECONDS.toNanos(RAMP_SNAPSHOT_MILLIS), periodNanos)));
            if (elapsedNanos() >= lookAt || arrived > scenario.clients() * 0.98) {
                lookAt = elapsedNanos() + periodNanos;
                Ledger total = snapshot("connecting", "");
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

    private void observe(ExecutorService helper, Pushers pushers) throws InterruptedException {
        List<Step> timeline = scenario.timeline();
        long end = scenario.durationNanos();
        long nextLook = observedNanos() + periodNanos;
        int step = 0;
        pushers.begin(worker);
        while (observedNanos() < end && !cutShort()) {
            long nextStep = step < timeline.size() && !isHeldUp(timeline.get(step))
                    ? timeline.get(step).atNanos()
                    : end;
            early.sleep(Math.min(end, Math.min(nextLook, nextStep)) - observedNanos());
            while (step < timeline.size()
                    && !cutShort()
                    && observedNanos() >= timeline.get(step).atNanos()
                    && !isHeldUp(timeline.get(step))) {
                act(step++, helper);
            }
            if (observedNanos() >= nextLook && !cutShort()) {
                nextLook = observedNanos() + periodNanos;
                Ledger seen = snapshot("observing", next(step));
                if (warm == null && observedNanos() >= scenario.coldUntilNanos()) {
                    warm = costs();
                }
                pushers.report(worker, seen);
            }
        }
        if (!cutShort() && step < timeline.size() && timeline.get(step).atNanos() < end) {
            missing.add("timeline: " + timeline.get(step).text() + " was not begun: the step before was not over");
        }
        pushers.settle(worker, () -> snapshot("waiting for pushes", ""), this::cutShort);
        EventIntake intake = environment.intake();
        if (intake != null && !cutShort()) {
            awaitSteps();
            intake.settle(worker, () -> snapshot("waiting for events", ""), this::cutShort);
        }
        if (!cutShort()) {
            Settling.settle(
                    worker, scenario, System::nanoTime, () -> snapshot("waiting for answers", ""), this::cutShort);
        }
    }

    /** What is done to processes is done one after the other, and counts from when it begins. */
    private boolean isHeldUp(Step step) {
        return !step.action().ofDevices() && !pendingSteps.stream().allMatch(Future::isDone);
    }

    private long observedNanos() {
        return System.nanoTime() - observedFromNanos;
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
        boolean outage = what.outage() || what.action() == Step.Action.CUT;
        if (outage) {
            snapshot("observing", what.text());
        }
        Result.Mark mark = new Result.Mark(elapsedNanos() / SECOND, what.text());
        marks.add(mark);
        if (outage) {
            outages.add(mark);
        }
        worker.act(step);
        if (!what.action().ofDevices()) {
            pendingSteps.add(helper.submit(() -> {
                environment.act(what);
                return null;
            }));
        }
    }

    /** Waits for the steps under way: a timeline that could not be run makes the run incomplete. */
    private void awaitSteps() throws InterruptedException {
        long until = System.nanoTime() + STEPS_NANOS;
        for (Future<?> pending : pendingSteps) {
            while (!pending.isDone() && System.nanoTime() - until < 0 && !early.wanted()) {
                early.sleep(TimeUnit.MILLISECONDS.toNanos(RAMP_SNAPSHOT_MILLIS));
            }
            if (!pending.isDone()) {
                missing.add("timeline: a step was not done a minute after the end");
                return;
            }
            try {
                pending.get();
            } catch (ExecutionException e) {
                missing.add("timeline: " + String.valueOf(e.getCause()));
            }
        }
    }

    private Ledger snapshot(String phase, String next) {
        EventIntake intake = environment.intake();
        if (intake != null) {
            intake.report(worker);
        }
        RunReading reading = worker.snapshot();
        if (!reading.lost().isEmpty()) {
            lost = true;
            return sampler.total();
        }
        Sample sample =
                sampler.sample(reading, elapsedNanos(), meters.machineTime().busyNanos());
        series.add(sample);
        shown.accept(new Snapshot(phase, scenario.clients(), sample, sampler.total(), next));
        return sampler.total();
    }

    /** At the end: lets the devices say goodbye, at the pace they came, and waits a while for that. */
    static void sayGoodbye(Worker worker, Scenario scenario) throws InterruptedException {
        try {
            worker.dismiss();
            long until = System.nanoTime() + GOODBYE_NANOS + scenario.ramp().lengthNanos();
            while (worker.present() > 0 && System.nanoTime() - until < 0) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
        } catch (IllegalStateException e) {
            // The verdict is told; who cannot be asked to leave is dropped with the worker.
        }
    }

    private Costs costs() {
        Ledger total = sampler.total();
        return environment.costs(total.of(Count.OPENED) - total.of(Count.ENDED), total.of(Count.BEATS_SENT));
    }

    /** Memory as it was when observation began and all were there; CPU of the time after the warm-up. */
    private static Costs between(Costs from, Costs warm, Costs to) {
        return new Costs(
                from.connections(),
                from.generatorProcesses(),
                from.generatorBytes(),
                to.generatorCpuNanos() - warm.generatorCpuNanos(),
                from.gatewayProcesses(),
                from.gatewayBytes(),
                to.gatewayCpuNanos() - warm.gatewayCpuNanos(),
                from.kernelBytes(),
                to.beats() - warm.beats());
    }
}
