package io.heartwheel.loadgen.uplink;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.stream.Collectors;

/** A small outlet: signs a batch and posts it. */
final class Sender {

    static final String SECRET = "a secret of some length";
    static final long NOW_SECONDS = 1_700_000_000L;

    private final HttpClient http = HttpClient.newHttpClient();

    /** An event of a device; {@code more} follows in its data. */
    static String event(String id, String kind, String device, String more) {
        return """
                {"specversion":"1.0","id":"%s","source":"/heartwheel/x","type":"io.heartwheel.%s","subject":"%s",\
                "time":"2026-01-01T00:00:00Z","data":{"device":"%s","session":7,"epoch":"18446744073709551611",\
                "sequence":3,"incarnation":2%s}}"""
                .formatted(id, kind, device, device, more);
    }

    static String message(String id, String device, long wireId, byte[] content) {
        String base64 = Base64.getEncoder().encodeToString(content);
        return event(id, "data", device, ",\"id\":" + wireId + ",\"base64\":\"" + base64 + "\"");
    }

    static String batch(String... events) {
        return Arrays.stream(events).collect(Collectors.joining(",", "[", "]"));
    }

    static String signature(String body, String secret, long seconds) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return "t=" + seconds + ",v1=" + WebhookSignature.of(Long.toString(seconds), bytes, secret);
    }

    int post(String url, String body) throws IOException, InterruptedException {
        return post(url, body, signature(body, SECRET, NOW_SECONDS), Duration.ofSeconds(20));
    }

    int post(String url, String body, String signature, Duration patience) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .timeout(patience)
                .header("Content-Type", "application/cloudevents-batch+json; charset=utf-8")
                .header(WebhookSignature.HEADER, signature)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }
}
