package io.heartwheel.liveness;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.DeadlineOrigin;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * {@link LivenessSettings} in nanoseconds, worked out once, shared by all connections. A timeout that is switched off is {@link #OFF}.
 * Immutable; any thread.
 */
public final class LivenessPolicy {
    /** Stands for a timeout that is switched off; no real timeout is negative. */
    public static final long OFF = -1;

    /** The deadlines that a peer's signs of life move: those a shadow policy may have. */
    static final List<DeadlineKind> SIGNS = List.of(
            DeadlineKind.HEARTBEAT,
            DeadlineKind.READER_IDLE,
            DeadlineKind.READ_PROGRESS,
            DeadlineKind.WRITE_PROGRESS,
            DeadlineKind.HANDSHAKE);

    private static final long LEAST_RIVAL_ANSWER_NANOS = 1_000_000_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** What is no verdict waits for so long at most, for others to be due with it, nanoseconds. Each half of it, and half of that, is a whole number. */
    static final long MOST_SLACK_NANOS = 1_000_000_000;

    private static final int MOST_HALVINGS = 8;
    private static final long MOST_ANSWER_NANOS = 30_000_000_000L;
    /** Timeouts shorter than this, and graces shorter than half of it, are measured in time in which the loop was seen every 100 ms. */
    private static final long SHORT_NANOS = 10_000_000_000L;

    final long handshakeNanos;
    final boolean heartbeat;
    final boolean probe;
    final int graceHundredths;
    private final int probeMarginHundredths;
    final long pingNanos;
    final long readProgressNanos;
    final long nanosPerByte;
    final long readerIdleNanos;
    final long writerIdleNanos;
    final long writeProgressNanos;
    final long ageNanos;
    final double ageJitter;
    final long goawayLeadNanos;
    private final RateClasses limits;

    /** Whether a timeout before a connection is established is short. */
    final boolean exactHandshake;

    private final boolean exactProgress;
    private final Set<DeadlineKind> configured;
    private final int intervalMillis;
    private final int minIntervalMillis;
    private final int maxIntervalMillis;
    private final long mostSlackNanos;

    /** @param settings validated by their own constructors */
    public LivenessPolicy(LivenessSettings settings) {
        this(settings, RateLimits.OFF);
    }

    /**
     * With limits for what a peer sends.
     *
     * @param settings validated by their own constructors
     */
    public LivenessPolicy(LivenessSettings settings, RateLimits limits) {
        this(settings, new RateClasses(limits));
    }

    /**
     * With limits for what a peer sends, by rate class.
     *
     * @param settings validated by their own constructors
     */
    public LivenessPolicy(LivenessSettings settings, RateClasses limits) {
        this(settings, limits, MOST_SLACK_NANOS);
    }

    /** With a slack of its own, so that tests can tell what it is good for. */
    LivenessPolicy(LivenessSettings settings, RateClasses limits, long mostSlackNanos) {
        this.limits = limits;
        this.mostSlackNanos = mostSlackNanos;
        handshakeNanos = nanos(settings.handshake());
        LivenessSettings.Heartbeat beat = settings.heartbeat();
        heartbeat = beat.enabled();
        probe = beat.probe();
        graceHundredths = (int) Math.round(beat.grace() * 100);
        probeMarginHundredths = (int) Math.round(beat.probeMargin() * 100);
        Duration pingEvery = beat.pingEvery();
        pingNanos = pingEvery == null ? OFF : pingEvery.toNanos();
        intervalMillis = (int) beat.interval().toMillis();
        minIntervalMillis = (int) beat.min().toMillis();
        maxIntervalMillis = (int) beat.max().toMillis();
        LivenessSettings.ReadProgress read = settings.readProgress();
        readProgressNanos = read.enabled() ? read.timeout().toNanos() : OFF;
        nanosPerByte = 1_000_000_000L / read.minBytesPerSecond();
        readerIdleNanos = nanos(settings.readerIdle());
        writerIdleNanos = nanos(settings.writerIdle());
        writeProgressNanos = nanos(settings.writeProgress());
        LivenessSettings.Age age = settings.age();
        ageNanos = age.enabled() ? age.timeout().toNanos() : OFF;
        ageJitter = age.jitter();
        goawayLeadNanos = age.goawayLead().toNanos();
        configured = settings.configured();
        exactHandshake = isShort(handshakeNanos) || isShort(readProgressNanos);
        exactProgress = isShort(readProgressNanos) || isShort(writeProgressNanos);
    }

    /**
     * The interval granted to a device, milliseconds.
     *
     * @param wantedMillis what HELLO asks for, unsigned 32 bits; 0: the gateway chooses
     */
    public int grantMillis(long wantedMillis) {
        if (wantedMillis == 0) {
            return intervalMillis;
        }
        return (int) Math.max(minIntervalMillis, Math.min(maxIntervalMillis, wantedMillis));
    }

    /** Who set the interval that {@link #grantMillis} gave. */
    public DeadlineOrigin originOfInterval(long wantedMillis) {
        if (wantedMillis == 0) {
            return originOf(DeadlineKind.HEARTBEAT);
        }
        return grantMillis(wantedMillis) == wantedMillis ? DeadlineOrigin.ASKED : DeadlineOrigin.CLAMPED;
    }

    /** Who set a deadline that no device asks for. */
    public DeadlineOrigin originOf(DeadlineKind kind) {
        return configured.contains(kind) ? DeadlineOrigin.CONFIGURED : DeadlineOrigin.DEFAULT;
    }

    /** Whether silence of a device closes it. */
    public boolean heartbeat() {
        return heartbeat;
    }

    /** A plain peer is pinged once in this time, nanoseconds; {@link #OFF} if only when it is silent. */
    public long pingNanos() {
        return pingNanos;
    }

    /** Whether plain peers have a reader-idle timeout. */
    public boolean readerIdle() {
        return readerIdleNanos != OFF;
    }

    /** From GOAWAY for age to the close, nanoseconds. */
    public long goawayLeadNanos() {
        return goawayLeadNanos;
    }

    /** When this connection has reached its age; {@link io.heartwheel.wheel.Deadline#NO_DEADLINE} if it may grow old. */
    public long ageDeadlineNanos(long openedNanos, long sessionId) {
        return ageNanos == OFF ? NO_DEADLINE : openedNanos + ageNanos(sessionId);
    }

    /** How long the timeout of this kind is for this connection, credit not included, nanoseconds. */
    public long timeoutNanos(DeadlineKind kind, int grantedMillis, long sessionId) {
        return switch (kind) {
            case AUTHENTICATION -> authenticationNanos();
            case HANDSHAKE, CLAIM -> handshakeNanos;
            case HEARTBEAT -> closeAfterNanos(grantedMillis);
            case READER_IDLE -> readerIdleNanos;
            case READ_PROGRESS -> readProgressNanos;
            case WRITE_PROGRESS -> writeProgressNanos;
            case AGE -> ageNanos(sessionId);
            case LEAVING -> goawayLeadNanos;
            case EXPIRY -> OFF; // each device's own
        };
    }

    /** From accept to a valid HELLO or upgrade, nanoseconds; {@link #OFF} if that may take any time. */
    public long handshakeNanos() {
        return handshakeNanos;
    }

    /** How long an answer is waited for whether a device may come in, or stay: as long as a handshake, or 30 s where that may take any time. Nanoseconds. */
    public long authenticationNanos() {
        return handshakeNanos == OFF ? MOST_ANSWER_NANOS : handshakeNanos;
    }

    /** How fast a connection may send that has no rate class. */
    public RateLimits limits() {
        return limits.ordinary();
    }

    /**
     * How fast a connection of this rate class may send; like any other if there is no such class.
     *
     * @param rateClass empty for none
     */
    public RateLimits limits(String rateClass) {
        return limits.of(rateClass);
    }

    /** Grace in hundredths, 110..1000. */
    public int graceHundredths() {
        return graceHundredths;
    }

    /** Silence after which a device with this interval is closed, nanoseconds. */
    long closeAfterNanos(int intervalMillis) {
        return intervalMillis * (NANOS_PER_MILLI / 100) * graceHundredths;
    }

    private static boolean isShort(long timeoutNanos) {
        return timeoutNanos != OFF && timeoutNanos < SHORT_NANOS;
    }

    /** Whether a timeout of an established connection is short. */
    boolean isExact(int intervalMillis, boolean readerIdle) {
        if (exactProgress || (readerIdle && isShort(readerIdleNanos))) {
            return true;
        }
        long graceNanos = closeAfterNanos(intervalMillis) - intervalMillis * NANOS_PER_MILLI;
        boolean silence = heartbeat && intervalMillis != 0;
        return silence && (isShort(closeAfterNanos(intervalMillis)) || graceNanos < SHORT_NANOS / 2);
    }

    /**
     * Silence after which a device with this interval is probed, nanoseconds: the interval and a margin, because a device that beats exactly at its
     * interval is the ordinary one, and a little late on every network.
     */
    long probeAfterNanos(int intervalMillis) {
        long intervalNanos = intervalMillis * NANOS_PER_MILLI;
        return intervalNanos + (closeAfterNanos(intervalMillis) - intervalNanos) / 100 * probeMarginHundredths;
    }

    /**
     * By so much a probe may be later, to go out with others: a second, or half of what lies between its time and the half of the grace that the answer
     * has to itself. Nanoseconds.
     */
    long probeSlackNanos(int intervalMillis) {
        long latestNanos = closeAfterNanos(intervalMillis) - answerNanos(intervalMillis);
        return slackNanos((latestNanos - probeAfterNanos(intervalMillis)) / 2);
    }

    /** By so much a sign of life of ours, or GOAWAY for age, may be later than after this timeout, nanoseconds. */
    long housekeepingSlackNanos(long timeoutNanos) {
        return slackNanos(timeoutNanos / 16);
    }

    /** The most, halved as often as it takes to be no more than this, so that the multiples of a greater one are among those of a smaller; 1 if that is too little. */
    private long slackNanos(long limitNanos) {
        int halvings = 0;
        while (halvings <= MOST_HALVINGS && mostSlackNanos >> halvings > limitNanos) {
            halvings++;
        }
        return halvings > MOST_HALVINGS ? 1 : Math.max(1, mostSlackNanos >> halvings);
    }

    /** What a device with this interval has at least to answer a probe, however late that goes out: half of its grace, nanoseconds. */
    long answerNanos(int intervalMillis) {
        return (closeAfterNanos(intervalMillis) - intervalMillis * NANOS_PER_MILLI) / 2;
    }

    /**
     * What a device with this interval has to answer a probe before another connection gets its id: half of its grace, a second at least, because it
     * promised to be heard in time and not to answer fast. Nanoseconds.
     */
    long rivalAnswerNanos(int intervalMillis) {
        return Math.max(LEAST_RIVAL_ANSWER_NANOS, answerNanos(intervalMillis));
    }

    /** The age of this connection, spread by its id; the same at each call. */
    long ageNanos(long sessionId) {
        double unit = (mix(sessionId) >>> 11) * 0x1.0p-53;
        return (long) (ageNanos * (1 + ageJitter * (2 * unit - 1)));
    }

    private static long mix(long value) {
        long z = (value + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    private static long nanos(LivenessSettings.Deadline deadline) {
        return deadline.enabled() ? deadline.timeout().toNanos() : OFF;
    }
}
