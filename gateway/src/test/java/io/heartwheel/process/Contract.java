package io.heartwheel.process;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Promise of the gateway to a herd.
 *
 * @param stalls in which the gateway stood still, in their order
 * @param creditNanos what it may give for a stall beyond the stall itself, and one tick
 * @param slackNanos what a busy machine may add
 */
record Contract(List<Stall> stalls, long creditNanos, long slackNanos) {
    /** How often a loop notes that it turns, how late that may be without being a stall, and a tick of the wheel. */
    private static final long CREDIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100 + 100 + 10);

    private static final long SLACK_NANOS = TimeUnit.SECONDS.toNanos(4);

    /** With so many stalls, on a machine that may be busy. */
    static Contract with(Stall... stalls) {
        return new Contract(List.of(stalls), (stalls.length + 1) * CREDIT_NANOS, SLACK_NANOS);
    }

    /** A close that this device sees before is a false one. */
    long earliestNanos(DeviceReport device) {
        return Stall.earliestNanos(device.lastSentNanos(), device.timeoutNanos(), stalls);
    }

    /** A close that this device has not seen by then is missed; what its herd did not look at meanwhile it could not see. */
    long latestNanos(DeviceReport device) {
        return Stall.latestNanos(device.lastSentNanos(), device.timeoutNanos(), stalls)
                + creditNanos
                + slackNanos
                + device.excuseNanos();
    }
}
