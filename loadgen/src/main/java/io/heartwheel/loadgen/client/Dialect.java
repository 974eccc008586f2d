package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.FrameCursor;
import io.netty.buffer.ByteBuf;

/**
 * How a device speaks. Holds no state of a connection, so one object serves all devices with the same target; all methods
 * run on the device's event loop.
 */
public abstract class Dialect {

    /** Largest DATA or WebSocket message taken from a gateway, bytes. */
    static final int LARGEST = 1 << 20;

    /** Dialects live in this package. */
    Dialect() {}

    /** The channel is connected: say the first thing. */
    abstract void greet(Device device);

    /**
     * Acts on all that is whole in the buffer and leaves the rest.
     *
     * @throws io.heartwheel.loadgen.wire.WireException when the gateway broke the wire document
     */
    abstract void read(Device device, ByteBuf in);

    /** Sends a heartbeat that carries this number. */
    abstract void beat(Device device, int sequence);

    /** Answers the PING the cursor stands on. */
    void pong(Device device, FrameCursor ping, ByteBuf in) {}

    /** Sends a DATA that wants an ACK. */
    void data(Device device, long id) {}

    /** Accepts a DATA that wanted an ACK. */
    void ack(Device device, long id) {}

    /** The gateway said farewell to a live device, with this code. */
    void farewell(Device device, int code) {
        device.hangUp();
    }

    /** Says goodbye and closes. */
    abstract void leave(Device device);
}
