package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.downlink.Pusher;
import io.heartwheel.loadgen.fake.BrokerFault;
import io.heartwheel.loadgen.fake.FakeBroker;
import io.heartwheel.loadgen.fake.FakeGateway;
import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.fake.PlainServer;
import io.heartwheel.loadgen.fake.PushApi;
import io.heartwheel.loadgen.judge.Conclusion;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.MachineTime;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A scenario that pushes, run against a toy server with an API over real loopback sockets. */
record PushTrial(Wire wire, String scenario, PushApi.Fault fault, BrokerFault brokerFault) {

    private static final long SNAPSHOT_NANOS = 20_000_000L;
    private static final long STANDSTILL_NANOS = 200_000_000L;
    private static final int MOST_AGAIN = 4;

    private static final String COMMON =
            """
            seed = 7, id-prefix = "t-", ramp.rate = 300, clients = 12, duration = 3600ms
            heartbeat { interval = 2s, share = 0.6 }
            contract { tick = 20ms, slack = 400ms, pacing-limit = 5s, missed-after = 1900ms, answer-within = 1s }
            downlink { rate = 120, count = 48, after = 1100ms, timeout = 8s, http.url = "http://{address}/push/{id}" }
            """;

    PushTrial(Wire wire, String scenario, PushApi.Fault fault) {
        this(wire, scenario, fault, BrokerFault.NONE);
    }

    /** Protocols of the devices. */
    enum Wire {
        HEARTWHEEL,
        PLAIN,
        /** Plain, and the server puts what it pushes into a message of its own. */
        WRAPPED,
        MQTT
    }

    /** A result, and how often the server was wrong. */
    record Outcome(Result result, int planted) {
        long of(Count what) {
            return result.counts().getOrDefault(what.label(), 0L);
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("\n" + result.findings() + "\n" + result.counts() + "\n");
            text.append(result.tables()).append('\n');
            result.evidence().forEach(evidence -> text.append(evidence.line()).append('\n'));
            return text.toString();
        }
    }

    private record Seen(Outcome outcome, long stillNanos) {}

    /** Runs it; again when this machine stood still meanwhile, which proves nothing. */
    Outcome outcome() {
        Seen seen = once();
        for (int more = MOST_AGAIN; more > 0 && seen.stillNanos() > STANDSTILL_NANOS; more--) {
            seen = once();
        }
        return seen.outcome();
    }

    private Seen once() {
        try {
            if (wire == Wire.HEARTWHEEL) {
                try (FakeGateway gateway = new FakeGateway(Fault.NONE)) {
                    return once(
                            gateway,
                            String.format(
                                    "targets = [{ protocol = tcp, address = \"127.0.0.1:%d\" }, { protocol = ws, address ="
                                            + " \"127.0.0.1:%d\" }]%n",
                                    gateway.tcp().getPort(), gateway.webSocket().getPort()));
                }
            }
            if (wire == Wire.MQTT) {
                try (FakeBroker broker = new FakeBroker(brokerFault)) {
                    int port = broker.address().getPort();
                    return once(
                            broker,
                            String.format(
                                    """
                                    targets = [{ protocol = mqtt, address = "127.0.0.1:%d", mqtt.subscribe = "push/{id}" }]
                                    downlink.mqtt { address = "127.0.0.1:%d", topic = "push/{id}" }
                                    """,
                                    port, port));
                }
            }
            try (PlainServer server = new PlainServer(wire == Wire.WRAPPED)) {
                String wrapped = wire == Wire.WRAPPED ? "downlink.text = true\n" : "";
                return once(
                        server,
                        wrapped
                                + String.format(
                                        "targets = [{ protocol = plain, address = \"127.0.0.1:%d\" }]%n",
                                        server.address().getPort()));
            }
        } catch (InterruptedException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private Seen once(PushApi.Devices devices, String targets) throws InterruptedException, IOException {
        try (PushApi api = new PushApi(devices, fault)) {
            String addresses = "downlink.http.addresses = [\"" + api.address() + "\"]\n";
            Scenario read = ScenarioReader.read(COMMON + targets + addresses + scenario, "trial");
            try (Fleet fleet = new Fleet(
                            read,
                            Slice.whole(read.clients()),
                            new SourceList(List.of(), Slice.whole(read.clients())),
                            1,
                            System::nanoTime,
                            Trial.CALM);
                    Pusher pusher = new Pusher(read, System::nanoTime, "")) {
                long still = played(read, fleet, pusher);
                Result result = new Conclusion(read, Map.of(), Map.of(), fleet.finish(), MachineTime.UNKNOWN, 2)
                        .result("test", "1970-01-01T00:00:00Z", 0, List.of(), List.of(), List.of(), null);
                Trial.leave(fleet);
                return new Seen(new Outcome(result, api.planted()), still);
            }
        }
    }

    private static long played(Scenario scenario, Fleet fleet, Pusher pusher) throws InterruptedException {
        fleet.begin();
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (seen(fleet).of(Count.ARRIVED) < scenario.clients() && System.nanoTime() - giveUp < 0) {
            TimeUnit.NANOSECONDS.sleep(SNAPSHOT_NANOS);
        }
        fleet.observe();
        pusher.begin(fleet);
        long still = 0;
        long before = System.nanoTime();
        for (long until = before + scenario.durationNanos(); before - until < 0; ) {
            TimeUnit.NANOSECONDS.sleep(SNAPSHOT_NANOS);
            pusher.report(fleet, seen(fleet));
            long now = System.nanoTime();
            still = Math.max(still, now - before - SNAPSHOT_NANOS);
            before = now;
        }
        pusher.settle(fleet, () -> seen(fleet), () -> false);
        return still;
    }

    private static Ledger seen(Fleet fleet) {
        Ledger ledger = new Ledger();
        fleet.snapshot().ledger().addTo(ledger);
        return ledger;
    }
}
