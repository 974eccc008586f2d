package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameCodec;
import io.heartwheel.loadgen.wire.FrameCursor;
import io.heartwheel.loadgen.wire.Frames;
import io.netty.buffer.ByteBuf;

/** Heartwheel frames back to back over TCP. */
public final class FrameDialect extends Dialect {

    @Override
    void greet(Device device) {
        ByteBuf out = device.buffer(128);
        FrameCodec.encode(device.hello(), out);
        device.send(out);
    }

    @Override
    void read(Device device, ByteBuf in) {
        FrameCursor frames = device.crew().frames;
        while (device.listening() && frames.next(in, LARGEST)) {
            Conversation.on(device, this, frames, in);
        }
    }

    @Override
    void beat(Device device, int sequence) {
        ByteBuf out = device.buffer(Frames.BEAT_BYTES);
        Frames.beat(out, sequence);
        device.send(out);
    }

    @Override
    void pong(Device device, FrameCursor ping, ByteBuf in) {
        ByteBuf out = device.buffer(8 + ping.payloadLength());
        Frames.pong(out, ping, in);
        device.send(out);
    }

    @Override
    void data(Device device, long id) {
        int length = device.crew().habits.dataBytes();
        ByteBuf out = device.buffer(16 + length);
        Frames.data(out, id, length);
        device.send(out);
    }

    @Override
    void ack(Device device, long id) {
        ByteBuf out = device.buffer(16);
        FrameCodec.encode(new Frame.Ack(id, 0), out);
        device.send(out);
    }

    @Override
    void leave(Device device) {
        ByteBuf out = device.buffer(8);
        Frames.close(out, CloseCodes.NORMAL);
        device.sendLast(out);
    }
}
