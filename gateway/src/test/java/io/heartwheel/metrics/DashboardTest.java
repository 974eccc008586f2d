package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.event.Closes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/**
 * The dashboard uses existing metrics and is laid out as Grafana would. {@link PromtoolInteropTest} checks its expressions.
 */
class DashboardTest {
    private static final int GRID = 24;

    private record Place(int x, int y, int width, int height) {
        static Place of(JsonNode panel) {
            JsonNode at = panel.get("gridPos");
            return new Place(
                    at.get("x").asInt(),
                    at.get("y").asInt(),
                    at.get("w").asInt(),
                    at.get("h").asInt());
        }

        boolean overlaps(Place other) {
            return x < other.x + other.width
                    && other.x < x + width
                    && y < other.y + other.height
                    && other.y < y + height;
        }
    }

    /** What stands on the page of a gateway, and what Prometheus adds. */
    static Set<String> onThePage() {
        GatewayMetrics metrics = new GatewayMetrics("1.2.3", "nio");
        GatewayMetricsTest.watchAll(metrics);
        metrics.closed(Closes.of("plain", io.heartwheel.event.CloseReason.HEARTBEAT_TIMEOUT, true, 1, 1));
        Page page = new Page(metrics.render(null));
        Set<String> names = page.series.keySet().stream()
                .map(series -> series.replaceFirst("\\{.*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        // those that have no series before there is a certificate
        names.addAll(page.type.keySet());
        return names;
    }

    static List<String> unknown(List<String> expressions, Set<String> known) {
        List<String> unknown = new ArrayList<>();
        for (String expression : expressions) {
            Set<String> names = PromQl.names(PromQl.asAsked(expression));
            assertFalse(names.isEmpty(), expression);
            names.stream().filter(name -> !known.contains(name)).forEach(unknown::add);
        }
        return unknown;
    }

    @Test
    void names_everyOne_standsOnTheLivePage() throws Exception {
        assertEquals(List.of(), unknown(Dashboard.read().expressions(), onThePage()));
    }

    @Test
    void catalogue_everyMetric_isShownSomewhere() throws Exception {
        Set<String> shown = Dashboard.read().expressions().stream()
                .flatMap(expression -> PromQl.names(PromQl.asAsked(expression)).stream())
                .map(name -> name.replaceFirst("_bucket$", ""))
                .collect(Collectors.toSet());
        // said of the process as a whole, told again by its label elsewhere, or of use to whoever already looks closer
        Set<String> leftOut =
                Set.of(("build_info reloads_total supervisor_failures_total reload_waiting_changes stalls_total"
                                + " wheel_running wheel_tick_seconds wheel_drops_total wheel_handovers_total"
                                + " trace_connections_total trace_written_bytes_total trace_write_failures_total"
                                + " trace_queue_lines")
                        .split(" "));
        Set<String> missing = new TreeSet<>();
        for (Metric metric : Metric.values()) {
            if (!shown.contains(metric.fullName())
                    && !leftOut.contains(metric.fullName().substring("heartwheel_".length()))) {
                missing.add(metric.fullName());
            }
        }
        assertEquals(Set.of(), missing);
    }

    @Test
    void panels_each_hasAnIdOfItsOwnAndSaysWhatToDo() throws Exception {
        Set<Integer> ids = new HashSet<>();
        Set<String> titles = new HashSet<>();
        for (JsonNode panel : Dashboard.read().panels()) {
            assertTrue(ids.add(panel.get("id").asInt()), panel::toString);
            assertTrue(titles.add(panel.get("title").asText()), panel::toString);
        }
        for (JsonNode panel : Dashboard.read().graphs()) {
            assertTrue(panel.get("description").asText().length() >= 40, panel.get("title")::asText);
            assertTrue(panel.get("description").asText().endsWith("."), panel.get("title")::asText);
            assertFalse(panel.get("targets").isEmpty(), panel.get("title")::asText);
            assertEquals("${datasource}", panel.at("/datasource/uid").asText());
            panel.get("targets")
                    .forEach(target -> assertTrue(
                            target.get("expr").asText().contains("instance=~\"$instance\""), target::toString));
        }
    }

    @Test
    void grid_panels_neitherOverlapNorStickOut() throws Exception {
        List<Place> places = Dashboard.read().panels().stream().map(Place::of).toList();
        for (int i = 0; i < places.size(); i++) {
            Place place = places.get(i);
            assertTrue(place.x >= 0 && place.width > 0 && place.x + place.width <= GRID, place::toString);
            for (Place other : places.subList(0, i)) {
                assertFalse(place.overlaps(other), () -> place + " overlaps " + other);
            }
        }
    }

    @Test
    void rows_eachHasPanels() throws Exception {
        List<String> types = Dashboard.read().panels().stream()
                .map(panel -> panel.get("type").asText())
                .toList();
        assertEquals("row", types.get(0));
        for (int i = 0; i < types.size(); i++) {
            assertFalse(types.get(i).equals("row")
                    && (i + 1 == types.size() || types.get(i + 1).equals("row")));
        }
    }

    @Test
    void variables_areThoseThatExpressionsUse() throws Exception {
        List<String> names = StreamSupport.stream(
                        Dashboard.read().root().at("/templating/list").spliterator(), false)
                .map(variable -> variable.get("name").asText())
                .toList();
        assertEquals(List.of("datasource", "job", "instance"), names);
    }
}
