package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.prometheus.client.Collector.Type;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rules of the catalogue. */
class MetricTest {
    private static final Set<String> NO_BASE_UNITS =
            Set.of("ms millis milliseconds micros nanos nanoseconds minutes hours kb mb percent".split(" "));
    private static final Set<String> IDS = Set.of("device", "session", "epoch", "id", "remote", "client", "address");

    @ParameterizedTest
    @EnumSource
    void metric_each_keepsTheRulesOfNamesAndHelp(Metric metric) {
        String name = metric.fullName();
        assertTrue(name.matches("heartwheel(_[a-z]+)+"));
        assertEquals(metric.type() == Type.COUNTER, name.endsWith("_total"));
        assertTrue(metric.type() != Type.HISTOGRAM || name.endsWith("_seconds"));
        assertFalse(name.matches(".*_(count|sum|bucket|created|info)$") && metric != Metric.BUILD_INFO);
        assertFalse(name.matches(".*_(gauge|counter|histogram|summary)(_.*)?"));
        assertTrue(Arrays.stream(name.split("_")).noneMatch(NO_BASE_UNITS::contains), "a base unit");
        assertTrue(metric.help().matches("[A-Z1].{10,}\\."), "a sentence");
        for (String label : metric.labels()) {
            assertTrue(label.matches("[a-z]+(_[a-z]+)*") && !IDS.contains(label), label);
        }
    }
}
