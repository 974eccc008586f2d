package io.heartwheel.liveness;

import io.heartwheel.event.Evidence;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts of the probes of one connection, sent and answered, and the times that the latest answers took. Exists from the first probe on.
 * Loop only.
 */
final class ProbeStats {
    private static final int KEPT = 4;

    private int sent;
    private int answered;
    private final int[] micros = new int[KEPT];

    void sent() {
        sent++;
    }

    void answered(long tookNanos) {
        micros[answered % KEPT] = (int) Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMicros(tookNanos));
        answered++;
    }

    /** @param unansweredMillisAgo when the one that waits was sent, or {@link Evidence#NEVER} */
    static Evidence.Probes evidence(@Nullable ProbeStats times, long unansweredMillisAgo) {
        if (times == null) {
            return Evidence.Probes.NONE;
        }
        Integer[] newestFirst = new Integer[Math.min(KEPT, times.answered)];
        for (int i = 0; i < newestFirst.length; i++) {
            newestFirst[i] = times.micros[(times.answered - 1 - i) % KEPT];
        }
        return new Evidence.Probes(times.sent, times.answered, unansweredMillisAgo, List.of(newestFirst));
    }
}
