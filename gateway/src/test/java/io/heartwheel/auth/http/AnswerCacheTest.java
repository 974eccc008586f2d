package io.heartwheel.auth.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.http.HookOutcome.Decided;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Under a virtual clock. */
class AnswerCacheTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final AuthResult DENIED = new AuthResult.Refused(AuthCause.DENIED, "");

    private final AnswerCache cache = new AnswerCache(Asking.CACHE, Duration.ofHours(1));
    private final RequestKey key = key(1);

    private static RequestKey key(long number) {
        return new RequestKey(number, 2, 3, 4);
    }

    private void put(AuthResult result, long cacheSeconds) {
        cache.put(key, new Decided(result, cacheSeconds), 0);
    }

    @Test
    void admission_isFreshAsLongAsTheServiceSays() {
        put(AuthResult.ADMITTED, 60);
        assertSame(AuthResult.ADMITTED, cache.fresh(key, 60 * SECOND - 1, 0));
        assertNull(cache.fresh(key, 60 * SECOND, 0));
        assertEquals(1, cache.hits());
        assertEquals(1, cache.misses());
    }

    @Test
    void admission_isNeverFreshForLongerThanTheConfigurationSays() {
        put(AuthResult.ADMITTED, 1_000_000_000_000L);
        assertSame(AuthResult.ADMITTED, cache.fresh(key, 300 * SECOND - 1, 0));
        assertNull(cache.fresh(key, 300 * SECOND, 0));
    }

    @Test
    void admission_ofWhichNothingIsSaid_isKeptForOutagesAlone() {
        put(AuthResult.ADMITTED, HookOutcome.NOT_SAID);
        assertNull(cache.fresh(key, 0, 0));
        assertSame(AuthResult.ADMITTED, cache.kept(key, 3_600 * SECOND - 1, 0));
        assertNull(cache.kept(key, 3_600 * SECOND, 0));
        assertEquals(1, cache.staleHits());
    }

    @Test
    void admission_thatHasExpired_isOfNoUse() {
        put(new AuthResult.Admitted(null, 1_000), 60);
        assertNull(cache.fresh(key, SECOND, 1_000));
        assertNull(cache.kept(key, SECOND, 1_000));
        assertNotEquals(null, cache.fresh(key, SECOND, 999));
    }

    @Test
    void refusal_isFreshForALittleAndNeverKeptForOutages() {
        put(AuthResult.ADMITTED, 60);
        put(DENIED, HookOutcome.NOT_SAID);
        assertSame(DENIED, cache.fresh(key, 5 * SECOND - 1, 0));
        assertNull(cache.kept(key, SECOND, 0));
        put(DENIED, 60);
        assertNull(cache.fresh(key, 5 * SECOND, 0));
        put(DENIED, 0);
        assertNull(cache.fresh(key, 0, 0));
        assertEquals(0, cache.size());
    }

    @Test
    void switchedOff_keepsNothing() {
        AnswerCache off =
                new AnswerCache(new CacheSettings(false, 1, Duration.ofHours(1), Duration.ofHours(1)), Duration.ZERO);
        off.put(key, new Decided(AuthResult.ADMITTED, 60), 0);
        assertNull(off.fresh(key, 0, 0));
        assertEquals(0, off.size());
    }

    @Test
    void entries_beyondTheMost_forgetTheLeastRecentlyUsed() {
        for (int i = 0; i < 1_024; i++) {
            cache.put(key(i), new Decided(AuthResult.ADMITTED, 60), 0);
        }
        cache.fresh(key(0), 0, 0);
        for (int i = 1_024; i < 2_047; i++) {
            cache.put(key(i), new Decided(AuthResult.ADMITTED, 60), 0);
        }
        assertEquals(1_024, cache.size());
        assertSame(AuthResult.ADMITTED, cache.fresh(key(0), 0, 0));
        assertNull(cache.fresh(key(1), 0, 0));
    }

    /** Whoever shows wrong tokens by the thousand must not decide who comes in while the service is down. */
    @Test
    void refusals_byTheThousand_pushOutNoAdmission() {
        put(AuthResult.ADMITTED, 60);
        for (int i = 10; i < 5_000; i++) {
            cache.put(key(i), new Decided(DENIED, 60), 0);
        }
        assertSame(AuthResult.ADMITTED, cache.kept(key, SECOND, 0));
        assertEquals(1 + 128, cache.size());
        assertSame(DENIED, cache.fresh(key(4_999), SECOND, 0));

        cache.put(key(4_999), new Decided(AuthResult.ADMITTED, 60), 0);
        assertSame(AuthResult.ADMITTED, cache.fresh(key(4_999), SECOND, 0));
        assertEquals(1 + 128, cache.size());
    }

    @Test
    void keys_areOfWhatIsShownAndOfThisProcess() {
        RequestKey.Seed seed = new RequestKey.Seed();
        RequestKey one = RequestKey.ofCredentials(seed, Asking.device("a", "bc", 1));
        assertEquals(one, RequestKey.ofCredentials(seed, Asking.renewing("a", "bc", 2)));
        assertNotEquals(one, RequestKey.ofCredentials(seed, Asking.device("ab", "c", 1)));
        assertNotEquals(one, RequestKey.ofCredentials(new RequestKey.Seed(), Asking.device("a", "bc", 1)));
        assertNotEquals(
                RequestKey.ofAll(seed, Asking.device("a", "bc", 1)),
                RequestKey.ofAll(seed, Asking.renewing("a", "bc", 1)));
    }
}
