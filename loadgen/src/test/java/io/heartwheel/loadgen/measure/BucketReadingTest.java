package io.heartwheel.loadgen.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class BucketReadingTest {

    private static final String TEXT =
            """
            # TYPE late_seconds histogram
            late_seconds_bucket{le="0.005",} 10.0
            late_seconds_bucket{le="0.025",} 990.0
            late_seconds_bucket{le="0.1",} 1000.0
            late_seconds_bucket{le="+Inf",} 1000.0
            late_seconds_count 1000.0
            other_bucket{le="1"} 5
            """;

    @Test
    void find_histogram_tellsTheBoundsOfItsPercentiles() {
        BucketReading reading = BucketReading.find(TEXT, "late_seconds").orElseThrow();
        assertEquals(1_000, reading.count());
        assertEquals(0.025, reading.atMostSeconds(0.5));
        assertEquals(0.025, reading.atMostSeconds(0.99));
        assertEquals(0.1, reading.atMostSeconds(0.999));
    }

    @Test
    void find_severalLabelSets_areAddedUp() {
        String text = "a_bucket{p=\"x\",le=\"1\"} 2\na_bucket{p=\"x\",le=\"+Inf\"} 3\n"
                + "a_bucket{p=\"y\",le=\"1\"} 4\na_bucket{p=\"y\",le=\"+Inf\"} 4\n";
        BucketReading reading = BucketReading.find(text, "a").orElseThrow();
        assertEquals(7, reading.count());
        assertEquals(1.0, reading.atMostSeconds(0.8));
        assertEquals(Double.POSITIVE_INFINITY, reading.atMostSeconds(0.99));
    }

    @Test
    void find_absentOrEmpty_isEmptyOrZero() {
        assertTrue(BucketReading.find(TEXT, "early_seconds").isEmpty());
        BucketReading none =
                BucketReading.find("a_bucket{le=\"+Inf\"} 0\n", "a").orElseThrow();
        assertEquals(0, none.count());
        assertEquals(0, none.atMostSeconds(0.99));
    }
}
