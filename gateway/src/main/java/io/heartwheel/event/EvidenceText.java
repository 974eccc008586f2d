package io.heartwheel.event;

import io.heartwheel.event.Evidence.Limit;
import io.heartwheel.event.Evidence.Probes;
import io.heartwheel.event.Evidence.Timing;
import io.heartwheel.event.Evidence.Traffic;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Evidence in plain words: first what happened, then by which rule, then what was seen. Pure; any thread; a few microseconds, not for a hot path.
 */
final class EvidenceText {
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
            text.append("closed as ").append(reason.label()).append(": ").append(evidence.cause());
        } else {
            closedBy(reason, limit);
        }
        seen();
        asked();
        punctuality(limit);
        if (evidence.successorSessionId() != 0) {
            text.append("; succeeded by session ").append(evidence.successorSessionId());
        }
    }

    private void open(@Nullable Limit limit) {
        text.append("open for ").append(seconds(evidence.openMillis()));
        if (limit == null) {
            text.append("; no deadline runs");
        } else {
            text.append("; would be closed ").append(inOrAgo(limit.dueMillis())).append(" by ");
            rule(limit);
        }
    }

    private void closedBy(CloseReason reason, Limit limit) {
        Traffic traffic = evidence.traffic();
        text.append("closed after ");
        switch (limit.kind()) {
            case HEARTBEAT, READER_IDLE ->
                text.append(seconds(traffic.lastFrameInMillisAgo())).append(" of silence");
            case READ_PROGRESS -> text.append(traffic.unfinishedBytes()).append(" bytes of a frame that did not end");
            case WRITE_PROGRESS ->
                text.append("the peer took none of ")
                        .append(traffic.pendingBytes())
                        .append(" pending bytes");
            default ->
                text.append(seconds(evidence.openMillis())).append(" as ").append(reason.label());
        }
        text.append(": ");
        rule(limit);
    }

    private void rule(Limit limit) {
        text.append(limit.kind().label()).append(' ');
        if (limit.kind() == DeadlineKind.HEARTBEAT) {
            text.append(brief(limit.intervalMillis()))
                    .append(" (")
                    .append(limit.origin().words())
                    .append(") x ")
                    .append(decimal(limit.graceHundredths() / 100.0));
        } else {
            text.append(brief(limit.timeoutMillis()))
                    .append(" (")
                    .append(limit.origin().words())
                    .append(')');
        }
    }

    private void seen() {
        Traffic traffic = evidence.traffic();
        if (traffic.lastFrameInMillisAgo() != Evidence.NEVER
                && !traffic.lastFrameIn().isEmpty()) {
            text.append("; last frame ")
                    .append(traffic.lastFrameIn())
                    .append(" at ")
                    .append(Instant.ofEpochMilli(evidence.atEpochMillis() - traffic.lastFrameInMillisAgo()));
        } else {
            text.append("; no frame ever came");
        }
        if (traffic.unfinishedBytes() > 0) {
            text.append("; ").append(traffic.unfinishedBytes()).append(" bytes of another since");
        }
        if (traffic.readingPaused()) {
            text.append("; reading was paused");
        }
    }

    private void asked() {
        Probes probes = evidence.probes();
        if (probes.unansweredMillisAgo() != Evidence.NEVER) {
            long silentMillis = evidence.traffic().lastFrameInMillisAgo();
            long atMillis = Math.max(0, silentMillis - probes.unansweredMillisAgo());
            text.append("; probe at ")
                    .append(seconds(atMillis))
                    .append(evidence.reason() == null ? " not answered yet" : " unanswered");
        }
    }

    private void punctuality(@Nullable Limit limit) {
        Timing timing = evidence.timing();
        if (limit == null) {
            return;
        }
        if (timing.creditMillis() > 0) {
            text.append("; deadline moved by ")
                    .append(seconds(timing.creditMillis()))
                    .append(" for stalls of the gateway");
        }
        if (timing.suspect()) {
            text.append("; held back by the breaker");
        }
        if (evidence.reason() != null) {
            text.append(String.format(Locale.ROOT, "; %.1f ms after the deadline", timing.latenessMicros() / 1e3));
        }
    }

    private static String inOrAgo(long dueMillis) {
        return dueMillis >= 0 ? "in " + seconds(dueMillis) : seconds(-dueMillis) + " ago";
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.1f s", Math.max(0, millis) / 1e3);
    }

    /** 60 s, 1.5 s, 250 ms. */
    private static String brief(long millis) {
        return millis < 1_000 ? millis + " ms" : decimal(millis / 1e3) + " s";
    }

    private static String decimal(double value) {
        String text = String.format(Locale.ROOT, "%.3f", value);
        return text.replaceFirst("\\.?0+$", "");
    }
}
