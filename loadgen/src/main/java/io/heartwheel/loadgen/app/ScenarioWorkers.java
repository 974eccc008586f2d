package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.fleet.Fleet;
import io.heartwheel.loadgen.fleet.Slice;
import io.heartwheel.loadgen.fleet.SourceList;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import io.heartwheel.loadgen.workers.Assignment;
import io.heartwheel.loadgen.workers.JavaCommand;
import io.heartwheel.loadgen.workers.LoadDivision;
import io.heartwheel.loadgen.workers.WorkerPool;
import io.heartwheel.loadgen.workers.WorkerShare;

/** Factory of workers: in this process, or processes of their own. Stateless. */
final class ScenarioWorkers {

    private ScenarioWorkers() {}

    /** Worker for its share, in its own process. */
    static Worker ofAssignment(Assignment assignment) {
        Scenario scenario = ScenarioReader.read(assignment.scenario(), "scenario");
        return local(scenario, assignment.share());
    }

    /** One share is run here; several get a process each. */
    static Worker of(Scenario scenario, LoadDivision division) {
        if (division.shares().size() == 1) {
            return local(scenario, division.shares().get(0));
        }
        return WorkerPool.of(JavaCommand.ofThisProcess(LoadgenMain.class.getName()), "worker")
                .start(new Assignment(scenario.text(), division.shares()));
    }

    /** Workers in this very process. */
    static Worker local(Scenario scenario, WorkerShare share) {
        Slice slice = share.slice();
        int loops = scenario.loops() > 0 ? scenario.loops() : share.loops();
        return new Fleet(
                scenario,
                slice,
                new SourceList(share.sources(), slice),
                loops,
                NanoClock.of(System::nanoTime, System::currentTimeMillis),
                Meters.ofThisProcess());
    }
}
