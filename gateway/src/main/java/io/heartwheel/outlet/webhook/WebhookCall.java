package io.heartwheel.outlet.webhook;

import io.heartwheel.net.BoundedBody;
import io.heartwheel.net.HttpCaller;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One request under way. Its status line decides: nobody looks at what follows, at most {@value #MAX_BODY_BYTES} bytes of it are read, and a body that does
 * not come or does not end changes nothing. Start and {@link #await} on one thread.
 */
final class WebhookCall implements HttpResponse.BodyHandler<byte[]> {
    /** More than this closes the connection; less leaves it open for the next request. */
    static final int MAX_BODY_BYTES = 64 << 10;

    /**
     * What came back.
     *
     * @param info null: no status line
     * @param problem why there is none, for people
     */
    record Answer(@Nullable ResponseInfo info, String problem) {}

    private final CompletableFuture<HttpResponse<byte[]>> exchange;
    private final long startNanos = System.nanoTime();
    private final long timeoutNanos;
    private volatile @Nullable ResponseInfo info;

    WebhookCall(HttpCaller caller, HttpRequest request, long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
        exchange = caller.send(request, this);
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
            problem = e.getCause() instanceof HttpTimeoutException ? problem : HttpCaller.text(e.getCause());
        }
        return new Answer(info, problem);
    }

    /** Ends it and its connection. */
    void cancel() {
        exchange.cancel(true);
    }

    @Override
    public BodySubscriber<byte[]> apply(ResponseInfo head) {
        info = head;
        return new BoundedBody(MAX_BODY_BYTES);
    }
}
