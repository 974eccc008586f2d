package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.credential.GatewayAuth;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.measure.Proc;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.Service;
import io.heartwheel.loadgen.scenario.Step;
import io.heartwheel.loadgen.uplink.EventIntake;
import io.heartwheel.loadgen.workers.GatewayPool;
import io.heartwheel.loadgen.workers.GatewaySetup;
import io.heartwheel.loadgen.workers.ProcessPool;
import io.heartwheel.loadgen.workers.ServicePool;
import io.heartwheel.loadgen.workers.WorkerGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Environment of a run: the machine, gateways that were started for it, if any, and what gateways speak to: the receiver of
 * their events and the server that knows the devices' credentials. One call at a time; any thread.
 */
final class Environment implements AutoCloseable {

    /** A gateway is given this long to drain, and to be up again. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final long MOST_COMMAND_SECONDS = 120;

    private static final int MOST_PIDS = 8;

    private final Proc proc = Proc.ofThisMachine();
    private final long kernelBytesBefore = proc.machine().kernelSocketBytes();
    private @Nullable UplinkEnd uplink;
    private @Nullable GatewayAuth auth;
    private @Nullable GatewayPool gateways;
    /** What was started before the gateways, by name. */
    private final Map<String, ServicePool> services = new LinkedHashMap<>();

    /** Where gateways keep messages; lasts as long as the run, so one that is killed finds them again. */
    private @Nullable Path messages;

    /** What the gateways said before they were told to go. */
    private final List<String> forecasts = new CopyOnWriteArrayList<>();

    private List<Long> workers = List.of(ProcessHandle.current().pid());

    /**
     * Begins to receive the gateway's events and to answer it about credentials, and starts gateways, as the scenario has it.
     *
     * @param jar the gateway's
     * @param say told what there is now
     * @return the scenario with the addresses of the gateways that were started
     */
    Scenario begin(Scenario scenario, Supplier<Path> jar, Consumer<String> say)
            throws IOException, InterruptedException {
        uplink = UplinkEnd.begin(scenario);
        auth = GatewayAuth.begin(scenario, System::nanoTime);
        if (auth != null) {
            say.accept(auth.line());
        }
        if (uplink != null) {
            say.accept(
                    "receiver of the gateway's events at " + uplink.receiver().url());
        }
        if (!scenario.gateways().start()) {
            return scenario;
        }
        if (scenario.downlinks().stream().anyMatch(Downlink::keeps)) {
            if (WorkerPlan.gateways(scenario) > 1) {
                throw new IllegalArgumentException("gateways.count: need 1 where gateways keep messages or groups");
            }
            messages = Files.createTempDirectory("heartwheel-messages-");
        }
        Map<String, String> ports = startServices(scenario.gateways().services(), say);
        List<String> settings = new ArrayList<>(settings(scenario));
        settings.replaceAll(line -> ServicePool.filled(line, ports));
        GatewayPool pool = new GatewayPool(new GatewaySetup(
                jar.get(),
                WorkerPlan.gateways(scenario),
                listeners(scenario),
                settings,
                scenario.gateways().javaOptions()));
        gateways = pool;
        Map<String, InetSocketAddress> addresses = pool.start();
        say.accept("gateway" + (pool.size() > 1 ? "s" : "") + " pid " + pids(pool) + ", " + addresses);
        return scenario.at(
                protocol -> Objects.requireNonNull(addresses.get(protocol.listener()), "no listener"), pool.admins());
    }

    private Map<String, String> startServices(List<Service> wanted, Consumer<String> say) throws IOException {
        Map<String, String> ports = ServicePool.ports(wanted);
        for (Service service : wanted) {
            ServicePool pool = new ServicePool(service, ports);
            services.put(service.name(), pool);
            pool.start();
            say.accept(service.name() + " pid " + pids(pool));
        }
        return ports;
    }

    private static String pids(ProcessPool pool) {
        return pool.everyone().stream()
                .limit(MOST_PIDS)
                .map(number -> Long.toString(pool.pid(number)))
                .collect(Collectors.joining(" "));
    }

    /** Those that the targets need. */
    private static List<String> listeners(Scenario scenario) {
        return scenario.targets().stream()
                .map(target -> target.protocol().listener())
                .distinct()
                .toList();
    }

    /** Free loopback ports and no drain, unless the scenario says otherwise; then its settings without the braces around them. */
    private List<String> settings(Scenario scenario) {
        List<String> lines = new ArrayList<>();
        listeners(scenario).forEach(name -> lines.add("  listeners." + name + ".bind = \"127.0.0.1:0\""));
        lines.add("  shutdown.drain = 0s");
        lines.addAll(uplink == null ? List.of() : uplink.settings());
        if (messages != null) {
            lines.add("  messages.directory = \"" + messages + "\"");
        }
        lines.addAll(auth == null ? List.of() : auth.settings());
        String text = scenario.gateways().settings().strip();
        lines.add(text.substring(1, text.length() - 1));
        return lines;
    }

    /** Observation begins. Whoever signs with a new key does so a little after it is told, so the workers come second. */
    void observe(Worker worker) {
        if (auth != null) {
            auth.observe();
        }
        worker.observe();
        if (uplink != null) {
            uplink.receiver().observe();
        }
    }

    /** Where the gateway's events come in; null without an uplink. */
    @Nullable
    EventIntake intake() {
        return uplink == null ? null : uplink.intake();
    }

    /** The workers are up. */
    void enter(Worker worker) {
        if (worker instanceof WorkerGroup group) {
            workers = group.pids();
        }
    }

    /** Does a step of the timeline that concerns gateways; returns when it is done. */
    void act(Step step) throws IOException, InterruptedException {
        if (step.action() == Step.Action.EXEC) {
            run(step.command());
            return;
        }
        ProcessPool pool = step.service().isEmpty() ? gateways : services.get(step.service());
        if (pool == null) {
            throw new IOException(step.text() + ": this run started none; see gateways.start");
        }
        List<Integer> which = step.node() == Step.ALL ? pool.everyone() : List.of(step.node());
        try {
            act(pool, step, which);
        } catch (CompletionException e) {
            throw new IOException(step.text() + ": " + e.getCause(), e);
        }
    }

    private void act(ProcessPool pool, Step step, List<Integer> which) throws IOException, InterruptedException {
        switch (step.action()) {
            case FREEZE -> {
                pool.freeze(which, Duration.ofNanos(step.forNanos()));
                TimeUnit.NANOSECONDS.sleep(step.forNanos()); // the next step waits for its end
            }
            case ROLLING_RESTART -> {
                for (int number : which) {
                    Optional<String> forecast =
                            pool instanceof GatewayPool asked ? asked.forecast(number) : Optional.empty();
                    forecast.ifPresent(text -> forecasts.add("gateway " + number + " foretold its drain: " + text));
                    pool.terminate(List.of(number), PATIENCE).join();
                    startAgain(pool, step, List.of(number));
                }
            }
            case DRAIN -> pool.terminate(which, PATIENCE).join();
            default -> {
                boolean killed = step.action() == Step.Action.KILL;
                (killed ? pool.kill(which) : pool.terminate(which, PATIENCE)).join();
                startAgain(pool, step, which);
            }
        }
    }

    private static void startAgain(ProcessPool pool, Step step, List<Integer> which) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(step.forNanos());
        pool.startAgain(which).join();
    }

    /**
     * What all sides cost now; CPU times count from the start of each process, without compiling. Some milliseconds a process.
     *
     * @param connections open now
     * @param beats sent so far
     */
    Costs costs(long connections, long beats) {
        List<Proc.ProcessReading> generators =
                workers.stream().map(proc::process).flatMap(Optional::stream).toList();
        List<Proc.ProcessReading> servers = gateways == null ? List.of() : gateways.processes();
        return new Costs(
                connections,
                generators.size(),
                bytes(generators),
                cpuNanos(generators),
                servers.size(),
                bytes(servers),
                cpuNanos(servers),
                Math.max(0, proc.machine().kernelSocketBytes() - kernelBytesBefore),
                beats);
    }

    private static long bytes(List<Proc.ProcessReading> processes) {
        return processes.stream()
                .mapToLong(Proc.ProcessReading::proportionalBytes)
                .sum();
    }

    private long cpuNanos(List<Proc.ProcessReading> processes) {
        return processes.stream()
                .mapToLong(process -> process.cpuNanos() - proc.compilerNanos(process.pid()))
                .sum();
    }

    /** How often the gateway asked about credentials; empty if nobody can. */
    String served() {
        return auth == null ? "" : auth.served();
    }

    /** Lines to print above the table. */
    List<String> aside() {
        return forecasts;
    }

    /** What became of the gateways, when one died that nobody had told to. */
    Optional<String> unexpectedExits(boolean expected) {
        if (gateways == null || expected) {
            return Optional.empty();
        }
        return Stream.concat(Stream.of(gateways), services.values().stream())
                .flatMap(pool -> pool.everyone().stream()
                        .filter(number -> !pool.isAlive(number))
                        .map(number -> pool.name(number) + " died; the end of its log:\n" + pool.logTail(number)))
                .findFirst();
    }

    /**
     * Runs a command and waits, at most two minutes.
     *
     * @throws IOException when it cannot be started, does not end, or ends with another status than 0
     */
    private static void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (!process.waitFor(MOST_COMMAND_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(String.join(" ", command) + ": still running after " + MOST_COMMAND_SECONDS + " s");
        }
        if (process.exitValue() != 0) {
            throw new IOException(String.join(" ", command) + ": exit status " + process.exitValue());
        }
    }

    /** Ends the gateways, and then what they spoke to. */
    @Override
    public void close() {
        if (gateways != null) {
            gateways.close();
        }
        services.values().forEach(ServicePool::close);
        if (auth != null) {
            auth.close();
        }
        if (uplink != null) {
            uplink.close();
        }
        if (messages != null) {
            ProcessPool.remove(messages);
        }
    }
}
