package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.fake.BrokerFault;
import io.heartwheel.loadgen.fake.FakeBroker;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import io.netty.handler.ssl.SslContext;
import java.util.List;

/**
 * A scenario run against a {@link FakeBroker} over real loopback sockets, and the result of it; as {@link Trial}.
 *
 * @param protocol {@code mqtt} or {@code mqtt5}; with TLS as the scenario's target says, and then {@code +tls}
 * @param serverKeepAlive told by the broker, seconds; 0: none
 */
record BrokerTrial(String scenario, String protocol, BrokerFault fault, int serverKeepAlive, SslContext tls) {

    private static final int RECEIVE_MAXIMUM = 20;
    private static final String OF_TARGET = "# target: ";

    BrokerTrial(String scenario, String protocol, BrokerFault fault) {
        this(scenario, protocol, fault, 0, null);
    }

    /** Runs it, again where the machine stood still; blocks for as long as that takes. */
    Result result() {
        Trial.Seen seen = once();
        for (int more = Trial.MOST_AGAIN; more > 0 && seen.stillNanos() > Trial.STANDSTILL_NANOS; more--) {
            seen = once();
        }
        return seen.result();
    }

    /** What a scenario's first line says of its target. */
    private String more() {
        return scenario.startsWith(OF_TARGET)
                ? scenario.lines().findFirst().orElseThrow().substring(OF_TARGET.length())
                : "";
    }

    private Trial.Seen once() {
        try (FakeBroker broker = new FakeBroker(fault, serverKeepAlive, RECEIVE_MAXIMUM, tls)) {
            String target = String.format(
                    "targets = [{ protocol = \"%s\", address = \"127.0.0.1:%d\", tls.insecure = %b, %s }]%n",
                    protocol, broker.address().getPort(), tls != null, more());
            Scenario read = ScenarioReader.read(
                    Trial.COMMON.replace("write-progress = 1s, read-progress { timeout = 1s, min-rate = 128B }", "")
                            + target
                            + scenario,
                    "trial");
            try (Fleet fleet = new Fleet(
                    read,
                    Slice.whole(read.clients()),
                    new SourceList(List.of(), Slice.whole(read.clients())),
                    1,
                    System::nanoTime,
                    Trial.CALM)) {
                return Trial.played(read, fleet, broker::stoodStillNanos, () -> {});
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
