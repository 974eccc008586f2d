package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Behaviour;
import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.DeviceDefaults;
import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.client.LoopContext;
import io.heartwheel.loadgen.client.PacingLoop;
import io.heartwheel.loadgen.client.Sockets;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.LoopStalls;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.pace.Ramp;
import io.heartwheel.loadgen.pace.SlotRing;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.Step;
import io.heartwheel.loadgen.scenario.Target;
import io.heartwheel.loadgen.scenario.Uplink;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The one pacing loop of an event loop: starts its share of the devices, has them act when their slot comes, and at the
 * end dismisses them. It asks {@code pace} what is due by now and does that, so a stall is made up for and shows as lag
 * instead of being forgotten.
 *
 * <p>Of its fleet's devices the loop has every {@code loops}-th. All state is owned by the event loop.
 */
final class LoopDriver implements PacingLoop<Device> {

    /** Handshakes under way at once: a gateway that is slow to welcome slows the ramp instead of drowning. */
    private static final int MOST_WAITING = 256;

    /** While devices connect the loop turns this often at the least: in longer steps they would come in crowds, and no more than may wait. */
    private static final long RAMP_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A pacing loop that comes so much later than planned was asleep: what it did not see meanwhile may have happened. */
    private static final long ASLEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int LEAST_SLOTS = 1_024;
    private static final int MOST_SLOTS = 65_536;

    private final EventLoop loop;
    private final int number;
    private final int loops;
    private final Scenario scenario;
    private final Slice slice;
    private final DeviceAssignment deviceAssignment;
    private final Fleet fleet;
    private final Dialect[] dialects;
    private final Behaviour[] behaviours;
    private final NanoClock clock;
    private final LoopStalls stalls;
    private final Recorder recorder;
    private final LoopContext<Device> loopContext;
    private final Ramp ramp;
    private final SlotRing ring;
    private final LoopDevices own;
    private final @Nullable Device[] devices;
    private final GatewayOutages outages;
    private final PushTrackers pushes;
    private final @Nullable UplinkTracker uplink;
    private final long rampStepNanos;
    private final Runnable step = this::step;
    private final SlotRing.Server server = this::serve;

    private int started;
    /** The ramp counts from here: what it took to get this far is nobody's lag. */
    private long rampFromNanos;

    /** Whom the timeline has told to fall silent. */
    private final BitSet silenced = new BitSet();

    private long begun;
    private long steppedNanos;
    private long awakeSinceNanos;
    private int dismissed = -1;

    /** Number {@code number} of {@code loops} in a fleet, whose sockets, sources and stalls they share. */
    LoopDriver(Fleet fleet, EventLoop loop, int number, int loops) {
        this.fleet = fleet;
        this.loop = loop;
        this.number = number;
        this.loops = loops;
        this.scenario = fleet.scenario;
        this.slice = fleet.slice;
        this.deviceAssignment = fleet.deviceAssignment;
        this.clock = fleet.clock;
        this.dialects = scenario.targets().stream().map(Target::dialect).toArray(Dialect[]::new);
        this.behaviours = deviceAssignment.behaviours();
        this.stalls = new LoopStalls(scenario.deviceDefaults().stepNanos(), fleet.stalls);
        this.recorder = new Recorder(scenario.contract(), clock, stalls);
        DeviceDefaults defaults =
                scenario.deviceDefaults().sharing(index -> behaviour(index).sharedId());
        this.loopContext = recorder.context(
                scenario,
                defaults,
                this,
                slice.first() + number,
                index -> dialects[deviceAssignment.kind(index, 0)].wireId(index, defaults));
        loopContext.dataToldBy(Sockets::lastDataNanos);
        if (fleet.credentials != null && scenario.auth() != null) {
            loopContext.credentials(fleet.credentials, recorder.judgeCredentials(scenario.auth()));
        }
        this.ramp = scenario.ramp().part(slice.count());
        long stepNanos = scenario.deviceDefaults().stepNanos();
        this.rampStepNanos = Math.min(RAMP_STEP_NANOS, stepNanos);
        long slots = Math.min(MOST_SLOTS, Math.max(LEAST_SLOTS, scenario.periodNanos() / stepNanos + 1));
        this.own = new LoopDevices(slice, number, loops);
        this.devices = own.all;
        this.ring = new SlotRing(devices.length, stepNanos, Integer.highestOneBit((int) slots - 1) << 1);
        Uplink compared = scenario.uplink();
        UplinkTracker tracker = compared == null ? null : new UplinkTracker(compared, recorder, own);
        this.uplink = tracker;
        if (tracker != null) {
            loopContext.uplinkTo(tracker);
        }
        this.outages = new GatewayOutages(scenario.gateways(), tracker == null ? local -> "" : tracker::holder);
        this.pushes = new PushTrackers(scenario.downlinks().stream()
                .map(each -> new PushTracker(each, scenario, recorder, deviceAssignment.recipients(each), own, outages))
                .toList());
        loopContext.pushesTo(pushes);
    }

    EventLoop loop() {
        return loop;
    }

    Recorder recorder() {
        return recorder;
    }

    void begin() {
        loop.execute(() -> {
            rampFromNanos = clock.nanos();
            fileOwnBeginnings(false);
            step();
        });
    }

    /** Devices that do not wait for their place in the ramp have an appointment instead. */
    private void fileOwnBeginnings(boolean crowds) {
        long nowNanos = clock.nanos();
        for (int local = 0; local < devices.length; local++) {
            Behaviour behaviour = behaviour(own.index(local));
            if (behaviour.beginsNanos() >= 0 && behaviour.isCrowd() == crowds) {
                ring.file(local, loopContext.roundUp(nowNanos + behaviour.beginsNanos()));
            }
            // the ramp does not wait for it
            recorder.ledger().count(Count.ARRIVED, behaviour.beginsNanos() >= 0 && !crowds ? 1 : 0);
        }
    }

    private Behaviour behaviour(int index) {
        return behaviours[deviceAssignment.group(index)].of(deviceAssignment.number(index));
    }

    // ---- what devices ask for

    @Override
    public void due(Device device, long dueNanos) {
        ring.file(own.local(device), dueNanos);
    }

    @Override
    public void connect(Device device, long intendedNanos) {
        if (dismissed >= 0) {
            return;
        }
        int kind = deviceAssignment.kind(device.index(), device.hop());
        Target target = scenario.targets().get(kind);
        begun++;
        device.connect(dialects[kind], intendedNanos);
        recorder.called(device.calledNanos() - intendedNanos);
        InetSocketAddress source = fleet.sources.of(device.index(), device.hop());
        fleet.sockets.connect(loop, device, target.address(), source, fleet.fronts[kind]);
    }

    // ---- the pacing loop

    private void step() {
        long now = clock.nanos();
        awakeSinceNanos = awakeSinceNanos(now);
        steppedNanos = now;
        recorder.stoodStill(stalls.tick(now));
        if (dismissed < 0) {
            ring.turn(now, server);
            startDue(now);
        } else {
            dismissSome();
        }
        if (dismissed < devices.length) {
            boolean ramping = dismissed < 0 && started < devices.length;
            loop.schedule(step, pauseNanos(ring.untilNextNanos(clock.nanos()), ramping), TimeUnit.NANOSECONDS);
        }
    }

    /** How long the loop rests: until the next slot, and while devices connect no longer than {@link #RAMP_STEP_NANOS}. */
    static long pauseNanos(long untilSlotNanos, boolean ramping) {
        return ramping ? Math.min(RAMP_STEP_NANOS, untilSlotNanos) : untilSlotNanos;
    }

    private long awakeSinceNanos(long nowNanos) {
        return nowNanos - steppedNanos > scenario.deviceDefaults().stepNanos() + ASLEEP_NANOS
                ? nowNanos
                : awakeSinceNanos;
    }

    private long serve(int local, long dueNanos) {
        Device device = devices[local];
        if (device == null) {
            start(local, behaviour(own.index(local)), dueNanos);
            return SlotRing.DONE;
        }
        return loopContext.resting() ? SlotRing.DONE : device.act(dueNanos);
    }

    private void start(int local, Behaviour behaviour, long intendedNanos) {
        Device device = new Device(loopContext, dialects[0], behaviour, own.index(local));
        devices[local] = device;
        if (silenced.get(own.index(local))) {
            device.fallSilent();
        }
        if (behaviour.beginsNanos() >= 0) {
            // It was counted when its appointment was made.
            device.arrives();
        }
        recorder.ledger().count(Count.STARTED);
        connect(device, intendedNanos);
    }

    private void startDue(long nowNanos) {
        if (started == devices.length) {
            return;
        }
        int due = ramp.dueBy(nowNanos - rampFromNanos);
        // At most twice the pace: a ramp that fell behind must not delay the heartbeats of those already there.
        for (int budget = worth(ramp.rateAt(nowNanos - rampFromNanos), rampStepNanos);
                budget > 0 && started < devices.length;
                budget--) {
            int order = started * loops + number;
            if (order >= due || full()) {
                return;
            }
            Behaviour behaviour = behaviour(own.index(started));
            if (behaviour.beginsNanos() < 0) {
                start(started, behaviour, rampFromNanos + ramp.dueNanos(order));
            }
            started++;
        }
    }

    private boolean full() {
        return begun - recorder.settled() >= MOST_WAITING;
    }

    /** The ramp is over: what comes now is judged. */
    void observe() {
        long nowNanos = clock.nanos();
        loopContext.observeFrom(nowNanos);
        loopContext.observeUntil(nowNanos + scenario.durationNanos());
        long crowd = Stream.of(behaviours)
                .filter(Behaviour::isCrowd)
                .mapToLong(each -> nowNanos + each.beginsNanos())
                .min()
                .orElse(Long.MAX_VALUE);
        recorder.observe(nowNanos + scenario.warmUpNanos(), crowd);
        if (crowd < Long.MAX_VALUE) {
            fileOwnBeginnings(true);
        }
    }

    /** Observation is over: devices send no new messages, or nothing at all. */
    void quieten(boolean wholly) {
        loopContext.hush();
        if (wholly) {
            loopContext.rest();
        }
    }

    /** A step of the timeline. */
    void act(Step what, BitSet chosen) {
        switch (what.action()) {
            case SILENCE -> {
                silenced.or(chosen);
                each(chosen, Device::fallSilent);
            }
            case VANISH -> each(chosen, Device::vanish);
            case CUT -> {
                each(chosen, Device::cut);
                loop.schedule(() -> each(chosen, Device::heal), what.forNanos(), TimeUnit.NANOSECONDS);
            }
            default -> {
                long until = clock.nanos() + what.forNanos() + what.excuseNanos();
                outages.add(what, clock.nanos());
                if (what.outage()) {
                    loopContext.outageUntil(until);
                } else {
                    loopContext.hinderedUntil(until);
                }
                if (what.ordersGoaway()) {
                    loopContext.orderGoaway();
                }
            }
        }
    }

    private void each(BitSet chosen, Consumer<Device> what) {
        each(device -> chosen.get(device.index()), what);
    }

    private void each(Predicate<Device> which, Consumer<Device> what) {
        for (Device device : devices) {
            if (device != null && which.test(device)) {
                what.accept(device);
            }
        }
    }

    /** What came of pushes; {@code shift} leads from the clock of the one who pushes to the run's. */
    void pushed(PushReport report, long shift) {
        pushes.report(report, shift);
    }

    /** What came out of the gateway. */
    void cameOut(UplinkReport report) {
        if (uplink != null) {
            uplink.report(report);
            if (report.last()) {
                loopContext.hush();
            }
        }
    }

    /** Lets the devices go, at the pace they came. */
    void dismiss() {
        if (dismissed < 0) {
            dismissed = 0;
        }
    }

    private void dismissSome() {
        int most = worth(ramp.rateAt(Long.MAX_VALUE), scenario.deviceDefaults().stepNanos());
        for (int budget = most; budget > 0 && dismissed < devices.length; budget--) {
            Device device = devices[dismissed++];
            if (device != null) {
                device.leave();
            }
        }
    }

    /** Twice what this loop does in a step at this rate of all loops of this fleet, at least 2. */
    private int worth(double perSecond, long stepNanos) {
        return (int) Math.max(2, 2 * perSecond / loops * stepNanos / 1e9);
    }

    /** Devices whose socket is not closed yet. */
    int present() {
        int[] present = {0};
        each(device -> !device.isGone(), device -> present[0]++);
        return present[0];
    }

    /** Runs the final check and adds all that was recorded to the sum. */
    void finalCheck() {
        quieten(true);
        pushes.finish();
        if (uplink != null) {
            uplink.finish();
        }
        long now = clock.nanos();
        FinalCheck check = new FinalCheck(now, awakeSinceNanos(now), scenario.contract(), recorder);
        each(device -> true, check::inspect);
        int due = ramp.dueBy(now - rampFromNanos);
        for (int local = started; full() && local < devices.length && local * loops + number < due; local++) {
            recorder.ledger().count(Count.HELD_BACK, behaviour(own.index(local)).beginsNanos() < 0 ? 1 : 0);
        }
    }
}
