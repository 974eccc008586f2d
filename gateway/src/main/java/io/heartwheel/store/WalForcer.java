package io.heartwheel.store;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Forces a write-ahead log to the disk in the background, at most so many milliseconds apart while anything is committed. Owner: a daemon thread of its own;
 * whoever commits calls {@link #committed} and {@link #failure}. All fields under its monitor.
 */
final class WalForcer implements Closeable {
    private final Force force;
    private final long everyMillis;
    private final Thread thread;

    private boolean dirty;
    private boolean closed;
    private @Nullable IOException failure;

    /** Forces the file. */
    interface Force extends Closeable {
        /** Blocks until everything written so far is on the disk. */
        void force() throws IOException;
    }

    WalForcer(Force force, long everyMillis) {
        this.force = force;
        this.everyMillis = everyMillis;
        thread = new Thread(this::run, "journal-sync");
        thread.setDaemon(true);
        thread.start();
    }

    /** Something was committed. */
    synchronized void committed() {
        if (!dirty) {
            dirty = true;
            notifyAll();
        }
    }

    /** The failure since it was asked last, if there was one. */
    synchronized @Nullable IOException failure() {
        IOException told = failure;
        failure = null;
        return told;
    }

    private void run() {
        try {
            while (awaitCommit()) {
                long startNanos = System.nanoTime();
                try {
                    force.force();
                } catch (IOException e) {
                    failed(e);
                }
                rest(startNanos + TimeUnit.MILLISECONDS.toNanos(everyMillis));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean awaitCommit() throws InterruptedException {
        while (!dirty && !closed) {
            wait();
        }
        dirty = false;
        return !closed;
    }

    private synchronized void rest(long untilNanos) throws InterruptedException {
        long leftNanos = untilNanos - System.nanoTime();
        while (leftNanos > 0 && !closed) {
            TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
            leftNanos = untilNanos - System.nanoTime();
        }
    }

    private synchronized void failed(IOException e) {
        failure = e;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            force.close();
        } catch (IOException e) {
            // nothing is written through it
        }
    }
}
