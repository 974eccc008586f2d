package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.scenario.Addresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
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
 * <p>One thread. Closing the pool, or the group that came of it, hangs up; the agents then end their workers.
 */
public final class AgentPool implements AutoCloseable {

    /** An agent asks its own workers and waits for them as long as we would: it needs a little more. */
    private static final Duration ROUND = Duration.ofSeconds(10);

    private final List<RemoteWorker> agents;

    private AgentPool(List<RemoteWorker> agents) {
        this.agents = agents;
    }

    /**
     * Connects to all.
     *
     * @param addresses {@code host:port} each, at least one
     * @param answerLimit how long a worker of theirs may take to answer
     * @throws IOException naming the first that cannot be reached or does not know the token
     */
    public static AgentPool open(List<String> addresses, Token token, Duration answerLimit) throws IOException {
        List<InetSocketAddress> parsed =
                addresses.stream().map(text -> Addresses.read("agents", text)).toList();
        AgentPool pool = new AgentPool(new ArrayList<>());
        try {
            for (InetSocketAddress address : parsed) {
                pool.agents.add(connected(address, token, answerLimit.plus(ROUND)));
            }
            return pool;
        } catch (IOException e) {
            pool.close();
            throw e;
        }
    }

    /** Connects and proves the token, both ways; 5 s for each. */
    private static RemoteWorker connected(InetSocketAddress address, Token token, Duration limit) throws IOException {
        String name = "agent " + address.getHostString() + ":" + address.getPort();
        Socket socket = new Socket();
        try {
            socket.connect(address, TokenHandshake.MOST_MILLIS);
            socket.setTcpNoDelay(true);
            LineChannel lines =
                    new LineChannel(socket.getInputStream(), socket.getOutputStream(), TokenHandshake.MOST_LINE_BYTES);
            CompletableFuture<Void> over = TokenHandshake.limit(socket);
            try {
                new TokenHandshake(lines, token).introduce();
            } finally {
                over.complete(null);
            }
            lines.limit(Json.MOST_LINE_BYTES);
            return new RemoteWorker(name, lines, limit, () -> TokenHandshake.hangUp(socket));
        } catch (IOException e) {
            socket.close();
            throw new IOException(name + ": " + e.getMessage(), e);
        }
    }

    /** What the machines allow, in the order of the addresses. */
    public List<MachineLimits> capacities() {
        return agents.stream().map(RemoteWorker::capacity).toList();
    }

    /**
     * Gives the first agent the first division, the second the second, all at the same time; agents without one are hung
     * up on. When one fails, all are closed.
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

    /** Hangs up on all. Idempotent. */
    @Override
    public void close() {
        if (!agents.isEmpty()) {
            new WorkerGroup(agents).close();
        }
    }
}
