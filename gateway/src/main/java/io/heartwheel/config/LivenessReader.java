package io.heartwheel.config;

import io.heartwheel.session.LivenessSettings;
import java.time.Duration;
import java.util.function.Supplier;

/** Reads the deadlines. One thread, once. */
final class LivenessReader {
    private static final String TIMEOUT = "100ms..30d";

    private final Section root;

    LivenessReader(Section root) {
        this.root = root;
    }

    /** All of them, to be built when nothing is wrong. */
    Supplier<LivenessSettings> read() {
        var handshake = deadline("handshake");
        var heartbeat = heartbeat(root.in("heartbeat"));
        var readProgress = readProgress(root.in("read-progress"));
        var readerIdle = deadline("reader-idle");
        var writerIdle = deadline("writer-idle");
        var writeProgress = deadline("write-progress");
        var age = age(root.in("age"));
        return () -> new LivenessSettings(
                handshake.get(),
                heartbeat.get(),
                readProgress.get(),
                readerIdle.get(),
                writerIdle.get(),
                writeProgress.get(),
                age.get());
    }

    private Supplier<LivenessSettings.Deadline> deadline(String block) {
        Section section = root.in(block);
        boolean enabled = section.flag("enabled");
        Duration timeout = section.duration("timeout", TIMEOUT);
        return () -> new LivenessSettings.Deadline(enabled, timeout);
    }

    private static Supplier<LivenessSettings.Heartbeat> heartbeat(Section section) {
        boolean enabled = section.flag("enabled");
        Duration interval = section.duration("interval", "100ms..24h");
        Duration min = section.duration("min", "100ms..24h");
        Duration max = section.duration("max", "100ms..24h");
        if (section.isGood() && min.compareTo(max) > 0) {
            section.problem("min", "need at most max = " + section.shown("max"));
        } else if (section.isGood() && (interval.compareTo(min) < 0 || interval.compareTo(max) > 0)) {
            section.problem("interval", "need min..max = " + section.shown("min") + ".." + section.shown("max"));
        }
        double grace = section.decimal("grace", "1.1..10");
        boolean probe = section.flag("probe");
        return () -> new LivenessSettings.Heartbeat(enabled, interval, min, max, grace, probe);
    }

    private static Supplier<LivenessSettings.ReadProgress> readProgress(Section section) {
        boolean enabled = section.flag("enabled");
        Duration timeout = section.duration("timeout", TIMEOUT);
        int minRate = section.size("min-rate", "1B..1MiB");
        return () -> new LivenessSettings.ReadProgress(enabled, timeout, minRate);
    }

    private static Supplier<LivenessSettings.Age> age(Section section) {
        boolean enabled = section.flag("enabled");
        Duration timeout = section.duration("timeout", TIMEOUT);
        double jitter = section.decimal("jitter", "0..0.5");
        Duration goawayLead = section.duration("goaway-lead", TIMEOUT);
        return () -> new LivenessSettings.Age(enabled, timeout, jitter, goawayLead);
    }
}
