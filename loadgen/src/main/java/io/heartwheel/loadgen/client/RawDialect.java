package io.heartwheel.loadgen.client;

import io.netty.buffer.ByteBuf;

/** Bytes of a {@link RawScript} over TCP, answers told apart by their length: for comparing other servers. */
public final class RawDialect extends Dialect {

    private final RawScript script;

    /** Speaks the script. */
    public RawDialect(RawScript script) {
        this.script = script;
    }

    @Override
    void greet(DeviceConnection line) {
        if (script.hello().length > 0) {
            line.send(line.buffer(script.hello().length).writeBytes(script.hello()));
        }
        if (script.helloReply() == 0) {
            welcome(line);
        }
    }

    @Override
    void read(DeviceConnection line, ByteBuf in) {
        if (!line.isOpen()) {
            if (in.readableBytes() < script.helloReply()) {
                return;
            }
            in.skipBytes(script.helloReply());
            welcome(line);
        }
        if (script.pingReply() == 0) {
            in.skipBytes(in.readableBytes());
            return;
        }
        while (in.readableBytes() >= script.pingReply()) {
            in.skipBytes(script.pingReply());
            line.answeredNext();
        }
    }

    @Override
    public boolean carriesMessages() {
        return false;
    }

    @Override
    public boolean answersBeats() {
        return script.pingReply() > 0;
    }

    @Override
    void beat(DeviceConnection line, int sequence) {
        line.send(line.buffer(script.ping().length).writeBytes(script.ping()));
    }

    @Override
    void flood(DeviceConnection line) {
        ByteBuf out = line.buffer(FLOOD * script.ping().length);
        for (int i = 0; i < FLOOD; i++) {
            out.writeBytes(script.ping());
        }
        line.sendUnnoted(out);
    }

    @Override
    void beginDrip(DeviceConnection line, int bytes) {
        drip(line);
    }

    @Override
    void leave(DeviceConnection line) {
        line.hangUp();
    }
}
