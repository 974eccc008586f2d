package io.heartwheel.outlet.webhook;

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
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against a receiver that does what no receiver should. */
@Timeout(60)
class WebhookOutletTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final String PASSWORD = "changeit";
    private static final long NOW = 1_767_225_600_123L;

    @TempDir
    Path directory;

    private HostileReceiver receiver;
    private Path secret;
    private Path oldSecret;
    private Path dead;

    @BeforeEach
    void open() throws Exception {
        receiver = new HostileReceiver();
    }

    @AfterEach
    void close() throws Exception {
        receiver.close();
    }

    private WebhookOutlet outlet(Duration timeout, int maxBatch, int partitions) throws Exception {
        return outlet(timeout, maxBatch, partitions, 1 << 20);
    }

    private WebhookOutlet outlet(Duration timeout, int maxBatch, int partitions, long deadBytes) throws Exception {
        OutletSettings.DeadLetter letters = dead == null ? null : new OutletSettings.DeadLetter(dead, deadBytes, 2);
        OutletSettings.Webhook settings = new OutletSettings.Webhook(
                receiver.url("/in?key=abc"), secret, oldSecret, null, timeout, maxBatch, 1 << 20, partitions, letters);
        return WebhookOutlet.open(settings, new CloudEvent("a"), () -> NOW);
    }

    private static List<OutletEvent> events(int count, int devices) {
        List<OutletEvent> events = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            byte[] json = ("{\"n\":" + i + "}").getBytes(StandardCharsets.UTF_8);
            events.add(new OutletEvent("s-" + i, i, EventKind.DATA, NOW, "d" + i % devices, json));
        }
        return events;
    }

    private OutletException failure(WebhookOutlet outlet) {
        return assertThrows(OutletException.class, () -> outlet.deliver(events(1, 1), 1));
    }

    // ------------------------------------------------------------------ requests

    @Test
    void deliver_events_areABatchOfCloudEvents() throws Exception {
        try (WebhookOutlet outlet = outlet(LONG, 10, 1)) {
            outlet.deliver(events(3, 1), 4);
        }
        HostileReceiver.Received request = receiver.received.get(0);
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
        try (WebhookOutlet outlet = outlet(LONG, 3, 8)) {
            outlet.deliver(events(200, 20), 1);
        }
        Map<String, List<Integer>> byDevice = new TreeMap<>();
        for (HostileReceiver.Received request : receiver.received) {
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
        try (WebhookOutlet outlet = outlet(LONG, 10, 1)) {
            outlet.deliver(events(1, 1), 1);
            Files.writeString(secret, "another secret of some length\n");
            Files.writeString(oldSecret, "0123456789abcdef");
            outlet.deliver(events(1, 1), 1);
            Files.delete(secret);
            assertEquals(
                    secret + ": cannot be read (NoSuchFileException)",
                    failure(outlet).getMessage());
        }
        byte[] body = receiver.received.get(0).body();
        assertEquals(
                "t=1767225600,v1=" + hmac("0123456789abcdef", body) + ",v1=" + hmac("fedcba9876543210", body),
                receiver.received.get(0).headers().get("heartwheel-signature"));
        assertEquals(
                "t=1767225600,v1=" + hmac("another secret of some length", body) + ",v1="
                        + hmac("0123456789abcdef", body),
                receiver.received.get(1).headers().get("heartwheel-signature"));
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
        try (WebhookOutlet outlet = outlet(LONG, 10, 1)) {
            for (int status : new int[] {302, 400, 401, 404, 408, 425, 500, 502, 600}) {
                receiver.behaviour = HostileReceiver.status(status, "Location: /elsewhere");
                OutletException failure = failure(outlet);
                assertEquals("HTTP " + status, failure.getMessage());
                assertFalse(failure.pauses());
                assertEquals(OutletException.NOT_SAID, failure.retryAfterMillis());
            }
        }
        assertEquals(9, receiver.received.size(), "no redirect is followed");
    }

    @Test
    void answer_retryAfter_isToldInBothForms() throws Exception {
        try (WebhookOutlet outlet = outlet(LONG, 10, 1)) {
            receiver.behaviour = HostileReceiver.status(429, "Retry-After: 7");
            assertEquals(7_000, failure(outlet).retryAfterMillis());
            receiver.behaviour = HostileReceiver.status(503, "Retry-After: Thu, 01 Jan 2026 00:01:00 GMT");
            assertEquals(59_877, failure(outlet).retryAfterMillis());
            receiver.behaviour = HostileReceiver.status(503, "Retry-After: soon");
            assertEquals(OutletException.NOT_SAID, failure(outlet).retryAfterMillis());
            receiver.behaviour = HostileReceiver.status(503, "Retry-After: 99999999999999999999");
            assertEquals(OutletException.NOT_SAID, failure(outlet).retryAfterMillis());
        }
    }

    @Test
    void answer_gone_pauses() throws Exception {
        receiver.behaviour = HostileReceiver.status(410);
        try (WebhookOutlet outlet = outlet(LONG, 10, 1)) {
            assertTrue(failure(outlet).pauses());
        }
    }

    @Test
    void partition_thatFails_isSentAgainAloneAndFromWhereItFailed() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        receiver.behaviour = (request, out, socket) -> {
            boolean fails = request.text().contains("\"n\":7}") && failures.getAndIncrement() == 0;
            return HostileReceiver.status(fails ? 500 : 204).answer(request, out, socket);
        };
        List<OutletEvent> events = events(40, 10);
        try (WebhookOutlet outlet = outlet(LONG, 1, 4)) {
            assertThrows(OutletException.class, () -> outlet.deliver(events, 1));
            outlet.deliver(events, 2);
        }
        assertEquals(41, receiver.received.size(), "one event was sent twice");
    }

    @Test
    void refusal_again_goesToTheDeadLetters() throws Exception {
        dead = directory.resolve("dead.jsonl");
        receiver.behaviour =
                (request, out, socket) -> HostileReceiver.status(request.text().contains("\"n\":2}") ? 422 : 200)
                        .answer(request, out, socket);
        List<OutletEvent> events = events(3, 1);
        try (WebhookOutlet outlet = outlet(LONG, 1, 1)) {
            assertThrows(OutletException.class, () -> outlet.deliver(events, 1));
            outlet.deliver(events, 2);
        }
        List<String> lines = Files.readAllLines(dead);
        assertEquals(1, lines.size());
        assertEquals("s-2", new ObjectMapper().readTree(lines.get(0)).get("id").asText());
        assertEquals(4, receiver.received.size());
    }

    @Test
    void refusal_deadLettersFull_isTriedAgain() throws Exception {
        dead = Files.writeString(directory.resolve("dead.jsonl"), "x".repeat(100) + "\n");
        receiver.behaviour = HostileReceiver.status(400);
        try (WebhookOutlet outlet = outlet(LONG, 1, 1, 150)) {
            for (int i = 0; i < 4; i++) {
                assertEquals("HTTP 400", failure(outlet).getMessage());
            }
        }
        assertEquals(101, Files.size(dead));
    }

    // ------------------------------------------------------------------ hostility

    @Test
    void receiver_neverAnswers_isGivenUpAfterTheTimeout() throws Exception {
        receiver.behaviour = (request, out, socket) -> socket.getInputStream().read() >= 0;
        try (WebhookOutlet outlet = outlet(SHORT, 10, 1)) {
            assertEquals("no answer within 300 ms", failure(outlet).getMessage());
        }
    }

    @Test
    void receiver_dripsItsHead_isGivenUpAfterTheTimeout() throws Exception {
        receiver.behaviour = (request, out, socket) -> drip(out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        try (WebhookOutlet outlet = outlet(SHORT, 10, 1)) {
            assertEquals("no answer within 300 ms", failure(outlet).getMessage());
        }
    }

    @Test
    void receiver_dripsItsBody_hasSaidItAllInItsStatus() throws Exception {
        receiver.behaviour = (request, out, socket) -> {
            HostileReceiver.write(out, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
            return drip(out, "x".repeat(1_000));
        };
        try (WebhookOutlet outlet = outlet(SHORT, 10, 1)) {
            outlet.deliver(events(1, 1), 1);
        }
        assertEquals(1, receiver.received.size());
    }

    private static boolean drip(OutputStream out, String text) throws Exception {
        for (int i = 0; i < text.length(); i++) {
            HostileReceiver.write(out, text.substring(i, i + 1));
            new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS);
        }
        return true;
    }

    @Test
    void receiver_endlessBody_isCutOff() throws Exception {
        CountDownLatch cut = new CountDownLatch(1);
        receiver.behaviour = (request, out, socket) -> {
            HostileReceiver.write(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            try {
                while (true) {
                    HostileReceiver.write(out, "1000\r\n" + "x".repeat(4_096) + "\r\n");
                }
            } finally {
                cut.countDown();
            }
        };
        try (WebhookOutlet outlet = outlet(LONG, 10, 1)) {
            outlet.deliver(events(1, 1), 1);
            assertTrue(cut.await(20, TimeUnit.SECONDS), "the connection is closed");
        }
    }

    @Test
    void receiver_endlessHeaders_isAFailure() throws Exception {
        receiver.behaviour = (request, out, socket) -> {
            HostileReceiver.write(out, "HTTP/1.1 200 OK\r\n");
            while (true) {
                HostileReceiver.write(out, "X-More: " + "x".repeat(4_096) + "\r\n");
            }
        };
        try (WebhookOutlet outlet = outlet(Duration.ofSeconds(5), 10, 1)) {
            assertFalse(failure(outlet).pauses());
        }
    }

    @Test
    void receiver_closesOrResets_isAFailure() throws Exception {
        try (WebhookOutlet outlet = outlet(LONG, 10, 1)) {
            receiver.behaviour = (request, out, socket) -> false;
            failure(outlet);
            receiver.behaviour = (request, out, socket) -> {
                HostileReceiver.write(out, "HTTP/1.1 200 OK\r\nContent-Le");
                socket.setSoLinger(true, 0);
                return false;
            };
            failure(outlet);
            receiver.behaviour = (request, out, socket) -> {
                HostileReceiver.write(out, "what do you want\r\n\r\n");
                return false;
            };
            failure(outlet);
            receiver.behaviour = HostileReceiver.status(200);
            outlet.deliver(events(1, 1), 2);
        }
    }

    @Test
    void receiver_notThere_isAFailureWithoutItsQuery() throws Exception {
        try (ServerSocket free = new ServerSocket(0)) {
            receiver.close();
        }
        try (WebhookOutlet outlet = outlet(LONG, 10, 1)) {
            String message = failure(outlet).getMessage();
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
        try (WebhookOutlet outlet = outlet(LONG, 10, 2)) {
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
    }

    @Test
    void tls_selfSigned_isTrustedByItsFileAlone() throws Exception {
        Path keys = directory.resolve("keys");
        String name = "CN=127.0.0.1";
        keytool(
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                name,
                "-ext",
                "san=ip:127.0.0.1",
                "-keystore",
                keys.toString());
        Path pem = directory.resolve("pem");
        keytool("-exportcert", "-rfc", "-file", pem.toString(), "-keystore", keys.toString());
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(KeyStore.getInstance(keys.toFile(), PASSWORD.toCharArray()), PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        ServerSocket server = context.getServerSocketFactory().createServerSocket(0, 50, loopback);
        try (HostileReceiver secured = new HostileReceiver(server)) {
            try (WebhookOutlet outlet = secured("127.0.0.1", secured.port(), null)) {
                String message = failure(outlet).getMessage();
                assertTrue(message.startsWith("SSLHandshakeException"), message);
            }
            try (WebhookOutlet outlet = secured("localhost", secured.port(), pem)) {
                failure(outlet); // the certificate is not for this host
            }
            assertEquals(0, secured.received.size());
            try (WebhookOutlet outlet = secured("127.0.0.1", secured.port(), pem)) {
                outlet.deliver(events(1, 1), 1);
            }
            assertEquals(1, secured.received.size());
        }
    }

    private static WebhookOutlet secured(String host, int port, Path pem) throws Exception {
        URI url = URI.create("https://" + host + ":" + port + "/");
        return WebhookOutlet.open(
                new OutletSettings.Webhook(url, null, null, pem, LONG, 10, 1 << 20, 1, null),
                new CloudEvent(""),
                () -> NOW);
    }

    private static void keytool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-alias", "own", "-storepass", PASSWORD, "-storetype", "PKCS12"));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertEquals(0, process.waitFor());
    }

    @Test
    void settings_asText_showNeitherQueryNorSecret() {
        OutletSettings.Webhook settings =
                new OutletSettings.Webhook(receiver.url("/in?key=abc"), Path.of("s"), null, null, LONG, 1, 1, 1, null);
        assertFalse(settings.toString().contains("abc"));
        assertTrue(settings.place().endsWith("/in"));
    }
}
