package io.heartwheel.outlet;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Receiver of events outside of the gateway. One thread, but for {@link #oversized}. */
public interface Outlet extends Closeable {
    /** Nothing waits. */
    long NOT_AGAIN = -1;

    /**
     * Delivers events, those of a device in their order. When it returns the receiver has all of them, unless {@link #isSettled} says that it may still lose
     * them. Blocks; an interrupt ends it.
     *
     * @param events in the order of their numbers, one or more; the same list at each attempt, another one after a rewind
     * @param attempt 1 for the first time; greater: some of them may have been delivered before
     * @throws IOException if the receiver does not have all of them: these and all that was not settled are delivered again
     */
    void deliver(List<OutletEvent> events, int attempt) throws IOException, InterruptedException;

    /** Whether all that was delivered stays delivered, whatever happens. */
    default boolean isSettled() {
        return true;
    }

    /**
     * There is nothing more to deliver for now: what waits for company, say for the disk, may go on.
     *
     * @return milliseconds after which it wants to be asked again if there is still nothing, or {@link #NOT_AGAIN}
     * @throws IOException if it fails: what was not settled is delivered again
     */
    default long idle() throws IOException {
        return NOT_AGAIN;
    }

    /** Events since this was opened that are larger than the receiver takes, delivered as gaps. Any thread. */
    default long oversized() {
        return 0;
    }

    /** Lets go of what it holds; when it returns all that was delivered is settled. */
    @Override
    void close() throws IOException;

    /** Way to open an outlet, again if it fails. */
    @FunctionalInterface
    interface Opener {
        /** @throws IOException if a file cannot be opened or read */
        Outlet open() throws IOException;
    }
}
