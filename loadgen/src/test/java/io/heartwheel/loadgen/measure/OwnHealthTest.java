package io.heartwheel.loadgen.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class OwnHealthTest {

    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;

    @Test
    void bottleneck_pacingLagOverTheLimit_isTrue() {
        assertFalse(health(0, 0, 20 * MILLI).bottleneck(20 * MILLI));
        assertTrue(health(0, 0, 21 * MILLI).bottleneck(20 * MILLI));
    }

    @Test
    void bottleneck_moreThanATenthCollecting_isTrue() {
        assertFalse(health(SECOND, 0, 0).bottleneck(20 * MILLI));
        assertTrue(health(SECOND + 1, 0, 0).bottleneck(20 * MILLI));
    }

    @Test
    void saturated_nearlyAllProcessorsBusy_isTrue() {
        assertFalse(health(0, 17 * SECOND, 0).saturated());
        assertTrue(health(0, 17 * SECOND + 1, 0).saturated());
    }

    @Test
    void robbed_moreThanATenthOfAllProcessorsStolen_isTrue() {
        assertFalse(stolen(2 * SECOND).robbed());
        OwnHealth robbed = stolen(3 * SECOND);
        assertTrue(robbed.robbed());
        assertEquals(0.15, robbed.stolenShare(), 1e-9);
        assertTrue(robbed.stolenText().startsWith("the hypervisor took 15 % of"), robbed::stolenText);
        assertEquals(0, health(0, 0, 0).stolenShare());
    }

    @Test
    void meters_ofThisProcess_grow() {
        Meters meters = Meters.ofThisProcess();
        assertTrue(meters.cpuNanos() > 0);
        assertTrue(meters.processors() > 0);
        assertTrue(meters.machineTime().busyNanos() >= 0);
    }

    @Test
    void summary_ofKnownValues_isToTwoDigits() {
        Latencies latencies = Latencies.coarse();
        for (int i = 1; i <= 1_000; i++) {
            latencies.record(i * MILLI);
        }
        latencies.record(-5);
        Latencies.Summary summary = latencies.summary();
        assertEquals(1_001, summary.count());
        assertEquals(500.0, summary.p50Nanos() / 1e6, 5);
        assertEquals(990.0, summary.p99Nanos() / 1e6, 10);
        assertEquals(1_000.0, summary.maxNanos() / 1e6, 10);
        latencies.reset();
        assertEquals(Latencies.Summary.NOTHING, latencies.summary());
    }

    private static OwnHealth stolen(long nanos) {
        return new OwnHealth(10 * SECOND, 0, 0, 0, nanos, 2, Latencies.Summary.NOTHING);
    }

    private static OwnHealth health(long collector, long machine, long lag) {
        return new OwnHealth(
                10 * SECOND, 0, collector, machine, 0, 2, new Latencies.Summary(1, lag, lag, lag, lag, lag));
    }
}
