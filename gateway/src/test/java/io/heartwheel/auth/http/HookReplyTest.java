package io.heartwheel.auth.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Grant;
import io.heartwheel.auth.Grants;
import io.heartwheel.auth.http.HookOutcome.Decided;
import io.heartwheel.auth.http.HookOutcome.Failed;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HookReplyTest {
    private static final long NOW = 1_767_225_600_000L; // 2026-01-01T00:00:00Z
    private final Grants grants = new Grants();

    private HookOutcome read(int status, String body) {
        return HookReply.read(status, "", body.getBytes(StandardCharsets.UTF_8), NOW, grants);
    }

    private AuthResult decided(String body) {
        return assertInstanceOf(Decided.class, read(200, body), body).result();
    }

    @Test
    void admission_withEverything_isRead() {
        Decided decided = assertInstanceOf(
                Decided.class,
                read(
                        200,
                        """
                {"result":"admit","expires_at":1767229200,"groups":["b","a"],"rate_class":"slow",
                 "interval_ms":{"min":10000,"max":60000,"more":[{}]},"attributes":{"tenant":"acme"},
                 "cache_seconds":30,"more":{"x":[1,{"result":"deny"}]}}"""));
        AuthResult.Admitted admitted = assertInstanceOf(AuthResult.Admitted.class, decided.result());
        assertEquals(new Grant(10_000, 60_000, "slow", List.of("a", "b"), Map.of("tenant", "acme")), admitted.grant());
        assertEquals(1_767_229_200_000L, admitted.expiresAtMillis());
        assertEquals(30, decided.cacheSeconds());
    }

    @Test
    void admission_withoutAnything_isThePlainOne() {
        assertSame(AuthResult.ADMITTED, decided("{\"result\":\"admit\"}"));
        assertSame(
                AuthResult.ADMITTED,
                decided("{\"groups\":null,\"expires_at\":null,\"groups2\":1,\"result\":\"admit\"}"));
        assertSame(
                AuthResult.ADMITTED,
                assertInstanceOf(Decided.class, read(204, "")).result());
    }

    @Test
    void grants_thatAreEqual_areOneObject() {
        String body = "{\"result\":\"admit\",\"groups\":[\"a\"]}";
        assertSame(((AuthResult.Admitted) decided(body)).grant(), ((AuthResult.Admitted) decided(body)).grant());
    }

    @Test
    void expiry_isSecondsOrATime() {
        assertEquals(
                decided("{\"result\":\"admit\",\"expires_at\":\"2026-01-01T02:00:00+01:00\"}"),
                decided("{\"result\":\"admit\",\"expires_at\":1767229200}"));
        assertEquals(
                new AuthResult.Refused(AuthCause.EXPIRED, "expires_at is in the past"),
                decided("{\"result\":\"admit\",\"expires_at\":1767225600}"));
    }

    @Test
    void refusals_areRead() {
        assertEquals(new AuthResult.Refused(AuthCause.DENIED, ""), decided("{\"result\":\"deny\"}"));
        assertEquals(
                new Decided(new AuthResult.Refused(AuthCause.DENIED, "HTTP 403"), -1),
                read(403, "{\"result\":\"admit\"}"));
    }

    /** A wrong secret of ours or a service that is gone must not turn a fleet away for good. */
    @ParameterizedTest
    @CsvSource({"401,secret-file", "404,url"})
    void status_aboutTheGateway_isAnOutageThatIsLogged(int status, String key) {
        Failed failed = assertInstanceOf(Failed.class, read(status, "{\"result\":\"deny\"}"));
        assertEquals(AuthCause.OUTAGE, failed.cause());
        assertTrue(failed.malformed());
        assertTrue(
                failed.detail().startsWith("HTTP " + status) && failed.detail().endsWith("see auth.http." + key));
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 201, 202, 206, 301, 302, 307, 400, 405, 408, 429, 500, 502, 503, 504, 599})
    void status_anyOther_isAnOutage(int status) {
        assertEquals(Failed.of(AuthCause.OUTAGE, "HTTP " + status), read(status, "{\"result\":\"admit\"}"));
    }

    @ParameterizedTest
    @CsvSource({"7,7000", "'Thu, 01 Jan 2026 00:01:00 GMT',60000", "soon,-1", "'',-1", "-5,-1"})
    void retryAfter_isRead(String header, long millis) {
        assertEquals(
                new Failed(AuthCause.OUTAGE, "HTTP 503", false, millis),
                HookReply.read(503, header, new byte[0], NOW, grants));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "true",
                "\"admit\"",
                "[\"admit\"]",
                "{}",
                "{\"result\":null}",
                "{\"result\":true}",
                "{\"result\":\"ADMIT\"}",
                "{\"result\":\"admit \"}",
                "{\"result\":[\"admit\"]}",
                "{\"Result\":\"admit\"}",
                "{\"result\":\"deny\",\"result\":\"admit\"}",
                "{\"result\":\"admit\"",
                "{\"result\":\"admit\"}{}",
                "{\"result\":\"admit\"} x",
                "{\"x\":{\"result\":\"admit\"}}",
                "{\"result\":\"admit\",\"expires_at\":-1}",
                "{\"result\":\"admit\",\"expires_at\":1767229200.5}",
                "{\"result\":\"admit\",\"expires_at\":1767229200000}",
                "{\"result\":\"admit\",\"expires_at\":99999999999999999999}",
                "{\"result\":\"admit\",\"expires_at\":\"tomorrow\"}",
                "{\"result\":\"admit\",\"expires_at\":\"1767229200\"}",
                "{\"result\":\"admit\",\"expires_at\":false}",
                "{\"result\":\"admit\",\"groups\":\"a\"}",
                "{\"result\":\"admit\",\"groups\":[1]}",
                "{\"result\":\"admit\",\"groups\":[null]}",
                "{\"result\":\"admit\",\"groups\":[\"a b\"]}",
                "{\"result\":\"admit\",\"rate_class\":7}",
                "{\"result\":\"admit\",\"rate_class\":\"a/b\"}",
                "{\"result\":\"admit\",\"interval_ms\":5}",
                "{\"result\":\"admit\",\"interval_ms\":{\"min\":\"5\"}}",
                "{\"result\":\"admit\",\"interval_ms\":{\"min\":4294967297}}",
                "{\"result\":\"admit\",\"interval_ms\":{\"min\":5,\"max\":4}}",
                "{\"result\":\"admit\",\"attributes\":[]}",
                "{\"result\":\"admit\",\"attributes\":{\"a\":1}}",
                "{\"result\":\"admit\",\"attributes\":{\"a\":{}}}",
                "{\"result\":\"admit\",\"attributes\":{\"\":\"1\"}}",
                "{\"result\":\"admit\",\"attributes\":{\"a b\":\"1\"}}",
                "{\"result\":\"admit\",\"cache_seconds\":-1}",
                "{\"result\":\"admit\",\"cache_seconds\":1e3}",
                "{\"result\":\"admit\",\"x\":[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}",
                "{'result':'admit'}",
                "{\"result\":\"admit\",}",
                "<html>admit</html>",
            })
    void answer_thatIsNotExactlyOne_isAnOutage(String body) {
        Failed failed = assertInstanceOf(Failed.class, read(200, body), body);
        assertEquals(AuthCause.OUTAGE, failed.cause());
        assertTrue(failed.malformed());
    }

    @Test
    void answer_thatIsTooLong_isAnOutage() {
        String most = "{\"result\":\"admit\"}" + " ".repeat(HookReply.MOST_BYTES - 18);
        assertSame(AuthResult.ADMITTED, decided(most));
        assertTrue(assertInstanceOf(Failed.class, read(200, most + " ")).malformed());
        String attribute = "{\"result\":\"admit\",\"attributes\":{\"a\":\"" + "x".repeat(1_024) + "\"}}";
        assertTrue(assertInstanceOf(Failed.class, read(200, attribute)).malformed());
    }

    /** No cut and no changed byte of a refusal admits, and none throws. */
    @Test
    void answer_damaged_neverAdmits() {
        byte[] deny = "{\"result\":\"deny\",\"groups\":[\"a\"],\"cache_seconds\":5}".getBytes(StandardCharsets.UTF_8);
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 50_000; i++) {
            byte[] damaged = Arrays.copyOf(deny, 1 + random.nextInt(deny.length));
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            HookOutcome outcome = HookReply.read(200, "", damaged, NOW, grants);
            assertTrue(
                    !(outcome instanceof Decided decided) || decided.result() instanceof AuthResult.Refused,
                    () -> "seed " + seed);
        }
    }
}
