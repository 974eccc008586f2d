package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.fleet.Worker;

/** Factory of the worker of an assignment; called once a worker, before anything is begun. */
@FunctionalInterface
public interface WorkerFactory {

    /**
     * The worker, not begun.
     *
     * @throws Exception whose message is told to the coordinator
     */
    Worker create(Assignment assignment) throws Exception;
}
