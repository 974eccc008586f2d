package io.heartwheel.loadgen.client;

import io.netty.buffer.ByteBuf;

/**
 * Receiver of what is pushed to the devices of one event loop. Called on that loop; must not block. A run
 * that pushes nothing has one that does nothing.
 *
 * @param <D> the device: {@link Device}
 */
public interface PushSink<D> {

    /** From here on the device reads what it is sent. */
    default void startsReading(D device) {}

    /** From here on it does not, or nobody can say: its connection is over, cut off or replaced. */
    default void stopsReading(D device) {}

    /**
     * A message came, its bytes lie here; answers whether it is one that was pushed, and then whoever it was told to acknowledges it.
     *
     * @param here whether on the device's connection; else on an older one
     * @param id of the message by the server; 0 in a protocol without
     * @param ackWanted whether the device is to say that it has it
     */
    default boolean received(D device, boolean here, long id, boolean ackWanted, ByteBuf in, int at, int length) {
        return false;
    }
}
