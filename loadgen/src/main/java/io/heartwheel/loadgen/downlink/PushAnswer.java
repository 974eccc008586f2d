package io.heartwheel.loadgen.downlink;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.scenario.Acks;
import io.heartwheel.loadgen.scenario.Downlink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/**
 * Answer to a push call.
 *
 * @param text as the server gave it, or what went wrong
 * @param absent ids of devices that one to many did not reach
 * @param messageId of the message by the server; 0: it told none
 */
record PushAnswer(Said said, String text, List<String> absent, long messageId) {

    private static final int MOST_TEXT = 80;

    /** An answer of which no more is known. */
    PushAnswer(Said said, String text) {
        this(said, text, List.of(), 0);
    }

    /** An answer of the gateway's API to a push with which this was asked for. */
    static PushAnswer of(Acks.Ask ask, int status, JsonNode body) {
        String told = status + " " + body.path("outcome").asText("without an outcome");
        Said said =
                switch (told) {
                    case "202 sent" -> ask == Acks.Ask.SENT ? Said.ACCEPTED : Said.REFUSED;
                    case "200 received" -> ask == Acks.Ask.RECEIVED ? Said.ACKNOWLEDGED : Said.REFUSED;
                    case "200 acknowledged" -> ask == Acks.Ask.DEVICE ? Said.ACKNOWLEDGED : Said.REFUSED;
                    case "504 expired" ->
                        ask == Acks.Ask.RECEIVED || ask == Acks.Ask.DEVICE ? Said.EXPIRED : Said.REFUSED;
                    case "202 queued" -> ask == Acks.Ask.STORED ? Said.QUEUED : Said.REFUSED;
                    case "404 offline" -> ask == Acks.Ask.STORED ? Said.REFUSED : Said.ABSENT;
                    case "504 unknown" -> Said.FAILED;
                    default -> Said.REFUSED;
                };
        return new PushAnswer(said, told, List.of(), body.path("id").asLong());
    }

    /**
     * How a job of the gateway's API ended that brings a message to many.
     *
     * @param members how many it is for; below 0: nobody knows
     */
    static PushAnswer ofJob(JsonNode job, int members) {
        long[] told = new long[1];
        job.path("outcomes").forEach(each -> told[0] += each.asLong());
        long devices = job.path("devices").asLong(-1);
        String text = "job %s: %s of %d devices".formatted(job.path("state").asText(), job.path("outcomes"), devices);
        List<String> absent = new ArrayList<>();
        job.path("not_reached").forEach(each -> absent.add(each.path("device").asText()));
        boolean right = told[0] == devices
                && (members < 0 || devices == members)
                && job.path("state").asText().equals("done");
        return new PushAnswer(right ? Said.ACCEPTED : Said.CONTRADICTED, text, absent, 0);
    }

    /** An answer by its status alone. */
    static PushAnswer of(int status, Downlink.Http http) {
        return http.unknown().contains(status)
                ? failed(Integer.toString(status))
                : of("", status, http.accepted(), http.absent());
    }

    /** An answer by a number. */
    static PushAnswer of(String name, int status, Set<Integer> accepted, Set<Integer> absent) {
        Said said = accepted.contains(status) ? Said.ACCEPTED : absent.contains(status) ? Said.ABSENT : Said.REFUSED;
        return new PushAnswer(said, name + status);
    }

    /** Nobody knows what came of it. */
    static PushAnswer failed(Throwable failure, Duration limit) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof TimeoutException) {
            return failed("no answer within " + limit.toMillis() + " ms");
        }
        return failed(cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage());
    }

    static PushAnswer failed(String text) {
        return new PushAnswer(Said.FAILED, text.length() > MOST_TEXT ? text.substring(0, MOST_TEXT) : text);
    }
}
