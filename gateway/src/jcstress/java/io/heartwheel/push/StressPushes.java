package io.heartwheel.push;

import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.Outbox;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.session.VirtualGateway;
import io.heartwheel.wheel.TimerObserver;
import io.heartwheel.wheel.Timers;
import io.heartwheel.wheel.TimingWheel;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Messages of one device on event loops and a wheel that run when the test says so, each as a thread of its own would. */
public final class StressPushes {
    static final String DEVICE = "d";
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final TimingWheel wheel = new TimingWheel(TimeUnit.SECONDS.toNanos(1), 4, 64, 0);
    private final Timers deadlines = new Timers(wheel, () -> 0, Timers.ON_WHEEL_THREAD, 64, TimerObserver.NONE);
    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final Pushes messages =
            new Pushes(gateway.registry, deadlines, () -> 0, () -> 1, PushSettings.DEFAULTS, null);
    private long lastSession;

    /** What waits for a thread. */
    public static class Tasks implements Executor {
        private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        /** All that it was asked for so far. */
        public boolean run() {
            boolean any = false;
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
                any = true;
            }
            return any;
        }
    }

    /** Event loop, and what waits for it. */
    public static final class Loop extends Tasks {
        private final Outbox<Session> outbox;

        private Loop(Pushes pushes) {
            outbox = pushes.on(this);
        }
    }

    public Loop loop() {
        return new Loop(messages);
    }

    public Pushes pushes() {
        return messages;
    }

    public SessionRegistry registry() {
        return gateway.registry;
    }

    public Timers timers() {
        return deadlines;
    }

    /** The device comes in on this loop. Before the actors run. */
    public FakeSession connect(Loop loop) {
        lastSession++;
        FakeSession session = new FakeSession(
                        FakeSession.sendingBy(loop.outbox, gateway.sessionContext),
                        "heartwheel",
                        "192.0.2.1:" + lastSession,
                        loop::execute)
                .accept(lastSession)
                .hello(DEVICE, "");
        loop.run();
        return session;
    }

    CompletableFuture<PushResult> push(long id) {
        return messages.send(new Push(DEVICE, id, false, new byte[1], Push.Ack.DEVICE, false, TIMEOUT_NANOS, false))
                .toCompletableFuture();
    }

    /** The wheel's thread, when every deadline is over. */
    public void turnPastDeadlines() {
        wheel.advance(2 * TIMEOUT_NANOS, 64);
    }

    /** Messages, their bytes, queues, timers and entries of the wheel that are still there; when nothing runs any more. */
    public long left() {
        wheel.advance(4 * TIMEOUT_NANOS, 64);
        return messages.waiting()
                + messages.waitingBytes()
                + messages.queues()
                + deadlines.pending()
                + wheel.counters().registered();
    }

    /** What became of it; -1: nothing yet. */
    static int outcome(CompletableFuture<PushResult> result) {
        PushResult known = result.getNow(null);
        return known == null ? -1 : known.outcome().ordinal();
    }
}
