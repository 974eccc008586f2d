package io.heartwheel.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.Pushes;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Messages of schedules and jobs to devices wherever they are connected: as the request of an operator at this gateway would bring them there. At most {@value
 * #MOST} are looked for or carried at once, the others wait.
 *
 * <p>Any thread; nothing blocks. The monitor is held for a step of a queue.
 */
public final class FleetPushes {
    /** A part of what {@link Fleet} carries, so that operators have the rest. */
    private static final int MOST = 256;

    private static final int MOST_AT_A_TIME = 64;

    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String BYTES = "application/octet-stream";
    /** A time is at most 9 digits. */
    private static final long MOST_MILLIS = 999_999_999;

    private final Fleet fleet;
    private final Pushes pushes;
    private final Route.Endpoint way;

    // ---- guarded by this
    private final Queue<CompletableFuture<Boolean>> waiting = new ArrayDeque<>();
    private int underWay;
    private boolean goingOn;

    private volatile boolean ends;

    /**
     * From this gateway.
     *
     * @param pushes to the devices that are connected here
     * @param way of an operator's messages
     */
    FleetPushes(Fleet fleet, Pushes pushes, Route.Endpoint way) {
        this.fleet = fleet;
        this.pushes = pushes;
        this.way = way;
    }

    /**
     * To one device.
     *
     * @return what became of it; fails with a {@link RejectedExecutionException} as the cause if nothing was done, because nobody could say where the device is, or this gateway
     *     ends
     */
    public CompletionStage<PushResult> send(Push push) {
        return inTurn(() -> carried(push));
    }

    /**
     * To a device of a job that is not connected here.
     *
     * @param covered whether the share of the gateway of the row has it
     * @return null if it has; never fails
     */
    CompletionStage<@Nullable PushResult> send(Push push, Predicate<Row> covered) {
        return inTurn(() -> fleet.locate(push.deviceId(), false).thenCompose(row -> to(row, push, covered)))
                .exceptionally(failure -> PushResult.refused(
                        Outcome.UNKNOWN,
                        push.id(),
                        String.valueOf(EngineException.of(failure).getMessage())));
    }

    private CompletionStage<@Nullable PushResult> to(Row row, Push push, Predicate<Row> covered) {
        NodeId there = row.node();
        if (there == null || !row.isHeldElsewhere(fleet.node())) {
            return pushes.send(push).thenApply(result -> result);
        }
        if (!covered.test(row)) {
            return carriedOnce(push);
        }
        // a row may be held by a connection that has ended: its release was lost
        return fleet.isAt(there, push.deviceId(), row.epoch())
                .exceptionally(nobodyKnows -> false)
                .thenCompose(isThere -> isThere ? CompletableFuture.completedFuture(null) : carriedOnce(push));
    }

    /** One that waits for it there under this id is this very message. */
    private CompletionStage<@Nullable PushResult> carriedOnce(Push push) {
        return carried(push).thenApply(result -> result.outcome() == Outcome.ID_IN_USE ? null : result);
    }

    // ------------------------------------------------------------------ turns

    private <T extends @Nullable Object> CompletionStage<T> inTurn(Supplier<CompletionStage<T>> task) {
        CompletableFuture<Boolean> turn = new CompletableFuture<>();
        CompletionStage<T> result = turn.thenCompose(goes -> goes
                ? task.get()
                : CompletableFuture.failedFuture(new RejectedExecutionException("this gateway ends")));
        result.whenComplete((value, failure) -> ended());
        synchronized (this) {
            waiting.add(turn);
        }
        goOn();
        return result;
    }

    private void ended() {
        synchronized (this) {
            underWay--;
        }
        goOn();
    }

    /** One thread at a time, so that what ends at once does not nest; none of a device, which would do what all others wait for. */
    private void goOn() {
        CompletableFuture<Boolean> first = next(false);
        if (first != null) {
            go(first);
        }
    }

    private void go(CompletableFuture<Boolean> first) {
        try {
            fleet.run(() -> part(first));
        } catch (RejectedExecutionException ending) {
            ends = true;
            part(first); // each is told
        }
    }

    /** While NATS is away all end at once; what else runs there has its turn in between. */
    private void part(CompletableFuture<Boolean> first) {
        CompletableFuture<Boolean> next = first;
        for (int i = 0; next != null && (ends || i < MOST_AT_A_TIME); i++) {
            next.complete(!ends);
            next = next(true);
        }
        if (next != null) {
            go(next);
        }
    }

    private synchronized @Nullable CompletableFuture<Boolean> next(boolean mine) {
        if (goingOn && !mine) {
            return null;
        }
        CompletableFuture<Boolean> next = underWay < MOST ? waiting.poll() : null;
        goingOn = next != null;
        underWay += goingOn ? 1 : 0;
        return next;
    }

    // ------------------------------------------------------------------ the request

    private CompletionStage<PushResult> carried(Push push) {
        long mostNanos = push.store() ? pushes.maxAge().toNanos() : push.timeoutNanos();
        Request call = message(push.within(Math.min(push.timeoutNanos(), mostNanos)));
        return way.answer(call).thenCompose(answer -> result(push, answer));
    }

    /** As an operator sends it. */
    static Request message(Push push) {
        Map<String, String> query = query(push.ack(), push.timeoutNanos(), push.store());
        query.put("id", Long.toUnsignedString(push.id()));
        List<String> segments = List.of("v1", "devices", push.deviceId(), "messages");
        return request(HttpMethod.POST, segments, query, push.text(), push.payload());
    }

    /** The parameters of a message. */
    static Map<String, String> query(Push.Ack ack, long timeoutNanos, boolean store) {
        long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
        Map<String, String> query = new TreeMap<>();
        query.put("ack", ack.label());
        query.put("timeout", millis <= MOST_MILLIS ? millis + "ms" : TimeUnit.MILLISECONDS.toSeconds(millis) + "s");
        query.put("store", store ? "1" : "0");
        return query;
    }

    /** One whose body is a payload. */
    static Request request(
            HttpMethod method, List<String> segments, Map<String, String> query, boolean text, byte[] body) {
        HttpHeaders type = new DefaultHttpHeaders().set(HttpHeaderNames.CONTENT_TYPE, text ? TEXT : BYTES);
        return Request.of(method, segments, query, type, body);
    }

    private static CompletionStage<PushResult> result(Push push, Response answer) {
        ObjectNode told = Response.tree(answer.body());
        String label = told.path("outcome").asText();
        String detail = told.path("detail").asText();
        Optional<Outcome> outcome = Stream.of(Outcome.values())
                .filter(each -> each.label().equals(label))
                .findFirst();
        if (outcome.isEmpty() && answer.status() == 503) {
            return CompletableFuture.failedFuture(new RejectedExecutionException(detail));
        }
        return CompletableFuture.completedFuture(PushResult.refused(
                outcome.orElse(Outcome.UNKNOWN),
                push.id(),
                outcome.isPresent() ? detail : "status " + answer.status() + ": " + detail));
    }
}
