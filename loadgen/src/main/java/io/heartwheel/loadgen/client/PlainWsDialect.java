package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.Frames;
import io.heartwheel.loadgen.wire.WsCursor;
import io.netty.buffer.ByteBuf;
import java.util.EnumSet;

/**
 * A WebSocket without subprotocol: identity in the path, native pings as heartbeats. Such a device is never told what it
 * was granted, so it takes the interval it wanted.
 */
public final class PlainWsDialect extends CarriedDialect {

    /** Speaks to the host as asked for. */
    public PlainWsDialect(String host, WsRequest request) {
        super(EnumSet.of(Trait.ANSWERS_BEATS, Trait.CARRIES_MESSAGES), host, request);
    }

    @Override
    void begun(DeviceConnection connection) {
        welcome(connection);
    }

    @Override
    void message(DeviceConnection connection, WsCursor message, ByteBuf in) {
        if (!connection.pushed(in, message.payloadAt(), message.payloadLength())) {
            boolean text = message.opcode() == WsCursor.TEXT;
            connection
                    .messages()
                    .received(DeviceConnection.UNNAMED, text, in, message.payloadAt(), message.payloadLength());
        }
    }

    @Override
    void nativePong(DeviceConnection connection, WsCursor message, ByteBuf in) {
        if (message.payloadLength() == Frames.BEAT_PAYLOAD) {
            connection.answered(in.getInt(message.payloadAt()));
        } else if (message.payloadLength() != 0) {
            connection.answeredOddly(message.payloadLength());
        }
    }

    @Override
    void beat(DeviceConnection connection, int sequence) {
        nativePing(connection, sequence);
    }

    @Override
    void data(DeviceConnection connection, long id, int bytes) {
        ByteBuf out = begin(connection, WsCursor.BINARY, bytes);
        connection.content(out, id, bytes);
        end(connection, out);
    }
}
