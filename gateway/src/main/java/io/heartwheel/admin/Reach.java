package io.heartwheel.admin;

import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Way in which a request about one device is answered in a fleet, if that is not connected to the gateway that is asked: by the gateway that has it.
 * Immutable; any thread.
 *
 * @param remembers whether, if it is connected to none, the gateway that had it last is asked
 * @param isFound whether an answer found here is good although the device is elsewhere; null: nothing is looked for here
 * @param waitMillis how long it may take there by intent, milliseconds
 * @param lost what is answered if nobody knows whether it was done
 */
record Reach(boolean remembers, @Nullable Predicate<Response> isFound, ToLongFunction<Request> waitMillis, Lost lost) {
    /** Code where nobody can say how it is. */
    static final String UNKNOWN = "unknown";
    /** What the document tells of the refusals of a fleet. */
    static final String NOT_REACHED =
            "in a fleet: unknown: the gateway that has the device cannot be asked, nothing was done; busy: it takes no more requests";

    /** A look: it can be asked again. */
    static final Reach LOOK =
            new Reach(false, null, call -> 0, (call, messageId, why) -> Response.error(503, UNKNOWN, why));
    /** A change: it may have been made. */
    static final Reach CHANGE = new Reach(
            false,
            null,
            call -> 0,
            (call, messageId, why) -> Response.error(504, UNKNOWN, why, Map.of("outcome", UNKNOWN)));

    /** What is answered then. */
    @FunctionalInterface
    interface Lost {
        /**
         * @param messageId that a message to the device has, if the request names none
         * @param why for people
         */
        Response answer(Request call, long messageId, String why);
    }

    /** The gateway that had the device last may be asked. */
    Reach alsoLast() {
        return new Reach(true, isFound, waitMillis, lost);
    }

    /** What is here already is told from here. */
    Reach unless(Predicate<Response> found) {
        return new Reach(remembers, found, waitMillis, lost);
    }
}
