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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.EnumSet;

/** Heartwheel frames: back to back over TCP, or in binary WebSocket messages, subprotocol {@code heartwheel.v1}. */
public final class HeartwheelDialect extends CarriedDialect {

    /** Speaks frames over TCP. */
    public HeartwheelDialect() {
        super(EnumSet.allOf(Trait.class), "", null);
    }

    /** Speaks frames over WebSocket to the host at the path, for example {@code /ws}. */
    public HeartwheelDialect(String host, String path) {
        super(EnumSet.allOf(Trait.class), host, WsRequest.of(path, WsHandshake.SUBPROTOCOL));
    }

    @Override
    void begun(DeviceConnection connection) {
        ByteBuf hello = connection.buffer(160 + connection.token().length());
        FrameCodec.hello(connection.hello(), hello);
        ByteBuf out = begin(connection, WsCursor.BINARY, hello.readableBytes()).writeBytes(hello);
        hello.release();
        end(connection, out);
    }

    // ---- what comes in

    @Override
    void readStream(DeviceConnection connection, ByteBuf in) {
        FrameCursor frames = connection.loopContext().frames;
        while (connection.listening() && frames.next(in, LARGEST)) {
            on(connection, frames, in);
        }
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
        on(connection, frames, in);
        in.setIndex(after, end);
    }

    private void on(DeviceConnection connection, FrameCursor frame, ByteBuf in) {
        switch (frame.type()) {
            case FrameType.PONG -> {
                requireOpen(connection, "PONG");
                if (frame.payloadLength() == Frames.BEAT_PAYLOAD) {
                    connection.answered(in.getInt(frame.payloadAt()));
                } else if (frame.payloadLength() != 0) {
                    connection.answeredOddly(frame.payloadLength());
                }
            }
            case FrameType.PING -> {
                connection.probed();
                if (!connection.quiet()) {
                    ByteBuf out = begin(connection, WsCursor.BINARY, 4 + frame.payloadLength());
                    Frames.pong(out, frame, in);
                    end(connection, out);
                }
            }
            default -> rare(connection, FrameCodec.decode(frame, in));
        }
    }

    private void rare(DeviceConnection connection, Frame frame) {
        if (frame instanceof Frame.Welcome welcome) {
            if (connection.isOpen()) {
                throw new WireException(CloseCodes.MALFORMED, "a second WELCOME");
            }
            connection.toldEpoch(welcome.epoch());
            connection.opened(welcome.intervalMillis(), welcome.graceHundredths());
        } else if (frame instanceof Frame.Close close) {
            connection.closed(close.code(), close.text());
        } else if (frame instanceof Frame.Ack ack) {
            connection.messages().acknowledged(connection.ownId(ack.id()), ack.status() == 0);
        } else if (frame instanceof Frame.Data data) {
            received(connection, data);
        } else if (frame instanceof Frame.Goaway goaway) {
            connection.goaway(goaway);
        } else if (frame instanceof Frame.AuthAnswer answer) {
            requireOpen(connection, "AUTH");
            connection.authAnswered(answer);
        }
    }

    private void received(DeviceConnection connection, Frame.Data data) {
        requireOpen(connection, "DATA");
        boolean ackWanted = data.ackWanted() && !connection.quiet();
        byte[] bytes = data.payload().array();
        ByteBuf payload = Unpooled.wrappedBuffer(bytes);
        if (!connection.pushed(data.id(), ackWanted, payload, 0, bytes.length)) {
            if (ackWanted) {
                acknowledge(connection, data.id(), 0);
            }
            connection.messages().received(connection.ownId(data.id()), data.text(), payload, 0, bytes.length);
        }
    }

    private static void requireOpen(DeviceConnection connection, String what) {
        if (!connection.isOpen()) {
            throw new WireException(CloseCodes.MALFORMED, what + " before WELCOME");
        }
    }

    // ---- what goes out

    @Override
    void beat(DeviceConnection connection, int sequence) {
        ByteBuf out = begin(connection, WsCursor.BINARY, Frames.BEAT_BYTES);
        Frames.beat(out, sequence);
        end(connection, out);
    }

    @Override
    void data(DeviceConnection connection, long id, int length) {
        ByteBuf out = begin(connection, WsCursor.BINARY, (length + 8 > 0xFFFF ? 16 : 12) + length);
        Frames.dataHeader(out, connection.wireId(id), length);
        connection.content(out, id, length);
        end(connection, out);
    }

    @Override
    void acknowledge(DeviceConnection connection, long id, int status) {
        ByteBuf out = begin(connection, WsCursor.BINARY, Frames.ACK_BYTES);
        Frames.ack(out, id, status);
        end(connection, out);
    }

    @Override
    void renew(DeviceConnection connection, String token) {
        ByteBuf frame = connection.buffer(8 + token.length());
        FrameCodec.renewal(token, frame);
        ByteBuf out = begin(connection, WsCursor.BINARY, frame.readableBytes()).writeBytes(frame);
        frame.release();
        end(connection, out);
    }

    @Override
    void question(DeviceConnection connection, ByteBuf out) {
        if (overWebSocket()) {
            super.question(connection, out);
        } else if (connection.loopContext().messageContract().echo()) {
            bulk(out);
        } else {
            Frames.header(out, FrameType.PING, 0, FrameType.MOST_PING);
            out.writeZero(FrameType.MOST_PING);
        }
    }

    @Override
    void bulk(ByteBuf out) {
        Frames.header(out, FrameType.DATA, 0, BULK_BYTES - 4);
        out.writeZero(BULK_BYTES - 4);
    }

    @Override
    void beginUnfinished(DeviceConnection connection, int bytes) {
        if (overWebSocket()) {
            super.beginUnfinished(connection, bytes);
            return;
        }
        ByteBuf out = connection.buffer(8);
        Frames.header(out, FrameType.DATA, 0, bytes);
        connection.sendUnnoted(out);
    }

    @Override
    void leave(DeviceConnection connection) {
        if (overWebSocket()) {
            closeFrame(connection, CloseCodes.NORMAL);
            return;
        }
        ByteBuf out = connection.buffer(8);
        Frames.close(out, CloseCodes.NORMAL);
        connection.sendLast(out);
    }
}
