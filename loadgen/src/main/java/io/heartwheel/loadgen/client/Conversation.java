package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameCodec;
import io.heartwheel.loadgen.wire.FrameCursor;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.Frames;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;

/** What a device makes of one Heartwheel frame, over TCP and over WebSocket alike. */
final class Conversation {

    private Conversation() {}

    /** Acts on the frame the cursor stands on. */
    static void on(Device device, Dialect dialect, FrameCursor frame, ByteBuf in) {
        switch (frame.type()) {
            case FrameType.PONG:
                pong(device, frame, in);
                break;
            case FrameType.PING:
                device.probed();
                if (!device.silent()) {
                    dialect.pong(device, frame, in);
                }
                break;
            case FrameType.HELLO:
                throw new WireException(CloseCodes.MALFORMED, "HELLO from the gateway");
            default:
                rare(device, dialect, FrameCodec.decode(frame, in));
                break;
        }
    }

    private static void pong(Device device, FrameCursor frame, ByteBuf in) {
        requireOpen(device, "PONG");
        if (frame.payloadLength() == Frames.BEAT_PAYLOAD) {
            device.answered(in.getInt(frame.payloadAt()));
        } else if (frame.payloadLength() != 0) {
            throw new WireException(CloseCodes.MALFORMED, "PONG with " + frame.payloadLength() + " bytes nobody sent");
        }
    }

    private static void rare(Device device, Dialect dialect, Frame frame) {
        if (frame instanceof Frame.Welcome welcome) {
            if (device.isOpen()) {
                throw new WireException(CloseCodes.MALFORMED, "a second WELCOME");
            }
            device.opened(welcome.intervalMillis(), welcome.graceHundredths());
        } else if (frame instanceof Frame.Close close) {
            device.closed(close.code(), close.text());
        } else if (frame instanceof Frame.Ack ack) {
            device.acknowledged(ack.status() == 0);
        } else if (frame instanceof Frame.Data data) {
            requireOpen(device, "DATA");
            if (data.ackWanted() && !device.silent()) {
                dialect.ack(device, data.id());
            }
        }
    }

    private static void requireOpen(Device device, String what) {
        if (!device.isOpen()) {
            throw new WireException(CloseCodes.MALFORMED, what + " before WELCOME");
        }
    }
}
