package io.heartwheel.loadgen.app;

import com.typesafe.config.ConfigFactory;
import io.heartwheel.loadgen.fleet.Fleet;
import io.heartwheel.loadgen.fleet.Player;
import io.heartwheel.loadgen.fleet.Result;
import io.heartwheel.loadgen.fleet.Slice;
import io.heartwheel.loadgen.fleet.SourceList;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import io.heartwheel.loadgen.scenario.Target;
import io.heartwheel.loadgen.swarm.Destination;
import io.heartwheel.loadgen.swarm.Division;
import io.heartwheel.loadgen.swarm.Limits;
import io.heartwheel.loadgen.swarm.Load;
import io.heartwheel.loadgen.swarm.Share;
import io.heartwheel.loadgen.swarm.SourceRange;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A scenario put on: gateways if it wants its own, workers, the run, the result. One thread. */
final class Production {

    /** For one process a look costs microseconds; for many each look wakes every one of them. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The gateway's default for {@code breaker.share}. */
    private static final double BREAKER_SHARE = 0.2;

    private final PrintWriter out;
    private final LoadOptions options;
    private final @Nullable Path gatewayJar;

    /** @param gatewayJar what to start gateways from; null: beside this one */
    Production(PrintWriter out, LoadOptions options, @Nullable Path gatewayJar) {
        this.out = out;
        this.options = options;
        this.gatewayJar = gatewayJar;
    }

    /** Plays it and shows it; answers the exit status. */
    int play(Scenario scenario) throws IOException, InterruptedException {
        if (gatewayJar != null) {
            throw new IllegalArgumentException("x");
        }
        Division division = divided(scenario);
        division.lines().forEach(out::println);
        out.printf("scenario %s, seed %d%n", scenario.name(), scenario.seed());
        if (scenario.condemnedShare() > BREAKER_SHARE) {
            out.printf(
                    "note     %.0f %% of the devices break their promise: a gateway's breaker (default: a fifth of all within"
                            + " 30 s) may hold its closes back, and they count as missed here%n",
                    100 * scenario.condemnedShare());
        }
        out.flush();
        if (!division.fits()) {
            throw new IllegalArgumentException(
                    "clients = " + scenario.clients() + ": this machine cannot play them; see above");
        }
        try (Outlets outlets = new Outlets(out, options);
                Player player = ScenarioPlayers.of(scenario, division)) {
            Result result = new Conductor(
                            scenario, player, division.shares().size(), Stage.BARE, outlets::show, LOOK_NANOS)
                    .run(LoadgenMain.VERSION);
            outlets.conclude(result, null);
            return result.verdict().exitStatus();
        }
    }

    /** How the work is divided on this machine. */
    static Division divided(Scenario scenario) {
        double weights = scenario.targets().stream().mapToDouble(Target::weight).sum();
        List<Destination> destinations = scenario.targets().stream()
                .map(target -> Destination.of(target.address(), target.weight() / weights))
                .toList();
        Load load = Load.of(scenario.clients(), destinations)
                .costing(scenario.socketsEach(), Load.COMMON_HEAP_BYTES_PER_DEVICE);
        Load from = scenario.sources().isEmpty() ? load : load.from(SourceRange.parse(scenario.sources()));
        return Division.of(from, Limits.ofThisMachine());
    }

    /** Players in this very process. */
    static Player local(Scenario scenario, Share share) {
        Slice slice = share.slice();
        int loops = scenario.loops() > 0 ? scenario.loops() : share.loops();
        return new Fleet(
                scenario,
                slice,
                new SourceList(share.sources(), slice),
                loops,
                System::nanoTime,
                Meters.ofThisProcess());
    }

    /** The scenario with its targets at the addresses of gateways that were started for it. */
    static Scenario at(Scenario scenario, List<Target> targets) {
        List<Map<String, Object>> blocks = targets.stream()
                .map(target -> Map.<String, Object>of(
                        "protocol", target.label().substring(0, target.label().indexOf('=')),
                        "address",
                                target.address().getHostString() + ":"
                                        + target.address().getPort(),
                        "path", target.path(),
                        "weight", target.weight()))
                .toList();
        return ScenarioReader.read(
                ConfigFactory.parseMap(Map.of("targets", blocks))
                        .withFallback(ConfigFactory.parseString(scenario.text())),
                scenario.name());
    }
}
