package io.heartwheel.wheel;

import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/** {@code DelayQueue}. Its {@code remove} looks at all from the front, so what takes back is measured with 10,000 pending only. */
final class JdkDelayQueue extends Contender {

    /** A timeout. */
    private static final class Element implements Delayed {
        private final long deadlineNanos;

        Element(long delayNanos) {
            deadlineNanos = System.nanoTime() + delayNanos;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        @SuppressWarnings("ComparableType") // as the interface wants it
        public int compareTo(Delayed other) {
            return Long.signum(deadlineNanos - ((Element) other).deadlineNanos);
        }
    }

    private final DelayQueue<Element> queue = new DelayQueue<>();
    private Element[] elements = {};
    private volatile boolean closed;

    @Override
    void prepare(int pending) {
        elements = new Element[pending];
    }

    @Override
    void open(boolean live) {
        queue.clear();
    }

    @Override
    void arm(int i, long delayNanos) {
        elements[i] = new Element(delayNanos);
        queue.add(elements[i]);
    }

    @Override
    void rearm(int i, long delayNanos) {
        queue.remove(elements[i]);
        arm(i, delayNanos);
    }

    @Override
    void extra(long delayNanos) {
        Element element = new Element(delayNanos);
        queue.add(element);
        queue.remove(element);
    }

    @Override
    void start() {
        threads().newThread(this::take).start();
    }

    private void take() {
        try {
            while (!closed) {
                if (queue.poll(100, TimeUnit.MILLISECONDS) != null) {
                    fired++;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
