package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameCodec;
import io.heartwheel.loadgen.wire.FrameCursor;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.Frames;
import io.netty.buffer.ByteBuf;
import java.util.EnumSet;

/** Heartwheel frames back to back over TCP. */
public final class HeartwheelDialect extends Dialect {

    /** Speaks frames. */
    public HeartwheelDialect() {
        super(EnumSet.allOf(Trait.class));
    }

    @Override
    void greet(DeviceConnection connection) {
        ByteBuf out = connection.buffer(128);
        FrameCodec.encode(connection.hello(), out);
        connection.send(out);
    }

    @Override
    void read(DeviceConnection connection, ByteBuf in) {
        FrameCursor frames = connection.loopContext().frames;
        while (connection.listening() && frames.next(in, LARGEST)) {
            HeartwheelReceiver.on(connection, this, frames, in);
        }
    }

    @Override
    void beat(DeviceConnection connection, int sequence) {
        ByteBuf out = connection.buffer(Frames.BEAT_BYTES);
        Frames.beat(out, sequence);
        connection.send(out);
    }

    @Override
    void pong(DeviceConnection connection, FrameCursor ping, ByteBuf in) {
        ByteBuf out = connection.buffer(8 + ping.payloadLength());
        Frames.pong(out, ping, in);
        connection.send(out);
    }

    @Override
    void data(DeviceConnection connection, long id, int bytes) {
        ByteBuf out = connection.buffer(16 + bytes);
        Frames.dataHeader(out, connection.wireId(id), bytes);
        connection.content(out, id, bytes);
        connection.send(out);
    }

    @Override
    void flood(DeviceConnection connection) {
        if (connection.loopContext().messageContract().echo()) {
            ByteBuf bulk = connection.buffer(4 + BULK_BYTES);
            Frames.header(bulk, FrameType.DATA, 0, BULK_BYTES);
            connection.sendUnnoted(bulk.writeZero(BULK_BYTES));
            return;
        }
        ByteBuf out = connection.buffer(FLOOD * (4 + FrameType.MOST_PING));
        for (int i = 0; i < FLOOD; i++) {
            Frames.header(out, FrameType.PING, 0, FrameType.MOST_PING);
            out.writeZero(FrameType.MOST_PING);
        }
        connection.sendUnnoted(out);
    }

    @Override
    void beginUnfinished(DeviceConnection connection, int bytes) {
        ByteBuf out = connection.buffer(8);
        Frames.header(out, FrameType.DATA, 0, bytes);
        connection.sendUnnoted(out);
    }

    @Override
    void ack(DeviceConnection connection, long id) {
        ByteBuf out = connection.buffer(16);
        FrameCodec.encode(new Frame.Ack(id, 0), out);
        connection.send(out);
    }

    @Override
    void leave(DeviceConnection connection) {
        ByteBuf out = connection.buffer(8);
        Frames.close(out, CloseCodes.NORMAL);
        connection.sendLast(out);
    }
}
