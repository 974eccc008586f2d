package io.heartwheel.loadgen.swarm;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.heartwheel.loadgen.fleet.PushReport;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A line from the conductor to a player.
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
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Question(Ask ask, int step, @Nullable Assignment assignment, @Nullable PushReport pushes) {

    /** The calls of a player, and the two before them. */
    enum Ask {
        CAPACITY,
        PREPARE,
        BEGIN,
        LOOK,
        OBSERVE,
        ACT,
        PUSHED,
        FINISH,
        DISMISS,
        PRESENT,
        CLOSE;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Question of(Ask ask) {
        return new Question(ask, 0, null, null);
    }

    static Question of(int step) {
        return new Question(Ask.ACT, step, null, null);
    }

    static Question of(Assignment assignment) {
        return new Question(Ask.PREPARE, 0, assignment, null);
    }

    static Question of(PushReport pushes) {
        return new Question(Ask.PUSHED, 0, null, pushes);
    }
}
