package io.heartwheel.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The deadlines as sessions use them, from the settings as operators write them. */
class LivenessPolicyTest {
    private static final LivenessPolicy DEFAULTS = new LivenessPolicy(LivenessSettings.defaults());

    @ParameterizedTest
    @CsvSource({
        "0, 60000",
        "1, 5000",
        "4999, 5000",
        "5000, 5000",
        "30000, 30000",
        "86400000, 86400000",
        "86400001, 86400000",
        "4294967295, 86400000"
    })
    void grantMillis_anyWish_isClamped(long wanted, int granted) {
        assertEquals(granted, DEFAULTS.grantMillis(wanted));
    }

    @Test
    void closeAfterNanos_longestIntervalAndGrace_doesNotOverflow() {
        LivenessPolicy policy = policy(new LivenessSettings.Heartbeat(
                true,
                LivenessSettings.MAX_INTERVAL,
                LivenessSettings.MAX_INTERVAL,
                LivenessSettings.MAX_INTERVAL,
                10,
                true,
                0.5,
                null));
        int interval = policy.grantMillis(0);
        assertEquals(Duration.ofHours(24 + 9 * 12).toNanos(), policy.probeAfterNanos(interval));
        assertEquals(Duration.ofHours(9 * 12).toNanos(), policy.answerNanos(interval));
        assertEquals(Duration.ofDays(10).toNanos(), policy.closeAfterNanos(interval));
    }

    @ParameterizedTest
    @CsvSource({"0, 60000", "0.01, 60300", "0.25, 67500", "0.5, 75000"})
    void probeAfterNanos_margin_isAShareOfTheGrace(double margin, long millis) {
        Duration minute = Duration.ofMinutes(1);
        LivenessPolicy policy =
                policy(new LivenessSettings.Heartbeat(true, minute, minute, minute, 1.5, true, margin, null));
        assertEquals(Duration.ofMillis(millis).toNanos(), policy.probeAfterNanos(60_000));
        long leftNanos = policy.closeAfterNanos(60_000) - policy.probeAfterNanos(60_000);
        assertTrue(leftNanos >= policy.answerNanos(60_000), "half of the grace is left to answer");
    }

    @ParameterizedTest
    @CsvSource({
        "60, 1.5, 0.25, 1000000000",
        "10, 1.5, 0.25, 500000000",
        "2, 1.5, 0.25, 125000000",
        "2, 1.1, 0.25, 15625000",
        "60, 1.5, 0, 1000000000",
        "60, 1.5, 0.5, 1",
        "86400, 10, 0.25, 1000000000"
    })
    void probeSlackNanos_anyInterval_leavesMoreThanHalfOfTheGraceToAnswer(
            int seconds, double grace, double margin, long slackNanos) {
        Duration interval = Duration.ofSeconds(seconds);
        LivenessPolicy policy =
                policy(new LivenessSettings.Heartbeat(true, interval, interval, interval, grace, true, margin, null));
        int millis = seconds * 1_000;
        assertEquals(slackNanos, policy.probeSlackNanos(millis));
        long latestNanos = policy.probeAfterNanos(millis) + slackNanos - 1;
        assertTrue(policy.closeAfterNanos(millis) - latestNanos >= policy.answerNanos(millis));
    }

    @ParameterizedTest
    @ValueSource(doubles = {1.1, 1.15, 1.5, 2.29, 3.33, 10})
    void graceHundredths_asTold_isWhatIsKept(double grace) {
        Duration second = Duration.ofSeconds(1);
        LivenessPolicy policy =
                policy(new LivenessSettings.Heartbeat(true, second, second, second, grace, true, 0.25, null));
        assertEquals(Math.round(grace * 100), policy.graceHundredths());
        assertEquals(Math.round(grace * 100) * 10_000_000, policy.closeAfterNanos(1_000));
    }

    @Test
    void timeouts_switchedOff_areOff() {
        LivenessSettings.Deadline off = new LivenessSettings.Deadline(false, Duration.ofSeconds(1));
        LivenessPolicy policy = new LivenessPolicy(new LivenessSettings(
                off,
                new LivenessSettings.Heartbeat(
                        false,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        1.5,
                        true,
                        0.25,
                        null),
                new LivenessSettings.ReadProgress(false, Duration.ofSeconds(1), 128),
                off,
                off,
                off,
                new LivenessSettings.Age(false, Duration.ofSeconds(1), 0.1, Duration.ofSeconds(1)),
                Set.of()));
        assertEquals(LivenessPolicy.OFF, policy.handshakeNanos);
        assertEquals(LivenessPolicy.OFF, policy.readProgressNanos);
        assertEquals(LivenessPolicy.OFF, policy.readerIdleNanos);
        assertEquals(LivenessPolicy.OFF, policy.writerIdleNanos);
        assertEquals(LivenessPolicy.OFF, policy.writeProgressNanos);
        assertEquals(LivenessPolicy.OFF, policy.ageNanos);
        assertEquals(false, policy.heartbeat);
    }

    @Test
    void nanosPerByte_ofTheLeastRate_isASecondDividedByIt() {
        assertEquals(1_000_000_000L / 128, DEFAULTS.nanosPerByte);
    }

    @Test
    void ageNanos_ofManySessions_fillsTheWindowAndStaysInIt() {
        Duration age = Duration.ofDays(7);
        LivenessPolicy policy =
                new LivenessPolicy(DefaultsBut.age(new LivenessSettings.Age(true, age, 0.1, Duration.ofSeconds(30))));
        long least = Long.MAX_VALUE;
        long most = 0;
        double sum = 0;
        int sessions = 10_000;
        for (long id = 1; id <= sessions; id++) {
            long nanos = policy.ageNanos(id);
            assertEquals(nanos, policy.ageNanos(id), "the same at each call");
            least = Math.min(least, nanos);
            most = Math.max(most, nanos);
            sum += nanos;
        }
        assertTrue(least >= age.toNanos() * 0.9 && least < age.toNanos() * 0.901, "least " + least);
        assertTrue(most <= age.toNanos() * 1.1 && most > age.toNanos() * 1.099, "most " + most);
        assertEquals(1, sum / sessions / age.toNanos(), 0.002);
    }

    @Test
    void ageNanos_withoutJitter_isExact() {
        LivenessPolicy policy = new LivenessPolicy(
                DefaultsBut.age(new LivenessSettings.Age(true, Duration.ofHours(1), 0, Duration.ofSeconds(30))));
        assertEquals(Duration.ofHours(1).toNanos(), policy.ageNanos(12_345));
    }

    private static LivenessPolicy policy(LivenessSettings.Heartbeat heartbeat) {
        return new LivenessPolicy(DefaultsBut.heartbeat(heartbeat));
    }
}
