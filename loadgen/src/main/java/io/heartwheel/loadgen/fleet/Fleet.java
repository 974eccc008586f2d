package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Sockets;
import io.heartwheel.loadgen.client.TlsFront;
import io.heartwheel.loadgen.credential.DeviceCredentials;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.measure.ProcessStalls;
import io.heartwheel.loadgen.measure.Usage;
import io.heartwheel.loadgen.scenario.Auth;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.Step;
import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Devices on event loops of this process. Called by one thread, the caller's; each question is put to the loops one after
 * the other and answered there, so the loops' state needs no locks.
 */
public final class Fleet implements Worker {

    private static final long ANSWER_SECONDS = 30;
    /** Two quartz clocks part by less than a second in so many. */
    private static final long MOST_DRIFT = 10_000;

    // ---- shared with the loops
    final Scenario scenario;
    final Slice slice;
    final DeviceAssignment deviceAssignment;
    final SourceList sources;
    final NanoClock clock;
    final Sockets sockets = new Sockets();
    final ProcessStalls stalls;
    final @Nullable TlsFront[] fronts;
    /** What devices show; null: the token of their defaults. */
    final @Nullable DeviceCredentials credentials;

    // ---- the caller's
    private final Meters meters;
    private final EventLoopGroup group;
    private final List<LoopDriver> drivers = new ArrayList<>();
    private final long beginningNanos;
    private long shiftNanos = Long.MAX_VALUE;
    private long shiftedNanos;
    private Usage atObserve;

    /**
     * A fleet that has not begun.
     *
     * @param slice the part of the devices that it runs
     * @param loops event loops
     * @param clock any monotonic clock
     * @param meters of this process
     */
    public Fleet(Scenario scenario, Slice slice, SourceList sources, int loops, NanoClock clock, Meters meters) {
        this.scenario = scenario;
        this.slice = slice;
        this.sources = sources;
        this.deviceAssignment = new DeviceAssignment(scenario);
        this.stalls = new ProcessStalls(scenario.deviceDefaults().stepNanos());
        this.meters = meters;
        long beginning = clock.nanos();
        this.beginningNanos = beginning;
        this.clock = clock.from(beginning);
        this.atObserve = usage();
        Auth auth = scenario.auth();
        this.credentials = auth == null ? null : new DeviceCredentials(scenario, auth, this.clock::wallMillis);
        this.fronts = scenario.targets().stream()
                .map(target -> target.tls() == null ? null : target.tls().front(credentials))
                .toArray(TlsFront[]::new);
        int most = Math.min(loops, slice.count());
        this.group = sockets.loops("devices", most);
        for (int i = 0; i < most; i++) {
            drivers.add(new LoopDriver(this, group.next(), i, most));
        }
        if (credentials != null) {
            credentials.prepare(slice.first(), slice.count(), this.clock.nanos());
        }
    }

    @Override
    public void begin() {
        stalls.watch(clock, meters);
        drivers.forEach(LoopDriver::begin);
    }

    @Override
    public RunReading snapshot() {
        Ledger sum = new Ledger();
        onEachLoop(driver -> driver.recorder().snapshot(sum));
        return new RunReading(clock.nanos(), sum.page(), usage(), List.of());
    }

    @Override
    public void observe() {
        onEachLoop(LoopDriver::observe);
        atObserve = usage();
    }

    @Override
    public void act(int step) {
        if (step >= scenario.timeline().size()) {
            onEachLoop(driver -> driver.quieten(step > scenario.timeline().size()));
            return;
        }
        Step what = scenario.timeline().get(step);
        BitSet chosen = what.action().ofDevices() ? deviceAssignment.chosen(step) : new BitSet();
        // Not one loop after the other: what happens to many happens to them at once.
        drivers.forEach(driver -> driver.loop().execute(() -> driver.act(what, chosen)));
    }

    @Override
    public void pushed(PushReport report) {
        long shift = shift(report);
        onEachLoop(driver -> driver.pushed(report, shift));
    }

    /**
     * From the clock of the one who pushes to the run's. On the same machine it is known; elsewhere a report is the later
     * the longer it was under way, so that the least ever seen is the nearest, but for what the clocks drift.
     */
    private long shift(PushReport report) {
        if (!report.clockName().isEmpty() && report.clockName().equals(meters.clockName())) {
            return -beginningNanos;
        }
        long now = clock.nanos();
        long drifted = shiftNanos == Long.MAX_VALUE ? shiftNanos : shiftNanos + (now - shiftedNanos) / MOST_DRIFT;
        shiftNanos = Math.min(drifted, now - report.atNanos());
        shiftedNanos = now;
        return shiftNanos;
    }

    @Override
    public void cameOut(UplinkReport report) {
        onEachLoop(driver -> driver.cameOut(report));
    }

    @Override
    public WorkerResult finish() {
        Ledger sum = new Ledger();
        List<GatewayFault> evidence = new ArrayList<>();
        LongSummaryStatistics granted = new LongSummaryStatistics();
        onEachLoop(driver -> {
            driver.finalCheck();
            driver.recorder().addTo(sum);
            evidence.addAll(driver.recorder().evidence());
            granted.combine(driver.recorder().grantedMillis());
        });
        long most = Math.max(0, granted.getMax());
        return new WorkerResult(sum.page(), evidence, granted.getMin(), most, atObserve, usage(), List.of());
    }

    private Usage usage() {
        return meters.usage(clock.nanos());
    }

    @Override
    public void dismiss() {
        onEachLoop(LoopDriver::dismiss);
    }

    @Override
    public long present() {
        long[] present = {0};
        onEachLoop(driver -> present[0] += driver.present());
        return present[0];
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
        stalls.close();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(6, TimeUnit.SECONDS);
        for (TlsFront front : fronts) {
            if (front != null) {
                front.close();
            }
        }
    }
}
