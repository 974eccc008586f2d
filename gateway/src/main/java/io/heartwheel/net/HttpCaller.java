package io.heartwheel.net;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Client for calls of the gateway's own: HTTP/1.1, connections kept open between calls, no redirects. It connects when there is something to send. Its few
 * threads are its own; any thread may call.
 */
public final class HttpCaller implements AutoCloseable {
    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 30;

    private final Duration timeout;
    private final ExecutorService threads;
    private volatile HttpClient client;

    /**
     * A client that trusts the authorities of the JDK.
     *
     * @param name of its threads
     * @param timeout for a connection, and for a call from its beginning to the end of its head
     */
    public HttpCaller(String name, Duration timeout) {
        this(name, timeout, null);
    }

    private HttpCaller(String name, Duration timeout, @Nullable SSLContext tls) {
        this.timeout = timeout;
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        threads = pool;
        client = client(tls);
    }

    /**
     * The same with other authorities.
     *
     * @param caFile authorities in PEM; null: those of the JDK
     * @throws IOException if the file cannot be used
     */
    public static HttpCaller open(String name, Duration timeout, @Nullable Path caFile) throws IOException {
        return new HttpCaller(name, timeout, trusting(caFile));
    }

    /**
     * From now on these authorities are trusted. Calls under way end on the connections of before.
     *
     * @param caFile as at the start
     * @throws IOException if the file cannot be used; then nothing has changed
     */
    public void trust(@Nullable Path caFile) throws IOException {
        client = client(trusting(caFile));
    }

    private HttpClient client(@Nullable SSLContext tls) {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(timeout)
                .executor(threads);
        return (tls == null ? builder : builder.sslContext(tls)).build();
    }

    private static @Nullable SSLContext trusting(@Nullable Path caFile) throws IOException {
        return caFile == null ? null : ClientTls.context(caFile, null, null);
    }

    /** A request with our name and the timeout. */
    public HttpRequest.Builder request(URI url) {
        return HttpRequest.newBuilder(url).timeout(timeout).header("User-Agent", "heartwheel");
    }

    /** Sends it; to cancel the future ends the call and its connection. */
    public <T> CompletableFuture<HttpResponse<T>> send(HttpRequest request, BodyHandler<T> body) {
        return client.sendAsync(request, body);
    }

    /** Why a call failed, for people: nothing that the other side has sent, which may be a secret of the request, and of any length. */
    public static String text(@Nullable Throwable cause) {
        String name = cause == null ? "failed" : cause.getClass().getSimpleName();
        String message = cause instanceof ConnectException || cause instanceof SSLException ? cause.getMessage() : null;
        return message == null || message.isEmpty() ? name : name + ": " + message;
    }

    /** Ends its threads. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
