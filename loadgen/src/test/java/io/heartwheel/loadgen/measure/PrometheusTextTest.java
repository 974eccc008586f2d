package io.heartwheel.loadgen.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Single figures of other people's metrics. */
final class PrometheusTextTest {

    private static final String TEXT =
            """
            # HELP connections Connections now.
            # TYPE connections gauge
            connections{protocol="tcp",} 12.0
            connections{protocol="w}s",} 3.0 1795204231372
            connections_limit 1000000.0
            opens_total 1.5E3
            """;

    @Test
    void sum_severalLabelSets_areAddedUpAndLongerNamesAreNot() {
        assertEquals(15, PrometheusText.sum(TEXT, "connections"));
        assertEquals(30, PrometheusText.sum(TEXT + TEXT, "connections"));
        assertEquals(1_000_000, PrometheusText.sum(TEXT, "connections_limit"));
        assertEquals(1_500, PrometheusText.sum(TEXT, "opens_total"));
    }

    @Test
    void sum_absent_isZero() {
        assertEquals(0, PrometheusText.sum(TEXT, "closes_total"));
        assertEquals(0, PrometheusText.sum("", "connections"));
    }
}
