package io.heartwheel.auth.http;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.Grants;
import io.heartwheel.auth.http.HookOutcome.Failed;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * HTTP client of the service: HTTP/1.1, connections kept open between calls, no redirects. It opens no more connections than there are calls under way.
 * Its few threads are its own; any thread may call.
 */
final class HookClient {
    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 30;

    private final URI url;
    private final Duration timeout;
    private final Grants grants;
    private final LongSupplier wallMillis;
    private final ExecutorService threads;
    private volatile HttpClient client;
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
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "auth-http-client");
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        threads = pool;
        client = client(caFile, timeout, threads);
    }

    /**
     * From now on these authorities are trusted. Calls under way end on the connections of before.
     *
     * @param caFile as at the start
     * @throws IOException if the file cannot be used; then nothing has changed
     */
    void trust(@Nullable Path caFile) throws IOException {
        client = client(caFile, timeout, threads);
    }

    private static HttpClient client(@Nullable Path caFile, Duration timeout, ExecutorService threads)
            throws IOException {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(timeout)
                .executor(threads);
        return (caFile == null ? builder : builder.sslContext(trusting(caFile))).build();
    }

    private static SSLContext trusting(Path pem) throws IOException {
        try (InputStream in = Files.newInputStream(pem)) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int count = 0;
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("ca-" + count++, each);
            }
            if (count == 0) {
                throw new IOException(pem + ": no certificate in it");
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(pem + ": " + e.getMessage(), e);
        }
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
        threads.shutdownNow();
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
            HttpRequest.Builder request = HttpRequest.newBuilder(url)
                    .timeout(timeout)
                    .header("Content-Type", "application/json")
                    .header("Accept", "application/json")
                    .header("User-Agent", "heartwheel")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body));
            String secret = authorization;
            if (secret != null) {
                request.header("Authorization", secret);
            }
            CompletableFuture<HttpResponse<byte[]>> future =
                    client.sendAsync(request.build(), info -> new BoundedBody(HookReply.MOST_BYTES));
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
        String name = cause == null ? "failed" : cause.getClass().getSimpleName();
        String message = cause == null ? null : cause.getMessage();
        return Failed.of(AuthCause.OUTAGE, message == null || message.isEmpty() ? name : name + ": " + message);
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
