package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.fleet.Fleet;
import io.heartwheel.loadgen.fleet.SourceList;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.scenario.Gateways;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import io.heartwheel.loadgen.scenario.Target;
import io.heartwheel.loadgen.workers.AgentPool;
import io.heartwheel.loadgen.workers.Assignment;
import io.heartwheel.loadgen.workers.JavaCommand;
import io.heartwheel.loadgen.workers.Load;
import io.heartwheel.loadgen.workers.LoadDivision;
import io.heartwheel.loadgen.workers.MachineLimits;
import io.heartwheel.loadgen.workers.SourceRange;
import io.heartwheel.loadgen.workers.WorkerPool;
import io.heartwheel.loadgen.workers.WorkerShare;
import java.io.IOException;
import java.net.Inet4Address;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Division of a scenario over workers: this process, workers beside it, or agents on other machines. One thread.
 *
 * @param divisions one a machine
 * @param agents null: this machine alone
 */
record WorkerPlan(List<LoadDivision> divisions, @Nullable AgentPool agents) implements AutoCloseable {

    /** The kernel spreads connections over processes by chance: some get a few hundred more than others. */
    private static final long DESCRIPTORS_SPARED = 1_100;

    private static final Duration ANSWER = Duration.ofSeconds(30);

    /** On this machine. */
    static WorkerPlan here(Scenario scenario) {
        return new WorkerPlan(List.of(LoadDivision.of(load(scenario), MachineLimits.ofThisMachine())), null);
    }

    /**
     * On the agents' machines.
     *
     * @throws IOException naming an agent that cannot be started
     */
    static WorkerPlan abroad(Scenario scenario, List<String> commands) throws IOException {
        AgentPool agents = AgentPool.open(commands, ANSWER);
        try {
            List<MachineLimits> machines = agents.capacities();
            List<Load> parts = LoadDivision.amongMachines(load(scenario), machines);
            List<LoadDivision> divisions = new ArrayList<>();
            for (int i = 0; i < parts.size(); i++) {
                divisions.add(LoadDivision.of(parts.get(i), machines.get(i)));
            }
            return new WorkerPlan(divisions, agents);
        } catch (RuntimeException e) {
            agents.close();
            throw e;
        }
    }

    private static Load load(Scenario scenario) {
        double weights = scenario.targets().stream().mapToDouble(Target::weight).sum();
        double widest =
                scenario.targets().stream().mapToDouble(Target::weight).max().orElse(weights);
        boolean loopback = scenario.targets().stream()
                .map(target -> target.address().getAddress())
                .allMatch(address -> address instanceof Inet4Address && address.isLoopbackAddress());
        double tlsShare = scenario.targets().stream()
                .filter(target -> target.tls() != null)
                .mapToDouble(target -> target.weight() / weights)
                .sum();
        Gateways gateways = scenario.gateways();
        return new Load(
                0,
                scenario.clients(),
                scenario.clients(),
                loopback,
                widest / weights,
                scenario.socketsEach(),
                scenario.restingEach(),
                Math.round(tlsShare * Load.TLS_BYTES),
                gateways.start()
                        ? Load.StartedGateways.of(gateways(scenario), gateways.javaOptions())
                        : Load.StartedGateways.NONE,
                scenario.sources().isEmpty() ? null : SourceRange.parse(scenario.sources()));
    }

    /** As many gateways as wished for, or as the descriptors of a process ask for. */
    static int gateways(Scenario scenario) {
        int wished = scenario.gateways().count();
        long each = Math.max(1, MachineLimits.ofThisMachine().descriptors() - DESCRIPTORS_SPARED);
        return wished > 0 ? wished : (int) Math.max(1, Math.ceil(scenario.clients() * scenario.socketsEach() / each));
    }

    /** How the work is divided, and what stands in the way. */
    List<String> lines() {
        return divisions.stream().flatMap(division -> division.lines().stream()).toList();
    }

    /** Whether nothing blocks. */
    boolean fits() {
        return divisions.stream().allMatch(LoadDivision::fits);
    }

    /** Processes that will run devices. */
    int workers() {
        return divisions.stream().mapToInt(division -> division.shares().size()).sum();
    }

    /** Starts the worker; the caller closes it. The scenario may name other addresses than the one it was divided for. */
    Worker start(Scenario scenario) {
        if (agents != null) {
            return agents.start(scenario.text(), divisions);
        }
        return local(scenario, divisions.get(0).shares());
    }

    /** Worker on this machine, for its shares. */
    static Worker local(Assignment assignment) {
        return local(ScenarioReader.read(assignment.scenario(), "scenario"), assignment.shares());
    }

    /** A single share in this process, several in processes of this program. */
    private static Worker local(Scenario scenario, List<WorkerShare> shares) {
        if (shares.size() > 1) {
            return WorkerPool.of(JavaCommand.ofThisProcess(WorkerCommand.class.getName()), WorkerCommand.NAME)
                    .start(new Assignment(scenario.text(), shares));
        }
        WorkerShare share = shares.get(0);
        return new Fleet(
                scenario,
                share.slice(),
                new SourceList(share.sources(), share.slice()),
                scenario.loops() > 0 ? scenario.loops() : share.loops(),
                NanoClock.of(System::nanoTime, System::currentTimeMillis),
                Meters.ofThisProcess());
    }

    /** Ends the agents. */
    @Override
    public void close() {
        if (agents != null) {
            agents.close();
        }
    }
}
