package io.heartwheel.liveness;

import io.heartwheel.wheel.TimingWheel;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Wheel, event loop and queue between them; the test says when either runs, and what time it is. */
final class StressLoop {
    private static final LivenessObserver NOBODY = new LivenessObserver() {};
    private static final Breaker NO_BREAKER = new Breaker(
            BreakerSettings.OFF, new TimingWheel(1_000_000, 4, 1, 0), 1, () -> 0, () -> 0, NOBODY, Runnable::run);
    private static final LivenessPolicy POLICY = new LivenessPolicy(LivenessSettings.defaults());

    final TimingWheel wheel = new TimingWheel(TimeUnit.SECONDS.toNanos(1), 4, 4, 0);
    private final QueuedTasks tasks = new QueuedTasks(new ConcurrentLinkedQueue<>());
    private final BareConnection.Context context = new BareConnection.Context(
            wheel, POLICY, new ShadowPolicy(null), new Stalls(0, StallSettings.DEFAULTS, 0, NOBODY));

    private volatile long nowNanos;
    final ExpiryQueue queue = new ExpiryQueue(tasks, () -> nowNanos, NOBODY, context.stalls(), NO_BREAKER);

    /** One that was accepted at zero. Before the actors run. */
    BareConnection connection(ConnectionState state) {
        BareConnection made = new BareConnection(context, queue);
        made.intervalMillis(60_000);
        made.began(0);
        made.state(state);
        made.watch();
        wheel.advance(0, 1);
        return made;
    }

    static long nanos(int second) {
        return TimeUnit.SECONDS.toNanos(second);
    }

    /** The loop's clock shows this from now on. It was looked at all the while. */
    void clock(int second) {
        for (long seen = nowNanos; seen - nanos(second) < 0; seen += Stalls.PERIOD_NANOS) {
            context.stalls().turned(seen);
        }
        nowNanos = nanos(second);
    }

    /** The wheel's thread. */
    void turn(int second) {
        wheel.advance(nanos(second), 8);
    }

    /** The loop: all that it was asked for so far. */
    void run() {
        tasks.run();
    }
}
