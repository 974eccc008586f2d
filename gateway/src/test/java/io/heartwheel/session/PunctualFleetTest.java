package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.session.LivenessSettings.Heartbeat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A fleet that beats exactly at its interval, each beat later than the one before by the interval and some jitter: the ordinary device, which must not
 * be asked for anything. Virtual time, the gateway's own tick; {@link #main} prints the table of decision 0023.
 */
class PunctualFleetTest {
    private static final long MILLI = 1_000_000;
    private static final long TICK_NANOS = 10 * MILLI;
    private static final int DEVICES = 19_000;

    /** What a fleet drew, a second. */
    private record Drawn(double beats, double probes, double wakes) {}

    @ParameterizedTest
    @CsvSource({"60, 0", "60, 200", "60, 1000", "30, 1000", "10, 1000", "5, 200"})
    void probes_ofAPunctualFleet_areNone(int intervalSeconds, int jitterMillis) {
        Drawn drawn = fleet(intervalSeconds, jitterMillis, Heartbeat.PROBE_MARGIN, 4);
        assertEquals(0, drawn.probes());
        assertTrue(drawn.beats() > DEVICES / (intervalSeconds + 2.0), "the fleet beats");
    }

    @Test
    void wakes_ofTheWheelForAPunctualFleet_areFewerThanItsTicks() {
        // its entries are met while they still lie in coarse buckets, and do not come down to a tick of their own
        Drawn drawn = fleet(60, 1_000, Heartbeat.PROBE_MARGIN, 4);
        assertTrue(drawn.wakes() < 30, drawn.toString());
    }

    private static Drawn fleet(int intervalSeconds, int jitterMillis, double margin, int intervals) {
        LivenessSettings d = LivenessSettings.defaults();
        Duration interval = Duration.ofSeconds(intervalSeconds);
        var beat = new Heartbeat(true, interval, Duration.ofSeconds(1), Duration.ofHours(1), 1.5, true, margin);
        VirtualGateway gateway = new VirtualGateway(
                0,
                new LivenessSettings(
                        d.handshake(),
                        beat,
                        d.readProgress(),
                        d.readerIdle(),
                        d.writerIdle(),
                        d.writeProgress(),
                        d.age()),
                Credentials.ANYBODY,
                BreakerSettings.DEFAULTS,
                null,
                TICK_NANOS);
        SplittableRandom random = new SplittableRandom(intervalSeconds * 1_000L + jitterMillis);
        PriorityQueue<Beat> beats = new PriorityQueue<>();
        for (int i = 0; i < DEVICES; i++) {
            beats.add(new Beat(random.nextLong(interval.toNanos()), i, null));
        }
        long fromNanos = 2 * interval.toNanos();
        long endNanos = fromNanos + intervals * interval.toNanos();
        long heard = 0;
        long probesBefore = 0;
        long wakesBefore = 0;
        boolean counting = false;
        while (beats.element().atNanos() < endNanos) {
            Beat next = beats.remove();
            if (!counting && next.atNanos() >= fromNanos) {
                counting = true;
                probesBefore = gateway.probes;
                wakesBefore = gateway.wakes;
            }
            gateway.moveAsAsked(next.atNanos());
            FakeSession device = next.device();
            if (device == null) {
                device = new FakeSession(gateway.scope)
                        .accept(next.number() + 1L)
                        .hello("d" + next.number(), "");
            } else {
                heard += counting ? 1 : 0;
                device.beat();
            }
            long jitterNanos = jitterMillis == 0 ? 0 : random.nextLong(jitterMillis * MILLI);
            beats.add(new Beat(next.atNanos() + interval.toNanos() + jitterNanos, next.number(), device));
        }
        assertEquals(List.of(), gateway.closed);
        double seconds = (endNanos - fromNanos) / 1e9;
        return new Drawn(
                heard / seconds, (gateway.probes - probesBefore) / seconds, (gateway.wakes - wakesBefore) / seconds);
    }

    private record Beat(long atNanos, int number, @Nullable FakeSession device) implements Comparable<Beat> {
        @Override
        public int compareTo(Beat other) {
            return Long.compare(atNanos, other.atNanos);
        }
    }

    /** Prints probes and wake-ups a second for each interval, jitter and margin. */
    public static void main(String[] arguments) {
        int[] jitters = {0, 50, 200, 500, 1_000};
        for (int interval : new int[] {10, 30, 60}) {
            for (double margin : new double[] {0, 0.02, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5}) {
                List<String> cells = new ArrayList<>();
                for (int jitter : jitters) {
                    Drawn drawn = fleet(interval, jitter, margin, 4);
                    cells.add(String.format(Locale.ROOT, "%.1f / %.1f", drawn.probes(), drawn.wakes()));
                }
                System.out.printf(Locale.ROOT, "| %d s | %.2f | %s |%n", interval, margin, String.join(" | ", cells));
            }
        }
    }
}
