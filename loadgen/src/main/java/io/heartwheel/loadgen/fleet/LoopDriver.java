package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.BeatSchedule;
import io.heartwheel.loadgen.client.Crew;
import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.client.Sockets;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.pace.Ramp;
import io.heartwheel.loadgen.pace.SlotRing;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The one pacing loop of an event loop: starts its share of the devices, has them beat when their slot comes, sends DATA,
 * and at the end dismisses them. It asks {@code pace} what is due by now and does that, so a stall is made up for and
 * shows as lag instead of being forgotten.
 *
 * <p>Device number {@code i} belongs to loop {@code i mod loops}. All state is owned by the event loop.
 */
final class LoopDriver implements BeatSchedule {

    private static final int MOST_MESSAGES_A_STEP = 64;
    /** Handshakes under way at once: a gateway that is slow to welcome slows the ramp instead of drowning. */
    private static final int MOST_WAITING = 256;

    private static final int LEAST_SLOTS = 1_024;
    private static final int MOST_SLOTS = 65_536;

    private final EventLoop loop;
    private final int number;
    private final Plan plan;
    private final Roster roster;
    private final Dialect[] dialects;
    private final Sockets sockets;
    private final NanoClock clock;
    private final Tally tally;
    private final Crew crew;
    private final Ramp ramp;
    private final SlotRing ring;
    private final @Nullable Device[] devices;
    private final Runnable step = this::step;
    private final SlotRing.Server server = this::serve;

    private int started;
    private int dataCursor;
    private long dataSent;
    private int dismissed = -1;

    LoopDriver(
            EventLoop loop,
            int number,
            Plan plan,
            Roster roster,
            Dialect[] dialects,
            Sockets sockets,
            NanoClock clock) {
        this.loop = loop;
        this.number = number;
        this.plan = plan;
        this.roster = roster;
        this.dialects = dialects;
        this.sockets = sockets;
        this.clock = clock;
        this.tally = new Tally(plan.contract(), clock);
        this.crew = new Crew(clock, plan.habits(), tally, this, plan.seed() + number);
        this.ramp = plan.ramp();
        int own = (plan.clients() - number + plan.loops() - 1) / plan.loops();
        long stepNanos = plan.habits().stepNanos();
        long slots = Math.min(MOST_SLOTS, Math.max(LEAST_SLOTS, plan.periodNanos() / stepNanos + 1));
        this.ring = new SlotRing(own, stepNanos, Integer.highestOneBit((int) slots - 1) << 1);
        this.devices = new @Nullable Device[own];
    }

    EventLoop loop() {
        return loop;
    }

    Tally tally() {
        return tally;
    }

    void begin() {
        loop.execute(step);
    }

    @Override
    public void start(Device device, long dueNanos) {
        ring.file(device.index() / plan.loops(), dueNanos);
    }

    private void step() {
        long now = clock.nanos();
        if (dismissed < 0) {
            ring.turn(now, server);
            startDue(now);
            if (plan.dataPerSecond() > 0) {
                sendData(now);
            }
        } else {
            dismissSome();
        }
        if (dismissed < devices.length) {
            loop.schedule(step, ring.untilNextNanos(clock.nanos()), TimeUnit.NANOSECONDS);
        }
    }

    private long serve(int local, long dueNanos) {
        Device device = devices[local];
        return device == null ? SlotRing.DONE : device.beat(dueNanos);
    }

    private void startDue(long nowNanos) {
        int due = ramp.dueBy(nowNanos);
        // At most twice the pace: a ramp that fell behind must not delay the heartbeats of those already there.
        for (int budget = stepsWorth(plan.ratePerSecond()); budget > 0 && started < devices.length; budget--) {
            int index = started * plan.loops() + number;
            if (index >= due || started - tally.opened - tally.refused >= MOST_WAITING) {
                return;
            }
            int kind = roster.kind(index);
            Device device = new Device(crew, dialects[kind], index, roster.silentAfterNanos(index));
            devices[started++] = device;
            sockets.connect(
                    loop,
                    device,
                    plan.targets().get(kind).address(),
                    roster.source(index, plan.targets().get(kind)));
        }
    }

    private void sendData(long nowNanos) {
        long due = (long) (nowNanos / 1e9 * plan.dataPerSecond() / plan.loops());
        for (int budget = MOST_MESSAGES_A_STEP; budget > 0 && dataSent < due && started > 0; budget--) {
            Device device = devices[dataCursor++ % started];
            dataSent++;
            if (device != null) {
                device.sendData(dataSent);
            }
        }
    }

    /** The ramp is over: what comes now is judged. */
    void observe() {
        crew.observeFrom(clock.nanos());
        tally.observe();
    }

    /** Lets the devices go, at the pace they came. */
    void dismiss() {
        dismissed = 0;
    }

    private void dismissSome() {
        for (int budget = stepsWorth(plan.ratePerSecond()); budget > 0 && dismissed < devices.length; budget--) {
            Device device = devices[dismissed++];
            if (device != null) {
                device.leave();
            }
        }
    }

    /** Twice what this loop does in a step at this rate of all loops, at least 2. */
    private int stepsWorth(double perSecond) {
        return (int) Math.max(2, 2 * perSecond / plan.loops() * plan.habits().stepNanos() / 1e9);
    }

    /** Devices whose socket is not closed yet. */
    int present() {
        int present = 0;
        for (Device device : devices) {
            if (device != null && !device.isGone()) {
                present++;
            }
        }
        return present;
    }

    void muster(Muster sum) {
        Muster own = new Muster();
        own.inspect(devices, clock.nanos(), plan.contract(), tally);
        own.addTo(sum);
    }

    int silentNow() {
        int silent = 0;
        for (Device device : devices) {
            if (device != null && device.silent()) {
                silent++;
            }
        }
        return silent;
    }
}
