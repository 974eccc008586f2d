package io.heartwheel.auth.jwt;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Fetcher by HTTP/1.1: one GET, no redirects, 200 or nothing, at most 1 MiB. Any thread. */
final class HttpKeyFetcher implements KeyFetcher {
    private static final Pattern MAX_AGE = Pattern.compile("(?:^|[ ,])max-age=\"?([0-9]{1,9})\"?(?:$|[ ,;])");
    private static final long NANOS_A_SECOND = 1_000_000_000L;

    private final HttpRequest request;
    private final ExecutorService threads;
    private final HttpClient client;

    HttpKeyFetcher(URI url, Duration timeout) {
        threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "jwt-keys-http");
            thread.setDaemon(true);
            return thread;
        });
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(timeout)
                .executor(threads)
                .build();
        request = HttpRequest.newBuilder(url)
                .timeout(timeout)
                .header("Accept", "application/jwk-set+json, application/json")
                .header("User-Agent", "heartwheel")
                .GET()
                .build();
    }

    @Override
    public CompletableFuture<Document> fetch() {
        CompletableFuture<HttpResponse<byte[]>> exchange = client.sendAsync(request, Limited::new);
        CompletableFuture<Document> document = exchange.thenApply(response -> new Document(
                response.body(),
                maxAgeNanos(String.join(", ", response.headers().allValues("cache-control")))));
        document.whenComplete((done, failure) -> {
            if (document.isCancelled()) {
                exchange.cancel(true); // ends the connection
            }
        });
        return document;
    }

    static long maxAgeNanos(String cacheControl) {
        Matcher found = MAX_AGE.matcher(cacheControl.toLowerCase(Locale.ROOT));
        return found.find() ? Long.parseLong(found.group(1)) * NANOS_A_SECOND : KeySchedule.NOT_SAID;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    /** Body up to the limit; that of another status than 200 is not read. The client calls it, one call at a time. */
    private static final class Limited implements BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> end = new CompletableFuture<>();
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private final int status;
        private Flow.@Nullable Subscription subscription;

        Limited(ResponseInfo info) {
            status = info.statusCode();
        }

        @Override
        public CompletionStage<byte[]> getBody() {
            return end;
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            if (status == 200) {
                given.request(Long.MAX_VALUE);
            } else {
                given.cancel();
                end.completeExceptionally(
                        new IOException("HTTP " + status + (status / 100 == 3 ? ", redirects are not followed" : "")));
            }
        }

        @Override
        public void onNext(List<ByteBuffer> part) {
            for (ByteBuffer each : part) {
                byte[] bytes = new byte[each.remaining()];
                each.get(bytes);
                body.writeBytes(bytes);
            }
            Flow.Subscription open = subscription;
            if (body.size() > JwksReader.MOST_BYTES && open != null) {
                open.cancel();
                end.completeExceptionally(new IOException("longer than 1 MiB"));
            }
        }

        @Override
        public void onError(Throwable broken) {
            end.completeExceptionally(broken);
        }

        @Override
        public void onComplete() {
            end.complete(body.toByteArray());
        }
    }
}
