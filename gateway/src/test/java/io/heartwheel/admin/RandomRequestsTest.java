package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.event.CloseReason;
import io.heartwheel.push.Push;
import io.heartwheel.session.FakeSession;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Requests made at random of the API's own document, good ones and broken ones: each is answered as the document says, and none is a fault of ours. */
class RandomRequestsTest {
    private static final int REQUESTS = 10_000;
    private static final List<String> DEVICES = List.of("sensor-42", "a b/c", "müller", "busy", "gone", "stranger");
    private static final List<String> METHODS =
            List.of("GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "BREW");
    private static final List<String> ODD = List.of(
            "",
            "-1",
            "0",
            "1e9",
            "99999999999999999999",
            "true",
            "null",
            "%",
            "%zz",
            "%00",
            "%ff",
            "%F0%9F%92%96",
            "a%2Fb",
            "..",
            "%2e%2e",
            "a+b",
            "'",
            "%22",
            "%3Cscript%3E",
            "0x10",
            "1;drop",
            "a=b",
            "%E2%80%AE",
            "x".repeat(300));

    /** @param target path and query, encoded */
    private record Sent(String method, String target, List<String> headers, String body) {}

    private final long seed = Long.getLong("test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final AnswerSchemas schemas = AnswerSchemas.ofThisGateway();
    private String job = "1";

    @Test
    void requests_atRandom_areAnsweredAsTheDocumentSays() throws Exception {
        System.out.println("test.seed = " + seed);
        try (AdminFixture admin = AdminFixture.storing();
                RawCaller caller = new RawCaller(admin, () -> passTimeIfSomethingWaits(admin))) {
            JsonNode document = schemas.document();
            Map<Integer, Integer> statuses = new TreeMap<>();
            Set<String> served = new TreeSet<>();
            for (int i = 0; i < REQUESTS; i++) {
                if (i % 20 == 0) {
                    arrange(admin, i < 200);
                }
                String operation = pick(schemas.operations());
                Sent request = request(document, operation);
                RawCaller.Answer answer = caller.call(request);
                Supplier<String> what = () -> "seed " + seed + ": " + request + " -> " + answer;
                assertNotEquals(500, answer.status(), what);
                try {
                    schemas.check(
                            request.method(), request.target(), answer.status(), answer.contentType(), answer.body());
                } catch (AssertionError contradicted) {
                    throw new AssertionError(what.get(), contradicted);
                }
                statuses.merge(answer.status(), 1, Integer::sum);
                if (answer.status() < 300) {
                    served.add(request.method() + " " + schemas.pathOf(request.target()));
                }
            }
            System.out.println("answers by status " + statuses);
            Set<String> all = new TreeSet<>(schemas.operations());
            all.removeIf(operation -> operation.contains("/v1/outlets/")); // there are none here
            all.remove("GET /v1/nodes"); // it belongs to no fleet
            all.removeAll(served);
            assertEquals(Set.of(), all, "never served well; seed " + seed);
        }
    }

    /** Devices, closes and drains of every kind. */
    private void arrange(AdminFixture admin, boolean closes) {
        for (String id : DEVICES.subList(0, 4)) {
            if (admin.gateway.registry.find(id) == null) {
                FakeSession device = admin.device(id, "heartwheel", admin::onLoop);
                device.drains = !id.equals("busy");
                device.onData = data -> says(device, data);
            }
        }
        for (String id : DEVICES.subList(0, 4)) { // something to look at, and to take back
            admin.pushes.send(new Push(
                    id,
                    7,
                    true,
                    new byte[] {'x'},
                    Push.Ack.DEVICE,
                    false,
                    Duration.ofDays(1).toNanos(),
                    true));
        }
        if (closes) { // few: a page of a thousand takes long to validate
            admin.device("gone").end(pick(List.of(CloseReason.PEER_RESET, CloseReason.MALFORMED)));
            admin.refuse("stranger");
        }
        admin.groups.jobs().list(null, 1).forEach(latest -> job = Long.toUnsignedString(latest.id()));
        admin.drains.ordered = random.nextBoolean() ? null : admin.drains.ordered;
        admin.notReady = random.nextInt(4) == 0 ? List.of("draining") : List.of();
        admin.notAlive = random.nextInt(4) == 0 ? List.of("wheel has not turned for 9.0 s") : List.of();
        admin.reload = random.nextBoolean()
                ? ReloadReport.applied(List.of("a"), List.of())
                : ReloadReport.refused(List.of("a = 1: need 2..3"));
        if (random.nextInt(10) == 0) {
            admin.snapshots.step(admin.gateway.now());
        }
    }

    /** It acknowledges one in two, and answers one in two. */
    private void says(FakeSession device, FakeSession.Data data) {
        if (data.ackWanted() && data.messageId() % 2 == 0) {
            device.ack(data.messageId(), true);
            device.reply(data.messageId(), data.text(), data.payload());
        }
    }

    private static void passTimeIfSomethingWaits(AdminFixture admin) {
        if (admin.pushes.queues() > 0) {
            admin.onLoop(() -> admin.gateway.pass(Duration.ofSeconds(1)));
        }
    }

    // ------------------------------------------------------------------ requests

    private Sent request(JsonNode document, String operation) {
        String method = operation.split(" ")[0];
        String path = operation.split(" ")[1];
        JsonNode told = document.path("paths").path(path).path(method.toLowerCase(Locale.ROOT));
        boolean broken = random.nextInt(2) == 0;
        List<String> query = new ArrayList<>();
        List<String> headers = new ArrayList<>();
        for (JsonNode parameter : told.path("parameters")) {
            String name = parameter.path("name").asText();
            boolean odd = broken && random.nextInt(4) == 0;
            String value = odd ? pick(ODD) : encoded(good(name, parameter.path("schema")));
            if (parameter.path("in").asText().equals("path")) {
                path = path.replace("{" + name + "}", value);
            } else if (parameter.path("in").asText().equals("header")) {
                if (random.nextInt(4) == 0) {
                    headers.add(name + ": " + pick(List.of("k" + random.nextInt(1_000), "", "a b")));
                }
            } else if (random.nextInt(3) == 0) {
                query.add(name + "=" + value);
            }
        }
        String body = "";
        if (told.has("requestBody")) {
            headers.add("Content-Type: " + pick(List.of("text/plain", "application/json", "application/octet-stream")));
            body = pick(List.of(
                    "",
                    "x",
                    "{\"to\":\"start\"}",
                    "{\"to\":4}",
                    "{\"to\":{\"all\":true},\"after\":\"1h\",\"every\":\"1d\",\"text\":\"x\"}"));
        }
        if (random.nextInt(4) == 0) {
            headers.add(
                    "Accept-Encoding: " + pick(List.of("gzip", "gzip;q=0", "*;q=0.1", "br", ";;;", "identity;q=0")));
        }
        return broken
                ? damaged(method, path, query, headers, body)
                : new Sent(method, target(path, query), headers, body);
    }

    private Sent damaged(String method, String path, List<String> query, List<String> headers, String body) {
        String asked = method;
        String there = path;
        String with = body;
        switch (random.nextInt(10)) {
            case 0 -> asked = pick(METHODS);
            case 1 -> there = path + pick(List.of("/", "//", "/..", "/x", "%2F", "%", "%zz", ";v=1", ":", "%c3%28"));
            case 2 ->
                there = pick(List.of(
                        "/",
                        "/v1",
                        "//v1/devices",
                        "/v1/../metrics",
                        "/V1/DEVICES",
                        "/v1/devices/",
                        "/%6detrics",
                        "/v1/%64evices"));
            case 3 -> query.add(pick(ODD).replace("=", "") + "=" + pick(ODD));
            case 4 -> query.addAll(List.copyOf(query));
            case 5 ->
                with = pick(List.of(
                        "{",
                        "[]",
                        "null",
                        "{\"to\":1.5}",
                        "{\"to\":{}}",
                        "\u00c3(",
                        "x".repeat(1_500),
                        "x".repeat(3_000)));
            case 6 -> headers.add("Origin: https://evil.example");
            case 7 ->
                headers.add("Content-Type: "
                        + pick(List.of(
                                "text/plain; charset=latin1",
                                "text/plain; charset",
                                ";",
                                "text/plain;=",
                                "a/b; c=\"")));
            case 8 ->
                headers.add(pick(List.of(
                        "Accept: application/openmetrics-text",
                        "Accept: */*;q=0",
                        "If-None-Match: *",
                        "Range: bytes=0-1",
                        "Expect: 100-continue")));
            default -> headers.add("X: " + "y".repeat(random.nextInt(2) * 9_000));
        }
        return new Sent(asked, target(there, query), headers, with);
    }

    private static String target(String path, List<String> query) {
        return query.isEmpty() ? path : path + "?" + String.join("&", query);
    }

    /** A value that the schema of a parameter allows. */
    private String good(String name, JsonNode schema) {
        if (name.equals("device_id")) {
            return pick(DEVICES);
        }
        if (name.equals("job_id")) {
            return job;
        }
        if (name.equals("message_id") || (name.equals("id") && random.nextBoolean())) {
            return pick(List.of("7", "8"));
        }
        if (schema.has("enum")) {
            return schema.get("enum")
                    .get(random.nextInt(schema.get("enum").size()))
                    .asText();
        }
        if (schema.has("examples")) {
            return schema.get("examples")
                    .get(random.nextInt(schema.get("examples").size()))
                    .asText();
        }
        if (schema.has("anyOf")) {
            return pick(List.of("0", "1700000000000", "2023-11-14T22:13:20Z", "2023-11-14T23:13:20+01:00"));
        }
        if (schema.path("type").asText().equals("boolean")) {
            return String.valueOf(random.nextBoolean());
        }
        BigInteger least = schema.path("minimum").bigIntegerValue();
        BigInteger most = schema.path("maximum").bigIntegerValue();
        return switch (random.nextInt(3)) {
            case 0 -> least.toString();
            case 1 -> most.toString();
            default ->
                least.add(new BigInteger(most.bitLength() + 8, random).mod(most.subtract(least)))
                        .toString();
        };
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private <T> T pick(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    // ------------------------------------------------------------------ on the wire

    /** Sends what a decent client would not. */
    private static final class RawCaller implements AutoCloseable {
        private record Answer(int status, String contentType, String body) {}

        private final AdminFixture admin;
        private final Runnable whileWaiting;
        private Socket socket;
        private InputStream in;

        RawCaller(AdminFixture admin, Runnable whileWaiting) throws IOException {
            this.admin = admin;
            this.whileWaiting = whileWaiting;
            connect();
        }

        private void connect() throws IOException {
            socket = admin.connect();
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream());
        }

        Answer call(Sent request) throws IOException {
            byte[] body = request.body().getBytes(StandardCharsets.ISO_8859_1);
            StringBuilder head =
                    new StringBuilder(request.method() + " " + request.target() + " HTTP/1.1\r\nHost: gw\r\n");
            request.headers().forEach(header -> head.append(header).append("\r\n"));
            if (body.length > 0) {
                head.append("Content-Length: ").append(body.length).append("\r\n");
            }
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            whole.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
            whole.writeBytes(body);
            socket.getOutputStream().write(whole.toByteArray());
            while (in.available() == 0) {
                whileWaiting.run();
                Thread.onSpinWait();
            }
            return answer(request.method().equals("HEAD"));
        }

        private Answer answer(boolean noBody) throws IOException {
            Map<String, String> headers = new TreeMap<>();
            int status = 100;
            while (status == 100) {
                status = Integer.parseInt(line().split(" ")[1]);
                for (String line = line(); !line.isEmpty(); line = line()) {
                    headers.put(
                            line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT),
                            line.substring(line.indexOf(':') + 1).strip());
                }
            }
            int length = noBody || status == 204 ? 0 : Integer.parseInt(headers.get("content-length"));
            byte[] bytes = in.readNBytes(length);
            if (headers.containsKey("content-encoding") && length > 0) {
                bytes = new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
            }
            if ("close".equals(headers.get("connection"))) {
                socket.close();
                connect();
            }
            return new Answer(
                    status, headers.getOrDefault("content-type", ""), new String(bytes, StandardCharsets.UTF_8));
        }

        private String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0) {
                    throw new IOException("ended after: " + line);
                }
                line.append((char) c);
            }
            return line.toString().strip();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
