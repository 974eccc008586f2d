package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameCodec;
import io.heartwheel.loadgen.wire.FrameCursor;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.Frames;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsHandshake;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;

/** Heartwheel frames in binary WebSocket messages, subprotocol {@code heartwheel.v1}. */
public final class WsFrameDialect extends WsDialect {

    /** Speaks to the host at the path, for example {@code /ws}. */
    public WsFrameDialect(String host, String path) {
        super(host, WsRequest.of(path, WsHandshake.SUBPROTOCOL));
    }

    @Override
    void upgraded(DeviceConnection line) {
        encode(line, line.hello());
    }

    private static void encode(DeviceConnection line, Frame frame) {
        ByteBuf plain = line.buffer(128);
        FrameCodec.encode(frame, plain);
        ByteBuf out = line.buffer(WsWriter.LONGEST_HEADER + plain.readableBytes());
        begin(line, out, WsCursor.BINARY, plain.readableBytes());
        out.writeBytes(plain);
        plain.release();
        end(line, out);
    }

    @Override
    void message(DeviceConnection line, WsCursor message, ByteBuf in) {
        if (message.opcode() != WsCursor.BINARY) {
            throw new WireException(1003, "a text message in " + WsHandshake.SUBPROTOCOL);
        }
        int after = in.readerIndex();
        int end = in.writerIndex();
        FrameCursor frames = line.loopContext().frames;
        in.setIndex(message.payloadAt(), message.payloadAt() + message.payloadLength());
        if (!frames.next(in, LARGEST) || in.isReadable()) {
            throw new WireException(CloseCodes.MALFORMED, "a message that is not exactly one frame");
        }
        FrameReceiver.on(line, this, frames, in);
        in.setIndex(after, end);
    }

    @Override
    void nativePong(DeviceConnection line, WsCursor message, ByteBuf in) {
        // A sign of life nobody asked for.
    }

    @Override
    void beat(DeviceConnection line, int sequence) {
        ByteBuf out = line.buffer(WsWriter.LONGEST_HEADER + Frames.BEAT_BYTES);
        begin(line, out, WsCursor.BINARY, Frames.BEAT_BYTES);
        Frames.beat(out, sequence);
        end(line, out);
    }

    @Override
    void pong(DeviceConnection line, FrameCursor ping, ByteBuf in) {
        ByteBuf out = line.buffer(WsWriter.LONGEST_HEADER + 4 + ping.payloadLength());
        begin(line, out, WsCursor.BINARY, 4 + ping.payloadLength());
        Frames.pong(out, ping, in);
        end(line, out);
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
    void data(DeviceConnection line, long id, int length) {
        ByteBuf out = line.buffer(WsWriter.LONGEST_HEADER + 16 + length);
        begin(line, out, WsCursor.BINARY, (length + 8 > 0xFFFF ? 16 : 12) + length);
        Frames.dataHeader(out, line.wireId(id), length);
        line.content(out, id, length);
        end(line, out);
    }

    @Override
    void bulk(ByteBuf out) {
        Frames.header(out, FrameType.DATA, 0, BULK_BYTES - 4);
        out.writeZero(BULK_BYTES - 4);
    }

    @Override
    void ack(DeviceConnection line, long id) {
        encode(line, new Frame.Ack(id, 0));
    }

    @Override
    void leave(DeviceConnection line) {
        closeFrame(line, CloseCodes.NORMAL);
    }
}
