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
import java.util.EnumSet;

/** Heartwheel frames in binary WebSocket messages, subprotocol {@code heartwheel.v1}. */
public final class HeartwheelWsDialect extends WsDialect {

    /** Speaks to the host at the path, for example {@code /ws}. */
    public HeartwheelWsDialect(String host, String path) {
        super(EnumSet.allOf(Trait.class), host, WsRequest.of(path, WsHandshake.SUBPROTOCOL));
    }

    @Override
    void upgraded(DeviceConnection connection) {
        encode(connection, connection.hello());
    }

    private static void encode(DeviceConnection connection, Frame frame) {
        ByteBuf plain = connection.buffer(128);
        FrameCodec.encode(frame, plain);
        ByteBuf out = connection.buffer(WsWriter.LONGEST_HEADER + plain.readableBytes());
        begin(connection, out, WsCursor.BINARY, plain.readableBytes());
        out.writeBytes(plain);
        plain.release();
        end(connection, out);
    }

    @Override
    void message(DeviceConnection connection, WsCursor message, ByteBuf in) {
        if (message.opcode() != WsCursor.BINARY) {
            throw new WireException(1003, "a text message in " + WsHandshake.SUBPROTOCOL);
        }
        int after = in.readerIndex();
        int end = in.writerIndex();
        FrameCursor frames = connection.loopContext().frames;
        in.setIndex(message.payloadAt(), message.payloadAt() + message.payloadLength());
        if (!frames.next(in, LARGEST) || in.isReadable()) {
            throw new WireException(CloseCodes.MALFORMED, "a message that is not exactly one frame");
        }
        HeartwheelReceiver.on(connection, this, frames, in);
        in.setIndex(after, end);
    }

    @Override
    void nativePong(DeviceConnection connection, WsCursor message, ByteBuf in) {
        // A sign of life nobody asked for.
    }

    @Override
    void beat(DeviceConnection connection, int sequence) {
        ByteBuf out = connection.buffer(WsWriter.LONGEST_HEADER + Frames.BEAT_BYTES);
        begin(connection, out, WsCursor.BINARY, Frames.BEAT_BYTES);
        Frames.beat(out, sequence);
        end(connection, out);
    }

    @Override
    void pong(DeviceConnection connection, FrameCursor ping, ByteBuf in) {
        ByteBuf out = connection.buffer(WsWriter.LONGEST_HEADER + 4 + ping.payloadLength());
        begin(connection, out, WsCursor.BINARY, 4 + ping.payloadLength());
        Frames.pong(out, ping, in);
        end(connection, out);
    }

    @Override
    void data(DeviceConnection connection, long id, int length) {
        ByteBuf out = connection.buffer(WsWriter.LONGEST_HEADER + 16 + length);
        begin(connection, out, WsCursor.BINARY, (length + 8 > 0xFFFF ? 16 : 12) + length);
        Frames.dataHeader(out, connection.wireId(id), length);
        connection.content(out, id, length);
        end(connection, out);
    }

    @Override
    void bulk(ByteBuf out) {
        Frames.header(out, FrameType.DATA, 0, BULK_BYTES - 4);
        out.writeZero(BULK_BYTES - 4);
    }

    @Override
    void ack(DeviceConnection connection, long id) {
        encode(connection, new Frame.Ack(id, 0));
    }

    @Override
    void leave(DeviceConnection connection) {
        closeFrame(connection, CloseCodes.NORMAL);
    }
}
