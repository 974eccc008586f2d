package io.heartwheel.loadgen.client;

import io.netty.buffer.ByteBuf;

/** Bytes of a {@link Script} over TCP, answers told apart by their length: for comparing other servers. */
public final class RawDialect extends Dialect {

    private final Script script;

    /** Speaks the script. */
    public RawDialect(Script script) {
        this.script = script;
    }

    @Override
    void greet(Device device) {
        if (script.hello().length > 0) {
            device.send(device.buffer(script.hello().length).writeBytes(script.hello()));
        }
        if (script.helloReply() == 0) {
            open(device);
        }
    }

    private static void open(Device device) {
        Habits habits = device.crew().habits;
        device.opened(habits.wantedMillis(), habits.graceHundredths());
    }

    @Override
    void read(Device device, ByteBuf in) {
        if (!device.isOpen()) {
            if (in.readableBytes() < script.helloReply()) {
                return;
            }
            in.skipBytes(script.helloReply());
            open(device);
        }
        if (script.pingReply() == 0) {
            in.skipBytes(in.readableBytes());
            return;
        }
        while (in.readableBytes() >= script.pingReply()) {
            in.skipBytes(script.pingReply());
            device.answeredNext();
        }
    }

    @Override
    void beat(Device device, int sequence) {
        device.send(device.buffer(script.ping().length).writeBytes(script.ping()));
    }

    @Override
    void leave(Device device) {
        device.hangUp();
    }
}
