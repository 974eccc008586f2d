package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.fleet.Worker;

/** Makes the player of an assignment; called once a worker, before anything is begun. */
@FunctionalInterface
public interface WorkerFactory {

    /**
     * The player, not begun.
     *
     * @throws Exception whose message is told to the conductor
     */
    Worker play(Assignment assignment) throws Exception;
}
