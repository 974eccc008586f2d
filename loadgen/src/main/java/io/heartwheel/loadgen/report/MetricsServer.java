package io.heartwheel.loadgen.report;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.scenario.Addresses;
import io.heartwheel.loadgen.server.DisturbedServer;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;

/**
 * {@code /metrics} of a run under way, for a Prometheus that watches generator and gateway alike. On loopback unless a
 * host is named; there is no authentication, and nothing in it that a device sent.
 *
 * <p>Threads: the coordinator calls {@link #publish} and {@link #close}; the server's own answer. They meet in one volatile
 * field that holds an immutable page, so a scraper that hangs holds up other scrapers and never the run.
 */
public final class MetricsServer implements AutoCloseable, DisturbedServer.Service {

    private static final String PATH = "/metrics";

    private final DisturbedServer server = new DisturbedServer("metrics", PATH, List.of(), () -> 0, this);

    // ---- the coordinator's
    private final Ledger timings = new Ledger();

    // ---- between both
    private volatile List<MetricFamilySamples> page = List.of();

    /**
     * Begins to listen.
     *
     * @param address port 0 for any that is free
     * @throws IOException when it cannot be bound
     */
    public MetricsServer(InetSocketAddress address) throws IOException {
        server.listen(address);
    }

    /**
     * Reads {@code 127.0.0.1:9400}, {@code [::1]:9400} or {@code 9400}, which is on loopback.
     *
     * @throws IllegalArgumentException saying what is needed
     */
    public static InetSocketAddress address(String text) {
        String loopback = InetAddress.getLoopbackAddress().getHostAddress();
        return Addresses.read("metrics", text.replaceFirst("^:?([0-9]+)$", loopback + ":$1"));
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** Shows this from now on. Copies what it needs, about a millisecond. Each look once: their timings are added up. */
    public void publish(Snapshot now) {
        timings.addTimings(now.ledger());
        page = RunMetrics.of(now, timings);
    }

    @Override
    public void close() {
        server.close();
    }

    @Override
    public DisturbedServer.Reply reply(HttpExchange request, byte[] body) throws IOException {
        Headers headers = request.getResponseHeaders();
        headers.set("Content-Type", "text/plain; charset=utf-8");
        if (!request.getRequestURI().getPath().equals(PATH)) {
            return new DisturbedServer.Reply(404, "Only /metrics is here.\n");
        }
        if (!List.of("GET", "HEAD").contains(request.getRequestMethod())) {
            headers.set("Allow", "GET, HEAD");
            return new DisturbedServer.Reply(405, "Only GET.\n");
        }
        headers.set("Content-Type", TextFormat.CONTENT_TYPE_004);
        StringWriter text = new StringWriter();
        TextFormat.write004(text, Collections.enumeration(page));
        return new DisturbedServer.Reply(200, text.toString());
    }
}
