package io.heartwheel.outlet.webhook;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One request under way. Its status line decides: what follows is thrown away, at most {@value #MAX_BODY_BYTES} bytes of it, and a body that does not come or
 * does not end changes nothing. Start and {@link #await} on one thread.
 */
final class WebhookCall implements HttpResponse.BodyHandler<@Nullable Void> {
    /** More than this closes the connection; less leaves it open for the next request. */
    static final int MAX_BODY_BYTES = 64 << 10;

    /**
     * What came back.
     *
     * @param info null: no status line
     * @param problem why there is none, for people
     */
    record Answer(@Nullable ResponseInfo info, String problem) {}

    private final CompletableFuture<HttpResponse<@Nullable Void>> exchange;
    private final long startNanos = System.nanoTime();
    private final long timeoutNanos;
    private volatile @Nullable ResponseInfo info;

    WebhookCall(HttpClient client, HttpRequest request, long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
        exchange = client.sendAsync(request, this);
    }

    /** Waits for the end, or for the timeout since the start. After an interrupt: {@link #cancel}. */
    Answer await() throws InterruptedException {
        String problem = "no answer within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms";
        try {
            long leftNanos = timeoutNanos - (System.nanoTime() - startNanos);
            exchange.get(Math.max(1, leftNanos), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            cancel();
        } catch (ExecutionException e) {
            problem = e.getCause() instanceof HttpTimeoutException ? problem : text(e.getCause());
        }
        return new Answer(info, problem);
    }

    /** Ends it and its connection. */
    void cancel() {
        exchange.cancel(true);
    }

    private static String text(@Nullable Throwable cause) {
        if (cause == null) {
            return "failed";
        }
        String message = cause.getMessage();
        String name = cause.getClass().getSimpleName();
        return message == null || message.isEmpty() ? name : name + ": " + message;
    }

    @Override
    public BodySubscriber<@Nullable Void> apply(ResponseInfo head) {
        info = head;
        return new Discard();
    }

    /** Throws a body away, up to a limit. The client calls it, one call at a time. */
    private static final class Discard implements BodySubscriber<@Nullable Void> {
        private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
        private Flow.@Nullable Subscription subscription;
        private long left = MAX_BODY_BYTES;

        @Override
        public CompletionStage<@Nullable Void> getBody() {
            return end;
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> part) {
            for (ByteBuffer each : part) {
                left -= each.remaining();
            }
            Flow.Subscription open = subscription;
            if (left < 0 && open != null) {
                open.cancel();
                end.complete(null);
            }
        }

        @Override
        public void onError(Throwable broken) {
            end.complete(null);
        }

        @Override
        public void onComplete() {
            end.complete(null);
        }
    }
}
