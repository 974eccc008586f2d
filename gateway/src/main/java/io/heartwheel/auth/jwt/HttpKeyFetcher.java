package io.heartwheel.auth.jwt;

import io.heartwheel.net.BoundedBody;
import io.heartwheel.net.HttpCaller;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Fetcher by HTTP/1.1: one GET, no redirects, 200 or nothing, at most 1 MiB. Any thread. */
final class HttpKeyFetcher implements KeyFetcher {
    private static final Pattern MAX_AGE = Pattern.compile("(?:^|[ ,])max-age=\"?([0-9]{1,9})\"?(?:$|[ ,;])");
    private static final long NANOS_A_SECOND = 1_000_000_000L;
    private static final int OK = 200;

    private final HttpCaller caller;
    private final HttpRequest request;

    HttpKeyFetcher(URI url, Duration timeout) {
        caller = new HttpCaller("jwt-keys-http", timeout);
        request = caller.request(url)
                .header("Accept", "application/jwk-set+json, application/json")
                .GET()
                .build();
    }

    @Override
    public CompletableFuture<Document> fetch() {
        CompletableFuture<HttpResponse<byte[]>> exchange = caller.send(
                request,
                head -> new BoundedBody(head.statusCode() == OK ? JwksReader.MOST_BYTES : BoundedBody.NOT_READ));
        CompletableFuture<Document> document = exchange.thenApply(HttpKeyFetcher::document);
        document.whenComplete((done, failure) -> {
            if (document.isCancelled()) {
                exchange.cancel(true); // ends the connection
            }
        });
        return document;
    }

    private static Document document(HttpResponse<byte[]> response) {
        int status = response.statusCode();
        if (status != OK) {
            String why = "HTTP " + status + (status / 100 == 3 ? ", redirects are not followed" : "");
            throw new CompletionException(new IOException(why));
        }
        return new Document(
                response.body(),
                maxAgeNanos(String.join(", ", response.headers().allValues("cache-control"))));
    }

    static long maxAgeNanos(String cacheControl) {
        Matcher found = MAX_AGE.matcher(cacheControl.toLowerCase(Locale.ROOT));
        return found.find() ? Long.parseLong(found.group(1)) * NANOS_A_SECOND : KeySchedule.NOT_SAID;
    }

    @Override
    public void close() {
        caller.close();
    }
}
