package io.heartwheel.loadgen.workers;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.heartwheel.loadgen.fleet.PushReport;
import io.heartwheel.loadgen.fleet.UplinkReport;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A line from the coordinator to a worker.
 *
 * <pre>
 *   {"ask":"PREPARE","step":0,"assignment":{...}}        {}
 *   {"ask":"LOOK","step":0}                              {"reading":{...}}
 *   {"ask":"ACT","step":2}                               {"error":"IllegalStateException: ..."}
 * </pre>
 *
 * @param ask what is wanted
 * @param step number of the timeline's step, for {@link Ask#ACT}
 * @param assignment for {@link Ask#PREPARE}
 * @param pushes for {@link Ask#PUSHED}
 * @param uplink for {@link Ask#CAME_OUT}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record WorkerRequest(
        Ask ask,
        int step,
        @Nullable Assignment assignment,
        @Nullable PushReport pushes,
        @Nullable UplinkReport uplink) {

    /** The calls of a worker, and the two before them. */
    enum Ask {
        CAPACITY,
        PREPARE,
        BEGIN,
        LOOK,
        OBSERVE,
        ACT,
        PUSHED,
        CAME_OUT,
        FINISH,
        DISMISS,
        PRESENT,
        CLOSE;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static WorkerRequest of(Ask ask) {
        return new WorkerRequest(ask, 0, null, null, null);
    }

    static WorkerRequest of(int step) {
        return new WorkerRequest(Ask.ACT, step, null, null, null);
    }

    static WorkerRequest of(Assignment assignment) {
        return new WorkerRequest(Ask.PREPARE, 0, assignment, null, null);
    }

    static WorkerRequest of(PushReport pushes) {
        return new WorkerRequest(Ask.PUSHED, 0, null, pushes, null);
    }

    static WorkerRequest of(UplinkReport uplink) {
        return new WorkerRequest(Ask.CAME_OUT, 0, null, null, uplink);
    }
}
