package io.heartwheel.event;

import io.heartwheel.event.Evidence.Certificate;
import io.heartwheel.event.Evidence.Limit;
import io.heartwheel.event.Evidence.Path;
import io.heartwheel.event.Evidence.PeerClose;
import io.heartwheel.event.Evidence.Probes;
import io.heartwheel.event.Evidence.Timing;
import io.heartwheel.event.Evidence.Traffic;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Evidence in plain words: first what happened, then by which rule, then what was seen.
 *
 * <pre>
 *   closed after 90.0 s of silence: heartbeat 60 s (asked by the device) x 1.5; last frame PING at 2026-01-01T00:00:00.007Z;
 *   probe at 60.1 s unanswered; 1.5 ms after the deadline
 * </pre>
 *
 * Words that came from outside are made harmless for a line of a log ({@link SafeText}) and no longer than {@value #LONGEST_CAUSE} bytes.
 *
 * <p>Pure; any thread; some microseconds: a mass expiry makes hundreds of thousands of these.
 */
final class EvidenceText {
    private static final int LONGEST_CAUSE = 200;

    private static final long SECOND_MILLIS = 1_000;
    private static final long MINUTE_MILLIS = 60 * SECOND_MILLIS;
    private static final long HOUR_MILLIS = 60 * MINUTE_MILLIS;
    private static final long DAY_MILLIS = 24 * HOUR_MILLIS;

    private final StringBuilder text = new StringBuilder(256);
    private final Evidence evidence;

    private EvidenceText(Evidence evidence) {
        this.evidence = evidence;
    }

    static String of(Evidence evidence) {
        EvidenceText words = new EvidenceText(evidence);
        words.compose();
        return words.text.toString();
    }

    private void compose() {
        CloseReason reason = evidence.reason();
        Limit limit = evidence.limit();
        if (reason == null) {
            open(limit);
        } else if (limit == null) {
            text.append("closed as ").append(reason.label());
            if (!evidence.cause().isEmpty()) {
                text.append(": ").append(harmless(evidence.cause()));
            }
            PeerClose said = evidence.peerClose();
            if (said != null && !said.text().isEmpty()) {
                text.append(" \"").append(said.text()).append('"');
            }
            text.append(", after ").append(time(evidence.openMillis()));
        } else {
            text.append(closedBy(limit)).append(": ").append(rule(limit));
        }
        Certificate shown = evidence.certificate();
        if (shown != null) {
            text.append("; it showed the certificate " + shown.serial() + " of " + shown.subject() + ", by "
                    + shown.issuer());
        }
        if (!evidence.claimedDevice().isEmpty()) {
            text.append("; it claimed to be ").append(harmless(evidence.claimedDevice()));
        }
        seen(limit);
        acknowledged();
        asked();
        punctuality(reason, limit);
        if (evidence.successorSessionId() != 0) {
            text.append("; session " + evidence.successorSessionId());
            if (!evidence.successorNode().isEmpty()) {
                text.append(" of node ").append(evidence.successorNode());
            }
            text.append(" has its device id now");
        }
    }

    // ------------------------------------------------------------------ what happened

    private void open(@Nullable Limit limit) {
        text.append("open for ").append(time(evidence.openMillis()));
        if (limit == null) {
            text.append("; no deadline runs");
            return;
        }
        String what = limit.kind() == DeadlineKind.AGE ? "sent away" : "closed";
        text.append(
                limit.dueMillis() >= 0
                        ? "; would be " + what + " in " + time(limit.dueMillis())
                        : "; is to be " + what + " since " + time(-limit.dueMillis()));
        text.append(" by ").append(rule(limit));
    }

    private String closedBy(Limit limit) {
        Traffic traffic = evidence.traffic();
        return switch (limit.kind()) {
            case HEARTBEAT, READER_IDLE -> "closed after " + time(silentMillis()) + " of silence";
            case READ_PROGRESS ->
                "closed with " + bytes(traffic.unfinishedBytes()) + " of a frame that did not end, the last of them "
                        + time(traffic.lastByteInMillisAgo()) + " ago";
            case WRITE_PROGRESS ->
                "closed because the peer took none of " + bytes(traffic.pendingBytes()) + " that wait for it";
            case HANDSHAKE -> "closed after " + time(evidence.openMillis()) + " without a HELLO or upgrade";
            case AUTHENTICATION ->
                "closed after " + time(evidence.openMillis())
                        + " because nobody said in time whether the device may come in";
            case EXPIRY ->
                "closed after " + time(evidence.openMillis()) + " because what it was admitted with has expired";
            case CLAIM ->
                "closed after " + time(evidence.openMillis()) + " because its device id could not be claimed in time";
            case AGE, LEAVING -> "closed after " + time(evidence.openMillis()) + " because of its age";
        };
    }

    private static String rule(Limit limit) {
        boolean heartbeat = limit.kind() == DeadlineKind.HEARTBEAT;
        return limit.kind().label() + ' ' + exact(heartbeat ? limit.intervalMillis() : limit.timeoutMillis()) + " ("
                + limit.origin().words() + ')'
                + (heartbeat ? " x " + trimmed(limit.graceHundredths(), 2) : "");
    }

    // ------------------------------------------------------------------ what was seen

    private void seen(@Nullable Limit limit) {
        Traffic traffic = evidence.traffic();
        boolean came = traffic.lastFrameInMillisAgo() != Evidence.NEVER;
        if (came && !traffic.lastFrameIn().isEmpty()) {
            text.append("; last frame " + traffic.lastFrameIn() + " at ")
                    .append(Instant.ofEpochMilli(evidence.atEpochMillis() - traffic.lastFrameInMillisAgo()));
        } else if (!came) {
            text.append(evidence.established() ? "; it never sent a frame" : "; no frame ever came");
        }
        boolean told = limit != null && limit.kind() == DeadlineKind.READ_PROGRESS && evidence.reason() != null;
        if (traffic.unfinishedBytes() > 0 && !told) {
            text.append("; " + bytes(traffic.unfinishedBytes()) + " of another frame since");
        }
        if (traffic.readingPaused()) {
            text.append("; reading was paused, because ")
                    .append(traffic.pausedBy().stream().map(PauseCause::words).collect(Collectors.joining(" and ")));
        }
    }

    private void asked() {
        Probes probes = evidence.probes();
        if (probes.unansweredMillisAgo() == Evidence.NEVER) {
            return;
        }
        text.append("; probe at " + time(silentMillis() - probes.unansweredMillisAgo()))
                .append(evidence.reason() == null ? " not answered yet" : " unanswered");
        Path path = evidence.path();
        if (path == null) {
            return;
        }
        if (path.retransmits() > 0) {
            text.append(", sent again " + path.retransmits() + (path.retransmits() == 1 ? " time" : " times")
                    + " by the kernel and not acknowledged");
        } else if (tookAll(path)) {
            text.append(", though " + (evidence.via().isEmpty() ? "the peer's" : "the balancer's"))
                    .append(" kernel has acknowledged it");
        }
    }

    /** Whether the other kernel has all that was ever written. Told by what is left and not by times: the kernel's clock goes in steps of up to 10 ms. */
    private boolean tookAll(Path path) {
        return path.unackedSegments() == 0
                && path.unsentBytes() == 0
                && evidence.traffic().pendingBytes() == 0;
    }

    /** Of a peer that was closed because it takes nothing: what its kernel took before. */
    private void acknowledged() {
        Path path = evidence.path();
        if (path != null && evidence.reason() == CloseReason.WRITE_STALLED) {
            text.append(evidence.via().isEmpty() ? "; its kernel" : "; the balancer's kernel")
                    .append(" had acknowledged " + bytes(path.acknowledgedBytes()) + " and none since");
        }
    }

    private void punctuality(@Nullable CloseReason reason, @Nullable Limit limit) {
        if (limit == null) {
            return;
        }
        Timing timing = evidence.timing();
        if (timing.creditMillis() > 0) {
            text.append("; deadline moved by " + time(timing.creditMillis()) + " for stalls of the gateway");
        }
        if (timing.suspect()) {
            text.append(reason == null ? "; held back" : "; was held back").append(" by the breaker");
        }
        if (reason != null) {
            text.append("; " + late(timing.latenessMicros()) + " after the deadline");
        }
    }

    /** Since the last byte where one of a frame under way may have ended the silence; one that never sent a frame has been silent since it opened. */
    private long silentMillis() {
        Traffic traffic = evidence.traffic();
        Limit limit = evidence.limit();
        boolean within =
                limit != null && evidence.reason() != null && traffic.lastByteInMillisAgo() < limit.timeoutMillis();
        if (traffic.unfinishedBytes() > 0 && !within) {
            return traffic.lastByteInMillisAgo();
        }
        long agoMillis = traffic.lastFrameInMillisAgo();
        return agoMillis == Evidence.NEVER ? evidence.openMillis() : agoMillis;
    }

    // ------------------------------------------------------------------ words
    // without String.format, which would be most of the cost

    /** A time that was measured: 90.0 s, 12.5 min, 3.5 h, 7.0 d. */
    private static String time(long millis) {
        if (millis < 10 * MINUTE_MILLIS) {
            return tenths(Math.max(0, millis), SECOND_MILLIS) + " s";
        }
        if (millis < 2 * HOUR_MILLIS) {
            return tenths(millis, MINUTE_MILLIS) + " min";
        }
        return millis < 2 * DAY_MILLIS ? tenths(millis, HOUR_MILLIS) + " h" : tenths(millis, DAY_MILLIS) + " d";
    }

    /** A time that was set, in the unit it was most likely set in: 250 ms, 60 s, 10 min, 24 h, 7 d. */
    private static String exact(long millis) {
        if (millis >= 2 * DAY_MILLIS && millis % DAY_MILLIS == 0) {
            return millis / DAY_MILLIS + " d";
        }
        if (millis >= HOUR_MILLIS && millis % HOUR_MILLIS == 0) {
            return millis / HOUR_MILLIS + " h";
        }
        if (millis >= 2 * MINUTE_MILLIS && millis % MINUTE_MILLIS == 0) {
            return millis / MINUTE_MILLIS + " min";
        }
        return millis < SECOND_MILLIS ? millis + " ms" : trimmed(millis, 3) + " s";
    }

    private static String late(long micros) {
        return micros < 1_000_000 ? tenths(micros, 1_000) + " ms" : tenths(micros, 1_000_000) + " s";
    }

    private static String bytes(long count) {
        return count == 1 ? "1 byte" : count + " bytes";
    }

    /**
     * With one decimal, half up.
     *
     * @param value 0 or more
     */
    private static String tenths(long value, long unit) {
        long tenths = (value * 10 + unit / 2) / unit;
        return tenths / 10 + "." + tenths % 10;
    }

    /** As decimal, without zeros at the end. */
    private static String trimmed(long value, int decimals) {
        return BigDecimal.valueOf(value, decimals).stripTrailingZeros().toPlainString();
    }

    private static String harmless(String words) {
        String shown = SafeText.of(words, LONGEST_CAUSE);
        return shown.length() == words.length() ? shown : shown + "...";
    }
}
