package io.heartwheel.auth.jwt;

import static io.heartwheel.auth.jwt.JwtFixture.EC;
import static io.heartwheel.auth.jwt.JwtFixture.NOW_MILLIS;
import static io.heartwheel.auth.jwt.JwtFixture.OTHER_EC;
import static io.heartwheel.auth.jwt.JwtFixture.all;
import static io.heartwheel.auth.jwt.JwtFixture.ascii;
import static io.heartwheel.auth.jwt.JwtFixture.claims;
import static io.heartwheel.auth.jwt.JwtFixture.es256;
import static io.heartwheel.auth.jwt.JwtFixture.jwks;
import static io.heartwheel.auth.jwt.JwtFixture.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Grants;
import io.heartwheel.auth.jwt.JwtFixture.FakeServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys at a URL: rotation, outages, slow answers and unknown ids, in virtual time. */
class KeyUrlTest {
    private static final long SECOND = 1_000_000_000L;

    private final FakeServer server = new FakeServer();
    private final List<AuthResult> answers = new ArrayList<>();
    private long nowNanos;
    private KeyUrl url;
    private JwtAuthenticator asked;
    private String old;
    private String fresh;

    @BeforeEach
    void open() throws Exception {
        KeySchedule schedule = new KeySchedule(0, Duration.ofMinutes(10), Duration.ofHours(1), () -> 0);
        url = new KeyUrl("test", server, new JwksReader(all()), schedule, Duration.ofSeconds(5), () -> nowNanos);
        asked = new JwtAuthenticator(
                settings(all(), 64),
                new AuthContext(Runnable::run, new Grants(), () -> nowNanos, () -> NOW_MILLIS),
                url,
                null);
        String longer = claims("").replaceFirst("\"exp\":[0-9]+", "\"exp\":" + (NOW_MILLIS / 1_000 + 86_400));
        old = es256(longer);
        fresh = es256("{\"alg\":\"ES256\",\"kid\":\"ec-2\"}", longer, OTHER_EC);
    }

    private void ask(String token) {
        asked.authenticate(JwtFixture.request(ascii(token), JwtFixture.DEVICE, nowNanos + 10 * SECOND), answers::add);
    }

    private void at(long nanos) {
        nowNanos = nanos;
        url.step(nanos);
    }

    private void running() {
        at(0);
        server.answer(jwks(EC.toPublicJWK()));
        at(0);
    }

    private long count(Class<? extends AuthResult> kind) {
        return answers.stream().filter(kind::isInstance).count();
    }

    @Test
    void authenticate_beforeTheFirstFetchIsDone_waitsForIt() {
        at(0);
        ask(old);
        assertEquals(List.of(), answers);

        server.answer(jwks(EC.toPublicJWK()));
        at(SECOND);

        assertEquals(1, count(AuthResult.Admitted.class));
        assertEquals(1, url.status().keys());
    }

    @Test
    void authenticate_firstFetchFailed_isUnavailable() {
        at(0);
        ask(old);
        server.fail();
        at(SECOND / 10);
        ask(old); // the backoff is not over, but the first one for an unknown key asks at once
        at(SECOND / 10);
        server.fail();
        at(SECOND / 10);
        ask(old);

        assertEquals(3, count(AuthResult.Unavailable.class));
        answers.forEach(each -> assertEquals(AuthCause.OUTAGE, ((AuthResult.Unavailable) each).cause()));
        assertEquals(2, url.status().failedFetches());
    }

    @Test
    void rotation_duringManyReconnects_refusesNobody() {
        running();
        for (int i = 0; i < 200; i++) {
            ask(i < 50 || i % 2 == 0 ? old : fresh);
            if (i == 120) { // the first with the new key came at 51
                at(SECOND);
                server.answer(jwks(EC.toPublicJWK(), OTHER_EC.toPublicJWK()));
                at(SECOND);
            }
        }

        assertEquals(200, count(AuthResult.Admitted.class));
        assertEquals(2, server.fetches.size());
    }

    @Test
    void authenticate_keyTakenBack_isRefusedThoughItsTokenWasVerified() {
        running();
        ask(old);
        at(300 * SECOND);
        server.answer(jwks(OTHER_EC.toPublicJWK()));
        at(301 * SECOND);

        ask(old);
        at(302 * SECOND);
        server.answer(jwks(OTHER_EC.toPublicJWK()));
        at(302 * SECOND);

        assertEquals(1, count(AuthResult.Admitted.class));
        assertEquals(
                AuthCause.UNKNOWN_KEY,
                assertInstanceOf(AuthResult.Refused.class, answers.get(1)).cause());
    }

    @Test
    void outage_ofThirtySeconds_refusesNobody() {
        running();
        at(300 * SECOND);
        for (int second = 0; second < 30; second++) {
            if (!server.last().isDone()) {
                server.fail();
            }
            at((300 + second) * SECOND);
            ask(old);
        }

        assertEquals(30, count(AuthResult.Admitted.class));
        assertTrue(url.status().failedFetches() >= 2);
    }

    @Test
    void outage_longerThanConfigured_isUnavailableAndEndsWithTheNextFetch() {
        running();
        long end = 70 * 60 * SECOND;
        at(300 * SECOND);
        server.fail();
        at(300 * SECOND);
        nowNanos = end;
        ask(old);
        assertEquals(1, count(AuthResult.Admitted.class));

        nowNanos = end + 1;
        ask(old); // known by its hash, but keys are not in force
        at(end + 1);
        server.fail();
        at(end + 1);
        assertEquals(1, count(AuthResult.Unavailable.class));
        assertEquals(0, url.status().keys());

        at(end + 2 * SECOND);
        server.answer(jwks(EC.toPublicJWK()));
        at(end + 2 * SECOND);
        ask(old);
        assertEquals(2, count(AuthResult.Admitted.class));
    }

    @Test
    void fetch_withoutAnAnswer_isEndedAtItsTimeoutAndAskersAreTold() {
        running();
        ask(fresh);
        at(SECOND);
        var hanging = server.last();
        at(6 * SECOND - 1);
        assertEquals(List.of(), answers);

        at(6 * SECOND);

        assertTrue(hanging.isCancelled());
        assertEquals(
                AuthCause.OUTAGE,
                assertInstanceOf(AuthResult.Unavailable.class, answers.get(0)).cause());
    }

    /** A reload exchanges the method: who waits at it, or comes too late, comes again. */
    @Test
    void close_whileSomebodyWaits_tellsThemAndWhoeverAsksAfterwards() {
        running();
        ask(fresh);
        at(SECOND);
        url.close();
        ask(fresh);
        server.answer(jwks(OTHER_EC.toPublicJWK()));
        at(SECOND);

        assertEquals(2, answers.size());
        assertEquals(2, count(AuthResult.Unavailable.class));
    }

    @Test
    void waiting_pastItsDeadline_isToldThen() {
        running();
        asked.authenticate(JwtFixture.request(ascii(fresh), JwtFixture.DEVICE, 2 * SECOND), answers::add);
        at(SECOND);
        at(2 * SECOND);

        assertEquals(
                AuthCause.TIMEOUT,
                assertInstanceOf(AuthResult.Unavailable.class, answers.get(0)).cause());
    }

    @Test
    void unknownKeys_flood_isOneFetchInThirtySecondsAndABoundedQueue() {
        running();
        at(SECOND);
        for (int i = 0; i < 1_100; i++) {
            ask(fresh);
        }
        assertEquals(76, count(AuthResult.Unavailable.class));
        at(SECOND);
        server.answer(jwks(EC.toPublicJWK()));
        at(SECOND);
        assertEquals(1_024, count(AuthResult.Refused.class));

        for (long now = 2; now <= 30; now++) {
            at(now * SECOND);
            ask(fresh);
        }

        assertEquals(1_024 + 29, count(AuthResult.Refused.class));
        assertEquals(2, server.fetches.size());
    }

    /** 4401 says never again; whoever floods with ids of his own must not bring it upon the devices that have the issuer's next key. */
    @Test
    void unknownKey_rightAfterAStrangers_isToldToComeLaterAndFetchedFor() {
        running();
        at(SECOND);
        String stranger = es256Of("stranger");
        ask(stranger);
        at(SECOND);
        server.answer(jwks(EC.toPublicJWK()));
        at(SECOND);
        at(2 * SECOND);
        ask(stranger);
        assertEquals(2, count(AuthResult.Refused.class), "looked for, and not there");

        ask(fresh);
        assertEquals(
                AuthCause.BUSY,
                assertInstanceOf(AuthResult.Unavailable.class, answers.get(2)).cause());

        at(31 * SECOND);
        server.answer(jwks(EC.toPublicJWK(), OTHER_EC.toPublicJWK()));
        at(31 * SECOND);
        ask(fresh);
        assertEquals(1, count(AuthResult.Admitted.class));
        assertEquals(3, server.fetches.size());
    }

    @Test
    void unknownKey_askedForInThePauseAndNotFetched_isRefusedThen() {
        running();
        at(SECOND);
        ask(es256Of("stranger"));
        at(SECOND);
        server.answer(jwks(EC.toPublicJWK()));
        at(SECOND);
        ask(es256Of("retired"));
        at(31 * SECOND);
        server.answer(jwks(EC.toPublicJWK()));
        at(31 * SECOND);
        ask(es256Of("retired"));
        ask(es256Of("another"));

        assertEquals(
                List.of("Refused", "Unavailable", "Refused", "Unavailable"),
                answers.stream().map(each -> each.getClass().getSimpleName()).toList());
    }

    private static String es256Of(String kid) {
        try {
            return es256("{\"alg\":\"ES256\",\"kid\":\"" + kid + "\"}", claims(""), OTHER_EC);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void fetched_documentOfNoUse_leavesTheKeys() {
        running();
        for (String bad :
                List.of("", "[]", "{\"keys\":[]}", "{\"keys\":{}}", "{\"keys\":[1]}", "{\"keys\":[],\"keys\":[]}")) {
            at(nowNanos + 300 * SECOND);
            server.answer(bad);
            at(nowNanos);
        }
        nowNanos = 60 * SECOND;
        ask(old);

        assertEquals(1, count(AuthResult.Admitted.class));
        assertEquals(6, url.status().failedFetches());
    }

    /** Such as for want of a thread. */
    @Test
    void fetch_thatCannotBegin_hasFailedAndAnotherComes() {
        server.refusing = true;
        at(0);
        assertTrue(url.step(0) > 1_000_000, "does not spin");
        at(SECOND / 2);
        assertEquals(1, url.status().failedFetches());

        server.refusing = false;
        for (int second = 1; second < 200 && server.fetches.isEmpty(); second++) {
            at(second * SECOND);
        }
        server.answer(jwks(EC.toPublicJWK()));
        at(nowNanos);
        assertEquals(1, url.status().keys());
    }

    @Test
    void authenticate_noWorkerFree_isUnavailable() throws Exception {
        JwtAuthenticator full = new JwtAuthenticator(
                settings(all(), 0),
                JwtFixture.context(task -> {
                    throw new RejectedExecutionException();
                }),
                JwtFixture.FixedKeys.published(all()),
                null);

        assertEquals(
                AuthCause.BUSY,
                assertInstanceOf(AuthResult.Unavailable.class, JwtFixture.ask(full, old))
                        .cause());
    }
}
