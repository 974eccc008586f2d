package io.heartwheel.event;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Facts about closes, for whoever counts them. */
public final class Closes {
    private Closes() {}

    /**
     * One close of which little else is known.
     *
     * @param latenessNanos negative if no deadline decided
     * @param silentNanos since the last complete frame
     */
    public static Evidence of(
            String protocol, CloseReason reason, boolean established, long latenessNanos, long silentNanos) {
        return new Evidence(
                new ConnectionEvent.Identity(established ? "d1" : "", 7, 9),
                "",
                protocol,
                "192.0.2.1:40000",
                "",
                "",
                established,
                1_700_000_000_000L,
                TimeUnit.NANOSECONDS.toMillis(silentNanos),
                reason,
                reason.label(),
                null,
                null,
                latenessNanos < 0
                        ? null
                        : new Evidence.Limit(DeadlineKind.HEARTBEAT, DeadlineOrigin.DEFAULT, 90_000, 60_000, 150, -1),
                new Evidence.Traffic(Evidence.NEVER, Evidence.NEVER, "", Evidence.NEVER, "", 0, 0, List.of()),
                Evidence.Probes.NONE,
                null,
                new Evidence.Timing(
                        TimeUnit.NANOSECONDS.toMicros(silentNanos),
                        TimeUnit.NANOSECONDS.toMicros(Math.max(0, latenessNanos)),
                        0,
                        0,
                        0,
                        0,
                        false),
                0,
                "");
    }
}
