package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.downlink.Pushers;
import io.heartwheel.loadgen.fake.FakeServer;
import io.heartwheel.loadgen.fake.PushApi;
import io.heartwheel.loadgen.judge.Conclusion;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.MachineTime;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import io.heartwheel.loadgen.scenario.Step;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** One run of a {@link Play} over real loopback sockets. */
final class Trial {

    /** The finest margin that a play has is 300 ms. */
    private static final long STANDSTILL_NANOS = 120_000_000L;

    private static final long SNAPSHOT_NANOS = 20_000_000L;
    private static final String OF_TARGET = "# target: ";

    /** A build machine may be saturated, which would excuse what is soft. */
    private static final Meters CALM = new Meters() {
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

    private final Play play;
    private final FakeServer server;
    private final Scenario scenario;
    private final Fleet fleet;
    private final Pushers pushers;

    private long still;

    private Trial(Play play, FakeServer server, Scenario scenario, Fleet fleet, Pushers pushers) {
        this.play = play;
        this.server = server;
        this.scenario = scenario;
        this.fleet = fleet;
        this.pushers = pushers;
    }

    /**
     * What came of a play.
     *
     * @param planted times the API was wrong
     * @param stillNanos the longest time for which the generator or the server stood still
     */
    record Seen(Play play, Result result, int planted, long stillNanos) {

        long of(Count what) {
            return result.counts().getOrDefault(what.label(), 0L);
        }

        /** Whether the machine did its part; otherwise nothing is proved. */
        boolean calm() {
            return stillNanos <= STANDSTILL_NANOS && of(Count.OWN_FAULTS) == 0;
        }

        /** Whether it may be judged at once: an INCONCLUSIVE that was not meant is tried again. */
        boolean clear() {
            return calm() && (result.verdict() != RunVerdict.INCONCLUSIVE || play.verdict == RunVerdict.INCONCLUSIVE);
        }

        @Override
        public String toString() {
            return "\n" + play + ", stood still for " + stillNanos / 1_000_000 + " ms: " + result.findings() + "\n"
                    + result.counts() + "\n" + result.tables() + "\n"
                    + result.evidence().stream()
                            .limit(20)
                            .map(each -> each.line())
                            .collect(Collectors.joining("\n"));
        }
    }

    /** Blocks for as long as it takes. */
    static Seen of(Play play) {
        return of(play, play.script);
    }

    /** Makes the virtual machine warm: what it takes to begin would be held against whoever comes first. */
    static void warmUp() {
        of(Play.WELCOMES_IN_TIME, "clients = 20, duration = 1s\n");
    }

    private static Seen of(Play play, String script) {
        boolean pushes = script.contains("downlink");
        try (FakeServer server = play.wire.start(play.faults);
                PushApi api = new PushApi(server, Wire.only(PushApi.Fault.NONE, play.faults))) {
            String subscribed = pushes && play.wire.mqtt() ? ", mqtt.subscribe = \"push/{id}\"" : "";
            String ofTarget = script.lines()
                    .filter(line -> line.startsWith(OF_TARGET))
                    .map(line -> ", " + line.substring(OF_TARGET.length()))
                    .findAny()
                    .orElse("");
            String targets = play.wire.targets(server, subscribed + ofTarget);
            String text = Scripts.COMMON + (play.wire.mqtt() ? "" : Scripts.PROGRESS) + targets + script;
            if (pushes) {
                text += "downlink.http.addresses = [\"" + api.address() + "\"]\n" + play.wire.publishing(server);
            }
            Scenario scenario = ScenarioReader.read(text, "trial");
            NanoClock clock = NanoClock.of(System::nanoTime, System::currentTimeMillis);
            SourceList anywhere = new SourceList(List.of(), Slice.whole(scenario.clients()));
            try (Fleet fleet = new Fleet(scenario, Slice.whole(scenario.clients()), anywhere, 1, clock, CALM);
                    Pushers pushers = new Pushers(scenario, System::nanoTime, "")) {
                return new Trial(play, server, scenario, fleet, pushers).seen(api);
            }
        } catch (Exception e) {
            throw new IllegalStateException(play + ": " + e, e);
        }
    }

    private Seen seen(PushApi api) throws InterruptedException, IOException {
        fleet.begin();
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (ledger().of(Count.ARRIVED) < scenario.clients() && System.nanoTime() - giveUp < 0) {
            watchUntil(System.nanoTime() + SNAPSHOT_NANOS);
        }
        fleet.observe();
        long began = System.nanoTime();
        pushers.begin(fleet);
        for (int step = 0; step < scenario.timeline().size(); step++) {
            Step what = scenario.timeline().get(step);
            watchUntil(began + what.atNanos());
            fleet.act(step);
            if (what.action() == Step.Action.RESTART) {
                fleet.snapshot(); // behind what the devices' loop was just told
                server.restart(100, 300);
            }
        }
        watchUntil(began + scenario.durationNanos());
        pushers.settle(fleet, this::ledger, () -> false);
        Settling.settle(fleet, scenario, System::nanoTime, this::ledger, () -> false);
        WorkerResult part = fleet.finish();
        leave();
        Result result = new Conclusion(scenario, Map.of(), Map.of(), part, MachineTime.UNKNOWN, CALM.processors())
                .result("test", "1970-01-01T00:00:00Z", 0, List.of(), List.of(), List.of(), null);
        return new Seen(play, result, api.planted(), Math.max(still, server.stoodStillNanos()));
    }

    /** Sends all devices home, and waits until they are gone: what an event loop ends with is not given back in full. */
    private void leave() throws InterruptedException {
        fleet.dismiss();
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        while (fleet.present() > 0 && System.nanoTime() - giveUp < 0) {
            TimeUnit.NANOSECONDS.sleep(SNAPSHOT_NANOS);
        }
    }

    /** Waits, and asks the fleet's event loop all the while; keeps the longest that a round of that was late. */
    private void watchUntil(long nanos) throws InterruptedException {
        for (long before = System.nanoTime(); before - nanos < 0; ) {
            TimeUnit.NANOSECONDS.sleep(Math.min(SNAPSHOT_NANOS, nanos - before));
            if (scenario.downlinks().isEmpty()) {
                fleet.present();
            } else {
                pushers.report(fleet, ledger());
            }
            long now = System.nanoTime();
            still = Math.max(still, now - before - SNAPSHOT_NANOS);
            before = now;
        }
    }

    private Ledger ledger() {
        Ledger ledger = new Ledger();
        fleet.snapshot().ledger().addTo(ledger);
        return ledger;
    }
}
