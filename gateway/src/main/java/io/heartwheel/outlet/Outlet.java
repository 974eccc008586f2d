package io.heartwheel.outlet;

import java.io.Closeable;
import java.util.List;

/** Receiver of events outside of the gateway. One thread. */
public interface Outlet extends Closeable {
    /** Nothing waits. */
    long NOT_AGAIN = -1;

    /**
     * Delivers events, those of a device in their order. When it returns the receiver has all of them. Blocks; an interrupt ends it.
     *
     * @param events in the order of their numbers, one or more; the same list at each attempt, another one after a rewind
     * @param attempt 1 for the first time; greater: some of them may have been delivered before
     * @throws OutletException if the receiver does not have all of them: they are delivered again
     */
    void deliver(List<OutletEvent> events, int attempt) throws OutletException, InterruptedException;

    /**
     * There is nothing more to deliver for now: what waits for company, say for the disk, may go on.
     *
     * @return milliseconds after which it wants to be asked again if there is still nothing, or {@link #NOT_AGAIN}
     * @throws OutletException if it fails; it is asked again
     */
    default long idle() throws OutletException {
        return NOT_AGAIN;
    }

    /** Lets go of what it holds. */
    @Override
    void close();
}
