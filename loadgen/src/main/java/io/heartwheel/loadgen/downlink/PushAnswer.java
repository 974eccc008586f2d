package io.heartwheel.loadgen.downlink;

import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/**
 * Answer to a push call.
 *
 * @param text as the server gave it, or what went wrong
 */
record PushAnswer(Said said, String text) {

    private static final int MOST_TEXT = 80;

    /** An answer by a number. */
    static PushAnswer of(String name, int status, Set<Integer> accepted, Set<Integer> absent) {
        Said said = accepted.contains(status) ? Said.ACCEPTED : absent.contains(status) ? Said.ABSENT : Said.REFUSED;
        return new PushAnswer(said, name + status);
    }

    /** Nobody knows what came of it. */
    static PushAnswer failed(Throwable failure, Duration limit) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof TimeoutException || cause instanceof java.net.http.HttpTimeoutException) {
            return failed("no answer within " + limit.toMillis() + " ms");
        }
        return failed(cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage());
    }

    static PushAnswer failed(String text) {
        return new PushAnswer(Said.FAILED, text.length() > MOST_TEXT ? text.substring(0, MOST_TEXT) : text);
    }
}
