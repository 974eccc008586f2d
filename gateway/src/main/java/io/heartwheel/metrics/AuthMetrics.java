package io.heartwheel.metrics;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthChain;
import io.heartwheel.auth.AuthObserver;
import io.heartwheel.auth.AuthSettings;
import io.heartwheel.auth.SharedToken;
import io.heartwheel.auth.http.BreakerState;
import io.heartwheel.auth.http.HookStatus;
import io.heartwheel.auth.jwt.JwkStatus;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Counters of authentications, written by event loops and threads of methods; readings of the chain. Any thread. */
final class AuthMetrics implements AuthObserver {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String ADMITTED = "admitted";

    private final Counter results;
    private final Histogram duration;
    private final Histogram calls;

    AuthMetrics(CollectorRegistry registry) {
        results = Metric.AUTH_RESULTS.counter(registry);
        begin(SharedToken.NAME);
        AuthSettings.METHODS.forEach(this::begin);
        for (AuthCause cause : AuthCause.values()) {
            results.labels(AuthChain.NOBODY, cause.label());
        }
        duration = Metric.AUTH_SECONDS.histogram(registry);
        calls = Metric.AUTH_CALL_SECONDS.histogram(registry);
    }

    private void begin(String method) {
        results.labels(method, ADMITTED);
        for (AuthCause cause : AuthCause.values()) {
            results.labels(method, cause.label());
        }
    }

    @Override
    public void asked(long nanos) {
        calls.observe(nanos / NANOS_PER_SECOND);
    }

    /** Beside a handshake, looking the labels up costs nothing. */
    @Override
    public void answered(String method, @Nullable AuthCause cause, long nanos) {
        results.labels(method, cause == null ? ADMITTED : cause.label()).inc();
        duration.observe(nanos / NANOS_PER_SECOND);
    }

    static void watch(Readings readings, AuthChain chain, IntSupplier fileProblems) {
        readings.add(Metric.AUTH_FAILURES_LIMITED, chain::limited)
                .add(Metric.AUTH_FILE_PROBLEMS, fileProblems::getAsInt);
    }

    static void watchKeys(Readings readings, Supplier<JwkStatus> keys) {
        readings.add(Metric.AUTH_KEYS, () -> keys.get().keys())
                .add(Metric.AUTH_KEYS_AGE_SECONDS, () -> keys.get().ageNanos() / NANOS_PER_SECOND)
                .addSeries(Metric.AUTH_KEY_FETCHES, family -> {
                    JwkStatus now = keys.get();
                    family.add(now.goodFetches(), "ok").add(now.failedFetches(), "failed");
                });
    }

    static void watchService(Readings readings, Supplier<HookStatus> service) {
        readings.addSeries(Metric.AUTH_HTTP_CALLS, family -> {
                    HookStatus now = service.get();
                    family.add(now.answered(), "ok").add(now.failures(), "failed");
                })
                .addSeries(Metric.AUTH_HTTP_CALLS_PENDING, family -> {
                    HookStatus now = service.get();
                    family.add(now.underWay(), "under_way").add(now.waiting(), "waiting");
                })
                .addFlag(Metric.AUTH_HTTP_BREAKER_OPEN, () -> service.get().breaker() != BreakerState.CLOSED)
                .addSeries(Metric.AUTH_HTTP_CACHE, family -> {
                    HookStatus now = service.get();
                    family.add(now.cacheHits(), "hit")
                            .add(now.cacheMisses(), "miss")
                            .add(now.staleHits(), "stale");
                })
                .add(Metric.AUTH_HTTP_ADMITTED_UNASKED, () -> service.get().admittedUnasked());
    }
}
