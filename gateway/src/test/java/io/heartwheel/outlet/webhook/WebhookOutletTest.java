package io.heartwheel.outlet.webhook;

import static io.heartwheel.outlet.webhook.HostileReceiver.status;
import static io.heartwheel.outlet.webhook.HostileReceiver.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.event.EventKind;
import io.heartwheel.outlet.CloudEvent;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletException;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.outlet.OutletSettings.ContentMode;
import io.heartwheel.outlet.webhook.HostileReceiver.Received;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a receiver that does what no receiver should. */
@Timeout(60)
class WebhookOutletTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final long NOW = 1_767_225_600_123L;

    @TempDir
    Path directory;

    @AutoClose
    private final HostileReceiver receiver = new HostileReceiver();

    @AutoClose
    private WebhookOutlet outlet;

    private Path secret;
    private Path oldSecret;
    private Path headers;
    private Path dead;
    private ContentMode form = ContentMode.BATCHED;
    private String mediaType = "";
    private int port = receiver.port();

    private WebhookOutlet outlet(Duration timeout, int maxBatch, int partitions) throws Exception {
        return outlet(timeout, maxBatch, partitions, 1 << 20);
    }

    private WebhookOutlet outlet(Duration timeout, int maxBatch, int partitions, long deadBytes) throws Exception {
        OutletSettings.DeadLetter letters = dead == null ? null : new OutletSettings.DeadLetter(dead, deadBytes, 2);
        OutletSettings.Webhook settings = new OutletSettings.Webhook(
                URI.create("http://127.0.0.1:" + port + "/in?key=abc"),
                secret,
                oldSecret,
                headers,
                null,
                timeout,
                form,
                mediaType,
                maxBatch,
                1 << 20,
                partitions,
                letters);
        return new WebhookOutlet(settings, new CloudEvent("a"), () -> NOW);
    }

    private static List<OutletEvent> events(int count, int devices) {
        List<OutletEvent> events = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            byte[] json = ("{\"n\":" + i + "}").getBytes(StandardCharsets.UTF_8);
            events.add(new OutletEvent("s-" + i, i, EventKind.DATA, NOW, "d" + i % devices, json));
        }
        return events;
    }

    private OutletException failure() {
        return assertThrows(OutletException.class, this::deliverOne);
    }

    private void deliverOne() throws Exception {
        outlet.deliver(events(1, 1), 1);
    }

    // ------------------------------------------------------------------ requests

    @Test
    void deliver_events_areABatchOfCloudEvents() throws Exception {
        outlet = outlet(LONG, 10, 1);
        outlet.deliver(events(3, 1), 4);
        Received request = receiver.received.get(0);
        JsonNode body = new ObjectMapper().readTree(request.body());
        assertEquals(3, body.size());
        assertEquals("s-1", body.get(0).get("id").asText());
        assertEquals(3, body.get(2).get("data").get("n").asInt());
        assertEquals("4", request.headers().get("heartwheel-attempt"));
        assertEquals(CloudEvent.BATCH_MEDIA_TYPE, request.headers().get("content-type"));
        assertNull(request.headers().get("heartwheel-signature"));
    }

    @Test
    void deliver_manyEvents_keepsTheOrderOfEachDevice() throws Exception {
        outlet = outlet(LONG, 3, 8);
        outlet.deliver(events(200, 20), 1);
        Map<String, List<Integer>> byDevice = new TreeMap<>();
        for (Received request : receiver.received) {
            JsonNode body = new ObjectMapper().readTree(request.body());
            assertTrue(body.size() <= 3);
            body.forEach(event -> byDevice.computeIfAbsent(event.get("subject").asText(), none -> new ArrayList<>())
                    .add(event.get("data").get("n").asInt()));
        }
        assertEquals(20, byDevice.size());
        byDevice.forEach((device, numbers) -> {
            assertEquals(10, numbers.size(), device);
            assertEquals(numbers.stream().sorted().toList(), numbers, device);
        });
    }

    @Test
    void sign_twoSecrets_bothVerifyAndAreReadAnew() throws Exception {
        secret = Files.writeString(directory.resolve("secret"), "0123456789abcdef\nignored\n");
        oldSecret = Files.writeString(directory.resolve("old"), "fedcba9876543210\n");
        outlet = outlet(LONG, 10, 1);
        outlet.deliver(events(1, 1), 1);
        Files.writeString(secret, "another secret of some length\n");
        Files.writeString(oldSecret, "0123456789abcdef");
        outlet.deliver(events(1, 1), 1);
        Files.delete(secret);
        assertEquals(
                secret + ": cannot be read (NoSuchFileException)",
                assertThrows(IOException.class, this::deliverOne).getMessage());
        assertSigned(0, "0123456789abcdef", "fedcba9876543210");
        assertSigned(1, "another secret of some length", "0123456789abcdef");
    }

    private void assertSigned(int request, String key, String oldKey) throws Exception {
        Received received = receiver.received.get(request);
        String expected = "t=1767225600,v1=" + hmac(key, received.body()) + ",v1=" + hmac(oldKey, received.body());
        assertEquals(expected, received.headers().get("heartwheel-signature"));
    }

    private static String hmac(String key, byte[] body) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        mac.update("1767225600.".getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(mac.doFinal(body));
    }

    // ------------------------------------------------------------------ answers

    @Test
    void answer_statuses_areToBeTriedAgain() throws Exception {
        outlet = outlet(LONG, 10, 1);
        for (int status : new int[] {302, 400, 401, 404, 408, 415, 425, 500, 502, 600}) {
            receiver.behaviour = status(status, "Location: /elsewhere");
            OutletException failure = failure();
            assertEquals("HTTP " + status, failure.getMessage());
            assertFalse(failure.pauses());
            assertEquals(OutletException.NOT_SAID, failure.retryAfterMillis());
        }
        assertEquals(10, receiver.received.size(), "no redirect is followed");
    }

    @Test
    void answer_retryAfter_isToldInBothForms() throws Exception {
        outlet = outlet(LONG, 10, 1);
        for (Map.Entry<String, Long> each : Map.of(
                        "7",
                        7_000L,
                        "Thu, 01 Jan 2026 00:01:00 GMT",
                        59_877L,
                        "soon",
                        OutletException.NOT_SAID,
                        "99999999999999999999",
                        OutletException.NOT_SAID)
                .entrySet()) {
            receiver.behaviour = status(503, "Retry-After: " + each.getKey());
            assertEquals(each.getValue(), failure().retryAfterMillis(), each.getKey());
        }
    }

    @Test
    void answer_gone_pauses() throws Exception {
        receiver.behaviour = status(410);
        outlet = outlet(LONG, 10, 1);
        assertTrue(failure().pauses());
    }

    /** The receiver refuses one event once, in an attempt at these. */
    private void failOnce(List<OutletEvent> events) throws Exception {
        AtomicInteger failures = new AtomicInteger();
        receiver.behaviour = (request, out, socket) -> {
            boolean fails = request.text().contains("\"n\":7}") && failures.getAndIncrement() == 0;
            return status(fails ? 500 : 204).answer(request, out, socket);
        };
        outlet = outlet(LONG, 1, 4);
        assertThrows(OutletException.class, () -> outlet.deliver(events, 1));
    }

    @Test
    void partition_thatFails_isSentAgainAloneAndFromWhereItFailed() throws Exception {
        List<OutletEvent> events = events(40, 10);
        failOnce(events);
        outlet.deliver(events, 2);
        assertEquals(41, receiver.received.size(), "one event was sent twice");
    }

    @Test
    void deliver_sameEventsAfterARewind_areAllSentAgain() throws Exception {
        failOnce(events(40, 10));
        receiver.received.clear();
        outlet.deliver(events(40, 10), 2);
        assertEquals(40, receiver.received.size());
    }

    @Test
    void refusal_again_goesToTheDeadLetters() throws Exception {
        dead = directory.resolve("dead.jsonl");
        receiver.behaviour = (request, out, socket) ->
                status(request.text().contains("\"n\":2}") ? 422 : 200).answer(request, out, socket);
        List<OutletEvent> events = events(3, 1);
        outlet = outlet(LONG, 1, 1);
        assertThrows(OutletException.class, () -> outlet.deliver(events, 1));
        outlet.deliver(events, 2);
        List<String> lines = Files.readAllLines(dead);
        assertEquals(1, lines.size());
        assertEquals("s-2", new ObjectMapper().readTree(lines.get(0)).get("id").asText());
        assertEquals(4, receiver.received.size());
    }

    @Test
    void refusal_deadLettersFull_isTriedAgain() throws Exception {
        dead = Files.writeString(directory.resolve("dead.jsonl"), "x".repeat(100) + "\n");
        receiver.behaviour = status(400);
        outlet = outlet(LONG, 1, 1, 150);
        for (int i = 0; i < 4; i++) {
            assertEquals("HTTP 400", failure().getMessage());
        }
        assertEquals(101, Files.size(dead));
    }

    /** What the receiver took, in order, each the first time. */
    private List<Integer> numbersTaken(IntPredicate refused) {
        List<Integer> taken = new ArrayList<>();
        receiver.behaviour = (request, out, socket) -> {
            List<Integer> numbers = new ArrayList<>();
            new ObjectMapper()
                    .readTree(request.body())
                    .forEach(event -> numbers.add(event.get("data").get("n").asInt()));
            boolean takes = numbers.stream().noneMatch(refused::test);
            if (takes) {
                taken.addAll(numbers);
            }
            return status(takes ? 200 : 400).answer(request, out, socket);
        };
        return taken;
    }

    @Test
    void refusal_oneEventOfALargeBatch_isHalvedDownToItAndBuriedAlone() throws Exception {
        dead = directory.resolve("dead.jsonl");
        List<Integer> taken = numbersTaken(number -> number == 700);
        List<OutletEvent> events = events(1_000, 1);
        outlet = outlet(LONG, 1_000, 1);
        assertThrows(OutletException.class, () -> outlet.deliver(events, 1));
        assertEquals(IntStream.range(1, 700).boxed().toList(), taken, "the others before it are delivered");
        outlet.deliver(events, 2);
        assertEquals(
                IntStream.rangeClosed(1, 1_000).filter(n -> n != 700).boxed().toList(), taken);
        List<String> lines = Files.readAllLines(dead);
        assertEquals(1, lines.size());
        assertTrue(lines.get(0).contains("\"s-700\""), lines::toString);
        assertTrue(receiver.received.size() < 100, receiver.received.size() + " requests");
    }

    @Test
    void refusal_withoutDeadLetters_blocksAtTheOneEventAlone() throws Exception {
        List<Integer> taken = numbersTaken(number -> number == 3);
        List<OutletEvent> events = events(8, 1);
        outlet = outlet(LONG, 8, 1);
        for (int attempt = 1; attempt < 4; attempt++) {
            assertThrows(OutletException.class, () -> outlet.deliver(events, 1));
        }
        assertEquals(List.of(1, 2), taken);
    }

    @Test
    void tooLarge_sizeThatPassed_isRememberedForTheNextChunk() throws Exception {
        receiver.behaviour = (request, out, socket) -> status(
                        new ObjectMapper().readTree(request.body()).size() > 10 ? 413 : 200)
                .answer(request, out, socket);
        outlet = outlet(LONG, 100, 1);
        outlet.deliver(events(100, 1), 1);
        int before = receiver.received.size();
        outlet.deliver(events(100, 1), 1);
        int requests = receiver.received.size() - before;
        assertTrue(requests <= 16, requests + " requests, most of them with the size that passes");
    }

    // ------------------------------------------------------------------ forms

    @Test
    void form_structured_isOneEventARequestWithTheOperatorsMediaType() throws Exception {
        form = ContentMode.STRUCTURED;
        mediaType = "application/json";
        outlet = outlet(LONG, 100, 2);
        outlet.deliver(events(3, 1), 1);
        assertEquals(3, receiver.received.size());
        Received request = receiver.received.get(1);
        assertEquals("application/json", request.headers().get("content-type"));
        JsonNode event = new ObjectMapper().readTree(request.body());
        assertEquals("s-2", event.get("id").asText());
        assertEquals(2, event.get("data").get("n").asInt());
    }

    @Test
    void form_binary_hasTheObjectAsBodyAndTheRestInHeaders() throws Exception {
        form = ContentMode.BINARY;
        outlet = outlet(LONG, 100, 1);
        OutletEvent odd = new OutletEvent(
                "s-1", 1, EventKind.DATA, NOW, "d\u00e9 \"1%", "{\"n\":1}".getBytes(StandardCharsets.UTF_8));
        outlet.deliver(List.of(odd), 1);
        Received request = receiver.received.get(0);
        assertEquals("{\"n\":1}", request.text());
        assertEquals("application/json", request.headers().get("content-type"));
        assertEquals("1.0", request.headers().get("ce-specversion"));
        assertEquals("s-1", request.headers().get("ce-id"));
        assertEquals("/heartwheel/a", request.headers().get("ce-source"));
        assertEquals("io.heartwheel.data", request.headers().get("ce-type"));
        assertEquals("d%C3%A9%20%221%25", request.headers().get("ce-subject"));
        assertEquals("2026-01-01T00:00:00.123Z", request.headers().get("ce-time"));
    }

    @Test
    void headers_ofAFile_areSentAndReadAnew() throws Exception {
        headers = Files.writeString(
                directory.resolve("headers"), "# who we are\nAuthorization: Bearer one\n\nX-Site: a b\n");
        outlet = outlet(LONG, 10, 1);
        deliverOne();
        Files.writeString(headers, "Authorization: Bearer two");
        deliverOne();
        assertEquals("Bearer one", receiver.received.get(0).headers().get("authorization"));
        assertEquals("a b", receiver.received.get(0).headers().get("x-site"));
        assertEquals("Bearer two", receiver.received.get(1).headers().get("authorization"));
        Files.writeString(headers, "X-Site: a\nContent-Length: 7 secret\n");
        String said = assertThrows(IOException.class, this::deliverOne).getMessage();
        assertTrue(said.startsWith(headers + ": line 2: need Name: value"), said);
        assertFalse(said.contains("secret"), said);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: h",
                "ce-id: 1",
                "Heartwheel-Signature: t=1",
                "CONNECTION: close",
                "A: 1\na: 2\nA: 3",
                "no header",
                "A:",
                "A: \u0001",
                "A B: c"
            })
    void headers_thatAreNotTheOperators_areRefused(String text) throws Exception {
        Path file = Files.writeString(directory.resolve("headers"), text);
        assertThrows(IOException.class, () -> RequestHeaders.read(file));
    }

    @Test
    void headers_tooManyOrTooLarge_areRefused() throws Exception {
        Path file = directory.resolve("headers");
        Files.writeString(
                file, IntStream.range(0, 33).mapToObj(i -> "A" + i + ": 1\n").collect(Collectors.joining()));
        assertThrows(IOException.class, () -> RequestHeaders.read(file));
        Files.writeString(file, "A: " + "x".repeat(16 << 10));
        assertThrows(IOException.class, () -> RequestHeaders.read(file));
    }

    // ------------------------------------------------------------------ hostility

    @Test
    void receiver_neverAnswersOrDripsItsHead_isGivenUpAfterTheTimeout() throws Exception {
        outlet = outlet(SHORT, 10, 1);
        receiver.behaviour = (request, out, socket) -> socket.getInputStream().read() >= 0;
        assertEquals("no answer within 300 ms", failure().getMessage());
        receiver.behaviour = (request, out, socket) -> drip(out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        assertEquals("no answer within 300 ms", failure().getMessage());
    }

    @Test
    void receiver_dripsItsBody_hasSaidItAllInItsStatus() throws Exception {
        receiver.behaviour = (request, out, socket) -> {
            write(out, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
            return drip(out, "x".repeat(1_000));
        };
        outlet = outlet(Duration.ofSeconds(3), 10, 1);
        outlet.deliver(events(1, 1), 1);
        assertEquals(1, receiver.received.size());
    }

    private static boolean drip(OutputStream out, String text) throws Exception {
        for (int i = 0; i < text.length(); i++) {
            write(out, text.substring(i, i + 1));
            new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS);
        }
        return true;
    }

    @Test
    void receiver_endlessBody_isCutOff() throws Exception {
        CountDownLatch cut = new CountDownLatch(1);
        receiver.behaviour = (request, out, socket) -> {
            write(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            try {
                while (true) {
                    write(out, "1000\r\n" + "x".repeat(4_096) + "\r\n");
                }
            } finally {
                cut.countDown();
            }
        };
        outlet = outlet(LONG, 10, 1);
        outlet.deliver(events(1, 1), 1);
        assertTrue(cut.await(20, TimeUnit.SECONDS), "the connection is closed");
    }

    @Test
    void receiver_endlessHeaders_isAFailure() throws Exception {
        receiver.behaviour = (request, out, socket) -> {
            write(out, "HTTP/1.1 200 OK\r\n");
            while (true) {
                write(out, "X-More: " + "x".repeat(4_096) + "\r\n");
            }
        };
        outlet = outlet(Duration.ofSeconds(5), 10, 1);
        assertFalse(failure().pauses());
    }

    @Test
    void receiver_closesOrResets_isAFailure() throws Exception {
        outlet = outlet(LONG, 10, 1);
        receiver.behaviour = (request, out, socket) -> false;
        failure();
        receiver.behaviour = (request, out, socket) -> {
            write(out, "HTTP/1.1 200 OK\r\nContent-Le");
            socket.setSoLinger(true, 0);
            return false;
        };
        failure();
        receiver.behaviour = (request, out, socket) -> {
            write(out, "what do you want\r\n\r\n");
            return false;
        };
        failure();
        receiver.behaviour = status(200);
        outlet.deliver(events(1, 1), 2);
    }

    @Test
    void receiver_notThere_isAFailureWithoutItsQuery() throws Exception {
        // bound and not listening, so nobody else can have the port
        try (Socket holder = new Socket()) {
            holder.bind(new InetSocketAddress("127.0.0.1", 0));
            port = holder.getLocalPort();
            outlet = outlet(LONG, 10, 1);
            String message = failure().getMessage();
            assertFalse(message.contains("abc"), message);
            assertTrue(message.startsWith("ConnectException"), message);
        }
    }

    @Test
    void deliver_interrupted_ends() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        receiver.behaviour = (request, out, socket) -> {
            asked.countDown();
            return socket.getInputStream().read() >= 0;
        };
        outlet = outlet(LONG, 10, 2);
        Thread test = Thread.currentThread();
        Thread interrupter = new Thread(() -> {
            try {
                asked.await();
            } catch (InterruptedException e) {
                // then at once
            }
            test.interrupt();
        });
        interrupter.start();
        assertThrows(InterruptedException.class, () -> outlet.deliver(events(4, 4), 1));
        interrupter.join();
    }

    @Test
    void tls_ofAnAuthority_isTrustedByItsFileAlone() throws Exception {
        SslContextBuilder certificate = SslContextBuilder.forServer(fixture("ec.pem"), fixture("ec.key"));
        SSLContext context =
                ((JdkSslContext) certificate.sslProvider(SslProvider.JDK).build()).context();
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (HostileReceiver secured =
                new HostileReceiver(context.getServerSocketFactory().createServerSocket(0, 50, loopback))) {
            assertDelivers(false, "127.0.0.1", secured, null);
            assertDelivers(
                    false, "localhost", secured, fixture("ca.pem").toPath()); // the certificate is not for this host
            assertEquals(0, secured.received.size());
            assertDelivers(true, "127.0.0.1", secured, fixture("ca.pem").toPath());
            assertEquals(1, secured.received.size());
        }
    }

    private static File fixture(String name) throws Exception {
        return new File(WebhookOutletTest.class
                .getResource("/io/heartwheel/transport/tls/" + name)
                .toURI());
    }

    private static void assertDelivers(boolean delivers, String host, HostileReceiver to, Path authority)
            throws Exception {
        URI url = URI.create("https://" + host + ":" + to.port() + "/");
        OutletSettings.Webhook settings = new OutletSettings.Webhook(
                url, null, null, null, authority, LONG, ContentMode.BATCHED, "", 10, 1 << 20, 1, null);
        try (WebhookOutlet secured = new WebhookOutlet(settings, new CloudEvent(""), () -> NOW)) {
            if (delivers) {
                secured.deliver(events(1, 1), 1);
            } else {
                String said = assertThrows(OutletException.class, () -> secured.deliver(events(1, 1), 1))
                        .getMessage();
                assertTrue(said.startsWith("SSLHandshakeException"), said);
            }
        }
    }

    @Test
    void settings_asText_showNeitherQueryNorSecret() {
        OutletSettings.Webhook settings = new OutletSettings.Webhook(
                receiver.url("/in?key=abc"), Path.of("s"), null, null, null, LONG, form, "", 1, 1, 1, null);
        assertFalse(settings.toString().contains("abc"));
        assertTrue(settings.place().endsWith("/in"));
    }
}
