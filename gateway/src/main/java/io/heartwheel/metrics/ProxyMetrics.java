package io.heartwheel.metrics;

import io.heartwheel.protocol.proxy.ProxyCounts;
import io.prometheus.client.Collector;
import java.util.List;

/** How connections began on listeners that want a PROXY header, read when the page is asked for. Any thread. */
final class ProxyMetrics extends Collector {
    private final ProxyCounts counts;

    ProxyMetrics(ProxyCounts counts) {
        this.counts = counts;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        Family headers = new Family(Metric.PROXY_HEADERS);
        for (ProxyCounts.Outcome outcome : ProxyCounts.Outcome.all()) {
            headers.add(counts.count(outcome), outcome.label());
        }
        return List.of(headers.samples());
    }
}
