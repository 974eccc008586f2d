package io.heartwheel.loadgen.uplink;

import java.io.IOException;

/** Receiver of what an outlet of the gateway delivers; what it takes goes to an {@link EventIntake}. Any thread. */
public interface EventReceiver extends AutoCloseable {

    /**
     * Begins to receive; takes everything until {@link #observe}.
     *
     * @throws IOException when it cannot
     */
    void begin() throws IOException;

    /** Where the outlet has to deliver to, as a URL; after {@link #begin}. */
    String url();

    /** Observation begins: the times of the plan count from here. */
    void observe();

    /** Ends it. Idempotent. */
    @Override
    void close();
}
