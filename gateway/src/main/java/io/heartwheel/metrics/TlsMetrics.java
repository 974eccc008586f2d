package io.heartwheel.metrics;

import io.heartwheel.event.TlsFailure;
import io.heartwheel.transport.tls.CertificateStatus;
import io.heartwheel.transport.tls.TlsListeners;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Handshakes as they end, told by event loops; certificates and ticket keys, read when the page is asked for. Any thread. */
final class TlsMetrics extends Collector {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;

    private final Counter.Child[] full = new Counter.Child[3];
    private final Counter.Child[] resumed = new Counter.Child[3];
    private final Counter.Child[] failures = new Counter.Child[TlsFailure.values().length];
    private final Histogram duration;

    private record Watched(TlsListeners listeners, LongSupplier wallMillis) {}

    private volatile @Nullable Watched watched;

    TlsMetrics(CollectorRegistry registry) {
        Counter handshakes = Metric.TLS_HANDSHAKES.counter(registry);
        for (String version : List.of("1.2", "1.3", "other")) {
            full[place(version)] = handshakes.labels(version, "full");
            resumed[place(version)] = handshakes.labels(version, "resumed");
        }
        Counter failed = Metric.TLS_FAILURES.counter(registry);
        for (TlsFailure failure : TlsFailure.values()) {
            failures[failure.ordinal()] = failed.labels(failure.label());
        }
        duration = Metric.TLS_HANDSHAKE_SECONDS.histogram(registry);
        register(registry);
    }

    private static int place(String version) {
        return switch (version) {
            case "1.2" -> 0;
            case "1.3" -> 1;
            default -> 2;
        };
    }

    void secured(String version, boolean wasResumed, long nanos) {
        (wasResumed ? resumed : full)[place(version)].inc();
        duration.observe(nanos / NANOS_PER_SECOND);
    }

    void failed(TlsFailure failure) {
        failures[failure.ordinal()].inc();
    }

    void watch(TlsListeners listeners, LongSupplier wallMillis) {
        watched = new Watched(listeners, wallMillis);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        Watched seen = watched;
        if (seen == null) {
            return List.of();
        }
        TlsListeners listeners = seen.listeners;
        Family notAfter = new Family(Metric.TLS_CERTIFICATE_NOT_AFTER_SECONDS);
        Family staples = new Family(Metric.TLS_STAPLE_NEXT_UPDATE_SECONDS);
        for (CertificateStatus each : listeners.certificates()) {
            notAfter.add(each.notAfterMillis() / MILLIS_PER_SECOND, each.listener(), each.certificate());
            if (each.stapled()) {
                staples.add(each.staplesUntilMillis() / MILLIS_PER_SECOND, each.listener(), each.certificate());
            }
        }
        long sinceMillis = listeners.ticketKeySinceMillis();
        double ageSeconds = (seen.wallMillis.getAsLong() - sinceMillis) / MILLIS_PER_SECOND;
        return List.of(
                notAfter.samples(),
                staples.samples(),
                new Family(Metric.TLS_RELOADS)
                        .add(listeners.reloadsTaken(), "taken")
                        .add(listeners.reloadsRefused(), "refused")
                        .samples(),
                Family.of(Metric.TLS_TICKET_KEY_AGE_SECONDS, sinceMillis == 0 ? 0 : Math.max(0, ageSeconds)));
    }
}
