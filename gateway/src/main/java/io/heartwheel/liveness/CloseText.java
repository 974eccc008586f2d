package io.heartwheel.liveness;

import org.jspecify.annotations.Nullable;

/**
 * Text of a close for a closing verdict, short enough for a CLOSE frame. Loop of the connection only; well under a microsecond, because thousands may be
 * due at once.
 */
final class CloseText {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private CloseText() {}

    static String of(MonitoredConnection s, Verdict verdict, long nowNanos) {
        return switch (verdict) {
            case CLOSE_HEARTBEAT ->
                silence(s, nowNanos) + ": heartbeat " + seconds(s.intervalMillis() * NANOS_PER_MILLI) + " x "
                        + hundredths(s.policy().graceHundredths);
            case CLOSE_READ_IDLE -> silence(s, nowNanos);
            case CLOSE_READ_STALLED -> stalled(s.unfinished(), nowNanos);
            case CLOSE_WRITE_STALLED ->
                "took none of " + s.pendingBytes() + " pending bytes for " + seconds(s.policy().writeProgressNanos);
            case CLOSE_HANDSHAKE -> "no HELLO or upgrade in " + seconds(nowNanos - s.openedNanos());
            case CLOSE_AUTHENTICATION -> "nobody said in time whether the device may come in";
            case CLOSE_EXPIRED -> "what the device was admitted with has expired";
            case CLOSE_CLAIM -> "the device id could not be claimed in time";
            default -> "the connection reached its age";
        };
    }

    private static String silence(MonitoredConnection s, long nowNanos) {
        return "silent for " + seconds(nowNanos - s.heardNanos());
    }

    private static String stalled(@Nullable PartialFrame frame, long nowNanos) {
        if (frame == null) {
            throw new AssertionError("no frame is unfinished");
        }
        return frame.bytes + " bytes of a frame in " + seconds(nowNanos - frame.sinceNanos) + ", then no end";
    }

    /** To the tenth. */
    private static String seconds(long nanos) {
        long tenths = (nanos + 50 * NANOS_PER_MILLI) / (100 * NANOS_PER_MILLI);
        return tenths / 10 + "." + tenths % 10 + " s";
    }

    private static String hundredths(int value) {
        return value / 100 + "." + value / 10 % 10 + value % 10;
    }
}
