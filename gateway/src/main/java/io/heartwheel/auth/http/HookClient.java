package io.heartwheel.auth.http;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.Grants;
import io.heartwheel.auth.http.HookOutcome.Failed;
import io.heartwheel.net.BoundedBody;
import io.heartwheel.net.HttpCaller;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Client of the service. It opens no more connections than there are calls under way. Any thread. */
final class HookClient {
    private final URI url;
    private final Duration timeout;
    private final Grants grants;
    private final LongSupplier wallMillis;
    private final HttpCaller caller;
    private volatile @Nullable String authorization;

    /**
     * A client; it connects when there is something to ask.
     *
     * @param caFile authorities in PEM; null: those of the JDK
     * @throws IOException if the file cannot be used
     */
    HookClient(URI url, Duration timeout, @Nullable Path caFile, Grants grants, LongSupplier wallMillis)
            throws IOException {
        this.url = url;
        this.timeout = timeout;
        this.grants = grants;
        this.wallMillis = wallMillis;
        caller = HttpCaller.open("auth-http-client", timeout, caFile);
    }

    /** As {@link HttpCaller#trust}. */
    void trust(@Nullable Path caFile) throws IOException {
        caller.trust(caFile);
    }

    /** From now on this secret is sent; null: none. */
    void secret(@Nullable String secret) {
        authorization = secret == null ? null : "Bearer " + secret;
    }

    /**
     * Sends a body.
     *
     * @param end told once what came of it, on any thread
     * @return ends the call and its connection
     */
    Runnable call(byte[] body, Consumer<HookOutcome> end) {
        Exchange exchange = new Exchange(body, end);
        exchange.send(true);
        return exchange::cancel;
    }

    /** Ends its threads. */
    void close() {
        caller.close();
    }

    /** One call, sent once more if it meets a connection that the service has closed meanwhile. Asking twice does no harm. */
    private final class Exchange {
        private final byte[] body;
        private final Consumer<HookOutcome> end;
        private volatile @Nullable CompletableFuture<HttpResponse<byte[]>> sent;
        private volatile boolean cancelled;

        Exchange(byte[] body, Consumer<HookOutcome> end) {
            this.body = body;
            this.end = end;
        }

        void send(boolean first) {
            HttpRequest.Builder request = caller.request(url)
                    .header("Content-Type", "application/json")
                    .header("Accept", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body));
            String secret = authorization;
            if (secret != null) {
                request.header("Authorization", secret);
            }
            CompletableFuture<HttpResponse<byte[]>> future =
                    caller.send(request.build(), info -> new BoundedBody(HookReply.MOST_BYTES));
            sent = future;
            if (cancelled) {
                future.cancel(true);
            }
            future.whenComplete((response, problem) -> {
                if (response != null) {
                    end.accept(outcome(response));
                } else if (first && !cancelled && isClosedMeanwhile(cause(problem))) {
                    send(false);
                } else {
                    end.accept(failed(cause(problem)));
                }
            });
        }

        void cancel() {
            cancelled = true;
            CompletableFuture<HttpResponse<byte[]>> future = sent;
            if (future != null) {
                future.cancel(true);
            }
        }
    }

    private HookOutcome outcome(HttpResponse<byte[]> response) {
        String retryAfter = response.headers().firstValue("retry-after").orElse("");
        return HookReply.read(response.statusCode(), retryAfter, response.body(), wallMillis.getAsLong(), grants);
    }

    private Failed failed(@Nullable Throwable cause) {
        if (cause instanceof HttpTimeoutException) {
            return HookCalls.noAnswer(timeout.toNanos());
        }
        return Failed.of(AuthCause.OUTAGE, HttpCaller.text(cause));
    }

    private static boolean isClosedMeanwhile(@Nullable Throwable cause) {
        return cause instanceof IOException
                && !(cause instanceof HttpTimeoutException)
                && !(cause instanceof ConnectException)
                && !(cause instanceof SSLException);
    }

    private static @Nullable Throwable cause(@Nullable Throwable problem) {
        return problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
    }
}
