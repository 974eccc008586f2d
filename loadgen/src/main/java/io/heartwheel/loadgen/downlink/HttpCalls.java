package io.heartwheel.loadgen.downlink;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.scenario.Acks;
import io.heartwheel.loadgen.scenario.Downlink;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Pushes by HTTP: requests from a template, over connections that are kept. Of several addresses each is the
 * first in turn. Where a server's processes know a device in one of them only, the next is asked while the answer is that it is absent. One that is to be kept is called for until there is an answer. One to many is over when the job is that does it. One that is called twice is called twice at once, and each answer counts
 * only if the other one is the same.
 */
final class HttpCalls implements PushCalls {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** Answers that come again under the same key. */
    private static final Set<Said> KEPT = Set.of(Said.ACCEPTED, Said.ACKNOWLEDGED, Said.QUEUED, Said.EXPIRED);

    private static final Set<String> ENDS = Set.of("done", "cancelled");

    private static final long PAUSE_MILLIS = 200;
    private static final long LOOK_MILLIS = 20;
    /** Members of a group that are told at once. */
    private static final int MEMBERS_AT_ONCE = 64;

    private final String group;
    private final List<String> recipients;
    private final Downlink.Http http;
    private final List<String> addresses;
    private final Duration limit;
    private final NanoClock clock;
    private final HttpConnections connections;

    /** @param recipients ids of the devices that all this is for */
    HttpCalls(Downlink downlink, List<String> recipients, Duration limit, NanoClock clock) {
        this.clock = clock;
        this.group = downlink.group();
        this.recipients = recipients;
        this.http = downlink.http();
        this.addresses = http.addresses().isEmpty() ? List.of("") : http.addresses();
        this.limit = limit;
        this.connections = new HttpConnections(limit);
    }

    /** Puts the recipients into the group, if there is one. */
    @Override
    public void open() throws IOException {
        if (group.isEmpty()) {
            return;
        }
        String url = "http://" + addresses.get(0) + "/v1/groups/" + group + "/devices/";
        long giveUpNanos = clock.nanos() + limit.toNanos();
        for (int from = 0; from < recipients.size(); from += MEMBERS_AT_ONCE) {
            List<CompletableFuture<HttpConnections.Answer>> some =
                    recipients.subList(from, Math.min(recipients.size(), from + MEMBERS_AT_ONCE)).stream()
                            .map(id -> member(URI.create(url + encoded(id)), giveUpNanos))
                            .toList();
            for (CompletableFuture<HttpConnections.Answer> each : some) {
                HttpConnections.Answer told = each.join();
                if (told.status() != 200 && told.status() != 201) {
                    throw new IOException(url + ": need status 200 for each member, and it was " + told);
                }
            }
        }
    }

    /** Asked for again while the server cannot; which is no harm. */
    private CompletableFuture<HttpConnections.Answer> member(URI uri, long giveUpNanos) {
        return connections
                .ask(uri, "PUT", http.headers(), new byte[0])
                .exceptionally(failure -> new HttpConnections.Answer(0, String.valueOf(failure)))
                .thenCompose(told -> told.status() == 503 && clock.nanos() - giveUpNanos < 0
                        ? later(PAUSE_MILLIS, () -> member(uri, giveUpNanos))
                        : CompletableFuture.completedFuture(told));
    }

    @Override
    public CompletableFuture<PushAnswer> call(Push push) {
        long giveUpNanos = clock.nanos() + limit.toNanos();
        CompletableFuture<PushAnswer> call = call(push, giveUpNanos);
        return push.again() ? call.thenCombine(call(push, giveUpNanos), HttpCalls::both) : call;
    }

    /** What is to be kept is called for until it is told what came of it: under one key that is one message. */
    private CompletableFuture<PushAnswer> call(Push push, long giveUpNanos) {
        return ask(push, 0)
                .exceptionally(failure -> PushAnswer.failed(failure, limit))
                .thenCompose(answer ->
                        answer.said() == Said.FAILED && push.ask() == Acks.Ask.STORED && clock.nanos() - giveUpNanos < 0
                                ? later(PAUSE_MILLIS, () -> call(push, giveUpNanos))
                                : CompletableFuture.completedFuture(answer));
    }

    private CompletableFuture<PushAnswer> ask(Push push, int asked) {
        int which = Downlink.Http.first(push.recipient(), push.sequence() + asked, addresses.size());
        URI uri = URI.create(push.fill(http.url().replace(Downlink.ADDRESS, addresses.get(which)), encoded(push.id())));
        Map<String, String> headers = http.headers().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, header -> push.fill(header.getValue())));
        return connections.ask(uri, http.method(), headers, body(push)).thenCompose(told -> {
            if (push.id().isEmpty() && told.status() == 202 && json(told.body()).has("state")) {
                return follow(uri.resolve("/v1/jobs/" + json(told.body()).path("id")), headers);
            }
            PushAnswer answer = push.ask() == Acks.Ask.NOTHING
                    ? PushAnswer.of(told.status(), http)
                    : PushAnswer.of(push.ask(), told.status(), json(told.body()));
            return answer.said() == Said.ABSENT && !http.any() && asked + 1 < addresses.size()
                    ? ask(push, asked + 1)
                    : CompletableFuture.completedFuture(answer);
        });
    }

    /** Looks at a job until it is over. */
    private CompletableFuture<PushAnswer> follow(URI job, Map<String, String> headers) {
        return connections.ask(job, "GET", headers, new byte[0]).thenCompose(told -> {
            JsonNode state = json(told.body());
            if (told.status() != 200) {
                return CompletableFuture.completedFuture(PushAnswer.failed("job: " + told.status()));
            }
            if (ENDS.contains(state.path("state").asText())) {
                return CompletableFuture.completedFuture(
                        PushAnswer.ofJob(state, group.isEmpty() ? -1 : recipients.size()));
            }
            return later(LOOK_MILLIS, () -> follow(job, headers));
        });
    }

    private static <T> CompletableFuture<T> later(long millis, Supplier<CompletableFuture<T>> what) {
        return CompletableFuture.supplyAsync(what, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS))
                .thenCompose(each -> each);
    }

    private static String encoded(String id) {
        // A space in a path is no plus.
        return URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private byte[] body(Push push) {
        return http.body().equals(Downlink.MESSAGE)
                ? push.message()
                : push.fill(http.body()).getBytes(StandardCharsets.UTF_8);
    }

    private static JsonNode json(String body) {
        try {
            return MAPPER.readTree(body);
        } catch (JsonProcessingException e) {
            return MAPPER.missingNode();
        }
    }

    /** What both calls under one key say together. */
    private static PushAnswer both(PushAnswer one, PushAnswer other) {
        if (!KEPT.contains(one.said()) || !KEPT.contains(other.said())) {
            // the one of which nothing is known says nothing; a refusal is not kept, so that the other may be another
            // one
            return KEPT.contains(other.said()) || one.said() == Said.FAILED ? other : one;
        }
        return one.equals(other)
                ? one
                : new PushAnswer(
                        Said.CONTRADICTED,
                        one.text() + " id " + one.messageId() + " and " + other.text() + " id " + other.messageId());
    }

    @Override
    public void close() {
        connections.close();
    }
}
