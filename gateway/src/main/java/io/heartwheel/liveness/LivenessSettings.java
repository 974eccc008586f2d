package io.heartwheel.liveness;

import io.heartwheel.event.DeadlineKind;
import java.time.Duration;
import java.util.Set;

/**
 * The deadlines of a connection as the operator writes them, each with its own switch. Validates itself; see {@link LivenessPolicy} for the
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

    /** With nothing set by an operator. */
    public LivenessSettings(
            Deadline handshake,
            Heartbeat heartbeat,
            ReadProgress readProgress,
            Deadline readerIdle,
            Deadline writerIdle,
            Deadline writeProgress,
            Age age) {
        this(handshake, heartbeat, readProgress, readerIdle, writerIdle, writeProgress, age, Set.of());
    }

    /** Least timeout of any deadline. */
    public static final Duration MIN_TIMEOUT = Duration.ofMillis(100);
    /** Greatest timeout of any deadline. */
    public static final Duration MAX_TIMEOUT = Duration.ofDays(30);
    /** Greatest heartbeat interval. */
    public static final Duration MAX_INTERVAL = Duration.ofHours(24);

    /** The settings of the reference configuration. */
    public static LivenessSettings defaults() {
        return new LivenessSettings(
                new Deadline(true, Duration.ofSeconds(10)),
                new Heartbeat(true, Duration.ofSeconds(60), Duration.ofSeconds(5), MAX_INTERVAL, 1.5, true),
                new ReadProgress(true, Duration.ofSeconds(10), 128),
                new Deadline(false, Duration.ofMinutes(10)),
                new Deadline(true, Duration.ofMinutes(5)),
                new Deadline(true, Duration.ofSeconds(90)),
                new Age(false, Duration.ofDays(7), 0.1, Duration.ofSeconds(30)));
    }

    /**
     * A switch and a time.
     *
     * @param enabled whether the deadline exists
     * @param timeout {@link #MIN_TIMEOUT}..{@link #MAX_TIMEOUT}
     */
    public record Deadline(boolean enabled, Duration timeout) {
        /** @throws IllegalArgumentException if the timeout is out of range */
        public Deadline {
            inRange("timeout", timeout, MIN_TIMEOUT, MAX_TIMEOUT);
        }
    }

    /**
     * The promise of the device.
     *
     * @param enabled whether silence closes
     * @param interval granted when the device asks for none, min..max
     * @param min least interval granted, 100ms..24h
     * @param max greatest interval granted, min..24h
     * @param grace closed after interval x grace, 1.1..10, to the hundredth
     * @param probe whether a silent device is asked once before it is closed
     * @param probeMargin when it is asked: so much of the time between interval and interval x grace is over then, 0..0.5, to the hundredth
     */
    public record Heartbeat(
            boolean enabled,
            Duration interval,
            Duration min,
            Duration max,
            double grace,
            boolean probe,
            double probeMargin) {
        /** Margin of the reference configuration; see decision 0023. */
        public static final double PROBE_MARGIN = 0.25;

        /** With the margin of the reference configuration. */
        public Heartbeat(boolean enabled, Duration interval, Duration min, Duration max, double grace, boolean probe) {
            this(enabled, interval, min, max, grace, probe, PROBE_MARGIN);
        }

        /** @throws IllegalArgumentException naming what is out of range */
        public Heartbeat {
            inRange("min", min, MIN_TIMEOUT, MAX_INTERVAL);
            inRange("max", max, min, MAX_INTERVAL);
            inRange("interval", interval, min, max);
            inRange("grace", grace, 1.1, 10.0);
            inRange("probe-margin", probeMargin, 0.0, 0.5);
        }
    }

    /**
     * A frame begun must keep up with minBytesPerSecond, and may fall behind by less than timeout.
     *
     * @param enabled whether a dripping peer is closed
     * @param timeout {@link #MIN_TIMEOUT}..{@link #MAX_TIMEOUT}
     * @param minBytesPerSecond 1..1048576
     */
    public record ReadProgress(boolean enabled, Duration timeout, long minBytesPerSecond) {
        /** @throws IllegalArgumentException naming what is out of range */
        public ReadProgress {
            inRange("timeout", timeout, MIN_TIMEOUT, MAX_TIMEOUT);
            inRange("min-rate", minBytesPerSecond, 1L, 1L << 20);
        }
    }

    /**
     * The greatest age: GOAWAY at timeout x (1 +- jitter), CLOSE goawayLead later.
     *
     * @param enabled whether old connections are sent away
     * @param timeout {@link #MIN_TIMEOUT}..{@link #MAX_TIMEOUT}
     * @param jitter 0..0.5
     * @param goawayLead {@link #MIN_TIMEOUT}..{@link #MAX_TIMEOUT}
     */
    public record Age(boolean enabled, Duration timeout, double jitter, Duration goawayLead) {
        /** @throws IllegalArgumentException naming what is out of range */
        public Age {
            inRange("timeout", timeout, MIN_TIMEOUT, MAX_TIMEOUT);
            inRange("goaway-lead", goawayLead, MIN_TIMEOUT, MAX_TIMEOUT);
            inRange("jitter", jitter, 0.0, 0.5);
        }
    }

    /** @throws IllegalArgumentException naming value and range, if the value is not within; NaN is greater than all */
    static <T extends Comparable<T>> void inRange(String name, T value, T min, T max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + " = " + value + ": need " + min + ".." + max);
        }
    }
}
