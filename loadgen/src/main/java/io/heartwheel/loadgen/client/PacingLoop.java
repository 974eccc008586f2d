package io.heartwheel.loadgen.client;

/** The pacing loop, as a device sees it. On the device's event loop. */
public interface PacingLoop {

    /** Calls {@link Device#act} at this time, nanoseconds since the run began, and then as it answers; any earlier appointment is off. */
    void due(Device device, long dueNanos);

    /** Opens a connection for the device, which was meant to be opened at this time. */
    void connect(Device device, long intendedNanos);
}
