package io.heartwheel.admin;

import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Way in which a request about one device is answered in a fleet, if that is not connected to the gateway that is asked: by the gateway that has it.
 * Immutable; any thread.
 *
 * @param remembers whether, if it is connected to none, the gateway that had it last is asked
 * @param gathering how it is asked of all gateways, whichever has the device; null: of that one alone
 * @param waitMillis how long it may take there by intent, milliseconds
 * @param lost what is answered if nobody knows whether it was done
 */
record Reach(boolean remembers, @Nullable Gathering gathering, ToLongFunction<Request> waitMillis, Lost lost) {
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

    /**
     * How the answers of all gateways become one.
     *
     * @param isFound whether an answer has something to say
     * @param both two such answers as one; null: any will do
     */
    record Gathering(Predicate<Response> isFound, @Nullable BinaryOperator<Response> both) {
        /** Two answers with something to say as one; a refusal is told before all. */
        Response join(Response one, Response other) {
            if (one.status() >= 400 || other.status() >= 400) {
                return one.status() >= 400 ? one : other;
            }
            return both == null ? one : both.apply(one, other);
        }
    }

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
        return new Reach(true, gathering, waitMillis, lost);
    }

    /** All gateways are asked. */
    Reach everywhere(Predicate<Response> isFound, @Nullable BinaryOperator<Response> both) {
        return new Reach(remembers, new Gathering(isFound, both), waitMillis, lost);
    }
}
