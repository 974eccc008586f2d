package io.heartwheel.auth.jwt;

import static io.heartwheel.auth.jwt.JwtFixture.DEVICE;
import static io.heartwheel.auth.jwt.JwtFixture.EC;
import static io.heartwheel.auth.jwt.JwtFixture.NOW;
import static io.heartwheel.auth.jwt.JwtFixture.NOW_MILLIS;
import static io.heartwheel.auth.jwt.JwtFixture.SECRET;
import static io.heartwheel.auth.jwt.JwtFixture.all;
import static io.heartwheel.auth.jwt.JwtFixture.ascii;
import static io.heartwheel.auth.jwt.JwtFixture.ask;
import static io.heartwheel.auth.jwt.JwtFixture.claims;
import static io.heartwheel.auth.jwt.JwtFixture.context;
import static io.heartwheel.auth.jwt.JwtFixture.eddsa;
import static io.heartwheel.auth.jwt.JwtFixture.es256;
import static io.heartwheel.auth.jwt.JwtFixture.hs256;
import static io.heartwheel.auth.jwt.JwtFixture.jwks;
import static io.heartwheel.auth.jwt.JwtFixture.rs256;
import static io.heartwheel.auth.jwt.JwtFixture.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.sun.net.httpserver.HttpServer;
import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.AuthResult.Admitted;
import io.heartwheel.auth.Grant;
import io.heartwheel.auth.Grants;
import io.heartwheel.auth.jwt.JwtFixture.FixedKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Good tokens, what they grant, and the keys that are taken. */
class JwtAuthenticatorTest {
    @TempDir
    Path dir;

    private static JwtAuthenticator opened(int cache) throws Exception {
        return new JwtAuthenticator(
                settings(all(), cache), context(Runnable::run), FixedKeys.published(all()), FixedKeys.secrets());
    }

    static Stream<String> good() throws Exception {
        String late = claims("");
        return Stream.of(
                es256(late),
                es256("{\"typ\":\"JWT\",\"alg\":\"ES256\"}", late, EC),
                es256("{\"typ\":\"at+JWT\",\"alg\":\"ES256\",\"kid\":\"ec-1\",\"x5t\":\"abc\"}", late, EC),
                rs256("{\"alg\":\"RS256\",\"kid\":\"rsa-1\"}", late),
                eddsa("{\"alg\":\"EdDSA\",\"kid\":\"ed-1\"}", late),
                eddsa("{\"alg\":\"EdDSA\"}", late),
                hs256("{\"alg\":\"HS256\"}", late, SECRET),
                hs256("{\"alg\":\"HS256\",\"kid\":\"any\"}", late, SECRET),
                es256(claims(",\"nbf\":" + (NOW + 30) + ",\"iat\":" + NOW + ".5")),
                es256(late.replace("\"fleet\"", "[\"other\",\"fleet\"]")));
    }

    @ParameterizedTest
    @MethodSource("good")
    void authenticate_goodToken_isAdmittedUntilItExpires(String token) throws Exception {
        JwtAuthenticator asked = opened(64);
        for (int i = 0; i < 2; i++) {
            assertEquals(new Admitted(null, NOW_MILLIS + 600_000), ask(asked, token));
        }
    }

    @Test
    void authenticate_fraction_expiresWithinTheSecond() throws Exception {
        String token = es256(claims("").replaceFirst("\"exp\":[0-9]+", "\"exp\":" + NOW + ".25"));

        assertEquals(new Admitted(null, NOW_MILLIS + 250), ask(opened(0), token));
    }

    @Test
    void authenticate_claims_areGrantedAndEqualGrantsShared() throws Exception {
        JwtAuthenticator asked = opened(64);
        String list = es256(claims(",\"groups\":[\"b\",\"a\",\"c\"],\"class\":\"gold\",\"tenant\":42"));
        String spaces = es256(claims(",\"groups\":\"a c  b\",\"class\":\"gold\",\"tenant\":\"42\""));

        Grant grant = assertInstanceOf(Admitted.class, ask(asked, list)).grant();

        assertEquals(new Grant(0, 0, "gold", List.of("a", "b", "c"), Map.of("tenant", "42")), grant);
        assertSame(grant, assertInstanceOf(Admitted.class, ask(asked, spaces)).grant());
        assertSame(grant, assertInstanceOf(Admitted.class, ask(asked, list)).grant());
    }

    /** The same token for another device, and one that expires, are not found in the cache. */
    @Test
    void authenticate_knownToken_isForItsDeviceAndTimeOnly() throws Exception {
        long[] now = {NOW_MILLIS};
        JwtAuthenticator asked = new JwtAuthenticator(
                settings(all(), 64),
                new AuthContext(Runnable::run, new Grants(), () -> 0, () -> now[0]),
                FixedKeys.published(all()),
                null);
        byte[] token = ascii(es256(claims("")));
        List<AuthResult> answers = new ArrayList<>();
        asked.authenticate(JwtFixture.request(token, DEVICE, 1), answers::add);
        asked.authenticate(JwtFixture.request(token, "other", 1), answers::add);
        now[0] += 600_000;
        asked.authenticate(JwtFixture.request(token, DEVICE, 1), answers::add);

        assertInstanceOf(Admitted.class, answers.get(0));
        assertEquals(AuthCause.OTHER_DEVICE, ((AuthResult.Refused) answers.get(1)).cause());
        assertEquals(AuthCause.EXPIRED, ((AuthResult.Refused) answers.get(2)).cause());
    }

    @Test
    void authenticate_pastItsDeadline_isNotVerified() throws Exception {
        List<AuthResult> answers = new ArrayList<>();
        opened(0).authenticate(JwtFixture.request(ascii(es256(claims(""))), DEVICE, 0), answers::add);

        assertEquals(AuthCause.TIMEOUT, ((AuthResult.Unavailable) answers.get(0)).cause());
    }

    /** By a reload; whoever waits for a worker then is not admitted by rules that are gone. */
    @Test
    void close_whileADeviceWaitsForAWorker_tellsItToComeLater() throws Exception {
        Queue<Runnable> workers = new ArrayDeque<>();
        JwtAuthenticator asked = new JwtAuthenticator(
                settings(all(), 0), context(workers::add), FixedKeys.published(all()), FixedKeys.secrets());
        List<AuthResult> answers = new ArrayList<>();
        asked.authenticate(JwtFixture.request(ascii(es256(claims(""))), DEVICE, Long.MAX_VALUE), answers::add);
        asked.close();
        workers.remove().run();

        assertEquals(AuthCause.OUTAGE, ((AuthResult.Unavailable) answers.get(0)).cause());
    }

    @Test
    void verifiedTokens_moreThanFit_keepsTheOnesInUse() throws Exception {
        VerifiedTokens tokens = new VerifiedTokens(64);
        KeySet keys = FixedKeys.published(all()).keys;
        VerifiedTokens.Hash used = tokens.hash(keys, ascii("used"), ascii("t"));
        tokens.put(used, new Admitted(null, 1_000), 0);
        for (int i = 0; i < 10_000; i++) {
            assertNotNull(tokens.find(used, 0));
            tokens.put(tokens.hash(keys, ascii("d" + i), ascii("t")), new Admitted(null, 1_000), 0);
        }

        assertNull(tokens.find(used, 1_000));
        assertNull(tokens.find(tokens.hash(keys, ascii("d0"), ascii("t")), 0));
    }

    // ------------------------------------------------------------------ keys

    @Test
    void reader_keysOfNoUse_arePassedOverAndToldWithoutTheirContent() throws Exception {
        KeyPairGenerator weak = KeyPairGenerator.getInstance("RSA");
        weak.initialize(1_024);
        ECKey ec = EC.toPublicJWK();
        List<JWK> keys = List.of(
                EC, // private
                new OctetSequenceKey.Builder(SECRET).keyID("oct").build(),
                new RSAKey.Builder((RSAPublicKey) weak.generateKeyPair().getPublic())
                        .keyID("weak")
                        .build(),
                new ECKeyGenerator(Curve.P_384).keyID("p384").generate().toPublicJWK(),
                new ECKey.Builder(ec).keyID("enc").keyUse(KeyUse.ENCRYPTION).build(),
                new ECKey.Builder(ec).keyID("alg").algorithm(JWSAlgorithm.ES384).build(),
                new ECKey.Builder(ec).keyID("good").build());
        StringBuilder text = new StringBuilder();
        keys.forEach(key -> text.append(text.isEmpty() ? "" : ",").append(key.toJSONString()));
        List<String> ignored = new ArrayList<>();

        KeySet read = new JwksReader(all()).read(ascii("{\"keys\":[" + text + "]}"), ignored::add);

        assertEquals(1, read.size());
        assertTrue(read.has("good"));
        assertEquals(6, ignored.size(), ignored::toString);
        assertTrue(ignored.get(0).startsWith("key 1: private") && ignored.get(1).startsWith("key 2: private"));
        assertTrue(ignored.get(2).contains("need 2048..8192"), ignored.get(2));
    }

    /** What the issuer sends stands in one line of the log. */
    @Test
    void reader_keysOfNoUse_areToldInFewWords() throws Exception {
        String bad = ",{\"kty\":\"oct\\nforged " + "x".repeat(3_000) + "\"}";
        List<String> ignored = new ArrayList<>();
        new JwksReader(all())
                .read(ascii("{\"keys\":[" + EC.toPublicJWK().toJSONString() + bad.repeat(255) + "]}"), ignored::add);

        assertEquals(11, ignored.size());
        assertEquals("245 more", ignored.get(10));
        assertTrue(ignored.stream().allMatch(note -> note.length() < 110 && !note.contains("\n")), ignored::toString);
    }

    @Test
    void reader_documentTooLargeOrOfTooManyKeys_isRefused() {
        JwksReader reader = new JwksReader(all());
        String key = EC.toPublicJWK().toJSONString();
        assertThrows(IOException.class, () -> reader.read(new byte[(1 << 20) + 1], note -> {}));
        assertThrows(
                IOException.class,
                () -> reader.read(ascii("{\"keys\":[" + (key + ",").repeat(256) + key + "]}"), note -> {}));
    }

    @Test
    void keyFile_changed_isReadWhenItStandsStillAndKeptWhenBad() throws Exception {
        Path file = Files.writeString(dir.resolve("keys.json"), jwks(EC.toPublicJWK()));
        KeyFile keys = KeyFile.keys(file, all(), () -> 0).open();
        assertTrue(keys.inForce().has("ec-1"));

        Files.writeString(file, jwks(JwtFixture.OTHER_EC.toPublicJWK()).substring(1));
        assertEquals(List.of(), keys.refresh(), "it may still be written");
        assertEquals(1, keys.refresh().size());
        assertEquals(1, keys.refresh().size(), "until it changes");
        assertTrue(keys.inForce().has("ec-1"));

        Files.writeString(file, jwks(JwtFixture.OTHER_EC.toPublicJWK()));
        assertEquals(List.of(), keys.reload());
        assertTrue(keys.inForce().has("ec-2") && !keys.inForce().has("ec-1"));
        Files.delete(file);
        assertEquals(List.of("auth.jwt.keys-file = " + file + ": cannot be read (NoSuchFileException)"), keys.reload());
    }

    // ------------------------------------------------------------------ a real server

    @Test
    void fetch_overHttp_takesDocumentAndMaxAgeAndNothingElse() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try {
            answer(server, "/good", 200, ascii(jwks(EC.toPublicJWK())));
            answer(server, "/moved", 302, new byte[0]);
            answer(server, "/large", 200, new byte[(1 << 20) + 1]);
            server.start();
            String start = "http://127.0.0.1:" + server.getAddress().getPort();

            KeyFetcher.Document good = fetch(start + "/good");
            assertEquals(120_000_000_000L, good.maxAgeNanos());
            assertTrue(new JwksReader(all()).read(good.body(), note -> {}).has("ec-1"));
            assertEquals("HTTP 302, redirects are not followed", failure(start + "/moved"));
            byte[] large = fetch(start + "/large").body();
            assertThrows(IOException.class, () -> new JwksReader(all()).read(large, note -> {}));

            JwtAuthenticator asked = JwtAuthenticator.open(
                    settings(Set.of(JwtAlgorithm.ES256), 0, URI.create(start + "/good")),
                    new AuthContext(Runnable::run, new Grants(), System::nanoTime, () -> NOW_MILLIS));
            CompletableFuture<AuthResult> answer = new CompletableFuture<>();
            asked.authenticate(
                    JwtFixture.request(ascii(es256(claims(""))), DEVICE, System.nanoTime() + 60_000_000_000L),
                    answer::complete);
            assertInstanceOf(Admitted.class, answer.get(60, TimeUnit.SECONDS));
            asked.close();
        } finally {
            server.stop(0);
        }
    }

    private static void answer(HttpServer server, String path, int status, byte[] body) {
        server.createContext(path, exchange -> {
            exchange.getResponseHeaders().set("Cache-Control", "public, max-age=120");
            exchange.getResponseHeaders().set("Location", "/good");
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
    }

    private static KeyFetcher.Document fetch(String url) {
        HttpKeyFetcher fetcher = new HttpKeyFetcher(URI.create(url), Duration.ofSeconds(30));
        try {
            return fetcher.fetch().join();
        } finally {
            fetcher.close();
        }
    }

    private static String failure(String url) {
        Throwable failure = assertThrows(CompletionException.class, () -> fetch(url));
        return failure.getCause().getMessage();
    }

    // ------------------------------------------------------------------ warm-up

    private static JwtAuthenticator cold(Set<JwtAlgorithm> algorithms) {
        return new JwtAuthenticator(settings(algorithms, 64), context(Runnable::run), null, null);
    }

    @Test
    void warmUp_whateverIsConfigured_verifiesItsOwnTokens() {
        for (JwtAlgorithm algorithm : JwtAlgorithm.values()) {
            assertEquals(20, cold(Set.of(algorithm)).warmUp(20, 1), algorithm.label());
        }
    }

    @Test
    void warmUp_timeIsOver_ends() {
        assertEquals(0, cold(all()).warmUp(20, 0));
    }

    @Test
    void warmUp_before_admitsNobodyAfterwards() throws Exception {
        FixedKeys keys = FixedKeys.published(all());
        JwtAuthenticator opened = new JwtAuthenticator(settings(all(), 64), context(Runnable::run), keys, null);
        assertEquals(20, opened.warmUp(20, 1));
        assertEquals(0, keys.asked);
        assertInstanceOf(AuthResult.Refused.class, ask(opened, es256("{\"iss\":\"https://issuer\"}")));
    }
}
