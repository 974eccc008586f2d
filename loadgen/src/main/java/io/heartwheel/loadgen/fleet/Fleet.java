package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.client.Sockets;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.measure.OwnHealth;
import io.heartwheel.loadgen.scenario.Target;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * All devices of a run, on their event loops. Called by one thread, the caller's; each question is put to the loops one
 * after the other and answered there, so the loops' state needs no locks.
 */
public final class Fleet implements AutoCloseable {

    private static final long ANSWER_SECONDS = 30;

    private final Plan plan;
    private final NanoClock clock;
    private final Meters meters;
    private final EventLoopGroup group;
    private final List<LoopDriver> drivers = new ArrayList<>();
    private long observingFromNanos;
    private long cpuAtStartNanos;
    private long collectorAtStartNanos;
    private long machineAtStartNanos;

    /**
     * A fleet that has not begun.
     *
     * @param clock any monotonic clock
     * @param meters of this process
     */
    public Fleet(Plan plan, NanoClock clock, Meters meters) {
        this.plan = plan;
        this.meters = meters;
        long beginning = clock.nanos();
        this.clock = () -> clock.nanos() - beginning;
        Sockets sockets = new Sockets();
        this.group = sockets.loops(plan.loops());
        Roster roster = new Roster(plan);
        Dialect[] dialects = plan.targets().stream().map(Target::dialect).toArray(Dialect[]::new);
        for (int i = 0; i < plan.loops(); i++) {
            EventLoop loop = group.next();
            drivers.add(new LoopDriver(loop, i, plan, roster, dialects, sockets, this.clock));
        }
    }

    /** Begins the ramp. */
    public void begin() {
        drivers.forEach(LoopDriver::begin);
    }

    /** Nanoseconds since the run began. */
    public long elapsedNanos() {
        return clock.nanos();
    }

    /** The ramp is over, or was given up: from here on devices fall silent and timing counts. */
    public void observe() {
        onEachLoop(LoopDriver::observe);
        observingFromNanos = clock.nanos();
        cpuAtStartNanos = meters.cpuNanos();
        collectorAtStartNanos = meters.collectorNanos();
        machineAtStartNanos = meters.machineBusyNanos();
    }

    /** Nanoseconds since {@link #observe}. */
    public long observedNanos() {
        return clock.nanos() - observingFromNanos;
    }

    /** How it stands; costs each loop some 100 us. */
    public Progress progress() {
        Tally sum = new Tally(plan.contract(), clock);
        Latencies recent = Latencies.coarse();
        long[] silent = new long[1];
        onEachLoop(driver -> {
            driver.tally().addTo(sum);
            recent.add(driver.tally().recent);
            driver.tally().recent.reset();
            silent[0] += driver.silentNow();
        });
        return new Progress(
                clock.nanos(),
                plan.clients(),
                sum.opened,
                sum.refused,
                sum.beatsSent,
                sum.beatsAnswered,
                silent[0],
                sum.detected + sum.wrongCodes,
                sum.falseKills,
                sum.violations,
                recent.summary().p99Nanos(),
                sum.pacing.summary().p99Nanos());
    }

    /** The roll call and the verdict; devices stay where they are. */
    public Outcome outcome() {
        long observed = observedNanos();
        Tally sum = new Tally(plan.contract(), clock);
        Muster muster = new Muster();
        onEachLoop(driver -> {
            driver.muster(muster);
            driver.tally().addTo(sum);
        });
        OwnHealth health = new OwnHealth(
                observed,
                meters.cpuNanos() - cpuAtStartNanos,
                meters.collectorNanos() - collectorAtStartNanos,
                meters.machineBusyNanos() - machineAtStartNanos,
                meters.processors(),
                sum.pacing.summary());
        return Outcome.of(plan, sum, muster, health);
    }

    /** Lets all devices say goodbye, paced, and waits a while for their sockets to close. */
    public void dismiss(long patienceNanos) throws InterruptedException {
        onEachLoop(LoopDriver::dismiss);
        long until = clock.nanos() + patienceNanos;
        int[] present = {1};
        while (present[0] > 0 && clock.nanos() < until) {
            TimeUnit.MILLISECONDS.sleep(50);
            present[0] = 0;
            onEachLoop(driver -> present[0] += driver.present());
        }
    }

    private void onEachLoop(Consumer<LoopDriver> question) {
        for (LoopDriver driver : drivers) {
            try {
                driver.loop().submit(() -> question.accept(driver)).get(ANSWER_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            } catch (ExecutionException | TimeoutException e) {
                throw new IllegalStateException("an event loop of the generator did not answer", e);
            }
        }
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(6, TimeUnit.SECONDS);
    }
}
