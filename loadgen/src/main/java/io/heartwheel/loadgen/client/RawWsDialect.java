package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;
import java.util.EnumSet;

/**
 * A plain WebSocket to any server: each ping of the {@link RawScript} is a binary message and any message answers it; with
 * an empty ping native pings are sent and native pongs answer.
 */
public final class RawWsDialect extends WsDialect {

    private final RawScript script;

    /** Speaks the script to the host at the path. */
    public RawWsDialect(String host, String path, RawScript script) {
        super(
                script.ping().length == 0 || script.pingReply() > 0
                        ? EnumSet.of(Trait.ANSWERS_BEATS)
                        : EnumSet.noneOf(Trait.class),
                host,
                WsRequest.of(path, null));
        this.script = script;
    }

    @Override
    void upgraded(DeviceConnection connection) {
        if (script.hello().length > 0) {
            message(connection, WsCursor.BINARY, script.hello());
        }
        if (script.helloReply() == 0) {
            welcome(connection);
        }
    }

    private static void message(DeviceConnection connection, int opcode, byte[] bytes) {
        ByteBuf out = connection.buffer(WsWriter.LONGEST_HEADER + bytes.length);
        begin(connection, out, opcode, bytes.length);
        out.writeBytes(bytes);
        end(connection, out);
    }

    @Override
    void message(DeviceConnection connection, WsCursor message, ByteBuf in) {
        if (!connection.isOpen()) {
            welcome(connection);
        } else if (!connection.pushed(in, message.payloadAt(), message.payloadLength()) && script.pingReply() > 0) {
            connection.answeredNext();
        }
    }

    @Override
    void nativePong(DeviceConnection connection, WsCursor message, ByteBuf in) {
        if (script.ping().length == 0) {
            connection.answeredNext();
        }
    }

    @Override
    void beat(DeviceConnection connection, int sequence) {
        message(connection, script.ping().length == 0 ? WsCursor.PING : WsCursor.BINARY, script.ping());
    }

    @Override
    void leave(DeviceConnection connection) {
        closeFrame(connection, 1000);
    }
}
