package io.heartwheel.process;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Times at which a gateway closed for silence, by its metrics, for peers that cannot see it themselves.
 *
 * @param firstNanos after the first look that showed any; 0 if none did
 * @param allNanos before the first look that showed all; 0 if none did
 * @param closed at the last look
 */
record CloseCount(long firstNanos, long allNanos, int closed) {
    private static final long STEP_MILLIS = 25;

    /** Looks for so long, or until so many more than now are closed and so long is over. */
    static CloseCount watch(GatewayProcess gateway, int expected, Duration length) throws Exception {
        long endNanos = System.nanoTime() + length.toNanos();
        double before = gateway.metrics().closes("heartbeat_timeout");
        long firstNanos = 0;
        long allNanos = 0;
        int closed = 0;
        while (System.nanoTime() - endNanos < 0) {
            long lookedNanos = System.nanoTime();
            closed = (int) (gateway.metrics().closes("heartbeat_timeout") - before);
            firstNanos = firstNanos == 0 && closed > 0 ? System.nanoTime() : firstNanos;
            allNanos = allNanos == 0 && closed >= expected ? lookedNanos : allNanos;
            TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
        }
        return new CloseCount(firstNanos, allNanos, closed);
    }

    /**
     * None before the first of these was due, all by the time when the last one was. Others may have been closed too: they are judged apart.
     *
     * @param before what they had written a moment before they fell silent
     * @param silentNanos when they were silent, all of them
     */
    void requireKept(List<DeviceReport> before, long silentNanos) {
        long firstDueNanos = Long.MAX_VALUE;
        long lastDueNanos = Long.MIN_VALUE;
        for (DeviceReport device : before) {
            firstDueNanos = Math.min(firstDueNanos, Contract.with().earliestNanos(device));
            lastDueNanos =
                    Math.max(lastDueNanos, Contract.with().latestNanos(device) + silentNanos - device.lastSentNanos());
        }
        String seen = String.format(
                Locale.ROOT,
                "%,d of %,d closed, the first seen %.3f s after it was due, all %.3f s before the latest",
                closed,
                before.size(),
                (firstNanos - firstDueNanos) / 1e9,
                (lastDueNanos - allNanos) / 1e9);
        System.out.println("fallen silent: " + seen);
        if (closed < before.size() || firstNanos - firstDueNanos < 0 || allNanos - lastDueNanos > 0) {
            throw new AssertionError(seen);
        }
    }
}
