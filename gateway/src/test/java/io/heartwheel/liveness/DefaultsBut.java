package io.heartwheel.liveness;

import io.heartwheel.event.DeadlineKind;
import java.time.Duration;
import java.util.Set;

/** The default settings with one part in another way. */
public final class DefaultsBut {
    private static final LivenessSettings D = LivenessSettings.defaults();

    private DefaultsBut() {}

    public static LivenessSettings heartbeat(LivenessSettings.Heartbeat heartbeat) {
        return settings(heartbeat, D.readerIdle(), D.writeProgress(), D.age(), Set.of());
    }

    public static LivenessSettings age(LivenessSettings.Age age) {
        return settings(D.heartbeat(), D.readerIdle(), D.writeProgress(), age, Set.of());
    }

    public static LivenessSettings readerIdle(Duration timeout) {
        var idle = new LivenessSettings.Deadline(true, timeout);
        return settings(D.heartbeat(), idle, D.writeProgress(), D.age(), Set.of());
    }

    public static LivenessSettings withoutWriteProgress() {
        var off = new LivenessSettings.Deadline(false, Duration.ofSeconds(30));
        return settings(D.heartbeat(), D.readerIdle(), off, D.age(), Set.of());
    }

    public static LivenessSettings configured(DeadlineKind kind) {
        return settings(D.heartbeat(), D.readerIdle(), D.writeProgress(), D.age(), Set.of(kind));
    }

    private static LivenessSettings settings(
            LivenessSettings.Heartbeat heartbeat,
            LivenessSettings.Deadline readerIdle,
            LivenessSettings.Deadline writeProgress,
            LivenessSettings.Age age,
            Set<DeadlineKind> configured) {
        return new LivenessSettings(
                D.handshake(), heartbeat, D.readProgress(), readerIdle, D.writerIdle(), writeProgress, age, configured);
    }
}
