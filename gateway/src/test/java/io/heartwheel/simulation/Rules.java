package io.heartwheel.simulation;

import io.heartwheel.liveness.LivenessSettings;
import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The operator's settings as plain numbers, for the oracle; {@link #settings} makes the gateway's of them. A time of 0 is switched off.
 *
 * @param graceHundredths hundredths of the interval
 * @param probeMarginHundredths hundredths of the grace after the interval
 * @param bytesPerSecond divides a thousand million, so that neither side rounds
 * @param ageJitterHundredths hundredths of the age, either way
 */
record Rules(
        long handshakeNanos,
        boolean heartbeat,
        long intervalMillis,
        long minMillis,
        long maxMillis,
        int graceHundredths,
        boolean probe,
        int probeMarginHundredths,
        long readProgressNanos,
        long bytesPerSecond,
        long readerIdleNanos,
        long writerIdleNanos,
        long writeProgressNanos,
        long ageNanos,
        int ageJitterHundredths,
        long leadNanos) {

    private static final long[] RATES = {64, 100, 128, 1_000, 8_000};
    private static final int[] GRACES = {110, 125, 150, 150, 200, 250, 400};
    private static final int[] MARGINS = {0, 10, 25, 25, 40, 50};

    /** Any that make sense; everything is of the order of a beat and a multiple of the step. */
    static Rules random(SplittableRandom random, double beatSeconds, long stepNanos) {
        long stepMillis = Math.max(1, stepNanos / 1_000_000);
        long interval = Math.max(100, Math.round(beatSeconds * 1_000) / stepMillis * stepMillis);
        long min = Math.max(100, interval / random.nextInt(1, 5));
        long max = Math.min(86_400_000, interval * random.nextInt(1, 5));
        return new Rules(
                sometimes(random, stepNanos, 9, 0.5, 20),
                random.nextInt(10) != 0,
                interval,
                min,
                max,
                GRACES[random.nextInt(GRACES.length)],
                random.nextInt(10) < 6,
                MARGINS[random.nextInt(MARGINS.length)],
                sometimes(random, stepNanos, 8, 0.3, 10),
                RATES[random.nextInt(RATES.length)],
                sometimes(random, stepNanos, 4, beatSeconds / 2, beatSeconds * 4),
                sometimes(random, stepNanos, 5, beatSeconds / 2, beatSeconds * 4),
                sometimes(random, stepNanos, 8, 0.3, 30),
                sometimes(random, stepNanos, 3, beatSeconds * 3, beatSeconds * 20),
                random.nextInt(51),
                Chance.nanos(random, 0.1, 10) / stepNanos * stepNanos);
    }

    private static long sometimes(
            SplittableRandom random, long stepNanos, int ofTen, double leastSeconds, double mostSeconds) {
        long nanos = Math.max(100_000_000, Chance.nanos(random, leastSeconds, mostSeconds));
        return random.nextInt(10) < ofTen ? nanos / stepNanos * stepNanos : 0;
    }

    /** The same, with ten times as long for what is under way, so that most devices have no short timeout and loops may be idle. */
    Rules context() {
        return new Rules(
                10 * handshakeNanos,
                heartbeat,
                intervalMillis,
                minMillis,
                maxMillis,
                graceHundredths,
                probe,
                probeMarginHundredths,
                30 * readProgressNanos,
                bytesPerSecond,
                readerIdleNanos,
                writerIdleNanos,
                30 * writeProgressNanos,
                ageNanos,
                ageJitterHundredths,
                leadNanos);
    }

    long grantedMillis(long wantedMillis) {
        return wantedMillis == 0 ? intervalMillis : Math.min(maxMillis, Math.max(minMillis, wantedMillis));
    }

    LivenessSettings settings() {
        return new LivenessSettings(
                deadline(handshakeNanos),
                new LivenessSettings.Heartbeat(
                        heartbeat,
                        Duration.ofMillis(intervalMillis),
                        Duration.ofMillis(minMillis),
                        Duration.ofMillis(maxMillis),
                        graceHundredths / 100.0,
                        probe,
                        probeMarginHundredths / 100.0,
                        null),
                new LivenessSettings.ReadProgress(readProgressNanos != 0, orSecond(readProgressNanos), bytesPerSecond),
                deadline(readerIdleNanos),
                deadline(writerIdleNanos),
                deadline(writeProgressNanos),
                new LivenessSettings.Age(
                        ageNanos != 0, orSecond(ageNanos), ageJitterHundredths / 100.0, Duration.ofNanos(leadNanos)),
                Set.of());
    }

    /** The age at which it is sent away, and so many hundredths more, nanoseconds. */
    long aged(int hundredths) {
        return ageNanos / 100 * (100 + hundredths);
    }

    /** Whether a loop looks at its clock often for it. */
    static boolean isShort(long timeoutNanos) {
        return timeoutNanos != 0 && timeoutNanos < 10_000_000_000L;
    }

    private static LivenessSettings.Deadline deadline(long nanos) {
        return new LivenessSettings.Deadline(nanos != 0, orSecond(nanos));
    }

    private static Duration orSecond(long nanos) {
        return nanos == 0 ? Duration.ofSeconds(1) : Duration.ofNanos(nanos);
    }
}
