package io.heartwheel.metrics;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.CloseReason.Reconnect;
import io.heartwheel.event.Evidence;
import io.heartwheel.metrics.Readings.Family;
import io.heartwheel.transport.Admission;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;

/**
 * Counters of connections. Only opens and closes are counted; how many there are now, and which were never established, follows from them and
 * from what the {@link Admission} has counted, so that no two figures can drift apart.
 *
 * <p>Written by event loops: a few additions to striped cells, nothing allocated, nothing looked up by name. Read by any thread.
 */
final class ConnectionMetrics {
    private static final double MICROS_PER_SECOND = 1e6;

    private final Counter.Child[] opens = new Counter.Child[WireProtocol.ALL.size()];
    private final Counter.Child[][] closes =
            new Counter.Child[WireProtocol.ALL.size()][CloseReason.all().size()];
    private final Histogram lateness;
    private final Histogram detection;
    private final Histogram silence;

    private final Readings readings;

    ConnectionMetrics(CollectorRegistry registry, Readings readings) {
        this.readings = readings;
        Counter allOpens = Metric.OPENS.counter(registry);
        Counter allCloses = Metric.CLOSES.counter(registry);
        for (WireProtocol protocol : WireProtocol.ALL) {
            if (protocol != WireProtocol.HANDSHAKE) {
                opens[protocol.ordinal()] = allOpens.labels(protocol.label());
            }
            for (CloseReason reason : CloseReason.all()) {
                closes[protocol.ordinal()][reason.ordinal()] = allCloses.labels(protocol.label(), reason.label());
            }
        }
        lateness = Metric.EXPIRY_LATENESS_SECONDS.histogram(registry);
        detection = Metric.DETECTION_SECONDS.histogram(registry);
        silence = Metric.CLOSE_SILENCE_SECONDS.histogram(registry);
        readings.addSeries(Metric.REFUSALS, family -> addUnestablished(family, true))
                .addSeries(Metric.HANDSHAKE_FAILURES, family -> addUnestablished(family, false));
    }

    void watch(Admission admission) {
        readings.addSeries(Metric.CONNECTIONS, family -> addConnections(family, admission))
                .add(Metric.CONNECTIONS_LIMIT, admission::limit)
                .add(Metric.ACCEPTS, admission::accepted)
                .add(Metric.ACCEPTS_SHED, admission::shed)
                .add(Metric.ACCEPT_PAUSES, admission::acceptPauses);
    }

    void established(String protocolName) {
        WireProtocol protocol = WireProtocol.of(protocolName);
        opens[(protocol == WireProtocol.HANDSHAKE ? WireProtocol.OTHER : protocol).ordinal()].inc();
    }

    void closed(Evidence close) {
        CloseReason reason = close.reason();
        if (reason == null) {
            return;
        }
        boolean established = close.established();
        WireProtocol protocol = established ? WireProtocol.of(close.protocol()) : WireProtocol.HANDSHAKE;
        closes[protocol.ordinal()][reason.ordinal()].inc();
        if (close.endedByDeadline()) {
            lateness.observe(close.timing().latenessMicros() / MICROS_PER_SECOND);
        }
        if (established) {
            double silentSeconds = close.timing().silentMicros() / MICROS_PER_SECOND;
            silence.observe(silentSeconds);
            if (findsTheDead(reason)) {
                detection.observe(silentSeconds);
            }
        }
    }

    private static boolean findsTheDead(CloseReason reason) {
        return switch (reason) {
            case HEARTBEAT_TIMEOUT, READ_IDLE, READ_STALLED, WRITE_STALLED -> true;
            default -> false;
        };
    }

    private void addUnestablished(Family family, boolean refused) {
        for (CloseReason reason : CloseReason.all()) {
            if (refused == (reason.reconnect() == Reconnect.LATER)) {
                family.add(closes[WireProtocol.HANDSHAKE.ordinal()][reason.ordinal()].get(), reason.label());
            }
        }
    }

    /** Ends are read before beginnings: what happens in between makes a figure too large for a moment, never negative. */
    private void addConnections(Family family, Admission admission) {
        double settled = closed(WireProtocol.HANDSHAKE);
        for (WireProtocol protocol : WireProtocol.ALL) {
            if (protocol != WireProtocol.HANDSHAKE) {
                double ended = closed(protocol);
                double opened = opens[protocol.ordinal()].get();
                settled += opened;
                family.add(Math.max(0, opened - ended), protocol.label());
            }
        }
        family.add(Math.max(0, admission.accepted() - settled), WireProtocol.HANDSHAKE.label());
    }

    private double closed(WireProtocol protocol) {
        double sum = 0;
        for (Counter.Child child : closes[protocol.ordinal()]) {
            sum += child.get();
        }
        return sum;
    }
}
