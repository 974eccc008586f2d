package io.heartwheel.loadgen.workers;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The agents of a run: asked what their machines allow, given their parts at the same time, and then one worker.
 *
 * <pre>
 *   open --&gt; capacities --&gt; LoadDivision.amongMachines, LoadDivision.of each --&gt; start --&gt; WorkerGroup
 * </pre>
 *
 * <p>One thread. Closing the pool, or the group that came of it, ends the agents, and they their workers.
 */
public final class AgentPool implements AutoCloseable {

    /** An agent asks its own workers and waits for them as long as we would: it needs a little more. */
    private static final Duration ROUND = Duration.ofSeconds(10);

    private final List<RemoteWorker> agents;

    private AgentPool(List<RemoteWorker> agents) {
        this.agents = agents;
    }

    /**
     * Starts all.
     *
     * @param commands for the shell, at least one; each starts a worker on its machine, and is its standard input and output
     * @param answerLimit how long a worker of theirs may take to answer
     * @throws IOException naming the first that cannot be started
     */
    public static AgentPool open(List<String> commands, Duration answerLimit) throws IOException {
        AgentPool pool = new AgentPool(new ArrayList<>());
        try {
            for (String command : commands) {
                String name = "agent " + (pool.agents.size() + 1);
                pool.agents.add(WorkerProcess.agent(name, command, answerLimit.plus(ROUND)));
            }
            return pool;
        } catch (IOException e) {
            pool.close();
            throw e;
        }
    }

    /** What the machines allow, in the order of the commands. */
    public List<MachineLimits> capacities() {
        return agents.stream().map(RemoteWorker::capacity).toList();
    }

    /**
     * Gives the first agent the first division, the second the second, all at the same time; agents without one are
     * ended. When one fails, all are closed.
     *
     * @param divisions of {@link LoadDivision#amongMachines}, at most as many as agents
     * @throws IllegalStateException naming an agent that failed
     */
    public WorkerGroup start(String scenario, List<LoadDivision> divisions) {
        List<Assignment> assignments = LoadDivision.assignments(scenario, divisions);
        agents.subList(assignments.size(), agents.size()).forEach(RemoteWorker::close);
        List<RemoteWorker> used = List.copyOf(agents.subList(0, assignments.size()));
        List<CompletableFuture<WorkerReply>> starting = new ArrayList<>();
        for (int i = 0; i < used.size(); i++) {
            Assignment assignment = assignments.get(i);
            int cores = divisions.get(i).limits().cores();
            Duration patience = WorkerPool.patience(assignment.shares().size(), cores);
            starting.add(used.get(i).prepare(assignment, patience.plus(ROUND)));
        }
        try {
            for (int i = 0; i < used.size(); i++) {
                used.get(i).answered(starting.get(i));
            }
            return new WorkerGroup(used);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Ends all. Idempotent. */
    @Override
    public void close() {
        if (!agents.isEmpty()) {
            new WorkerGroup(agents).close();
        }
    }
}
