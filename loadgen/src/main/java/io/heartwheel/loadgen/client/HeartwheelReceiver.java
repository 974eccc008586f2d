package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameCodec;
import io.heartwheel.loadgen.wire.FrameCursor;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.Frames;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Receiver of Heartwheel frames, over TCP and over WebSocket alike. */
final class HeartwheelReceiver {

    private HeartwheelReceiver() {}

    /** Acts on the frame the cursor stands on. */
    static void on(DeviceConnection connection, Dialect dialect, FrameCursor frame, ByteBuf in) {
        switch (frame.type()) {
            case FrameType.PONG -> pong(connection, frame, in);
            case FrameType.PING -> {
                connection.probed();
                if (!connection.quiet()) {
                    dialect.pong(connection, frame, in);
                }
            }
            case FrameType.HELLO -> throw new WireException(CloseCodes.MALFORMED, "HELLO from the gateway");
            default -> rare(connection, dialect, FrameCodec.decode(frame, in));
        }
    }

    private static void pong(DeviceConnection connection, FrameCursor frame, ByteBuf in) {
        requireOpen(connection, "PONG");
        if (frame.payloadLength() == Frames.BEAT_PAYLOAD) {
            connection.answered(in.getInt(frame.payloadAt()));
        } else if (frame.payloadLength() != 0) {
            connection.answeredOddly(frame.payloadLength());
        }
    }

    private static void rare(DeviceConnection connection, Dialect dialect, Frame frame) {
        if (frame instanceof Frame.Welcome welcome) {
            if (connection.isOpen()) {
                throw new WireException(CloseCodes.MALFORMED, "a second WELCOME");
            }
            connection.opened(welcome.intervalMillis(), welcome.graceHundredths());
        } else if (frame instanceof Frame.Close close) {
            connection.closed(close.code(), close.text());
        } else if (frame instanceof Frame.Ack ack) {
            connection.acknowledged(connection.ownId(ack.id()), ack.status() == 0);
        } else if (frame instanceof Frame.Data data) {
            requireOpen(connection, "DATA");
            if (data.ackWanted() && !connection.quiet()) {
                dialect.ack(connection, data.id());
            }
            byte[] bytes = data.payload().array();
            ByteBuf payload = Unpooled.wrappedBuffer(bytes);
            if (!connection.pushed(payload, 0, bytes.length)) {
                connection.received(connection.ownId(data.id()), data.text(), payload, 0, bytes.length);
            }
        } else if (frame instanceof Frame.Goaway goaway) {
            connection.goaway(goaway);
        }
    }

    private static void requireOpen(DeviceConnection connection, String what) {
        if (!connection.isOpen()) {
            throw new WireException(CloseCodes.MALFORMED, what + " before WELCOME");
        }
    }
}
