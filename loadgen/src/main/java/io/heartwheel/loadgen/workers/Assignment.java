package io.heartwheel.loadgen.workers;

import java.util.List;

/**
 * Work of one worker or agent.
 *
 * @param scenario the scenario's own resolved text; every process reads it with the same reader
 * @param shares one for a worker; as many as workers are to be started for an agent
 */
public record Assignment(String scenario, List<WorkerShare> shares) {

    /** More processes than this are not started. */
    public static final int MOST_WORKERS = 1_000;

    /** Keeps its own copy. */
    public Assignment {
        shares = List.copyOf(shares);
        if (shares.isEmpty() || shares.size() > MOST_WORKERS) {
            throw new IllegalArgumentException("shares = " + shares.size() + ": need 1.." + MOST_WORKERS + " workers");
        }
    }

    /** The share of a worker. */
    public WorkerShare share() {
        if (shares.size() != 1) {
            throw new IllegalArgumentException("shares = " + shares.size() + ": a worker plays 1");
        }
        return shares.get(0);
    }

    /** What the worker with this number is to run. */
    Assignment ofWorker(int number) {
        return new Assignment(scenario, List.of(shares.get(number)));
    }
}
