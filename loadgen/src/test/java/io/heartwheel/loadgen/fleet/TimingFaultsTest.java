package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Timing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As {@link FaultyGatewayTest}, of what comes late: whose doing it is, and how late is too late. */
@Timeout(120)
final class TimingFaultsTest {

    private static final long MILLI = 1_000_000L;

    /** Three times as many as a loop lets wait at once, all due at once, before a gateway that welcomes after 500 ms. */
    private static final String CROWD = "clients = 700, duration = 1s, ramp.rate = 100000\n";

    private static Latencies.Summary timing(Result result, Timing timing) {
        return result.timings().getOrDefault(timing.label(), Latencies.Summary.NOTHING);
    }

    @Test
    void connect_rampWaitsForTheGateway_queueIsStartLagAndNotLatency() {
        Result result = new Trial(CROWD, Fault.WELCOMES_LATE).result();
        long stages = timing(result, Timing.CONNECT_TCP).p50Nanos()
                + timing(result, Timing.CONNECT_UPGRADE).p50Nanos()
                + timing(result, Timing.CONNECT_HELLO).p50Nanos();
        long connect = timing(result, Timing.CONNECT).p50Nanos();
        assertTrue(connect < stages + 250 * MILLI, () -> connect + " of stages " + stages);
        assertEquals(700, timing(result, Timing.START_LAG).count());
        assertTrue(timing(result, Timing.START_LAG).maxNanos() >= 900 * MILLI, () -> result.timings()
                .toString());
    }
}
