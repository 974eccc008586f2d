package io.heartwheel.metrics;

import io.heartwheel.protocol.proxy.ProxyCounts;
import io.heartwheel.protocol.websocket.ForwardedCounts;
import io.prometheus.client.Collector;
import java.util.List;

/** What was told of the origin of connections, read when the page is asked for. Any thread. */
final class OriginMetrics extends Collector {
    private final ProxyCounts proxies;
    private final ForwardedCounts forwarded;

    OriginMetrics(ProxyCounts proxies, ForwardedCounts forwarded) {
        this.proxies = proxies;
        this.forwarded = forwarded;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        Family headers = new Family(Metric.PROXY_HEADERS);
        for (ProxyCounts.Outcome outcome : ProxyCounts.Outcome.all()) {
            headers.add(proxies.count(outcome), outcome.label());
        }
        Family requests = new Family(Metric.FORWARDED_HEADERS);
        for (ForwardedCounts.Outcome outcome : ForwardedCounts.Outcome.all()) {
            requests.add(forwarded.count(outcome), outcome.label());
        }
        return List.of(headers.samples(), requests.samples());
    }
}
