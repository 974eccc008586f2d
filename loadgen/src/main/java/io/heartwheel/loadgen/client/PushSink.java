package io.heartwheel.loadgen.client;

import io.netty.buffer.ByteBuf;

/**
 * Who keeps account of what is pushed to the devices of one event loop. Called on that loop; must not block. Only runs that
 * push have one.
 */
public interface PushSink {

    /** From here on the device reads what it is sent. */
    void listens(Device device);

    /** From here on it does not, or nobody can say: its connection is over or dark, or it goes another way. */
    void deaf(Device device);

    /** A message came, its bytes lie here; answers whether it is one that was pushed. */
    boolean received(Device device, ByteBuf in, int at, int length);
}
