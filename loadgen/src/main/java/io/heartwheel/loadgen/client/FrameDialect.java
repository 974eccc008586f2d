package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameCodec;
import io.heartwheel.loadgen.wire.FrameCursor;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.Frames;
import io.netty.buffer.ByteBuf;

/** Heartwheel frames back to back over TCP. */
public final class FrameDialect extends Dialect {

    @Override
    void greet(DeviceConnection line) {
        ByteBuf out = line.buffer(128);
        FrameCodec.encode(line.hello(), out);
        line.send(out);
    }

    @Override
    void read(DeviceConnection line, ByteBuf in) {
        FrameCursor frames = line.loopContext().frames;
        while (line.listening() && frames.next(in, LARGEST)) {
            FrameReceiver.on(line, this, frames, in);
        }
    }

    @Override
    void beat(DeviceConnection line, int sequence) {
        ByteBuf out = line.buffer(Frames.BEAT_BYTES);
        Frames.beat(out, sequence);
        line.send(out);
    }

    @Override
    void pong(DeviceConnection line, FrameCursor ping, ByteBuf in) {
        ByteBuf out = line.buffer(8 + ping.payloadLength());
        Frames.pong(out, ping, in);
        line.send(out);
    }

    @Override
    boolean greets() {
        return true;
    }

    @Override
    boolean answersEach() {
        return true;
    }

    @Override
    boolean acknowledges() {
        return true;
    }

    @Override
    void data(DeviceConnection line, long id, int bytes) {
        ByteBuf out = line.buffer(16 + bytes);
        Frames.dataHeader(out, line.wireId(id), bytes);
        line.content(out, id, bytes);
        line.send(out);
    }

    @Override
    void flood(DeviceConnection line) {
        if (line.loopContext().messagesHeldTo().echo()) {
            ByteBuf bulk = line.buffer(4 + BULK_BYTES);
            Frames.header(bulk, FrameType.DATA, 0, BULK_BYTES);
            line.sendUnnoted(bulk.writeZero(BULK_BYTES));
            return;
        }
        ByteBuf out = line.buffer(FLOOD * (4 + FrameType.MOST_PING));
        for (int i = 0; i < FLOOD; i++) {
            Frames.header(out, FrameType.PING, 0, FrameType.MOST_PING);
            out.writeZero(FrameType.MOST_PING);
        }
        line.sendUnnoted(out);
    }

    @Override
    void beginDrip(DeviceConnection line, int bytes) {
        ByteBuf out = line.buffer(8);
        Frames.header(out, FrameType.DATA, 0, bytes);
        line.sendUnnoted(out);
    }

    @Override
    void ack(DeviceConnection line, long id) {
        ByteBuf out = line.buffer(16);
        FrameCodec.encode(new Frame.Ack(id, 0), out);
        line.send(out);
    }

    @Override
    void leave(DeviceConnection line) {
        ByteBuf out = line.buffer(8);
        Frames.close(out, CloseCodes.NORMAL);
        line.sendLast(out);
    }
}
