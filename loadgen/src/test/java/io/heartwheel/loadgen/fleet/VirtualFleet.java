package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Behaviour;
import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.DeviceDefaults;
import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.client.LoopContext;
import io.heartwheel.loadgen.client.PacingLoop;
import io.heartwheel.loadgen.judge.Conclusion;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.LoopStalls;
import io.heartwheel.loadgen.measure.MachineTime;
import io.heartwheel.loadgen.measure.Usage;
import io.heartwheel.loadgen.pace.SlotRing;
import io.heartwheel.loadgen.scenario.Scenario;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** Devices and a server in virtual time, on one thread: what happens is the same in each run. */
final class VirtualFleet implements PacingLoop<Device> {

    static final long MILLI = 1_000_000L;
    /** The search for leaks would take most of the time; other tests of the same code look for them. */
    private static final ByteBufAllocator UNTRACKED = new UnpooledByteBufAllocator(false, true);

    private final Scenario scenario;
    private final PlantedServer server;
    private final Recorder recorder;
    private final LoopContext<Device> context;
    private final Dialect dialect;
    private final Device[] devices;
    private final long[] due;
    private final List<Link> links = new ArrayList<>();
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::order));
    private long order;
    private long now;

    private record Event(long atNanos, long order, Runnable action) {}

    /** A connection: what the one end writes the other one reads. */
    private record Link(EmbeddedChannel device, EmbeddedChannel server) {

        boolean pass() {
            boolean passed = false;
            for (ByteBuf out = device.readOutbound(); out != null; out = device.readOutbound()) {
                if (server.isOpen()) {
                    server.writeInbound(out);
                } else {
                    out.release();
                }
                passed = true;
            }
            for (ByteBuf out = server.readOutbound(); out != null; out = server.readOutbound()) {
                if (device.isOpen()) {
                    device.writeInbound(out);
                } else {
                    out.release();
                }
                passed = true;
            }
            if (!server.isOpen() && device.isOpen()) {
                device.close();
            } else if (!device.isOpen() && server.isOpen()) {
                server.close();
            }
            return passed;
        }
    }

    VirtualFleet(Scenario scenario, PlantedServer server) {
        this.scenario = scenario;
        this.server = server;
        this.dialect = scenario.targets().get(0).dialect();
        this.recorder = new Recorder(scenario.contract(), () -> now, LoopStalls.none());
        DeviceDefaults defaults = scenario.deviceDefaults();
        this.context = recorder.context(scenario, defaults, this, 0, index -> dialect.wireId(index, defaults));
        DeviceAssignment assignment = new DeviceAssignment(scenario);
        Behaviour[] behaviours = assignment.behaviours();
        this.devices = new Device[scenario.clients()];
        this.due = new long[scenario.clients()];
        for (int i = 0; i < devices.length; i++) {
            devices[i] = new Device(context, dialect, behaviours[assignment.group(i)].of(0), i);
        }
        server.join(this);
    }

    long now() {
        return now;
    }

    void after(long nanos, Runnable action) {
        events.add(new Event(now + nanos, order++, action));
    }

    @Override
    public void due(Device device, long dueNanos) {
        due[device.index()] = dueNanos;
        events.add(new Event(dueNanos, order++, () -> act(device, dueNanos)));
    }

    private void act(Device device, long dueNanos) {
        if (due[device.index()] == dueNanos && !context.resting()) {
            due[device.index()] = -1;
            long next = device.act(dueNanos);
            if (next != SlotRing.DONE) {
                due(device, next);
            }
        }
    }

    @Override
    public void connect(Device device, long intendedNanos) {
        device.connect(dialect, intendedNanos);
        recorder.ledger().count(Count.STARTED);
        Link link = new Link(new EmbeddedChannel(device), server.accept());
        link.device().config().setAllocator(UNTRACKED);
        link.server().config().setAllocator(UNTRACKED);
        links.add(link);
    }

    private void runTo(long nanos) {
        while (!events.isEmpty() && events.peek().atNanos() <= nanos) {
            Event event = events.remove();
            now = Math.max(now, event.atNanos());
            event.action().run();
            settle();
        }
        now = nanos;
    }

    private void settle() {
        boolean again = true;
        while (again) {
            again = false;
            for (int i = 0; i < links.size(); i++) {
                again |= links.get(i).pass();
            }
        }
    }

    /** Runs the scenario to its end, as {@link Settling} has it. */
    Result run() {
        for (Device device : devices) {
            connect(device, now);
            settle();
        }
        context.observeFrom(now);
        recorder.observe(now + scenario.warmUpNanos(), Long.MAX_VALUE);
        runTo(scenario.durationNanos());
        context.hush();
        runTo(now + Settling.messagesNanos(scenario));
        context.rest();
        runTo(now + Settling.beatsNanos(scenario));
        FinalCheck check = new FinalCheck(now, 0, scenario.contract(), recorder);
        for (Device device : devices) {
            check.inspect(device);
        }
        Ledger ledger = new Ledger();
        recorder.addTo(ledger);
        WorkerResult part = new WorkerResult(
                ledger.page(),
                recorder.evidence(),
                recorder.grantedMillis().getMin(),
                recorder.grantedMillis().getMax(),
                new Usage(0, 0, 0),
                new Usage(now, 0, 0),
                List.of());
        links.forEach(link -> {
            link.device().finishAndReleaseAll();
            link.server().finishAndReleaseAll();
        });
        return new Conclusion(scenario, Map.of(), Map.of(), part, MachineTime.UNKNOWN, 2)
                .result("test", "1970-01-01T00:00:00Z", 0, List.of(), List.of(), List.of(), null);
    }
}
