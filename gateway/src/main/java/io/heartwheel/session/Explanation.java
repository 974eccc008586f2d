package io.heartwheel.session;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A closing verdict in plain words. Loop of the session only; not for a hot path. */
final class Explanation {
    private Explanation() {}

    static String of(Session s, Verdict verdict, long nowNanos) {
        double silentSeconds = (nowNanos - s.lastFrameInNanos()) / 1e9;
        return switch (verdict) {
            case CLOSE_HEARTBEAT ->
                String.format(
                        Locale.ROOT,
                        "silent for %.1f s: heartbeat %.1f s x %.2f",
                        silentSeconds,
                        s.intervalMillis() / 1e3,
                        s.policy().graceHundredths / 1e2);
            case CLOSE_READ_IDLE -> String.format(Locale.ROOT, "silent for %.1f s", silentSeconds);
            case CLOSE_READ_STALLED -> stalled(s.unfinished(), nowNanos);
            case CLOSE_WRITE_STALLED ->
                String.format(
                        Locale.ROOT,
                        "took none of %d pending bytes for %.1f s",
                        s.pendingBytes(),
                        s.policy().writeProgressNanos / 1e9);
            case CLOSE_HANDSHAKE ->
                String.format(Locale.ROOT, "no HELLO or upgrade in %.1f s", (nowNanos - s.openedNanos()) / 1e9);
            case CLOSE_CLAIM -> "the device id could not be claimed in time";
            default -> "the connection reached its age";
        };
    }

    private static String stalled(@Nullable Unfinished frame, long nowNanos) {
        if (frame == null) {
            throw new AssertionError("no frame is unfinished");
        }
        return String.format(
                Locale.ROOT,
                "%d bytes of a frame in %.1f s, then no end",
                frame.bytes,
                (nowNanos - frame.sinceNanos) / 1e9);
    }
}
