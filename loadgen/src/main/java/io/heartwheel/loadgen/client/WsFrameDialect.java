package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameCodec;
import io.heartwheel.loadgen.wire.FrameCursor;
import io.heartwheel.loadgen.wire.Frames;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsHandshake;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;

/** Heartwheel frames in binary WebSocket messages, subprotocol {@code heartwheel.v1}. */
public final class WsFrameDialect extends WsDialect {

    private final String path;

    /** Speaks to the host at the path, for example {@code /ws}. */
    public WsFrameDialect(String host, String path) {
        super(host, WsHandshake.SUBPROTOCOL);
        this.path = path;
    }

    @Override
    String path(Device device) {
        return path;
    }

    @Override
    void upgraded(Device device) {
        encode(device, device.hello());
    }

    private static void encode(Device device, Frame frame) {
        ByteBuf plain = device.buffer(128);
        FrameCodec.encode(frame, plain);
        ByteBuf out = device.buffer(WsWriter.LONGEST_HEADER + plain.readableBytes());
        begin(device, out, WsCursor.BINARY, plain.readableBytes());
        out.writeBytes(plain);
        plain.release();
        end(device, out);
    }

    @Override
    void message(Device device, WsCursor message, ByteBuf in) {
        if (message.opcode() != WsCursor.BINARY) {
            throw new WireException(1003, "a text message in " + WsHandshake.SUBPROTOCOL);
        }
        int after = in.readerIndex();
        int end = in.writerIndex();
        FrameCursor frames = device.crew().frames;
        in.setIndex(message.payloadAt(), message.payloadAt() + message.payloadLength());
        if (!frames.next(in, LARGEST) || in.isReadable()) {
            throw new WireException(CloseCodes.MALFORMED, "a message that is not exactly one frame");
        }
        Conversation.on(device, this, frames, in);
        in.setIndex(after, end);
    }

    @Override
    void nativePong(Device device, WsCursor message, ByteBuf in) {
        // A sign of life nobody asked for.
    }

    @Override
    void beat(Device device, int sequence) {
        ByteBuf out = device.buffer(WsWriter.LONGEST_HEADER + Frames.BEAT_BYTES);
        begin(device, out, WsCursor.BINARY, Frames.BEAT_BYTES);
        Frames.beat(out, sequence);
        end(device, out);
    }

    @Override
    void pong(Device device, FrameCursor ping, ByteBuf in) {
        ByteBuf out = device.buffer(WsWriter.LONGEST_HEADER + 4 + ping.payloadLength());
        begin(device, out, WsCursor.BINARY, 4 + ping.payloadLength());
        Frames.pong(out, ping, in);
        end(device, out);
    }

    @Override
    void data(Device device, long id) {
        int length = device.crew().habits.dataBytes();
        ByteBuf out = device.buffer(WsWriter.LONGEST_HEADER + 16 + length);
        begin(device, out, WsCursor.BINARY, (length + 8 > 0xFFFF ? 16 : 12) + length);
        Frames.data(out, id, length);
        end(device, out);
    }

    @Override
    void ack(Device device, long id) {
        encode(device, new Frame.Ack(id, 0));
    }

    @Override
    void leave(Device device) {
        closeFrame(device, CloseCodes.NORMAL);
    }
}
