package io.heartwheel.liveness;

import io.heartwheel.event.DeadlineKind;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The deadlines of a connection as the operator writes them, each with its own switch; see {@link LivenessPolicy} for the
 * form that sessions use.
 *
 * @param handshake from accept to a valid HELLO or upgrade
 * @param heartbeat the promise of the device and what happens when it is broken
 * @param readProgress a frame begun must be finished
 * @param readerIdle plain silence limit for plain WebSocket peers, instead of the heartbeat
 * @param writerIdle a sign of life from the gateway when it had nothing to say
 * @param writeProgress pending bytes must move
 * @param age the greatest age of a connection
 * @param configured those that the operator has set; the others are built-in defaults
 */
public record LivenessSettings(
        Deadline handshake,
        Heartbeat heartbeat,
        ReadProgress readProgress,
        Deadline readerIdle,
        Deadline writerIdle,
        Deadline writeProgress,
        Age age,
        Set<DeadlineKind> configured) {

    /** Copies the set. */
    public LivenessSettings {
        configured = Set.copyOf(configured);
    }

    /** Greatest heartbeat interval. */
    public static final Duration MAX_INTERVAL = Duration.ofHours(24);

    /** The settings of the reference configuration. */
    public static LivenessSettings defaults() {
        return new LivenessSettings(
                new Deadline(true, Duration.ofSeconds(10)),
                new Heartbeat(true, Duration.ofSeconds(60), Duration.ofSeconds(5), MAX_INTERVAL, 1.5, true, 0.25, null),
                new ReadProgress(true, Duration.ofSeconds(10), 128),
                new Deadline(false, Duration.ofMinutes(10)),
                new Deadline(true, Duration.ofMinutes(5)),
                new Deadline(true, Duration.ofSeconds(90)),
                new Age(false, Duration.ofDays(7), 0.1, Duration.ofSeconds(30)),
                Set.of());
    }

    /**
     * A switch and a time.
     *
     * @param enabled whether the deadline exists
     * @param timeout how long the peer has
     */
    public record Deadline(boolean enabled, Duration timeout) {}

    /**
     * The promise of the device.
     *
     * @param enabled whether silence closes
     * @param interval granted when the device asks for none, min..max
     * @param min least interval granted
     * @param max greatest interval granted, min or more
     * @param grace closed after interval x grace, more than 1, to the hundredth
     * @param probe whether a silent device is asked once before it is closed
     * @param probeMargin when it is asked: so much of the time between interval and interval x grace is over then, 0..0.5, to the hundredth; see decision 0023
     * @param pingEvery a plain WebSocket peer is pinged once in this time, also while it talks; null: only when it is silent
     */
    public record Heartbeat(
            boolean enabled,
            Duration interval,
            Duration min,
            Duration max,
            double grace,
            boolean probe,
            double probeMargin,
            @Nullable Duration pingEvery) {}

    /**
     * A frame begun must keep up with minBytesPerSecond, and may fall behind by less than timeout.
     *
     * @param enabled whether a dripping peer is closed
     * @param timeout how far it may fall behind
     * @param minBytesPerSecond the rate, 1 or more
     */
    public record ReadProgress(boolean enabled, Duration timeout, long minBytesPerSecond) {}

    /**
     * The greatest age: GOAWAY at timeout x (1 +- jitter), CLOSE goawayLead later.
     *
     * @param enabled whether old connections are sent away
     * @param timeout the age, before jitter
     * @param jitter share of the timeout by which ages differ, 0..0.5
     * @param goawayLead time between the two
     */
    public record Age(boolean enabled, Duration timeout, double jitter, Duration goawayLead) {}
}
