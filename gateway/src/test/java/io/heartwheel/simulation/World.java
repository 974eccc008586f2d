package io.heartwheel.simulation;

import io.heartwheel.event.CloseReason;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One world from its beginning to its end. Time jumps from one happening to the next: an event of the world's, a turn of the wheel when the wheel asks
 * for it, a loop that goes on; what falls on one instant happens in an order that chance decides.
 */
final class World {
    private static final int MOST_AT_ONCE = 400_000;
    private static final int MOST_TURNS_AT_ONCE = 60;
    private static final long MOST_LINGER_NANOS = 30_000_000_000L;

    /** Part of a world, to find what a failure needs. */
    record Cut(int firstDevice, int lastDevice, boolean stalls, @Nullable String traced) {
        static Cut whole(Circumstances is) {
            return new Cut(0, is.devices() - 1, true, null);
        }
    }

    final Circumstances is;
    final Cut cut;
    final Oracle oracle;
    final Machine machine;
    private final PriorityQueue<Happening> agenda = new PriorityQueue<>();
    private final SplittableRandom order;
    private final List<Device> devices = new ArrayList<>();
    private final List<Bystander> bystanders = new ArrayList<>();
    private final RandomStalls stalls;
    final RandomFullSink sink;
    private final List<String> trace = new ArrayList<>();
    private long nowNanos;
    private int atOnce;
    private int turnsAtOnce;
    private long happenings;

    private record Happening(long atNanos, int tie, Runnable what) implements Comparable<Happening> {
        @Override
        public int compareTo(Happening other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Integer.compare(tie, other.tie);
        }
    }

    World(Circumstances is, Cut cut) {
        this.is = is;
        this.cut = cut;
        order = Chance.stream(is.seed(), "order", 0);
        machine = new Machine(this, is);
        StallCredit credit = is.credit().seenEvery(is.pulseNanos() + is.tickNanos());
        oracle = new Oracle(is.rules(), is.mass(), credit, is.tickNanos(), machine.wheelStalls, machine.groups);
        stalls = new RandomStalls(this);
        sink = new RandomFullSink(this);
        for (int i = cut.firstDevice(); i <= cut.lastDevice(); i++) {
            devices.add(new Device(this, i));
        }
        for (int i = 0; i < 6; i++) {
            bystanders.add(new Bystander(this, i));
        }
    }

    // ------------------------------------------------------------------ time

    /** Nanoseconds since the world began. */
    long now() {
        return nowNanos;
    }

    /** What the gateway's clock shows. */
    long clock() {
        return is.clockStartNanos() + nowNanos;
    }

    void at(long atNanos, Runnable what) {
        agenda.add(new Happening(Math.max(atNanos, nowNanos), order.nextInt(), what));
    }

    void in(long nanos, Runnable what) {
        at(nowNanos + nanos, what);
    }

    boolean coin() {
        return order.nextBoolean();
    }

    /** Whether the world still goes its way; at its end everybody is sent home. */
    boolean goesOn() {
        return nowNanos < is.durationNanos();
    }

    /** Runs to the end or to the first violation. */
    void run() {
        stalls.begin();
        sink.begin();
        devices.forEach(Device::begin);
        bystanders.forEach(Bystander::begin);
        runUntil(is.durationNanos());
        if (!oracle.isViolated()) {
            sendHome();
        }
    }

    private void sendHome() {
        long end = machine.wheelStalls.runsAt(nowNanos);
        for (EventLoop loop : machine.loops) {
            end = Math.max(end, loop.stalls.runsAt(nowNanos));
        }
        // claims that are still on their way take half a minute at most
        in(0, sink::end);
        in(0, () -> devices.forEach(Device::goHome));
        in(31_000_000_000L, () -> devices.forEach(Device::goHome));
        bystanders.forEach(Bystander::end);
        runUntil(Math.max(end, nowNanos + 31_000_000_000L) + 2 * MOST_LINGER_NANOS + 8 * is.tickNanos());
        if (!oracle.isViolated()) {
            oracle.end(nowNanos);
            if (sink.lost() != 0) {
                oracle.violate(null, nowNanos, sink.lost() + " messages that waited for the sink were lost");
            }
            if (machine.registry.size() != 0) {
                oracle.violate(null, nowNanos, machine.registry.size() + " devices are left in the registry");
            }
            if (machine.quotas.groupConnections().values().stream().anyMatch(each -> each != 0)) {
                oracle.violate(null, nowNanos, "left in groups: " + machine.quotas.groupConnections());
            }
            // the pulse
            if (machine.wheel.countArmed() != 1) {
                oracle.violate(null, nowNanos, machine.wheel.countArmed() - 1 + " entries are left in the wheel");
            }
        }
    }

    private void runUntil(long endNanos) {
        while (!oracle.isViolated()) {
            EventLoop busy = machine.busyLoop();
            if (busy != null && order.nextInt(8) != 0) {
                step(busy);
                continue;
            }
            long event = agenda.isEmpty() ? Long.MAX_VALUE : agenda.element().atNanos();
            long wheel = machine.wheelWakesAt();
            long next = Math.min(Math.min(event, wheel), machine.loopWakesAt());
            if (busy != null && next > nowNanos) {
                step(busy);
                continue;
            }
            if (next > endNanos) {
                nowNanos = endNanos;
                return;
            }
            if (next > nowNanos) {
                nowNanos = next;
                atOnce = 0;
                turnsAtOnce = 0;
            }
            counts();
            if (wheel == next && (event != next || coin())) {
                turns();
                machine.turnWheel();
            } else if (event == next) {
                agenda.remove().what().run();
                happenings++;
            }
        }
    }

    private void step(EventLoop loop) {
        loop.step(nowNanos);
        stalls.between(loop);
        counts();
    }

    /** One more thing at this instant: what never ends is found out. */
    void counts() {
        if (++atOnce > MOST_AT_ONCE) {
            oracle.violate(null, nowNanos, "the gateway goes round and round without time passing");
            throw new IllegalStateException("runaway");
        }
    }

    private void turns() {
        if (++turnsAtOnce > MOST_TURNS_AT_ONCE + devices.size()) {
            oracle.violate(null, nowNanos, "the wheel is turned again and again without time passing");
            throw new IllegalStateException("runaway");
        }
    }

    // ------------------------------------------------------------------ what became of it

    /** A close was judged; who holds its device's id now must still be found. */
    void checkHolder(Device device, Wire closing) {
        Wire holder = device.holder();
        boolean held = holder != null && holder != closing && holder.history.isOpen();
        var found = machine.registry.find(device.name);
        if (found != (held ? holder : null)) {
            oracle.violate(
                    closing.history, nowNanos, "after its close the registry holds " + (held ? "no successor" : found));
        }
    }

    /** How many events of the world's own happened. */
    long happenings() {
        return happenings;
    }

    void ordered(Wire wire, CloseReason reason) {
        note(wire.history, "its loop is told to close it: " + reason);
        wire.history.mayBeOrdered(reason);
        wire.loop.execute(() -> {
            wire.closeSoon(reason, "ordered");
        });
        wire.history.ordered(nowNanos, reason);
    }

    /** Whether the breaker may hold back its closes. Where only a noisy subnet dies in masses, nobody else's; with all of its devices in the world. */
    boolean mayBeHeld(Device device) {
        boolean whole = cut.firstDevice() == 0 && cut.lastDevice() == is.devices() - 1;
        return !is.noisy() || !whole || is.isNoisy(device.index);
    }

    List<Device> devices() {
        return devices;
    }

    // ------------------------------------------------------------------ the trace

    boolean isTracing() {
        return cut.traced() != null;
    }

    void note(TrueHistory history, String what) {
        if (cut.traced() != null && cut.traced().equals(history.device)) {
            trace.add(Oracle.seconds(nowNanos) + "  connection " + history.number + "  " + what);
        }
    }

    void note(String what) {
        if (cut.traced() != null) {
            trace.add(Oracle.seconds(nowNanos) + "  " + what);
        }
    }

    List<String> trace() {
        return trace;
    }
}
