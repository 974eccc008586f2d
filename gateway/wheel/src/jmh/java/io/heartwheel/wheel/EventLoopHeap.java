package io.heartwheel.wheel;

import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The priority queue of a Netty event loop, as {@code IdleStateHandler} uses it: armed, taken back and expired within the loop's thread. Eager:
 * every activity takes back and schedules. Lazy, as the handler does it: activity stores a time, and the task that comes too early schedules what
 * remains. The handler reads the clock at each activity; here the time is handed in, for everyone.
 */
final class EventLoopHeap extends Contender {

    /** An event loop that whoever calls it is in, and whose time is what it is told. */
    private static final class Loop extends AbstractScheduledEventExecutor {
        long nanos;

        @Override
        protected long getCurrentTimeNanos() {
            return nanos;
        }

        /** Runs what is due. */
        void run(long nowNanos) {
            nanos = nowNanos;
            for (Runnable task = pollScheduledTask(nowNanos); task != null; task = pollScheduledTask(nowNanos)) {
                task.run();
            }
        }

        /** Until the next is due, or for a tick. */
        void await() {
            long delay = nextScheduledTaskNano();
            LockSupport.parkNanos(this, delay < 0 ? TICK : delay);
        }

        @Override
        public boolean inEventLoop(Thread thread) {
            return true;
        }

        @Override
        public void execute(Runnable command) {
            command.run();
        }

        @Override
        public boolean isShuttingDown() {
            return false;
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }

        @Override
        public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<?> terminationFuture() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void shutdown() {
            throw new UnsupportedOperationException();
        }
    }

    /** A connection that schedules itself again while it lives. */
    private static final class Idle extends Connection implements Runnable {
        private final EventLoopHeap heap;

        Idle(EventLoopHeap heap) {
            this.heap = heap;
        }

        @Override
        public void run() {
            long remaining = lastActivityNanos() + TIMEOUT - heap.loop.nanos;
            if (remaining <= 0) {
                throw new AssertionError("all live");
            }
            heap.loop.schedule(this, remaining, TimeUnit.NANOSECONDS);
        }
    }

    private static final Runnable TASK = () -> fired++;

    private final boolean lazy;
    private Loop loop = new Loop();
    private boolean live;
    private Idle[] idle = {};
    private ScheduledFuture<?>[] futures = {};
    private volatile boolean closed;

    EventLoopHeap(boolean lazy) {
        this.lazy = lazy;
    }

    @Override
    void prepare(int pending) {
        futures = new ScheduledFuture<?>[pending];
        if (lazy) {
            idle = new Idle[pending];
            for (int i = 0; i < pending; i++) {
                idle[i] = new Idle(this);
            }
        }
    }

    @Override
    void open(boolean live) {
        this.live = live;
        loop = new Loop();
    }

    @Override
    void arm(int i, long delayNanos) {
        if (live) {
            loop.nanos = System.nanoTime();
        }
        if (lazy) {
            idle[i].activity(loop.nanos + delayNanos - TIMEOUT);
        }
        futures[i] = loop.schedule(lazy ? idle[i] : TASK, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    void rearm(int i, long delayNanos) {
        futures[i].cancel(false);
        futures[i] = loop.schedule(TASK, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    void extra(long delayNanos) {
        loop.schedule(TASK, delayNanos, TimeUnit.NANOSECONDS).cancel(false);
    }

    @Override
    void activity(int i, long nowNanos) {
        if (lazy) {
            idle[i].activity(nowNanos);
        } else {
            rearm(i, TIMEOUT);
        }
    }

    @Override
    void turn(long nowNanos) {
        now = nowNanos;
        loop.run(nowNanos);
    }

    @Override
    void tickOfSecond(long nowNanos) {
        turn(nowNanos);
    }

    @Override
    void start() {
        threads().newThread(this::runLoop).start();
    }

    private void runLoop() {
        while (!closed) {
            turn(System.nanoTime());
            loop.await();
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
