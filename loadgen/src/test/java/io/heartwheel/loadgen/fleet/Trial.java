package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.fake.FakeGateway;
import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.judge.Conclusion;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.MachineTime;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import io.heartwheel.loadgen.scenario.Step;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** A scenario run against a {@link FakeGateway} over real loopback sockets, and the result of it. */
record Trial(String scenario, Fault fault) {

    /** As many trials at a time as one of two processors plays without standing still. */
    private static final ExecutorService PLAYERS = Executors.newFixedThreadPool(12, Trial::daemon);

    /** The finest margin that a trial has is 300 ms. */
    static final long STANDSTILL_NANOS = 120_000_000L;

    static final int MOST_AGAIN = 4;
    private static final long SNAPSHOT_NANOS = 20_000_000L;

    /** A build machine may be saturated, which would excuse what is soft. */
    static final Meters CALM = new Meters() {
        @Override
        public long cpuNanos() {
            return 0;
        }

        @Override
        public long collectorNanos() {
            return 0;
        }

        @Override
        public int processors() {
            return 2;
        }
    };

    /**
     * What all scenarios here have in common. The machine a build runs on is slower than a test bench: 400 ms of slack, and
     * the generator may lag much more before it is thought to be the bottleneck.
     */
    static final String COMMON =
            """
            seed = 7, id-prefix = "t-", ramp.rate = 300
            heartbeat { interval = 1s, share = 0.6 }
            contract {
              tick = 20ms, slack = 400ms, early-allowance = 2ms, pacing-limit = 5s
              missed-after = 900ms, answer-within = 400ms
              handshake = 2s, write-progress = 1s, read-progress { timeout = 1s, min-rate = 128B }
            }
            """;

    /** Plays a trial of whatever kind as soon as there is room for it; all classes' share the same threads. */
    static <T> CompletableFuture<T> started(Supplier<T> trial) {
        return CompletableFuture.supplyAsync(trial, PLAYERS);
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "trial");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Runs it; blocks for as long as that takes. What was seen on a machine that stood still proves nothing, here as
     * elsewhere: then it is run again.
     */
    Result result() {
        Seen seen = once();
        for (int more = MOST_AGAIN; more > 0 && seen.stillNanos() > STANDSTILL_NANOS; more--) {
            seen = once();
        }
        return seen.result();
    }

    /** A result, and the longest time for which the generator or the gateway stood still meanwhile. */
    record Seen(Result result, long stillNanos) {}

    private Seen once() {
        try (FakeGateway gateway = new FakeGateway(fault)) {
            String tcp = target("tcp", gateway.tcp());
            String targets = scenario.contains("plain-only")
                    ? target("plain", gateway.plain())
                    : scenario.contains("tcp-only") ? tcp : tcp + ", " + target("ws", gateway.webSocket());
            targets = "targets = [" + targets + "]\n";
            Scenario read = ScenarioReader.read(COMMON + targets + scenario, "trial");
            try (Fleet fleet = new Fleet(
                    read,
                    Slice.whole(read.clients()),
                    new SourceList(List.of(), Slice.whole(read.clients())),
                    1,
                    System::nanoTime,
                    CALM)) {
                return played(read, fleet, gateway::stoodStillNanos, () -> gateway.restart(100, 300));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String target(String protocol, InetSocketAddress address) {
        return "{ protocol = " + protocol + ", address = \"127.0.0.1:" + address.getPort() + "\" }";
    }

    static Seen played(Scenario scenario, Fleet fleet, LongSupplier serverStoodStill, Runnable restart)
            throws InterruptedException {
        long still = 0;
        fleet.begin();
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (fleet.snapshot().ledger().counts().getOrDefault(Count.ARRIVED.label(), 0L) < scenario.clients()
                && System.nanoTime() - giveUp < 0) {
            still = Math.max(still, watchUntil(System.nanoTime() + SNAPSHOT_NANOS, fleet));
        }
        fleet.observe();
        long began = System.nanoTime();
        for (int step = 0; step < scenario.timeline().size(); step++) {
            Step what = scenario.timeline().get(step);
            still = Math.max(still, watchUntil(began + what.atNanos(), fleet));
            fleet.act(step);
            if (what.action() == Step.Action.RESTART) {
                fleet.snapshot(); // behind what the devices' loop was just told
                restart.run();
            }
        }
        still = Math.max(still, watchUntil(began + scenario.durationNanos(), fleet));
        WorkerResult part = fleet.finish();
        leave(fleet);
        Result result = new Conclusion(scenario, Map.of(), Map.of(), part, MachineTime.UNKNOWN, CALM.processors())
                .result("test", "1970-01-01T00:00:00Z", 0, List.of(), List.of(), List.of(), null);
        return new Seen(result, Math.max(still, serverStoodStill.getAsLong()));
    }

    /** Sends all devices home, and waits until they are gone: what an event loop ends with is not given back in full. */
    static void leave(Fleet fleet) throws InterruptedException {
        fleet.dismiss();
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        while (fleet.present() > 0 && System.nanoTime() - giveUp < 0) {
            TimeUnit.NANOSECONDS.sleep(SNAPSHOT_NANOS);
        }
    }

    /** Waits, and asks the fleet's event loop all the while what costs it least; answers the longest that a round of that was late. */
    private static long watchUntil(long nanos, Fleet fleet) throws InterruptedException {
        long still = 0;
        for (long before = System.nanoTime(); before - nanos < 0; ) {
            TimeUnit.NANOSECONDS.sleep(Math.min(SNAPSHOT_NANOS, nanos - before));
            fleet.present();
            long now = System.nanoTime();
            still = Math.max(still, now - before - SNAPSHOT_NANOS);
            before = now;
        }
        return still;
    }
}
