package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.FrameCursor;
import io.netty.buffer.ByteBuf;

/**
 * How a device speaks. Holds no state of a connection, so one object serves all devices with the same target; all methods
 * run on the line's event loop.
 */
public abstract class Dialect {

    /** Largest DATA or WebSocket message taken from a gateway, bytes. */
    static final int LARGEST = 1 << 20;

    /** Questions in one write: one by one they would cost the event loop more than all other devices on it. */
    static final int FLOOD = 32;

    /** Dialects live in this package. */
    Dialect() {}

    /** The channel is connected: say the first thing. */
    abstract void greet(Line line);

    /**
     * Acts on all that is whole in the buffer and leaves the rest.
     *
     * @throws io.heartwheel.loadgen.wire.WireException when the gateway broke the wire document
     */
    abstract void read(Line line, ByteBuf in);

    /** Sends a heartbeat that carries this number. */
    abstract void beat(Line line, int sequence);

    /** Answers the PING the cursor stands on. */
    void pong(Line line, FrameCursor ping, ByteBuf in) {}

    /** Whether it speaks Heartwheel frames: a connection is open once a HELLO was answered, and {@link #data} is too. */
    boolean speaksFrames() {
        return false;
    }

    /** Sends a DATA of this many bytes that wants an ACK. */
    void data(Line line, long id, int bytes) {}

    /** Sends {@link #FLOOD} questions that the gateway will answer at some length, for a device that does not read the answers. */
    abstract void flood(Line line);

    /** Begins a message of this many bytes; none of them follows yet. */
    abstract void beginDrip(Line line, int bytes);

    /** One more byte of the message begun. */
    void drip(Line line) {
        line.sendUnnoted(line.buffer(1).writeByte(0));
    }

    /** Accepts a DATA that wanted an ACK. */
    void ack(Line line, long id) {}

    /** The gateway said farewell to a live device, with this code. */
    void farewell(Line line, int code) {
        line.hangUp();
    }

    /** Says goodbye and closes. */
    abstract void leave(Line line);
}
