package io.heartwheel.loadgen.downlink;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** A way to ask the server for a push. Any thread. */
interface PushCalls extends AutoCloseable {

    /** Makes ready; before the first call, on a thread that may wait. */
    default void open() throws IOException {}

    /**
     * Asks for it; returns soon. The future never fails and is complete soon after the time limit of calls at the latest:
     * what goes wrong is an answer too.
     */
    CompletableFuture<PushAnswer> call(Push push);

    /** Ends what is under way. Never throws. */
    @Override
    void close();
}
