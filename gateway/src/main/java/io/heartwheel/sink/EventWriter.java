package io.heartwheel.sink;

import io.heartwheel.event.Fact;
import java.io.Closeable;
import java.io.IOException;

/** Way out of a sink: takes events one by one and hands them over together. One thread; another may close when the first is done. */
interface EventWriter extends Closeable {
    /**
     * Adds an event to what is handed over next.
     *
     * @param told whether it is a message whose sender waits for an answer
     * @return false, and nothing added, if the event cannot be told
     */
    boolean append(Fact event, boolean told);

    /** Bytes that were added since {@link #clear}. */
    int size();

    /** Hands over all that was added since {@link #clear}, or nothing of it. */
    void write() throws IOException;

    /** Starts anew. */
    void clear();

    /** Whether what could not be handed over stays, and is tried again until it can be; else it is lost. */
    default boolean keeps() {
        return false;
    }

    /** Something was lost and cannot be told any more. Any thread, also when it is closed. */
    default void endsIncomplete() {}
}
