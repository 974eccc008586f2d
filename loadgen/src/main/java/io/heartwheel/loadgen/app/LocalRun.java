package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.credential.GatewayAuth;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.workers.ServicePool;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Run of a scenario from this process: gateways if it wants its own, workers, the result. One thread. */
final class LocalRun {

    /** For one process a snapshot costs microseconds; of many each snapshot wakes every one, and costs a millisecond on either side. */
    private static final long SNAPSHOT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final long SNAPSHOT_OF_MANY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SNAPSHOT_NANOS_EACH = TimeUnit.MILLISECONDS.toNanos(75);
    private static final int MANY = 4;
    /** The gateway's default for {@code breaker.share}. */
    private static final double BREAKER_SHARE = 0.2;

    private final PrintWriter out;
    private final LoadOptions options;
    private final @Nullable Terminal terminal = Terminal.ofThisProcess(System.getenv());

    LocalRun(PrintWriter out, LoadOptions options) {
        this.out = out;
        this.options = options;
    }

    /**
     * Runs it and shows it; returns the exit status.
     *
     * @throws IllegalArgumentException when this machine cannot play it; what stands in the way was printed then
     * @throws NobodyListensException when it would find no server
     */
    int run(Scenario scenario) throws IOException, InterruptedException {
        if (!options.planOnly && !scenario.gateways().start() && options.agents.isEmpty()) {
            NobodyListensException.check(scenario.targets()).ifPresent(this::say);
        }
        try (EarlyEnd early = new EarlyEnd(out);
                Reporters reporters = options.planOnly ? null : new Reporters(out, options, terminal);
                WorkerPlan workerPlan = workerPlan(scenario)) {
            workerPlan.lines().forEach(this::say);
            say("scenario " + scenario.title() + ", seed " + scenario.seed());
            advise(scenario);
            if (!workerPlan.fits()) {
                throw new IllegalArgumentException(
                        "clients = " + scenario.clients() + ": this cannot be played; see the obstacles above");
            }
            ServicePool.check(scenario.gateways().services());
            if (reporters == null) {
                writeCredentials(scenario);
                return 0;
            }
            try (Environment environment = new Environment()) {
                Scenario moved = environment.begin(scenario, this::jar, this::say);
                out.flush();
                return run(moved, workerPlan, environment, reporters, early);
            }
        }
    }

    /** A gateway that is to be there before the run needs them before it. */
    private void writeCredentials(Scenario scenario) throws IOException {
        try (GatewayAuth auth = GatewayAuth.begin(scenario, System::nanoTime)) {
            if (auth != null) {
                say(auth.line());
                auth.settings().forEach(this::say);
            }
        }
    }

    private WorkerPlan workerPlan(Scenario scenario) throws IOException {
        return options.agents.isEmpty() ? WorkerPlan.here(scenario) : WorkerPlan.abroad(scenario, options.agents);
    }

    private int run(
            Scenario scenario, WorkerPlan workerPlan, Environment environment, Reporters reporters, EarlyEnd early)
            throws InterruptedException {
        try (Worker worker = workerPlan.start(scenario)) {
            environment.enter(worker);
            early.started(worker);
            long period = snapshotNanos(workerPlan.workers());
            Result result = new Coordinator(scenario, worker, environment, reporters::show, period, early)
                    .run(LoadgenMain.VERSION);
            reporters.conclude(result, early.wanted() ? List.of() : environment.aside());
            // What ends this process may have ended the gateways before.
            boolean exitsExpected = early.wanted()
                    || scenario.timeline().stream()
                            .anyMatch(step -> !step.action().ofDevices());
            Optional<String> unexpectedExit = environment.unexpectedExits(exitsExpected);
            unexpectedExit.ifPresent(this::say);
            say(environment.served());
            out.flush();
            int status = unexpectedExit.isPresent()
                    ? RunVerdict.FAIL.exitStatus()
                    : result.verdict().exitStatus();
            early.concluded(status);
            if (!early.wanted()) {
                Coordinator.sayGoodbye(worker, scenario);
            }
            return status;
        }
    }

    /** Between two snapshots: some four seconds for the 53 workers of a million. */
    static long snapshotNanos(int workers) {
        return workers > MANY ? Math.max(SNAPSHOT_OF_MANY_NANOS, workers * SNAPSHOT_NANOS_EACH) : SNAPSHOT_NANOS;
    }

    private void say(String text) {
        Terminal.print(out, terminal, text);
    }

    private void advise(Scenario scenario) {
        if (scenario.closedShare() > BREAKER_SHARE) {
            say(String.format(
                    Locale.ROOT,
                    "note     %.0f %% of the devices break their promise: a gateway's breaker (default: a fifth of all"
                            + " within 30 s) may hold its closes back, and they count as missed here",
                    100 * scenario.closedShare()));
        }
        out.flush();
    }

    private Path jar() {
        Path jar = options.gatewayJar != null ? options.gatewayJar : beside();
        if (!Files.isRegularFile(jar)) {
            throw new IllegalArgumentException(
                    "gateway jar = " + jar + ": no such file; build it or use --gateway-jar");
        }
        return jar.toAbsolutePath().normalize();
    }

    private static Path beside() {
        try {
            Path own = Path.of(LocalRun.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return own.resolveSibling(Path.of("..", "..", "gateway", "target", "heartwheel-gateway.jar"));
        } catch (URISyntaxException e) {
            throw new IllegalStateException("a place of code that is no file", e);
        }
    }
}
