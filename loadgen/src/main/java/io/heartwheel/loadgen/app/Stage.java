package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.fleet.Costs;
import io.heartwheel.loadgen.scenario.Step;
import java.io.IOException;
import java.util.Optional;

/**
 * What stands around the players of a run: gateways that were started for it, the machine. Called by the conductor's
 * helper thread, one call at a time.
 */
interface Stage {

    /** Nothing was started and nothing is measured. */
    Stage BARE = new Stage() {
        @Override
        public void act(Step step) throws IOException, InterruptedException {
            if (step.action() == Step.Action.EXEC) {
                Commands.run(step.command());
            } else {
                throw new IOException(step.text() + ": this run started no gateways");
            }
        }

        @Override
        public Optional<Costs> costs() {
            return Optional.empty();
        }

        @Override
        public Optional<String> aside() {
            return Optional.empty();
        }
    };

    /** Does a step of the timeline that concerns gateways; returns when it is done. */
    void act(Step step) throws IOException, InterruptedException;

    /** What all sides cost now. CPU times count from the start of each process. */
    Optional<Costs> costs();

    /** A line to print above the table, if any. */
    Optional<String> aside() throws InterruptedException;
}
