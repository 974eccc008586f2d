package io.heartwheel.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.LivenessSettings.Heartbeat;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.VirtualGateway;
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
    private static final long ANSWER_NANOS = 100 * MILLI;

    /** No slack: each probe at its own time. */
    private static final long NO_SLACK = 1;

    /** Probes of a fleet and wake-ups of the wheel and of the loop for what is due, each a second. */
    private record Drawn(double beats, double probes, double wakes, double loopWakes) {}

    @ParameterizedTest
    @CsvSource({"60, 0", "60, 200", "60, 1000", "30, 1000", "10, 1000", "5, 200"})
    void probes_ofAPunctualFleet_areNone(int intervalSeconds, int jitterMillis) {
        Drawn drawn = fleet(intervalSeconds, jitterMillis, 0.25, 4);
        assertEquals(0, drawn.probes());
        assertTrue(drawn.beats() > DEVICES / (intervalSeconds + 2.0), "the fleet beats");
    }

    @Test
    void wakes_ofTheWheelForAPunctualFleet_areFewerThanItsTicks() {
        // its entries are met while they still lie in coarse buckets, and do not come down to a tick of their own
        Drawn drawn = fleet(60, 1_000, 0.25, 4);
        assertTrue(drawn.wakes() < 30, drawn.toString());
    }

    @ParameterizedTest
    @CsvSource({"10, 25", "60, 5"})
    void wakes_ofAFleetThatIsAsked_areSharedByAllThatIsAskedWithinTheSlack(int intervalSeconds, int mostWakes) {
        Drawn before = asked(intervalSeconds, NO_SLACK);
        Drawn drawn = asked(intervalSeconds, LivenessPolicy.MOST_SLACK_NANOS);
        assertTrue(before.loopWakes() > 80, before.toString());
        assertTrue(drawn.wakes() < mostWakes && drawn.loopWakes() < 3, drawn.toString());
        assertEquals(before.probes(), drawn.probes(), 0.05 * before.probes());
    }

    @ParameterizedTest
    @CsvSource({"10", "60"})
    void wakes_ofAPunctualFleet_areSharedByAllThatIsDueWithinTheSlack(int intervalSeconds) {
        Drawn drawn = punctual(intervalSeconds, LivenessPolicy.MOST_SLACK_NANOS);
        assertTrue(drawn.wakes() < 3, drawn.toString());
        // signs of life of ours: here nobody answers what the devices say
        assertTrue(drawn.loopWakes() < 1, drawn.toString());
    }

    private static Drawn punctual(int intervalSeconds, long slackNanos) {
        return fleet(intervalSeconds, 200, 0.25, 4, slackNanos, false);
    }

    private static Drawn asked(int intervalSeconds, long slackNanos) {
        return fleet(intervalSeconds, 0, 0.25, 4, slackNanos, true);
    }

    private static Drawn fleet(int intervalSeconds, int jitterMillis, double margin, int intervals) {
        return fleet(intervalSeconds, jitterMillis, margin, intervals, LivenessPolicy.MOST_SLACK_NANOS, false);
    }

    private static LivenessSettings settings(Duration interval, double margin) {
        return DefaultsBut.heartbeat(
                new Heartbeat(true, interval, Duration.ofSeconds(1), Duration.ofHours(1), 1.5, true, margin, null));
    }

    /** @param asked whether they say nothing of their own, and answer a probe a tenth of a second later */
    private static Drawn fleet(
            int intervalSeconds, int jitterMillis, double margin, int intervals, long slackNanos, boolean asked) {
        Duration interval = Duration.ofSeconds(intervalSeconds);
        LivenessSettings settings = settings(interval, margin);
        VirtualGateway gateway =
                new VirtualGateway(0, settings, AuthPolicy.ANYBODY, BreakerSettings.DEFAULTS, null, TICK_NANOS);
        SessionContext sessionContext = gateway.sessionContext.through(
                0, "tcp", new LivenessPolicy(settings, RateClasses.OFF, slackNanos), AuthPolicy.ANYBODY);
        SplittableRandom random = new SplittableRandom(intervalSeconds * 1_000L + jitterMillis);
        PriorityQueue<Beat> beats = new PriorityQueue<>();
        for (int i = 0; i < DEVICES; i++) {
            beats.add(new Beat(random.nextLong(interval.toNanos()), i, null));
        }
        long fromNanos = 2 * interval.toNanos();
        long endNanos = fromNanos + intervals * interval.toNanos();
        long heard = 0;
        Drawn before = new Drawn(0, 0, 0, 0);
        boolean counting = false;
        while (gateway.now() < endNanos) {
            // not past an answer that comes meanwhile
            long soonNanos = gateway.now() + ANSWER_NANOS / 2;
            if (beats.isEmpty() || beats.element().atNanos() > soonNanos) {
                gateway.moveAsAsked(soonNanos);
                continue;
            }
            Beat next = beats.remove();
            if (!counting && next.atNanos() >= fromNanos) {
                counting = true;
                before = new Drawn(0, gateway.probes, gateway.wakes, gateway.loopWakes);
            }
            gateway.moveAsAsked(next.atNanos());
            FakeSession device = next.device();
            if (device == null) {
                FakeSession come = new FakeSession(sessionContext)
                        .accept(next.number() + 1L)
                        .hello("d" + next.number(), "");
                if (asked) {
                    come.onProbe = () -> beats.add(new Beat(gateway.now() + ANSWER_NANOS, next.number(), come));
                }
                device = come;
            } else {
                heard += counting ? 1 : 0;
                device.beat();
            }
            if (asked) {
                continue;
            }
            long jitterNanos = jitterMillis == 0 ? 0 : random.nextLong(jitterMillis * MILLI);
            beats.add(new Beat(next.atNanos() + interval.toNanos() + jitterNanos, next.number(), device));
        }
        assertEquals(List.of(), gateway.closed);
        double seconds = (endNanos - fromNanos) / 1e9;
        return new Drawn(
                heard / seconds,
                (gateway.probes - before.probes()) / seconds,
                (gateway.wakes - before.wakes()) / seconds,
                (gateway.loopWakes - before.loopWakes()) / seconds);
    }

    private record Beat(long atNanos, int number, @Nullable FakeSession device) implements Comparable<Beat> {
        @Override
        public int compareTo(Beat other) {
            return Long.compare(atNanos, other.atNanos);
        }
    }

    /** Prints probes and wake-ups a second for each interval, jitter and margin. */
    public static void main(String[] arguments) {
        for (int interval : new int[] {10, 60}) {
            for (long slack : new long[] {NO_SLACK, 250 * MILLI, 1_000 * MILLI}) {
                System.out.printf(
                        "%d s, slack %d ms: punctual %s, asked %s%n",
                        interval, slack / MILLI, punctual(interval, slack), asked(interval, slack));
            }
        }
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
