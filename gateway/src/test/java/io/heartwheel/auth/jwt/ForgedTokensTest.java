package io.heartwheel.auth.jwt;

import static io.heartwheel.auth.jwt.JwtFixture.DEVICE;
import static io.heartwheel.auth.jwt.JwtFixture.EC;
import static io.heartwheel.auth.jwt.JwtFixture.NOW;
import static io.heartwheel.auth.jwt.JwtFixture.OTHER_EC;
import static io.heartwheel.auth.jwt.JwtFixture.RSA;
import static io.heartwheel.auth.jwt.JwtFixture.SECRET;
import static io.heartwheel.auth.jwt.JwtFixture.all;
import static io.heartwheel.auth.jwt.JwtFixture.ascii;
import static io.heartwheel.auth.jwt.JwtFixture.ask;
import static io.heartwheel.auth.jwt.JwtFixture.base64;
import static io.heartwheel.auth.jwt.JwtFixture.claims;
import static io.heartwheel.auth.jwt.JwtFixture.context;
import static io.heartwheel.auth.jwt.JwtFixture.eddsa;
import static io.heartwheel.auth.jwt.JwtFixture.es256;
import static io.heartwheel.auth.jwt.JwtFixture.hs256;
import static io.heartwheel.auth.jwt.JwtFixture.jwks;
import static io.heartwheel.auth.jwt.JwtFixture.rs256;
import static io.heartwheel.auth.jwt.JwtFixture.settings;
import static io.heartwheel.auth.jwt.JwtFixture.signedRaw;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.impl.ECDSA;
import com.nimbusds.jose.util.Base64URL;
import com.sun.net.httpserver.HttpServer;
import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.jwt.JwtFixture.FakeServer;
import io.heartwheel.auth.jwt.JwtFixture.FixedKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Forged and broken tokens: each is refused with its cause, and nothing that one names is fetched. */
class ForgedTokensTest {
    private static final String HEADER = "{\"alg\":\"ES256\",\"kid\":\"ec-1\"}";

    /** Token of a forger. */
    private interface Forger {
        String token() throws Exception;
    }

    private static Arguments forged(String name, AuthCause cause, Forger forger) throws Exception {
        return Arguments.of(name, cause, forger.token());
    }

    private static String header(String more) {
        return "{\"alg\":\"ES256\",\"kid\":\"ec-1\"" + more + "}";
    }

    private static String unsigned(String alg, String signature) {
        return base64("{\"alg\":\"" + alg + "\"}") + "." + base64(claims("")) + "." + signature;
    }

    private static String withExp(String exp) throws Exception {
        return es256(HEADER, claims("").replaceFirst(",\"exp\":[0-9]+", exp), EC);
    }

    private static String[] good() throws Exception {
        return es256(claims("")).split("\\.");
    }

    static Stream<Arguments> algorithms() throws Exception {
        byte[] modulus = RSA.getModulus().decode();
        byte[] der = RSA.toRSAPublicKey().getEncoded();
        String pem = "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END PUBLIC KEY-----\n";
        String hs = "{\"alg\":\"HS256\",\"kid\":\"rsa-1\"}";
        String signature = good()[2];
        return Stream.of(
                forged("none", AuthCause.ALGORITHM, () -> unsigned("none", "")),
                forged("None", AuthCause.ALGORITHM, () -> unsigned("None", "")),
                forged("NONE", AuthCause.ALGORITHM, () -> unsigned("NONE", signature)),
                forged("no alg", AuthCause.MALFORMED, () -> es256("{\"kid\":\"ec-1\"}", claims(""), EC)),
                forged("alg empty", AuthCause.ALGORITHM, () -> unsigned("", signature)),
                forged("alg in small letters", AuthCause.ALGORITHM, () -> es256("{\"alg\":\"es256\"}", claims(""), EC)),
                forged("alg with a space", AuthCause.ALGORITHM, () -> es256("{\"alg\":\"ES256 \"}", claims(""), EC)),
                forged("alg a list", AuthCause.MALFORMED, () -> es256("{\"alg\":[\"ES256\"]}", claims(""), EC)),
                forged("alg null", AuthCause.MALFORMED, () -> es256("{\"alg\":null}", claims(""), EC)),
                forged("alg of another size", AuthCause.ALGORITHM, () -> es256("{\"alg\":\"ES384\"}", claims(""), EC)),
                forged("alg PS256", AuthCause.ALGORITHM, () -> rs256("{\"alg\":\"PS256\"}", claims(""))),
                forged(
                        "alg twice",
                        AuthCause.MALFORMED,
                        () -> es256("{\"alg\":\"none\",\"alg\":\"ES256\"}", claims(""), EC)),
                forged("HS256 by the RSA key's modulus", AuthCause.SIGNATURE, () -> hs256(hs, claims(""), modulus)),
                forged("HS256 by the RSA key's DER", AuthCause.SIGNATURE, () -> hs256(hs, claims(""), der)),
                forged("HS256 by the RSA key's PEM", AuthCause.SIGNATURE, () -> hs256(hs, claims(""), ascii(pem))),
                forged(
                        "HS256 by the EC key",
                        AuthCause.SIGNATURE,
                        () -> hs256(
                                "{\"alg\":\"HS256\"}",
                                claims(""),
                                EC.toECPublicKey().getEncoded())),
                forged(
                        "HS256 by the JWK",
                        AuthCause.SIGNATURE,
                        () -> hs256(
                                "{\"alg\":\"HS256\"}",
                                claims(""),
                                ascii(RSA.toPublicJWK().toJSONString()))),
                forged(
                        "RS256 with the EC key's id",
                        AuthCause.UNKNOWN_KEY,
                        () -> rs256("{\"alg\":\"RS256\",\"kid\":\"ec-1\"}", claims(""))),
                forged(
                        "ES256 with the RSA key's id",
                        AuthCause.UNKNOWN_KEY,
                        () -> es256("{\"alg\":\"ES256\",\"kid\":\"rsa-1\"}", claims(""), EC)),
                forged(
                        "EdDSA with the EC key's id",
                        AuthCause.UNKNOWN_KEY,
                        () -> eddsa("{\"alg\":\"EdDSA\",\"kid\":\"ec-1\"}", claims(""))));
    }

    static Stream<Arguments> keys() throws Exception {
        return Stream.of(
                forged("key of somebody else", AuthCause.SIGNATURE, () -> es256(HEADER, claims(""), OTHER_EC)),
                forged(
                        "key of somebody else, without id",
                        AuthCause.SIGNATURE,
                        () -> es256("{\"alg\":\"ES256\"}", claims(""), OTHER_EC)),
                forged(
                        "kid of nobody",
                        AuthCause.UNKNOWN_KEY,
                        () -> es256("{\"alg\":\"ES256\",\"kid\":\"ec-2\"}", claims(""), OTHER_EC)),
                forged(
                        "kid in capitals",
                        AuthCause.UNKNOWN_KEY,
                        () -> es256("{\"alg\":\"ES256\",\"kid\":\"EC-1\"}", claims(""), EC)),
                forged(
                        "kid a path",
                        AuthCause.UNKNOWN_KEY,
                        () -> es256("{\"alg\":\"ES256\",\"kid\":\"../../../../etc/passwd\"}", claims(""), OTHER_EC)),
                forged(
                        "kid a device file, HS256 with nothing",
                        AuthCause.SIGNATURE,
                        () -> hs256("{\"alg\":\"HS256\",\"kid\":\"/dev/null\"}", claims(""), new byte[32])),
                forged(
                        "kid SQL",
                        AuthCause.UNKNOWN_KEY,
                        () -> es256("{\"alg\":\"ES256\",\"kid\":\"x' UNION SELECT 'key\"}", claims(""), OTHER_EC)),
                forged(
                        "kid a URL",
                        AuthCause.UNKNOWN_KEY,
                        () -> es256("{\"alg\":\"ES256\",\"kid\":\"" + url() + "\"}", claims(""), OTHER_EC)),
                forged(
                        "kid very long",
                        AuthCause.MALFORMED,
                        () -> es256("{\"alg\":\"ES256\",\"kid\":\"" + "k".repeat(1_000) + "\"}", claims(""), EC)),
                forged(
                        "kid empty",
                        AuthCause.MALFORMED,
                        () -> es256("{\"alg\":\"ES256\",\"kid\":\"\"}", claims(""), EC)),
                forged(
                        "kid a number",
                        AuthCause.MALFORMED,
                        () -> es256("{\"alg\":\"ES256\",\"kid\":1}", claims(""), EC)));
    }

    static Stream<Arguments> headers() throws Exception {
        String own = OTHER_EC.toPublicJWK().toJSONString();
        return Stream.of(
                forged(
                        "jku",
                        AuthCause.MALFORMED,
                        () -> es256(header(",\"jku\":\"" + url() + "\""), claims(""), OTHER_EC)),
                forged(
                        "jku beside a good signature",
                        AuthCause.MALFORMED,
                        () -> es256(header(",\"jku\":\"" + url() + "\""), claims(""), EC)),
                forged(
                        "x5u",
                        AuthCause.MALFORMED,
                        () -> es256(header(",\"x5u\":\"" + url() + "\""), claims(""), OTHER_EC)),
                forged("jwk", AuthCause.MALFORMED, () -> es256(header(",\"jwk\":" + own), claims(""), OTHER_EC)),
                forged("x5c", AuthCause.MALFORMED, () -> es256(header(",\"x5c\":[\"MIIB\"]"), claims(""), OTHER_EC)),
                forged(
                        "crit",
                        AuthCause.MALFORMED,
                        () -> es256(header(",\"crit\":[\"exp\"],\"exp\":1"), claims(""), EC)),
                forged("crit empty", AuthCause.MALFORMED, () -> es256(header(",\"crit\":[]"), claims(""), EC)),
                forged(
                        "b64",
                        AuthCause.MALFORMED,
                        () -> es256(header(",\"b64\":false,\"crit\":[\"b64\"]"), claims(""), EC)),
                forged("zip", AuthCause.MALFORMED, () -> es256(header(",\"zip\":\"DEF\""), claims(""), EC)),
                forged(
                        "typ of a logout",
                        AuthCause.MALFORMED,
                        () -> es256(header(",\"typ\":\"logout+jwt\""), claims(""), EC)),
                forged("typ a number", AuthCause.MALFORMED, () -> es256(header(",\"typ\":1"), claims(""), EC)));
    }

    static Stream<Arguments> claimed() throws Exception {
        String late = ",\"exp\":" + (NOW + 600);
        return Stream.of(
                forged("expired", AuthCause.EXPIRED, () -> withExp(",\"exp\":" + (NOW - 1))),
                forged("expires now", AuthCause.EXPIRED, () -> withExp(",\"exp\":" + NOW)),
                forged("exp 0", AuthCause.EXPIRED, () -> withExp(",\"exp\":0")),
                forged("exp missing", AuthCause.MALFORMED, () -> withExp("")),
                forged("exp as text", AuthCause.MALFORMED, () -> withExp(",\"exp\":\"" + (NOW + 600) + "\"")),
                forged("exp negative", AuthCause.MALFORMED, () -> withExp(",\"exp\":-1")),
                forged("exp 1e308", AuthCause.MALFORMED, () -> withExp(",\"exp\":1e308")),
                forged("exp 1e999999999", AuthCause.MALFORMED, () -> withExp(",\"exp\":1e999999999")),
                forged("exp past 64 bits", AuthCause.MALFORMED, () -> withExp(",\"exp\":18446744073709551616")),
                forged("exp in milliseconds", AuthCause.MALFORMED, () -> withExp(",\"exp\":" + (NOW + 600) + "000")),
                forged("exp NaN", AuthCause.MALFORMED, () -> withExp(",\"exp\":NaN")),
                forged("exp null", AuthCause.MALFORMED, () -> withExp(",\"exp\":null")),
                forged("exp a list", AuthCause.MALFORMED, () -> withExp(",\"exp\":[" + (NOW + 600) + "]")),
                forged("exp twice", AuthCause.MALFORMED, () -> withExp(late + ",\"exp\":1")),
                forged("nbf ahead", AuthCause.NOT_YET_VALID, () -> es256(claims(",\"nbf\":" + (NOW + 31)))),
                forged("iat ahead", AuthCause.NOT_YET_VALID, () -> es256(claims(",\"iat\":" + (NOW + 31)))),
                forged("iat as text", AuthCause.MALFORMED, () -> es256(claims(",\"iat\":\"1\""))));
    }

    static Stream<Arguments> claimedOfOthers() throws Exception {
        String good = claims("");
        return Stream.of(
                forged(
                        "other issuer",
                        AuthCause.ISSUER,
                        () -> es256(good.replace("https://issuer", "https://issuer/"))),
                forged("issuer missing", AuthCause.ISSUER, () -> es256(good.replace("iss", "isz"))),
                forged(
                        "issuers",
                        AuthCause.ISSUER,
                        () -> es256(good.replace("\"https://issuer\"", "[\"https://issuer\"]"))),
                forged("other audience", AuthCause.AUDIENCE, () -> es256(good.replace("\"fleet\"", "\"fleet2\""))),
                forged("audience of nobody", AuthCause.AUDIENCE, () -> es256(good.replace("\"fleet\"", "[]"))),
                forged(
                        "audiences, one no text",
                        AuthCause.AUDIENCE,
                        () -> es256(good.replace("\"fleet\"", "[\"fleet\",1]"))),
                forged("audience missing", AuthCause.AUDIENCE, () -> es256(good.replace("aud", "auz"))),
                forged("other device", AuthCause.OTHER_DEVICE, () -> es256(good.replace(DEVICE, "meter-0816"))),
                forged("device in capitals", AuthCause.OTHER_DEVICE, () -> es256(good.replace(DEVICE, "METER-0815"))),
                forged(
                        "device with a NUL",
                        AuthCause.OTHER_DEVICE,
                        () -> es256(good.replace(DEVICE, DEVICE + "\\u0000"))),
                forged(
                        "device a number",
                        AuthCause.OTHER_DEVICE,
                        () -> es256(good.replace("\"" + DEVICE + "\"", "815"))),
                forged("device missing", AuthCause.OTHER_DEVICE, () -> es256(good.replace("sub", "zub"))),
                forged("device twice", AuthCause.MALFORMED, () -> es256(claims(",\"sub\":\"" + DEVICE + "\""))),
                forged(
                        "device twice, once escaped",
                        AuthCause.MALFORMED,
                        () -> es256(claims(",\"s\\u0075b\":\"other\""))),
                forged("doubled deep inside", AuthCause.MALFORMED, () -> es256(claims(",\"x\":{\"a\":1,\"a\":2}"))),
                forged(
                        "nested deep",
                        AuthCause.MALFORMED,
                        () -> es256(claims(",\"x\":" + "[".repeat(500) + "]".repeat(500)))),
                forged("33 groups", AuthCause.MALFORMED, () -> es256(claims(",\"groups\":\"" + groups(33) + "\""))),
                forged("group with a line feed", AuthCause.MALFORMED, () -> es256(claims(",\"groups\":[\"a\\nb\"]"))),
                forged("rate class a list", AuthCause.MALFORMED, () -> es256(claims(",\"class\":[\"a\"]"))),
                forged(
                        "attribute too large",
                        AuthCause.MALFORMED,
                        () -> es256(claims(",\"tenant\":\"" + "t".repeat(1_025) + "\""))));
    }

    private static String groups(int count) {
        StringBuilder groups = new StringBuilder();
        for (int i = 0; i < count; i++) {
            groups.append("g").append(i).append(' ');
        }
        return groups.toString();
    }

    static Stream<Arguments> forms() throws Exception {
        String[] good = good();
        String start = good[0] + "." + good[1] + ".";
        byte[] signature = new Base64URL(good[2]).decode();
        byte[] order = EC.toECPublicKey().getParams().getOrder().toByteArray();
        byte[] n = Arrays.copyOfRange(order, order.length - 32, order.length);
        return Stream.of(
                forged("signature truncated", AuthCause.SIGNATURE, () -> start + good[2].substring(0, 80)),
                forged("signature longer", AuthCause.SIGNATURE, () -> start + base64(Arrays.copyOf(signature, 72))),
                forged("signature empty", AuthCause.SIGNATURE, () -> start),
                forged("signature one bit off", AuthCause.SIGNATURE, () -> start + base64(flipped(signature))),
                forged("r = s = 0", AuthCause.SIGNATURE, () -> start + base64(new byte[64])),
                forged("r = s = n", AuthCause.SIGNATURE, () -> start + base64(joined(n, n))),
                forged(
                        "r = 0",
                        AuthCause.SIGNATURE,
                        () -> start + base64(joined(new byte[32], Arrays.copyOfRange(signature, 32, 64)))),
                forged(
                        "s = 0",
                        AuthCause.SIGNATURE,
                        () -> start + base64(joined(Arrays.copyOf(signature, 32), new byte[32]))),
                forged(
                        "DER of ECDSA",
                        AuthCause.SIGNATURE,
                        () -> start + base64(ECDSA.transcodeSignatureToDER(signature))),
                forged(
                        "header of another token",
                        AuthCause.SIGNATURE,
                        () -> base64("{\"alg\":\"ES256\"}") + "." + good[1] + "." + good[2]),
                forged(
                        "claims of another token",
                        AuthCause.SIGNATURE,
                        () -> good[0] + "." + base64(claims(",\"groups\":\"admin\"")) + "." + good[2]));
    }

    static Stream<Arguments> writings() throws Exception {
        String[] good = good();
        String start = good[0] + "." + good[1] + ".";
        ECDSASigner signer = new ECDSASigner(EC);
        return Stream.of(
                forged("64 KiB", AuthCause.MALFORMED, () -> es256(claims(",\"x\":\"" + "x".repeat(49_000) + "\""))),
                forged("4,097 bytes", AuthCause.MALFORMED, () -> start + "A".repeat(4_097 - start.length())),
                forged("two dots", AuthCause.MALFORMED, () -> ".."),
                forged("empty claims", AuthCause.MALFORMED, () -> good[0] + ".." + good[2]),
                forged(
                        "JWE",
                        AuthCause.MALFORMED,
                        () -> base64("{\"alg\":\"dir\",\"enc\":\"A256GCM\"}") + "..AAAA.AAAA.AAAA"),
                forged("four parts", AuthCause.MALFORMED, () -> start + good[2] + ".AAAA"),
                forged("padding", AuthCause.MALFORMED, () -> start + good[2] + "=="),
                forged("space before", AuthCause.MALFORMED, () -> " " + start + good[2]),
                forged("line feed at the end", AuthCause.MALFORMED, () -> start + good[2] + "\n"),
                forged("ordinary base64", AuthCause.MALFORMED, () -> start + "+/" + good[2].substring(2)),
                forged("idle bits", AuthCause.MALFORMED, () -> start + good[2].substring(0, 85) + "_"),
                forged("other letters", AuthCause.MALFORMED, () -> start + "\u00e9" + good[2].substring(1)),
                forged("BOM", AuthCause.MALFORMED, () -> es256("\ufeff" + HEADER, claims(""), EC)),
                forged("no JSON", AuthCause.MALFORMED, () -> es256("alg=ES256", claims(""), EC)),
                forged("comment in JSON", AuthCause.MALFORMED, () -> es256(claims("/* */"))),
                forged("claims a list", AuthCause.MALFORMED, () -> es256("[" + claims("") + "]")),
                forged("claims and more", AuthCause.MALFORMED, () -> es256(claims("") + claims(""))),
                forged(
                        "no UTF-8",
                        AuthCause.MALFORMED,
                        () -> signedRaw(
                                base64(HEADER),
                                base64(new byte[] {'{', '"', (byte) 0xc0, (byte) 0x80, '"', ':', '1', '}'}),
                                JWSAlgorithm.ES256,
                                signer)),
                forged(
                        "UTF-16",
                        AuthCause.MALFORMED,
                        () -> signedRaw(
                                base64(HEADER),
                                base64(claims("").getBytes(StandardCharsets.UTF_16LE)),
                                JWSAlgorithm.ES256,
                                signer)));
    }

    private static byte[] flipped(byte[] signature) {
        byte[] other = signature.clone();
        other[63] ^= 1;
        return other;
    }

    private static byte[] joined(byte[] r, byte[] s) {
        byte[] both = Arrays.copyOf(r, 64);
        System.arraycopy(s, 0, both, 32, 32);
        return both;
    }

    private static String url() {
        return "http://127.0.0.1:" + TRAP.getAddress().getPort() + "/keys";
    }

    private static final AtomicInteger CAUGHT = new AtomicInteger();
    /** Where forged tokens say that keys are. */
    private static final HttpServer TRAP = trap();

    private static HttpServer trap() {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                CAUGHT.incrementAndGet();
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
            });
            server.start();
            return server;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static Stream<Arguments> everyOne() throws Exception {
        return Stream.of(algorithms(), keys(), headers(), claimed(), claimedOfOthers(), forms(), writings())
                .flatMap(each -> each);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("everyOne")
    void authenticate_forgedToken_isRefusedAndNothingIsFetched(String name, AuthCause cause, String token)
            throws Exception {
        FixedKeys published = FixedKeys.published(all());
        JwtAuthenticator asked =
                new JwtAuthenticator(settings(all(), 64), context(Runnable::run), published, FixedKeys.secrets());

        for (int i = 0; i < 2; i++) { // the second time as well, beside a cache
            AuthResult.Refused refused = assertInstanceOf(AuthResult.Refused.class, ask(asked, token), name);
            assertEquals(cause, refused.cause(), name + ": " + refused.detail());
            assertFalse(refused.detail().length() > 200, refused.detail());
        }
        assertEquals(cause == AuthCause.UNKNOWN_KEY && published.asked > 0 ? 2 : 0, published.asked);
        assertEquals(0, CAUGHT.get(), "something that a token names was fetched");
    }

    /** All of them at an issuer's URL: its own document is fetched, once at the start and once for all unknown ids. */
    @Test
    void authenticate_allOfThem_fetchTheConfiguredUrlOnly() throws Exception {
        FakeServer server = new FakeServer();
        KeySchedule schedule = new KeySchedule(0, Duration.ofMinutes(10), Duration.ofHours(1), () -> 0);
        KeyUrl url = new KeyUrl("test", server, new JwksReader(all()), schedule, Duration.ofSeconds(5), () -> 0);
        JwtAuthenticator asked =
                new JwtAuthenticator(settings(all(), 64), context(Runnable::run), url, FixedKeys.secrets());
        url.step(0);
        server.answer(jwks(EC.toPublicJWK(), RSA.toPublicJWK(), JwtFixture.ED25519_JWK));
        url.step(0);
        List<Arguments> all = everyOne().toList();
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger later = new AtomicInteger();

        for (Arguments each : all) {
            byte[] token = ((String) each.get()[2]).getBytes(StandardCharsets.ISO_8859_1);
            asked.authenticate(
                    JwtFixture.request(token, DEVICE, Long.MAX_VALUE), answer -> (answer instanceof AuthResult.Refused
                                    ? refused
                                    : answer instanceof AuthResult.Unavailable ? later : CAUGHT)
                            .incrementAndGet());
            if (url.step(0) > 0 && !server.last().isDone()) {
                server.answer(jwks(EC.toPublicJWK(), RSA.toPublicJWK(), JwtFixture.ED25519_JWK));
                url.step(0);
            }
        }

        assertTrue(all.size() >= 40, () -> all.size() + " tokens");
        assertEquals(all.size(), refused.get() + later.get());
        assertEquals(4, later.get(), "ids that were not looked for yet");
        assertEquals(2, server.fetches.size());
        assertEquals(0, CAUGHT.get());
    }

    @Test
    void authenticate_algorithmThatIsNotConfigured_isRefused() throws Exception {
        Set<JwtAlgorithm> one = EnumSet.of(JwtAlgorithm.RS256);
        JwtAuthenticator asked =
                new JwtAuthenticator(settings(one, 0), context(Runnable::run), FixedKeys.published(one), null);
        for (String token : List.of(
                es256(claims("")),
                hs256("{\"alg\":\"HS256\"}", claims(""), SECRET),
                eddsa("{\"alg\":\"EdDSA\"}", claims("")))) {
            assertEquals(
                    AuthCause.ALGORITHM,
                    assertInstanceOf(AuthResult.Refused.class, ask(asked, token))
                            .cause());
        }
    }

    /** A JWK Set as a token, or any other text without three parts, is another method's. */
    @Test
    void authenticate_jsonSerializationOrOpaqueToken_isNotOurs() throws Exception {
        JwtAuthenticator asked = new JwtAuthenticator(
                settings(all(), 0), context(Runnable::run), FixedKeys.published(all()), FixedKeys.secrets());
        String[] good = good();
        for (String token : List.of(
                "",
                "secret",
                "a.b",
                good[0] + "." + good[1],
                "{\"protected\":\"" + good[0] + "\",\"payload\":\"" + good[1] + "\",\"signature\":\"" + good[2]
                        + "\"}")) {
            assertEquals(AuthResult.NOT_MINE, ask(asked, token));
        }
    }
}
