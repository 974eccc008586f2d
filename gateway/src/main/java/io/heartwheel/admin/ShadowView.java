package io.heartwheel.admin;

import io.heartwheel.event.DeadlineKind;
import io.heartwheel.history.ShadowLedger;
import io.heartwheel.history.ShadowLedger.Count;
import io.heartwheel.history.ShadowLedger.Spoke;
import io.heartwheel.liveness.LivenessSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Shadow policy in words and figures: the form of {@code GET /v1/shadow}.
 *
 * @param text the verdict and what it rests on
 * @param verdict {@code safe so far}, {@code unsafe} or {@code undecided}
 * @param policy what is tried, by deadline, beside what is in force
 * @param all what became of those whom it would have closed
 * @param deadlines the same by deadline
 * @param longestSpokeAfterMs how long after its deadline a living peer spoke at most
 * @param latestSpoke the latest of those, newest first
 */
record ShadowView(
        String text,
        boolean enabled,
        String verdict,
        Map<String, String> policy,
        Outcomes all,
        Map<String, Outcomes> deadlines,
        long longestSpokeAfterMs,
        List<FalseKill> latestSpoke) {

    private static final String SAFE = "safe so far";
    private static final String UNSAFE = "unsafe";
    private static final String UNDECIDED = "undecided";

    /** What became of those whom the shadow would have closed. */
    record Outcomes(long wouldHaveClosed, long spoke, long closed, long left, long waiting, long meanSoonerMs) {
        static Outcomes of(Count count) {
            return new Outcomes(
                    count.wouldHaveClosed(),
                    count.spoke(),
                    count.closed(),
                    count.left(),
                    count.waiting(),
                    count.meanSoonerMillis());
        }
    }

    /** A living peer that the shadow would have killed. */
    record FalseKill(String device, String deadline, long afterMs, String at) {
        static FalseKill of(Spoke spoke) {
            return new FalseKill(
                    spoke.deviceId(),
                    spoke.deadline().label(),
                    TimeUnit.NANOSECONDS.toMillis(spoke.nanosAfter()),
                    Instant.ofEpochMilli(spoke.atEpochMillis()).toString());
        }
    }

    static ShadowView of(Diagnostics.Shadow shadow) {
        ShadowLedger ledger = shadow.ledger();
        Map<String, String> policy = policy(shadow.tried(), shadow.inForce());
        Map<String, Outcomes> deadlines = new LinkedHashMap<>();
        for (DeadlineKind kind : DeadlineKind.values()) {
            if (policy.containsKey(kind.label())) {
                deadlines.put(kind.label(), Outcomes.of(ledger.of(kind)));
            }
        }
        Count all = ledger.all();
        long longestMillis = TimeUnit.NANOSECONDS.toMillis(ledger.longestNanosAfter());
        return new ShadowView(
                text(all, longestMillis),
                true,
                verdict(all),
                policy,
                Outcomes.of(all),
                deadlines,
                longestMillis,
                ledger.latest().stream().map(FalseKill::of).toList());
    }

    private static String verdict(Count all) {
        if (all.spoke() > 0) {
            return UNSAFE;
        }
        return all.closed() > 0 ? SAFE : UNDECIDED;
    }

    private static String text(Count all, long longestMillis) {
        if (all.spoke() > 0) {
            return String.format(
                    Locale.ROOT,
                    "unsafe: of %,d it would have closed, %,d were alive and spoke, as late as %.1f s after the deadline; %,d were dead",
                    all.wouldHaveClosed(),
                    all.spoke(),
                    longestMillis / 1e3,
                    all.closed());
        }
        if (all.closed() == 0) {
            return String.format(
                    Locale.ROOT,
                    "undecided: of %,d it would have closed, none has shown yet what it was",
                    all.wouldHaveClosed());
        }
        return String.format(
                Locale.ROOT,
                "safe so far: of %,d it would have closed, %,d were dead and none was alive%s; "
                        + "the dead would have been found %.1f s sooner on average",
                all.wouldHaveClosed(),
                all.closed(),
                confidence(all.closed()),
                all.meanSoonerMillis() / 1e3);
    }

    /** None in n: with 95 % confidence the share is under 3/n (rule of three, for n of 30 or more). */
    private static String confidence(long dead) {
        return dead < 30
                ? ""
                : String.format(Locale.ROOT, " (so with 95 %% confidence under %.2f %% are)", 300.0 / dead);
    }

    // ------------------------------------------------------------------ the policy in words

    private static Map<String, String> policy(LivenessSettings tried, LivenessSettings inForce) {
        Map<String, String> words = new LinkedHashMap<>();
        put(words, DeadlineKind.HANDSHAKE, tried.handshake(), inForce.handshake());
        LivenessSettings.Heartbeat beat = inForce.heartbeat();
        if (tried.heartbeat().enabled() && beat.enabled()) {
            words.put(
                    DeadlineKind.HEARTBEAT.label(),
                    "interval x " + tried.heartbeat().grace() + ", in force x " + beat.grace());
        }
        LivenessSettings.ReadProgress read = inForce.readProgress();
        if (tried.readProgress().enabled()) {
            words.put(
                    DeadlineKind.READ_PROGRESS.label(),
                    words(tried.readProgress()) + ", in force " + (read.enabled() ? words(read) : "none"));
        }
        put(words, DeadlineKind.READER_IDLE, tried.readerIdle(), inForce.readerIdle());
        put(words, DeadlineKind.WRITE_PROGRESS, tried.writeProgress(), inForce.writeProgress());
        return words;
    }

    private static void put(
            Map<String, String> words,
            DeadlineKind kind,
            LivenessSettings.Deadline tried,
            LivenessSettings.Deadline inForce) {
        if (tried.enabled()) {
            words.put(
                    kind.label(),
                    words(tried.timeout()) + ", in force " + (inForce.enabled() ? words(inForce.timeout()) : "none"));
        }
    }

    private static String words(LivenessSettings.ReadProgress read) {
        return words(read.timeout()) + " and 1 s for each " + read.minBytesPerSecond() + " bytes";
    }

    private static String words(Duration time) {
        return time.toMillis() % 1_000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }
}
