package io.heartwheel.sink;

import io.heartwheel.event.Fact;
import io.heartwheel.output.LineOutput;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Writer of lines in one place of which an error is thrown, once for each time that it is asked for. */
final class FailingWriter implements EventWriter {
    /** append, size, write, clear. */
    static final int PLACES = 4;

    /** The next to fail; -1: none. */
    final AtomicInteger fails = new AtomicInteger(-1);

    volatile boolean incomplete;
    private final LineWriter writer;
    private final Semaphore failed = new Semaphore(0);

    FailingWriter(LineOutput output) {
        writer = new LineWriter(output, new EventEncoder("", 0));
    }

    void awaitFailure() throws InterruptedException {
        if (!failed.tryAcquire(30, TimeUnit.SECONDS)) {
            throw new AssertionError("place " + fails + " was not reached");
        }
    }

    private void at(int place) {
        if (fails.compareAndSet(place, -1)) {
            failed.release();
            throw new StackOverflowError("planted");
        }
    }

    @Override
    public boolean append(Fact event, boolean told) {
        at(0);
        return writer.append(event, told);
    }

    @Override
    public int size() {
        at(1);
        return writer.size();
    }

    @Override
    public void write() throws IOException {
        at(2);
        writer.write();
    }

    @Override
    public void clear() {
        at(3);
        writer.clear();
    }

    @Override
    public void endsIncomplete() {
        incomplete = true;
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
