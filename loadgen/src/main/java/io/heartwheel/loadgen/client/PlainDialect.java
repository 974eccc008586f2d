package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frames;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;

/**
 * A WebSocket without subprotocol: identity in the path, native pings as heartbeats. Such a device is never told what it
 * was granted, so it takes its wish for it.
 */
public final class PlainDialect extends WsDialect {

    private static final int NORMAL = 1000;

    private final String path;

    /** Speaks to the host; ids are appended to the path, for example {@code /ws}. */
    public PlainDialect(String host, String path) {
        super(host, null);
        this.path = path;
    }

    @Override
    String path(Device device) {
        Habits habits = device.crew().habits;
        String token = habits.token().isEmpty() ? "" : "&token=" + habits.token();
        return path + "/" + device.id() + "?heartbeat_ms=" + habits.wantedMillis() + token;
    }

    @Override
    void upgraded(Device device) {
        Habits habits = device.crew().habits;
        device.opened(habits.wantedMillis(), habits.graceHundredths());
    }

    @Override
    void message(Device device, WsCursor message, ByteBuf in) {
        // Something pushed to the device: nothing to answer in plain mode.
    }

    @Override
    void nativePong(Device device, WsCursor message, ByteBuf in) {
        if (message.payloadLength() == Frames.BEAT_PAYLOAD) {
            device.answered(in.getInt(message.payloadAt()));
        } else if (message.payloadLength() != 0) {
            throw new WireException(
                    CloseCodes.MALFORMED, "pong with " + message.payloadLength() + " bytes nobody sent");
        }
    }

    @Override
    void beat(Device device, int sequence) {
        ByteBuf out = device.buffer(WsWriter.LONGEST_HEADER + Frames.BEAT_PAYLOAD);
        begin(device, out, WsCursor.PING, Frames.BEAT_PAYLOAD);
        out.writeInt(sequence);
        end(device, out);
    }

    @Override
    void leave(Device device) {
        closeFrame(device, NORMAL);
    }
}
