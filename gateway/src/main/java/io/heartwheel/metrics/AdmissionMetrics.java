package io.heartwheel.metrics;

import io.heartwheel.transport.Admission;
import io.prometheus.client.Collector;
import java.util.List;

/** Limits of handshakes and of sources, read from the {@link Admission} when the page is asked for. Any thread. */
final class AdmissionMetrics extends Collector {
    private final Admission admission;

    AdmissionMetrics(Admission admission) {
        this.admission = admission;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(
                Family.of(Metric.HANDSHAKES_PENDING, admission.pending()),
                Family.of(Metric.HANDSHAKES_PENDING_LIMIT, admission.maxPending()),
                Family.of(Metric.HANDSHAKES_EVICTED, admission.pushedOut()),
                Family.of(Metric.SOURCES, admission.sources()),
                new Family(Metric.SOURCE_REFUSALS)
                        .add(admission.tooManyOfASource(), "connections")
                        .add(admission.tooFastFromASource(), "rate")
                        .samples(),
                Family.of(Metric.SOURCES_UNCOUNTED, admission.uncounted()));
    }
}
