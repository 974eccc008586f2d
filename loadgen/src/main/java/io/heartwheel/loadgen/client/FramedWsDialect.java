package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frames;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.EnumSet;

/**
 * A protocol that a scenario describes, in messages of a plain WebSocket. A heartbeat that is not described is a native ping.
 * Owner: one event loop.
 */
public final class FramedWsDialect extends WsDialect {

    private static final int NORMAL = 1000;

    private final FramedConversation conversation;
    private final int opcode;
    /** A frame tells its length before it. */
    private final ByteBuf plain = Unpooled.buffer(256);

    /**
     * Speaks to a host.
     *
     * @param binary whether its messages are binary; else text
     */
    public FramedWsDialect(String host, WsRequest request, FramedProtocol protocol, boolean binary) {
        super(traits(protocol), host, request);
        this.conversation = new FramedConversation(protocol, this, this::send);
        this.opcode = binary ? WsCursor.BINARY : WsCursor.TEXT;
    }

    private static EnumSet<Trait> traits(FramedProtocol protocol) {
        EnumSet<Trait> traits = FramedConversation.traits(protocol);
        if (protocol.heartbeat().send() == null) {
            traits.add(Trait.ANSWERS_BEATS);
        }
        return traits;
    }

    @Override
    void answeredTooOften(DeviceConnection connection) {
        throw new WireException(CloseCodes.MALFORMED, "an answer to no heartbeat");
    }

    @Override
    void upgraded(DeviceConnection connection) {
        conversation.greet(connection);
    }

    @Override
    void message(DeviceConnection connection, WsCursor message, ByteBuf in) {
        if (message.opcode() != opcode) {
            throw new WireException(
                    1003, opcode == WsCursor.TEXT ? "a binary message: need text" : "a text message: need binary");
        }
        conversation.on(connection, in, message.payloadAt(), message.payloadLength());
    }

    @Override
    void nativePong(DeviceConnection connection, WsCursor message, ByteBuf in) {
        if (!conversation.beats() && message.payloadLength() == Frames.BEAT_PAYLOAD) {
            connection.answered(in.getInt(message.payloadAt()));
        }
    }

    @Override
    void beat(DeviceConnection connection, int sequence) {
        if (conversation.beats()) {
            conversation.beat(connection, sequence);
            return;
        }
        ByteBuf out = connection.buffer(WsWriter.LONGEST_HEADER + Frames.BEAT_PAYLOAD);
        begin(connection, out, WsCursor.PING, Frames.BEAT_PAYLOAD);
        out.writeInt(sequence);
        end(connection, out);
    }

    @Override
    int mostBytes(DeviceConnection connection) {
        return conversation.room(LARGEST);
    }

    @Override
    void data(DeviceConnection connection, long id, int bytes) {
        conversation.data(connection, id, bytes);
    }

    private void send(DeviceConnection connection, FrameTemplate template, FramedValues values) {
        template.write(plain.clear(), values);
        int bytes = plain.readableBytes();
        ByteBuf out = connection.buffer(WsWriter.LONGEST_HEADER + bytes);
        begin(connection, out, opcode, bytes);
        out.writeBytes(plain);
        end(connection, out);
    }

    @Override
    void leave(DeviceConnection connection) {
        FrameTemplate leave = conversation.leaving(connection);
        if (leave != null) {
            send(connection, leave, conversation.values());
        }
        closeFrame(connection, NORMAL);
    }
}
