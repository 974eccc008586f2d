package io.heartwheel.loadgen.report;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.scenario.Addresses;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * {@code /metrics} of a run under way, for a Prometheus that watches generator and gateway alike. On loopback unless a
 * host is named; there is no authentication, and nothing in it that a device sent.
 *
 * <p>Threads: the coordinator calls {@link #publish} and {@link #close}; one thread of the server's own answers, with a
 * short queue before it. They meet in one volatile field that holds an immutable page, so a scraper that hangs holds up
 * other scrapers and never the run.
 */
public final class MetricsServer implements AutoCloseable {

    private static final int BACKLOG = 16;
    private static final int MOST_WAITING = 16;

    private final HttpServer server;
    private final ThreadPoolExecutor answering;

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
        server = HttpServer.create(address, BACKLOG);
        answering = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_WAITING), task -> {
            Thread thread = new Thread(task, "metrics");
            thread.setDaemon(true);
            return thread;
        });
        server.setExecutor(answering);
        server.createContext("/", this::answer);
        server.start();
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
        return server.getAddress();
    }

    /** Shows this from now on. Copies what it needs, about a millisecond. Each look once: their timings are added up. */
    public void publish(Snapshot now) {
        timings.addTimings(now.ledger());
        page = RunMetrics.of(now, timings);
    }

    @Override
    public void close() {
        server.stop(0);
        answering.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            boolean get = exchange.getRequestMethod().equals("GET")
                    || exchange.getRequestMethod().equals("HEAD");
            if (!exchange.getRequestURI().getPath().equals("/metrics")) {
                send(exchange, 404, "text/plain; charset=utf-8", "Only /metrics is here.\n");
            } else if (!get) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, 405, "text/plain; charset=utf-8", "Only GET.\n");
            } else {
                StringWriter text = new StringWriter();
                TextFormat.write004(text, Collections.enumeration(page));
                send(exchange, 200, TextFormat.CONTENT_TYPE_004, text.toString());
            }
        }
    }

    private static void send(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, head ? -1 : bytes.length);
        if (!head) {
            exchange.getResponseBody().write(bytes);
        }
    }
}
