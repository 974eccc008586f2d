package io.heartwheel.cluster;

/** Port to the state of the engine. */
public interface Health {
    /** Whether the engine can be asked, as far as is known. Any thread; never blocks. */
    boolean isReachable();

    /**
     * Connects, and makes what is missing, if it can; called while nothing can be asked, about once a second. One thread; may block some seconds.
     *
     * @throws EngineException naming why it is not to be had
     */
    void repair() throws EngineException;
}
