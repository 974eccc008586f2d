package io.heartwheel.loadgen.swarm;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.heartwheel.loadgen.fleet.Part;
import io.heartwheel.loadgen.fleet.Reading;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A line from a player to its conductor: what was asked for, or what went wrong, or neither where there is nothing to say.
 *
 * @param present sockets still there
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Answer(
        @Nullable String error,
        @Nullable Limits limits,
        @Nullable Reading reading,
        @Nullable Part part,
        @Nullable Long present) {

    static final Answer DONE = new Answer(null, null, null, null, null);

    static Answer failure(String text) {
        return new Answer(text, null, null, null, null);
    }

    /** The same, with what this player has lost itself told as its loss. */
    Answer toldBy(String name) {
        if (reading != null && !reading.lost().isEmpty()) {
            return of(
                    new Reading(reading.elapsedNanos(), reading.ledger(), reading.usage(), told(name, reading.lost())));
        }
        return part != null && !part.lost().isEmpty() ? of(part.withLost(told(name, part.lost()))) : this;
    }

    private static List<String> told(String name, List<String> lost) {
        return lost.stream().map(text -> name + ": " + text).toList();
    }

    static Answer of(Limits limits) {
        return new Answer(null, limits, null, null, null);
    }

    static Answer of(Reading reading) {
        return new Answer(null, null, reading, null, null);
    }

    static Answer of(Part part) {
        return new Answer(null, null, null, part, null);
    }

    static Answer of(long present) {
        return new Answer(null, null, null, null, present);
    }
}
