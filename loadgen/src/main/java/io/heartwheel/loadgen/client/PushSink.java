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

    /** A message came, its bytes lie here; answers whether it is one that was pushed. */
    default boolean received(D device, ByteBuf in, int at, int length) {
        return false;
    }
}
