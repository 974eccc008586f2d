package io.heartwheel.loadgen.client;

/**
 * Receiver of what the devices of one event loop send, and of what of it the gateway acknowledged: the account that is laid
 * beside what comes out of the gateway. Called on that loop; must not block. A run that looks at nothing that comes out has
 * one that does nothing.
 *
 * @param <D> the device: {@link Device}
 */
public interface UplinkSink<D> {

    /** The device was welcomed on a connection with this epoch; before it sends anything on it. */
    default void welcomed(D device, long epoch) {}

    /** A connection of the device is open, also in a protocol that tells no epoch. */
    default void opened(D device) {}

    /** A message is sent on that connection, for the first time or again. */
    default void sent(D device, long id, int bytes) {}

    /** A message was acknowledged as accepted. */
    default void accepted(D device, long id) {}
}
