package io.heartwheel.loadgen.swarm;

import io.heartwheel.loadgen.fleet.Player;

/** Makes the player of an assignment; called once a worker, before anything is begun. */
@FunctionalInterface
public interface PlayerFactory {

    /**
     * The player, not begun.
     *
     * @throws Exception whose message is told to the conductor
     */
    Player play(Assignment assignment) throws Exception;
}
