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

/** What a device makes of one Heartwheel frame, over TCP and over WebSocket alike. */
final class FrameReceiver {

    private FrameReceiver() {}

    /** Acts on the frame the cursor stands on. */
    static void on(DeviceConnection line, Dialect dialect, FrameCursor frame, ByteBuf in) {
        switch (frame.type()) {
            case FrameType.PONG -> pong(line, frame, in);
            case FrameType.PING -> {
                line.probed();
                if (!line.quiet()) {
                    dialect.pong(line, frame, in);
                }
            }
            case FrameType.HELLO -> throw new WireException(CloseCodes.MALFORMED, "HELLO from the gateway");
            default -> rare(line, dialect, FrameCodec.decode(frame, in));
        }
    }

    private static void pong(DeviceConnection line, FrameCursor frame, ByteBuf in) {
        requireOpen(line, "PONG");
        if (frame.payloadLength() == Frames.BEAT_PAYLOAD) {
            line.answered(in.getInt(frame.payloadAt()));
        } else if (frame.payloadLength() != 0) {
            line.answeredOddly(frame.payloadLength());
        }
    }

    private static void rare(DeviceConnection line, Dialect dialect, Frame frame) {
        if (frame instanceof Frame.Welcome welcome) {
            if (line.isOpen()) {
                throw new WireException(CloseCodes.MALFORMED, "a second WELCOME");
            }
            line.opened(welcome.intervalMillis(), welcome.graceHundredths());
        } else if (frame instanceof Frame.Close close) {
            line.closed(close.code(), close.text());
        } else if (frame instanceof Frame.Ack ack) {
            line.acknowledged(line.ownId(ack.id()), ack.status() == 0);
        } else if (frame instanceof Frame.Data data) {
            requireOpen(line, "DATA");
            if (data.ackWanted() && !line.quiet()) {
                dialect.ack(line, data.id());
            }
            byte[] bytes = data.payload().array();
            ByteBuf payload = Unpooled.wrappedBuffer(bytes);
            if (!line.pushed(payload, 0, bytes.length)) {
                line.received(line.ownId(data.id()), data.text(), payload, 0, bytes.length);
            }
        } else if (frame instanceof Frame.Goaway goaway) {
            line.goaway(goaway);
        }
    }

    private static void requireOpen(DeviceConnection line, String what) {
        if (!line.isOpen()) {
            throw new WireException(CloseCodes.MALFORMED, what + " before WELCOME");
        }
    }
}
