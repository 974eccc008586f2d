package io.heartwheel.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A scraper's view of a run. */
final class MetricsServerTest {

    private MetricsServer server;

    @BeforeEach
    void start() throws IOException {
        server = new MetricsServer(MetricsServer.address("0"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpResponse<String> ask(String method, String path) throws IOException, InterruptedException {
        InetSocketAddress address = server.address();
        URI uri = URI.create("http://127.0.0.1:" + address.getPort() + path);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private String page() throws IOException, InterruptedException {
        return ask("GET", "/metrics").body();
    }

    private static Snapshot moment(Ledger total) {
        return new Snapshot("hold \"1\"", 10_000, Results.sample(50), total, "");
    }

    private static void assertHas(String page, String line) {
        assertTrue(("\n" + page).contains("\n" + line + "\n"), line + "\n" + page);
    }

    @Test
    void scrape_beforeAnything_isEmptyAndWell() throws Exception {
        assertEquals(200, ask("GET", "/metrics").statusCode());
        assertEquals("", page());
    }

    @Test
    void scrape_midway_hasCountsGaugesAndPhase() throws Exception {
        server.publish(moment(Results.rich().ledger));
        String page = page();
        assertHas(page, "heartwheel_loadgen_opened_total 10000.0");
        assertHas(page, "heartwheel_loadgen_false_kills_total 0.0");
        assertHas(page, "heartwheel_loadgen_connected 9000.0");
        assertHas(page, "heartwheel_loadgen_clients 10000.0");
        assertHas(page, "heartwheel_loadgen_phase_info{phase=\"hold \\\"1\\\"\",} 1.0");
        assertHas(page, "heartwheel_loadgen_closes_total{of=\"silent\",code=\"4001\",} 1000.0");
        assertHas(page, "# TYPE heartwheel_loadgen_opened_total counter");
        for (Count count : Count.values()) {
            boolean state = RunMetrics.ROLL_CALL.contains(count);
            assertEquals(!state, page.contains("\nheartwheel_loadgen_" + count.label() + "_total "), count.label());
        }
    }

    @Test
    void scrape_timings_areHistogramsInSeconds() throws Exception {
        Ledger ledger = new Ledger();
        for (int millis = 1; millis <= 100; millis++) {
            ledger.time(Timing.LATENESS, millis * Results.MILLI);
        }
        server.publish(moment(ledger));
        String page = page();
        assertHas(page, "# TYPE heartwheel_loadgen_lateness_seconds histogram");
        assertHas(page, "heartwheel_loadgen_lateness_seconds_bucket{le=\"0.01\",} 10.0");
        assertHas(page, "heartwheel_loadgen_lateness_seconds_bucket{le=\"0.05\",} 50.0");
        assertHas(page, "heartwheel_loadgen_lateness_seconds_bucket{le=\"+Inf\",} 100.0");
        assertHas(page, "heartwheel_loadgen_lateness_seconds_count 100.0");
        assertTrue(page.matches("(?s).*lateness_seconds_sum 5\\.0[45]\\d*\\n.*"), page);
        assertFalse(page.contains("round_trip_seconds"), page);
    }

    @Test
    void publish_timingsOfEachMoment_areAddedUp() throws Exception {
        for (int i = 0; i < 3; i++) {
            Ledger ledger = new Ledger();
            ledger.time(Timing.ROUND_TRIP, Results.MILLI);
            server.publish(moment(ledger));
        }
        assertHas(page(), "heartwheel_loadgen_round_trip_seconds_count 3.0");
    }

    @Test
    void publish_thenCountingOn_doesNotChangeThePage() throws Exception {
        Ledger ledger = new Ledger();
        ledger.count(Count.OPENED, 5);
        server.publish(moment(ledger));
        ledger.count(Count.OPENED, 5);
        assertHas(page(), "heartwheel_loadgen_opened_total 5.0");
        server.publish(moment(ledger));
        assertHas(page(), "heartwheel_loadgen_opened_total 10.0");
    }

    @Test
    void ask_otherPathsAndMethods_areRefused() throws Exception {
        assertEquals(404, ask("GET", "/").statusCode());
        assertEquals(404, ask("GET", "/metrics/x").statusCode());
        assertEquals(405, ask("POST", "/metrics").statusCode());
        assertEquals(
                "GET, HEAD",
                ask("DELETE", "/metrics").headers().firstValue("Allow").orElse(""));
        HttpResponse<String> head = ask("HEAD", "/metrics");
        assertEquals(200, head.statusCode());
        assertEquals("", head.body());
    }

    @Test
    void close_listening_stops() {
        server.close();
        assertThrows(ConnectException.class, this::page);
    }

    @Test
    void address_texts_areReadOrRefused() {
        assertTrue(MetricsServer.address("9400").getAddress().isLoopbackAddress());
        assertEquals(9400, MetricsServer.address(":9400").getPort());
        assertEquals("0.0.0.0", MetricsServer.address("0.0.0.0:1").getAddress().getHostAddress());
        assertEquals(1, MetricsServer.address("[::1]:1").getPort());
        for (String text : new String[] {"", "x", "1:x", "127.0.0.1:65536", "-1", "1:", "1e3"}) {
            String message = assertThrows(IllegalArgumentException.class, () -> MetricsServer.address(text))
                    .getMessage();
            assertEquals("metrics = " + text + ": need host:port of a host that is known, port 0..65535", message);
        }
    }
}
