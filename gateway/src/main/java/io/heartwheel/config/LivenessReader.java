package io.heartwheel.config;

import io.heartwheel.event.DeadlineKind;
import io.heartwheel.session.LivenessSettings;
import io.heartwheel.session.LivenessSettings.Age;
import io.heartwheel.session.LivenessSettings.Deadline;
import io.heartwheel.session.LivenessSettings.Heartbeat;
import io.heartwheel.session.LivenessSettings.ReadProgress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads the deadlines: those in force, and those of the shadow policy, which has no effect. One thread, once. */
final class LivenessReader {
    /** A key beside those of a deadline. */
    private static final String NO_DEADLINE = "max-pending";

    private static final String TIMEOUT = "100ms..30d";
    private static final String GRACE = "1.1..10";
    private static final String SHADOW = "shadow";

    /** The kinds that have a block of their own, each named by its label. */
    private static final List<DeadlineKind> BLOCKS = List.of(
            DeadlineKind.HANDSHAKE,
            DeadlineKind.HEARTBEAT,
            DeadlineKind.READ_PROGRESS,
            DeadlineKind.READER_IDLE,
            DeadlineKind.WRITE_PROGRESS,
            DeadlineKind.AGE);

    private final Section root;

    // in force
    private final Deadline handshake;
    private final boolean beats;
    private final Supplier<Heartbeat> heartbeat;
    private final ReadProgress readProgress;
    private final Deadline readerIdle;
    private final Deadline writerIdle;
    private final Deadline writeProgress;
    private final Age age;

    /** Reads those in force. */
    LivenessReader(Section root) {
        this.root = root;
        handshake = deadline(root.in("handshake"));
        Section beat = root.in("heartbeat");
        beats = beat.flag("enabled");
        heartbeat = heartbeat(beat, beats);
        readProgress = readProgress(root.in("read-progress"));
        readerIdle = deadline(root.in("reader-idle"));
        writerIdle = deadline(root.in("writer-idle"));
        writeProgress = deadline(root.in("write-progress"));
        age = age(root.in("age"));
    }

    /** Those in force, to be built when nothing is wrong. */
    Supplier<LivenessSettings> inForce() {
        Set<DeadlineKind> configured = configured(root);
        return () -> new LivenessSettings(
                handshake, heartbeat.get(), readProgress, readerIdle, writerIdle, writeProgress, age, configured);
    }

    /** Those of the shadow, null if there is none, to be built when nothing is wrong. Intervals and probes are those in force. */
    Supplier<@Nullable LivenessSettings> shadow() {
        Section section = root.in(SHADOW);
        boolean enabled = section.flag("enabled");
        Deadline shadowHandshake = deadline(section.in("handshake"));
        boolean shadowBeats = section.in("heartbeat").flag("enabled");
        double grace = section.in("heartbeat").decimal("grace", GRACE);
        ReadProgress shadowReads = readProgress(section.in("read-progress"));
        Section idle = section.in("reader-idle");
        Deadline shadowIdle = deadline(idle);
        Deadline shadowWrites = deadline(section.in("write-progress"));
        if (!enabled) {
            return () -> null;
        }
        // a shadow that can never say anything is a mistake: its silence would pass for good news
        if (shadowIdle.enabled() && !readerIdle.enabled()) {
            idle.problem("enabled", "need false, or heartwheel.reader-idle.enabled = true with it");
        } else if (!shadowHandshake.enabled()
                && !(shadowBeats && beats)
                && !shadowReads.enabled()
                && !shadowIdle.enabled()
                && !shadowWrites.enabled()) {
            section.problem(
                    "enabled",
                    beats
                            ? "need a deadline in it that is enabled"
                            : "need a deadline in it that is enabled, and heartwheel.heartbeat is not");
        }
        Set<DeadlineKind> configured = configured(section);
        return () -> new LivenessSettings(
                shadowHandshake,
                shadowed(heartbeat.get(), shadowBeats, grace),
                shadowReads,
                shadowIdle,
                new Deadline(false, writerIdle.timeout()),
                shadowWrites,
                new Age(false, age.timeout(), age.jitter(), age.goawayLead()),
                configured);
    }

    private static Heartbeat shadowed(Heartbeat inForce, boolean enabled, double grace) {
        return new Heartbeat(
                enabled,
                inForce.interval(),
                inForce.min(),
                inForce.max(),
                grace,
                inForce.probe(),
                inForce.probeMargin());
    }

    private static Set<DeadlineKind> configured(Section parent) {
        Set<DeadlineKind> kinds = EnumSet.noneOf(DeadlineKind.class);
        for (DeadlineKind kind : BLOCKS) {
            if (parent.isSaid(kind.label(), NO_DEADLINE)) {
                kinds.add(kind);
            }
        }
        return kinds;
    }

    private static Deadline deadline(Section section) {
        boolean enabled = section.flag("enabled");
        return new Deadline(enabled, section.duration("timeout", TIMEOUT));
    }

    private static Supplier<Heartbeat> heartbeat(Section section, boolean enabled) {
        Duration interval = section.duration("interval", "100ms..24h");
        Duration min = section.duration("min", "100ms..24h");
        Duration max = section.duration("max", "100ms..24h");
        if (section.isGood() && min.compareTo(max) > 0) {
            section.problem("min", "need at most max = " + section.shown("max"));
        } else if (section.isGood() && (interval.compareTo(min) < 0 || interval.compareTo(max) > 0)) {
            section.problem("interval", "need min..max = " + section.shown("min") + ".." + section.shown("max"));
        }
        double grace = section.decimal("grace", GRACE);
        boolean probe = section.flag("probe");
        double margin = section.decimal("probe-margin", "0..0.5");
        return () -> new Heartbeat(enabled, interval, min, max, grace, probe, margin);
    }

    private static ReadProgress readProgress(Section section) {
        boolean enabled = section.flag("enabled");
        Duration timeout = section.duration("timeout", TIMEOUT);
        return new ReadProgress(enabled, timeout, section.size("min-rate", "1B..1MiB"));
    }

    private static Age age(Section section) {
        boolean enabled = section.flag("enabled");
        Duration timeout = section.duration("timeout", TIMEOUT);
        double jitter = section.decimal("jitter", "0..0.5");
        return new Age(enabled, timeout, jitter, section.duration("goaway-lead", TIMEOUT));
    }
}
