package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.prometheus.client.Collector.Type;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Rules of the catalogue. */
class MetricTest {
    private static final Set<String> NO_BASE_UNITS = Set.of(
            "ms",
            "millis",
            "milliseconds",
            "micros",
            "nanos",
            "nanoseconds",
            "minutes",
            "hours",
            "kb",
            "mb",
            "percent");
    private static final Set<String> IDS = Set.of("device", "session", "epoch", "id", "remote", "client", "address");

    @Test
    void name_each_isSnakeCaseUnderOurPrefix() {
        for (Metric metric : Metric.values()) {
            assertTrue(metric.fullName().matches("heartwheel(_[a-z]+)+"), metric.fullName());
        }
    }

    @Test
    void suffix_each_fitsTheType() {
        for (Metric metric : Metric.values()) {
            String name = metric.fullName();
            assertEquals(metric.type() == Type.COUNTER, name.endsWith("_total"), name);
            assertTrue(metric.type() != Type.HISTOGRAM || name.endsWith("_seconds"), name);
            assertFalse(name.matches(".*_(count|sum|bucket|created|info)$") && metric != Metric.BUILD_INFO, name);
            assertFalse(name.matches(".*_(gauge|counter|histogram|summary)(_.*)?"), name);
        }
    }

    @Test
    void unit_each_isABaseUnit() {
        for (Metric metric : Metric.values()) {
            assertTrue(
                    Arrays.stream(metric.fullName().split("_")).noneMatch(NO_BASE_UNITS::contains), metric.fullName());
        }
    }

    @Test
    void help_each_isASentence() {
        for (Metric metric : Metric.values()) {
            assertTrue(metric.help().matches("[A-Z1].{10,}\\."), metric.fullName());
        }
    }

    @Test
    void label_each_isSnakeCaseAndNoId() {
        for (Metric metric : Metric.values()) {
            for (String label : metric.labels()) {
                assertTrue(label.matches("[a-z]+(_[a-z]+)*"), metric.fullName() + " " + label);
                assertFalse(IDS.contains(label), metric.fullName() + " " + label);
            }
        }
    }
}
