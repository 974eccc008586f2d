package io.heartwheel.loadgen.downlink;

import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.scenario.Downlink;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Pushes by HTTP: requests from a template, over connections that are kept. A server of several processes knows a device in one of them
 * only: the next is asked while the answer is that it is absent.
 */
final class HttpCalls implements PushCalls {

    private static final int THREADS = 2;

    private final Downlink.Http http;
    private final List<String> addresses;
    private final Duration limit;
    private final ExecutorService threads;
    private final HttpClient client;

    HttpCalls(Downlink.Http http, Duration limit) {
        this.http = http;
        this.addresses = http.addresses().isEmpty() ? List.of("") : http.addresses();
        this.limit = limit;
        this.threads = Executors.newFixedThreadPool(THREADS, new DefaultThreadFactory("push-http", true));
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(limit)
                .executor(threads)
                .build();
    }

    @Override
    public CompletableFuture<PushAnswer> call(Push push) {
        return ask(push, 0).exceptionally(failure -> PushAnswer.failed(failure, limit));
    }

    private CompletableFuture<PushAnswer> ask(Push push, int which) {
        return client.sendAsync(request(push, addresses.get(which)), HttpResponse.BodyHandlers.discarding())
                .thenCompose(response -> {
                    PushAnswer answer = PushAnswer.of("", response.statusCode(), http.accepted(), http.absent());
                    return answer.said() == Said.ABSENT && which + 1 < addresses.size()
                            ? ask(push, which + 1)
                            : CompletableFuture.completedFuture(answer);
                });
    }

    private HttpRequest request(Push push, String address) {
        // A space in a path is no plus.
        String id = URLEncoder.encode(push.id(), StandardCharsets.UTF_8).replace("+", "%20");
        String url = push.fill(http.url().replace(Downlink.ADDRESS, address), id);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url)).timeout(limit).method(http.method(), body(push));
        http.headers().forEach(request::header);
        return request.build();
    }

    private HttpRequest.BodyPublisher body(Push push) {
        if (http.body().equals(Downlink.MESSAGE)) {
            return HttpRequest.BodyPublishers.ofByteArray(push.message());
        }
        return http.body().isEmpty()
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(push.fill(http.body()));
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
