package io.heartwheel.loadgen.client;

/**
 * Pacing loop, as a device sees it. On the device's event loop.
 *
 * @param <D> the device: {@link Device}
 */
public interface PacingLoop<D> {

    /** Calls {@link Device#act} at this time, nanoseconds since the run began, and then as it answers; any earlier appointment is off. */
    void due(D device, long dueNanos);

    /** Opens a connection for the device, which was meant to be opened at this time. */
    void connect(D device, long intendedNanos);
}
