package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.WsCursor;
import io.netty.buffer.ByteBuf;
import java.util.EnumSet;

/**
 * Bytes of a {@link RawScript}, for comparing other servers. Over TCP answers are told apart by their length. Over WebSocket
 * each ping of the script is a binary message and any message answers it; with an empty ping native pings are sent and native
 * pongs answer.
 */
public final class RawDialect extends CarriedDialect {

    private final RawScript script;

    /** Speaks the script over TCP. */
    public RawDialect(RawScript script) {
        super(traits(script.pingReply() > 0), "", null);
        this.script = script;
    }

    /** Speaks the script over WebSocket to the host at the path. */
    public RawDialect(RawScript script, String host, String path) {
        super(traits(script.ping().length == 0 || script.pingReply() > 0), host, WsRequest.of(path, null));
        this.script = script;
    }

    private static EnumSet<Trait> traits(boolean answers) {
        return answers ? EnumSet.of(Trait.ANSWERS_BEATS) : EnumSet.noneOf(Trait.class);
    }

    @Override
    void begun(DeviceConnection connection) {
        if (script.hello().length > 0) {
            say(connection, WsCursor.BINARY, script.hello());
        }
        if (script.helloReply() == 0) {
            welcome(connection);
        }
    }

    private void say(DeviceConnection connection, int opcode, byte[] bytes) {
        end(connection, begin(connection, opcode, bytes.length).writeBytes(bytes));
    }

    @Override
    void readStream(DeviceConnection connection, ByteBuf in) {
        if (!connection.isOpen()) {
            if (in.readableBytes() < script.helloReply()) {
                return;
            }
            in.skipBytes(script.helloReply());
            welcome(connection);
        }
        if (script.pingReply() == 0) {
            in.skipBytes(in.readableBytes());
            return;
        }
        while (in.readableBytes() >= script.pingReply()) {
            in.skipBytes(script.pingReply());
            connection.answeredNext();
        }
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
        say(connection, script.ping().length == 0 ? WsCursor.PING : WsCursor.BINARY, script.ping());
    }

    @Override
    void question(DeviceConnection connection, ByteBuf out) {
        if (overWebSocket()) {
            super.question(connection, out);
        } else {
            out.writeBytes(script.ping());
        }
    }

    @Override
    void beginUnfinished(DeviceConnection connection, int bytes) {
        if (overWebSocket()) {
            super.beginUnfinished(connection, bytes);
        } else {
            drip(connection);
        }
    }
}
