package io.heartwheel.auth.http;

import io.heartwheel.auth.AuthResult;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Answers of the service by what was shown, the least recently used forgotten first. An answer is fresh for a while, and then stands in for a call; one
 * that admits is kept beyond that for outages. An entry takes about 200 bytes of heap, its grant aside, which devices share.
 *
 * <p>Refusals have a place of their own, an eighth of the size: whoever shows thousands of wrong tokens pushes out no admission that an outage needs.
 *
 * <p>Any thread; both maps are guarded by this, and a key is in one of them at most.
 */
final class AnswerCache {
    /**
     * @param freshUntilNanos it stands in for a call until then
     * @param keptUntilNanos it is used in an outage until then
     */
    private record Entry(AuthResult result, long freshUntilNanos, long keptUntilNanos) {}

    /** One refusal is kept for so many admissions. */
    private static final int REFUSALS = 8;

    private final CacheSettings settings;
    private final long keepNanos;
    private final Map<RequestKey, Entry> admissions;
    private final Map<RequestKey, Entry> refusals;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder staleHits = new LongAdder();

    /** @param keep how long an answer that admits is kept for outages after it is no longer fresh; zero: not at all */
    AnswerCache(CacheSettings settings, Duration keep) {
        this.settings = settings;
        keepNanos = keep.toNanos();
        admissions = recent(settings.entries());
        refusals = recent(Math.max(1, settings.entries() / REFUSALS));
    }

    private static Map<RequestKey, Entry> recent(int most) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<RequestKey, Entry> eldest) {
                return size() > most;
            }
        };
    }

    /** An answer that stands in for a call; null if there is none. */
    @Nullable
    AuthResult fresh(RequestKey key, long nowNanos, long wallMillis) {
        if (!settings.enabled()) {
            return null;
        }
        Entry entry = get(key);
        boolean hit = entry != null && nowNanos - entry.freshUntilNanos < 0 && isValid(entry.result, wallMillis);
        (hit ? hits : misses).increment();
        return hit && entry != null ? entry.result : null;
    }

    /** An answer that admits and may be used in an outage; null if there is none. */
    @Nullable
    AuthResult kept(RequestKey key, long nowNanos, long wallMillis) {
        Entry entry = get(key);
        if (entry == null
                || !(entry.result instanceof AuthResult.Admitted)
                || nowNanos - entry.keptUntilNanos >= 0
                || !isValid(entry.result, wallMillis)) {
            return null;
        }
        staleHits.increment();
        return entry.result;
    }

    private synchronized @Nullable Entry get(RequestKey key) {
        Entry admission = admissions.get(key);
        return admission == null ? refusals.get(key) : admission;
    }

    private static boolean isValid(AuthResult result, long wallMillis) {
        return !(result instanceof AuthResult.Admitted admitted) || admitted.expiresAtMillis() > wallMillis;
    }

    /** The latest answer of the service: it replaces the one before, also where it is not kept itself. */
    void put(RequestKey key, HookOutcome.Decided decided, long nowNanos) {
        boolean admits = decided.result() instanceof AuthResult.Admitted;
        long freshNanos = settings.enabled() ? freshNanos(admits, decided.cacheSeconds()) : 0;
        long keptNanos = admits && keepNanos > 0 ? freshNanos + keepNanos : freshNanos;
        synchronized (this) {
            admissions.remove(key);
            refusals.remove(key);
            if (keptNanos > 0) {
                (admits ? admissions : refusals)
                        .put(key, new Entry(decided.result(), nowNanos + freshNanos, nowNanos + keptNanos));
            }
        }
    }

    /** Who says nothing has an admission asked for again each time, and a refusal after the time of the configuration. */
    private long freshNanos(boolean admits, long saidSeconds) {
        Duration most = admits ? settings.time() : settings.negative();
        if (saidSeconds == HookOutcome.NOT_SAID) {
            return admits ? 0 : most.toNanos();
        }
        return Duration.ofSeconds(Math.min(saidSeconds, most.toSeconds() + 1)).compareTo(most) < 0
                ? Duration.ofSeconds(saidSeconds).toNanos()
                : most.toNanos();
    }

    /** Answers kept now, fresh or not. */
    synchronized int size() {
        return admissions.size() + refusals.size();
    }

    /** Devices answered without a call. */
    long hits() {
        return hits.sum();
    }

    /** Devices for which nothing fresh was there. */
    long misses() {
        return misses.sum();
    }

    /** Devices admitted in an outage by an answer from before. */
    long staleHits() {
        return staleHits.sum();
    }
}
