package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Framing;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;

/** A protocol that a scenario describes, over TCP. Owner: one event loop. A heartbeat costs its bytes and no object. */
public final class FramedDialect extends Dialect {

    private static final int ROOM = 64;

    private final FramedConversation conversation;
    private final Framing framing;

    /** Speaks a described protocol whose messages this tells apart. */
    public FramedDialect(FramedProtocol protocol, Framing framing) {
        super(FramedConversation.traits(protocol));
        this.framing = framing;
        this.conversation = new FramedConversation(protocol, this, this::send);
    }

    @Override
    void answeredTooOften(DeviceConnection connection) {
        throw new WireException(CloseCodes.MALFORMED, "an answer to no heartbeat");
    }

    @Override
    boolean staysAway(int code) {
        return false;
    }

    @Override
    public String codeName(int code) {
        return Integer.toString(code);
    }

    @Override
    void greet(DeviceConnection connection) {
        conversation.greet(connection);
    }

    @Override
    void read(DeviceConnection connection, ByteBuf in) {
        while (connection.listening() && framing.next(in)) {
            int behind = in.readerIndex();
            conversation.on(connection, in, framing.at(), framing.length());
            in.readerIndex(behind);
        }
    }

    @Override
    void beat(DeviceConnection connection, int sequence) {
        conversation.beat(connection, sequence);
    }

    @Override
    int mostBytes(DeviceConnection connection) {
        return conversation.room(framing.room());
    }

    @Override
    void data(DeviceConnection connection, long id, int bytes) {
        conversation.data(connection, id, bytes);
    }

    private void send(DeviceConnection connection, FrameTemplate template, FramedValues values) {
        ByteBuf out = connection.buffer(ROOM);
        write(template, values, out);
        connection.send(out);
    }

    private void write(FrameTemplate template, FramedValues values, ByteBuf out) {
        framing.begin(out);
        int from = out.writerIndex();
        template.write(out, values);
        framing.end(out, from);
    }

    @Override
    void flood(DeviceConnection connection) {
        FrameTemplate beat = conversation.flooding(connection);
        ByteBuf out = connection.buffer(FLOOD * ROOM);
        for (int i = 0; beat != null && i < FLOOD; i++) {
            write(beat, conversation.values(), out);
        }
        connection.sendUnnoted(out);
    }

    @Override
    void beginUnfinished(DeviceConnection connection, int bytes) {
        FrameTemplate begun = conversation.unfinished(connection);
        ByteBuf out = connection.buffer(ROOM);
        if (begun != null) {
            framing.begin(out);
            int from = out.writerIndex();
            begun.write(out, conversation.values());
            framing.end(out, from);
            framing.cutShort(out, from);
        }
        connection.sendUnnoted(out);
    }

    @Override
    void drip(DeviceConnection connection) {
        FramedState state = FramedConversation.stateOf(connection);
        if (state.followed < framing.mayFollow()) {
            state.followed++;
            super.drip(connection);
        }
    }

    @Override
    void leave(DeviceConnection connection) {
        FrameTemplate leave = conversation.leaving(connection);
        if (leave == null) {
            connection.hangUp();
            return;
        }
        ByteBuf out = connection.buffer(ROOM);
        write(leave, conversation.values(), out);
        connection.sendLast(out);
    }
}
