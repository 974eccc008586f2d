package io.heartwheel.auth.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Grants;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against services on this machine. */
@Timeout(60)
class HttpAuthenticatorTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final String ADMIT = "{\"result\":\"admit\",\"cache_seconds\":60}";

    /** Behaviour of the service towards a request. */
    @FunctionalInterface
    private interface Behaviour {
        void answer(HttpExchange exchange, String body) throws Exception;
    }

    @TempDir
    Path directory;

    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile Behaviour behaviour = (exchange, body) -> reply(exchange, 200, ADMIT);
    private HttpServer server;
    private HttpAuthenticator method;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            bodies.add(body);
            try (exchange) {
                behaviour.answer(exchange, body);
            } catch (Exception e) {
                throw new IOException(e);
            }
        });
        server.start();
    }

    @AfterEach
    void stop() {
        if (method != null) {
            method.close();
        }
        server.stop(0);
        threads.shutdownNow();
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/auth?key=hidden");
    }

    private void open(HttpSettings settings) throws IOException {
        AuthContext context = new AuthContext(Runnable::run, new Grants(), System::nanoTime, System::currentTimeMillis);
        method = (HttpAuthenticator) settings.open(context);
    }

    private void open(Duration timeout) throws IOException {
        open(Asking.settings(url(), timeout, OnOutage.LATER));
    }

    private CompletableFuture<AuthResult> ask(AuthRequest request) {
        CompletableFuture<AuthResult> answer = new CompletableFuture<>();
        method.authenticate(request, result -> assertTrue(answer.complete(result), "told twice"));
        return answer;
    }

    private CompletableFuture<AuthResult> ask(String id) {
        return ask(Asking.device(id, "token of " + id, System.nanoTime() + LONG.toNanos()));
    }

    private AuthResult answer(String id) throws Exception {
        return ask(id).get(30, TimeUnit.SECONDS);
    }

    private AuthResult.Unavailable unavailable(String id) throws Exception {
        return assertInstanceOf(AuthResult.Unavailable.class, answer(id));
    }

    @Test
    void service_thatAdmits_isAskedOnceWhileItsAnswerIsFresh() throws Exception {
        open(LONG);
        assertSame(AuthResult.ADMITTED, answer("a"));
        assertTrue(ask("a").isDone());
        assertEquals(1, bodies.size());
        JsonNode body = new ObjectMapper().readTree(bodies.get(0));
        assertEquals("a", body.get("device_id").asText());
        assertEquals("token of a", body.get("token").asText());
        assertEquals("10.0.0.7", body.get("address").asText());
        assertTrue(body.get("certificate").isNull());
        HookStatus status = method.status();
        assertEquals(1, status.calls());
        assertEquals(1, status.cacheHits());
        assertEquals(1, status.cacheEntries());
        assertEquals(BreakerState.CLOSED, status.breaker());
        assertEquals("http://127.0.0.1:" + server.getAddress().getPort() + "/auth", status.place());
    }

    @Test
    void renewal_isAlwaysAskedFor() throws Exception {
        open(LONG);
        answer("a");
        ask(Asking.renewing("a", "token of a", System.nanoTime() + LONG.toNanos()))
                .get(30, TimeUnit.SECONDS);
        assertEquals(2, bodies.size());
        assertTrue(bodies.get(1).contains("\"renewal\":true"));
    }

    @Test
    void answers_ofAllKinds_areUnderstood() throws Exception {
        open(LONG);
        behaviour = (exchange, body) -> reply(exchange, 204, "");
        assertSame(AuthResult.ADMITTED, answer("a"));
        behaviour = (exchange, body) -> reply(exchange, 200, "{\"result\":\"deny\"}");
        assertEquals(new AuthResult.Refused(AuthCause.DENIED, ""), answer("b"));
        behaviour = (exchange, body) -> reply(exchange, 403, "no");
        assertEquals(new AuthResult.Refused(AuthCause.DENIED, "HTTP 403"), answer("c"));
        behaviour = (exchange, body) -> reply(exchange, 200, "{\"result\":\"admit\",\"groups\":[\"x\"]}");
        assertEquals(List.of("x"), ((AuthResult.Admitted) answer("d")).grant().groups());
        behaviour = (exchange, body) -> reply(exchange, 500, "");
        assertEquals("HTTP 500", unavailable("e").detail());
        behaviour = (exchange, body) -> reply(exchange, 200, "welcome");
        assertEquals("no JSON", unavailable("f").detail());
        behaviour = (exchange, body) -> reply(exchange, 200, ADMIT + " ".repeat(1 << 20));
        assertEquals("more than 65536 bytes", unavailable("g").detail());
        behaviour = (exchange, body) -> {
            exchange.getResponseHeaders().set("Location", "/elsewhere");
            reply(exchange, 307, "");
        };
        assertEquals("HTTP 307", unavailable("h").detail());
        assertEquals(8, bodies.size());
    }

    @Test
    void retryAfter_leavesTheServiceAlone() throws Exception {
        open(LONG);
        behaviour = (exchange, body) -> {
            exchange.getResponseHeaders().set("Retry-After", "30");
            reply(exchange, 429, "");
        };
        assertEquals("HTTP 429", unavailable("a").detail());
        assertEquals("not asked after failures", unavailable("b").detail());
        assertEquals(1, bodies.size());
    }

    @Test
    void service_thatIsNotThere_opensTheBreaker() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            open(Asking.settings(URI.create("http://127.0.0.1:" + taken.getLocalPort() + "/"), LONG, OnOutage.LATER));
        }
        for (int i = 0; i < 5; i++) {
            assertEquals(AuthCause.OUTAGE, unavailable("a" + i).cause());
        }
        assertEquals(BreakerState.OPEN, method.status().breaker());
        assertEquals(1, method.status().opened());
    }

    /** Accepts and says nothing: 2,000 devices are told to come back, and few of them cost a call. */
    @Test
    void service_thatHangs_holdsNobodyUp() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        behaviour = (exchange, body) -> end.await();
        open(SHORT);
        long began = System.nanoTime();
        List<CompletableFuture<AuthResult>> answers = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            answers.add(ask("d" + i));
        }
        for (CompletableFuture<AuthResult> answer : answers) {
            assertInstanceOf(AuthResult.Unavailable.class, answer.get(30, TimeUnit.SECONDS));
        }
        while (method.status().underWay() > 0 && System.nanoTime() - began < TimeUnit.SECONDS.toNanos(30)) {
            Thread.onSpinWait(); // the last call ends when its answer is told
        }
        assertEquals(0, method.status().underWay());
        // a few more than the connections, where the breaker tried once more meanwhile
        assertTrue(method.status().calls() < 100, method.status()::toString);
        end.countDown();
    }

    @Test
    void devices_beyondTheMost_areToldToComeBack() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        behaviour = (exchange, body) -> {
            end.await();
            reply(exchange, 500, "");
        };
        open(LONG);
        List<CompletableFuture<AuthResult>> answers = new ArrayList<>();
        for (int i = 0; i < HttpAuthenticator.MOST_ASKING; i++) {
            answers.add(ask("d" + i));
        }
        CompletableFuture<AuthResult> tooMany = ask("one more");
        assertTrue(tooMany.isDone());
        assertEquals(AuthCause.BUSY, ((AuthResult.Unavailable) tooMany.get()).cause());
        end.countDown();
        for (CompletableFuture<AuthResult> answer : answers) {
            assertInstanceOf(AuthResult.Unavailable.class, answer.get(30, TimeUnit.SECONDS));
        }
        assertEquals(AuthCause.OUTAGE, unavailable("one more").cause());
    }

    @Test
    void devices_byTheThousand_shareSixteenConnections() throws Exception {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        behaviour = (exchange, body) -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            now.decrementAndGet();
            reply(exchange, 200, body.contains("0\",\"token\"") ? "{\"result\":\"deny\"}" : ADMIT);
        };
        open(LONG);
        List<CompletableFuture<AuthResult>> answers = new ArrayList<>();
        for (int i = 0; i < 1_300; i++) { // more than are remembered, of both kinds
            answers.add(ask("d" + i));
        }
        for (int i = 0; i < answers.size(); i++) {
            boolean denied = answers.get(i).get(30, TimeUnit.SECONDS) instanceof AuthResult.Refused;
            assertEquals(i % 10 == 0, denied, "d" + i);
        }
        assertEquals(answers.size(), method.status().calls());
        assertTrue(most.get() <= 16, "at once: " + most);
        assertEquals(1_024 + 128, method.status().cacheEntries());
    }

    @Test
    void connection_closedBetweenCalls_isNoFailure() throws Exception {
        open(LONG);
        behaviour = (exchange, body) -> {
            exchange.getResponseHeaders().set("Connection", "close");
            reply(exchange, 200, ADMIT);
        };
        for (int i = 0; i < 50; i++) {
            assertSame(AuthResult.ADMITTED, answer("d" + i));
        }
        assertEquals(0, method.status().failures());
    }

    /** Something that is no HTTP, of any length, or that repeats what it was sent. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "token of a token of a\r\n\r\n",
                "HTTP/1.1 LONG\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: LONG\r\n\r\n"
            })
    void answer_thatIsNoHttp_isNotRepeated(String sent) throws Exception {
        byte[] bytes = sent.replace("LONG", "9".repeat(200_000)).getBytes(StandardCharsets.US_ASCII);
        try (ServerSocket strange = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 2; i++) { // it is asked a second time
                threads.execute(() -> {
                    try (Socket peer = strange.accept()) {
                        peer.getInputStream().read(new byte[8_192]);
                        peer.getOutputStream().write(bytes);
                        peer.shutdownOutput();
                        peer.getInputStream().readAllBytes();
                    } catch (IOException ended) {
                        // so does the client
                    }
                });
            }
            open(Asking.settings(URI.create("http://127.0.0.1:" + strange.getLocalPort() + "/"), LONG, OnOutage.LATER));
            String detail = unavailable("a").detail();
            assertTrue(
                    !detail.startsWith("no answer") && detail.length() < 100 && !detail.contains("token of a"), detail);
        }
    }

    @Test
    void secret_isSentAndReadAgain() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        behaviour = (exchange, body) -> {
            seen.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            reply(exchange, 204, "");
        };
        Path secret = Files.writeString(directory.resolve("secret"), "0123456789abcdef\nrest");
        open(withSecret(secret));
        answer("a");
        Files.writeString(secret, "another-secret-0123456789");
        assertEquals(List.of(), method.refresh());
        answer("still the first");
        assertEquals(List.of(), method.refresh());
        answer("b");
        Files.writeString(secret, "with spaces in it, so none");
        assertEquals(1, method.reload().size());
        assertTrue(method.refresh().get(0).startsWith("auth.http.secret-file = " + secret), () -> method.refresh()
                .get(0));
        answer("c");
        assertEquals(
                List.of(
                        "Bearer 0123456789abcdef",
                        "Bearer 0123456789abcdef",
                        "Bearer another-secret-0123456789",
                        "Bearer another-secret-0123456789"),
                seen);
        Files.delete(secret);
        assertThrows(IOException.class, () -> open(withSecret(secret)));
    }

    /** The service changes to a certificate of another authority, and the file with it. */
    @Test
    void authorities_changed_areTrustedWithoutARestart() throws Exception {
        HttpsServer secured = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        secured.setHttpsConfigurator(new HttpsConfigurator(TlsResources.server("ec")));
        secured.createContext("/", exchange -> reply(exchange, 204, ""));
        secured.start();
        try {
            Path file = Files.copy(TlsResources.file("stranger.pem"), directory.resolve("ca"));
            URI url = URI.create("https://127.0.0.1:" + secured.getAddress().getPort() + "/");
            open(with(url, null, file));
            assertTrue(unavailable("a").detail().startsWith("SSLHandshakeException"));

            Files.writeString(file, "none");
            assertTrue(method.reload().get(0).startsWith("auth.http.ca-file: " + file));
            Files.copy(TlsResources.file("ca.pem"), file, StandardCopyOption.REPLACE_EXISTING);
            assertEquals(1, method.refresh().size(), "it may still be written");
            assertEquals(List.of(), method.refresh());
            assertSame(AuthResult.ADMITTED, answer("b"));
        } finally {
            secured.stop(0);
        }
    }

    private HttpSettings withSecret(Path secret) {
        return with(url(), secret, null);
    }

    private static HttpSettings with(URI url, @Nullable Path secret, @Nullable Path authorities) {
        HttpSettings plain = Asking.settings(url, LONG, OnOutage.LATER);
        return new HttpSettings(
                plain.url(),
                secret,
                authorities,
                LONG,
                16,
                plain.cache(),
                plain.breaker(),
                OnOutage.LATER,
                plain.outageTime(),
                plain.outageExpiry());
    }

    @Test
    void onOutage_threeWays_areObeyed() throws Exception {
        for (OnOutage onOutage : OnOutage.values()) {
            behaviour = (exchange, body) -> reply(exchange, 200, "{\"result\":\"admit\"}");
            open(Asking.settings(url(), LONG, onOutage));
            answer("known");
            behaviour = (exchange, body) -> reply(exchange, 503, "");
            for (int i = 0; i < 5; i++) {
                answer("opens" + i);
            }
            AuthResult known = answer("known");
            AuthResult unknown = answer("unknown");
            method.close();
            assertEquals(onOutage != OnOutage.LATER, known instanceof AuthResult.Admitted, onOutage.toString());
            assertEquals(onOutage == OnOutage.ADMIT, unknown instanceof AuthResult.Admitted, onOutage.toString());
            if (unknown instanceof AuthResult.Admitted admitted) {
                assertNull(admitted.grant());
                long left = admitted.expiresAtMillis() - System.currentTimeMillis();
                assertTrue(left > 800_000 && left <= 900_000, "expires in " + left + " ms");
            }
        }
    }

    @Test
    void closed_tellsWhoWaitsAndWhoAsksThatNobodyIsThere() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        behaviour = (exchange, body) -> end.await();
        open(LONG);
        CompletableFuture<AuthResult> waits = ask("waits");
        method.close();
        assertInstanceOf(AuthResult.Unavailable.class, waits.get(30, TimeUnit.SECONDS));
        end.countDown();
        method.close();
        assertEquals("closed", unavailable("a").detail());
    }
}
