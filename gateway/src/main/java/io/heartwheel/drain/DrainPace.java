package io.heartwheel.drain;

import io.heartwheel.session.GoAway;
import java.util.concurrent.TimeUnit;

/**
 * Pace of a drain: how many devices may be told now, and which window they get. A function of the times it is handed and of what it gave away before;
 * one thread.
 *
 * <p>Time in which nobody asked is lost but for a tenth of a second: whoever stood still does not make up for it in a burst.
 */
final class DrainPace {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double MILLIS = 1e3;
    private static final double BURST_SECONDS = 0.1;

    private final DrainPlan plan;
    private final long startNanos;
    private final double retryMinSeconds;
    private final double retryMaxSeconds;
    private final double widthSeconds;

    private long askedNanos;
    private double saved;
    /** Up to here the windows given away fill the time, seconds from the beginning. */
    private double filledSeconds;

    /** @param startNanos when the drain began */
    DrainPace(DrainPlan plan, long startNanos) {
        this.plan = plan;
        this.startNanos = startNanos;
        askedNanos = startNanos;
        retryMinSeconds = plan.settings().retryMin().toNanos() / NANOS;
        retryMaxSeconds = plan.settings().retryMax().toNanos() / NANOS;
        widthSeconds = Math.min(plan.windowNanos() / NANOS, retryMaxSeconds - retryMinSeconds);
    }

    /** How many may be told now; they count as told. */
    int due(long nowNanos) {
        double rate = plan.tellPerSecond();
        saved = Math.min(saved + (nowNanos - askedNanos) / NANOS * rate, 1 + rate * BURST_SECONDS);
        askedNanos = nowNanos;
        int due = (int) saved;
        saved -= due;
        return due;
    }

    /** Gives back what nobody could be found for. */
    void notUsed(int count) {
        saved += count;
    }

    /** The window for so many devices that are told now, behind those given away before. */
    GoAway window(long nowNanos, int count) {
        double now = (nowNanos - startNanos) / NANOS;
        filledSeconds = Math.max(filledSeconds, now + retryMinSeconds);
        double from = Math.max(retryMinSeconds, Math.min(filledSeconds - now, retryMaxSeconds - widthSeconds));
        filledSeconds = Math.min(filledSeconds + count / plan.windowPerSecond(), now + retryMaxSeconds);
        double to = Math.min(Math.max(filledSeconds - now, from + widthSeconds), retryMaxSeconds);
        long fromMillis = (long) Math.floor(from * MILLIS + 1e-6);
        long toMillis = Math.min(
                (long) Math.ceil(to * MILLIS - 1e-6), plan.settings().retryMax().toMillis());
        // a share goes to the others at this address
        String host = plan.order().isShare() ? "" : plan.settings().alternateHost();
        return new GoAway(fromMillis, Math.max(fromMillis, toMillis), host);
    }
}
