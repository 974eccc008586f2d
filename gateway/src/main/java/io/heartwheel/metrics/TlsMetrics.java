package io.heartwheel.metrics;

import io.heartwheel.event.TlsFailure;
import io.heartwheel.transport.tls.CertificateStatus;
import io.heartwheel.transport.tls.TlsListeners;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import java.util.List;
import java.util.stream.Stream;

/** Counters of TLS handshakes, written by event loops; readings of certificates and ticket keys. Any thread. */
final class TlsMetrics {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;

    private final Counter handshakes;
    private final Counter.Child[] failures;
    private final Histogram duration;

    TlsMetrics(CollectorRegistry registry) {
        handshakes = Metric.TLS_HANDSHAKES.counter(registry);
        for (String version : List.of("1.2", "1.3", "other")) {
            handshakes.labels(version, "full");
            handshakes.labels(version, "resumed");
        }
        failures = Metric.TLS_FAILURES.counters(
                registry, Stream.of(TlsFailure.values()).map(TlsFailure::label).toList());
        duration = Metric.TLS_HANDSHAKE_SECONDS.histogram(registry);
    }

    /** Beside a handshake, looking the labels up costs nothing. */
    void secured(String version, boolean resumed, long nanos) {
        String known = version.equals("1.2") || version.equals("1.3") ? version : "other";
        handshakes.labels(known, resumed ? "resumed" : "full").inc();
        duration.observe(nanos / NANOS_PER_SECOND);
    }

    void failed(TlsFailure failure) {
        failures[failure.ordinal()].inc();
    }

    static void watch(Readings readings, TlsListeners listeners) {
        readings.addSeries(Metric.TLS_CERTIFICATE_NOT_AFTER_SECONDS, family -> listeners
                        .certificates()
                        .forEach(each -> family.add(
                                each.notAfterMillis() / MILLIS_PER_SECOND, each.listener(), each.certificate())))
                .addSeries(Metric.TLS_STAPLE_NEXT_UPDATE_SECONDS, family -> listeners.certificates().stream()
                        .filter(CertificateStatus::stapled)
                        .forEach(each -> family.add(
                                each.staplesUntilMillis() / MILLIS_PER_SECOND, each.listener(), each.certificate())))
                .addSeries(Metric.TLS_RELOADS, family -> family.add(listeners.reloadsTaken(), "taken")
                        .add(listeners.reloadsRefused(), "refused"))
                .add(
                        Metric.TLS_TICKET_KEY_AGE_SECONDS,
                        () -> Math.max(0, listeners.ticketKeyAgeMillis() / MILLIS_PER_SECOND));
    }
}
