package io.heartwheel.loadgen.client;

import io.netty.buffer.ByteBuf;
import java.util.EnumSet;

/** Bytes of a {@link RawScript} over TCP, answers told apart by their length: for comparing other servers. */
public final class RawDialect extends Dialect {

    private final RawScript script;

    /** Speaks the script. */
    public RawDialect(RawScript script) {
        super(script.pingReply() > 0 ? EnumSet.of(Trait.ANSWERS_BEATS) : EnumSet.noneOf(Trait.class));
        this.script = script;
    }

    @Override
    void greet(DeviceConnection connection) {
        if (script.hello().length > 0) {
            connection.send(connection.buffer(script.hello().length).writeBytes(script.hello()));
        }
        if (script.helloReply() == 0) {
            welcome(connection);
        }
    }

    @Override
    void read(DeviceConnection connection, ByteBuf in) {
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
    void beat(DeviceConnection connection, int sequence) {
        connection.send(connection.buffer(script.ping().length).writeBytes(script.ping()));
    }

    @Override
    void flood(DeviceConnection connection) {
        ByteBuf out = connection.buffer(FLOOD * script.ping().length);
        for (int i = 0; i < FLOOD; i++) {
            out.writeBytes(script.ping());
        }
        connection.sendUnnoted(out);
    }

    @Override
    void beginUnfinished(DeviceConnection connection, int bytes) {
        drip(connection);
    }

    @Override
    void leave(DeviceConnection connection) {
        connection.hangUp();
    }
}
