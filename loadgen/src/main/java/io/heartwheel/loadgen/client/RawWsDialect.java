package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;

/**
 * A plain WebSocket to any server: each ping of the {@link Script} is a binary message and any message answers it; with
 * an empty ping native pings are sent and native pongs answer.
 */
public final class RawWsDialect extends WsDialect {

    private final String path;
    private final Script script;

    /** Speaks the script to the host at the path. */
    public RawWsDialect(String host, String path, Script script) {
        super(host, null);
        this.path = path;
        this.script = script;
    }

    @Override
    String path(Device device) {
        return path;
    }

    @Override
    void upgraded(Device device) {
        if (script.hello().length > 0) {
            message(device, WsCursor.BINARY, script.hello());
        }
        if (script.helloReply() == 0) {
            open(device);
        }
    }

    private static void open(Device device) {
        Habits habits = device.crew().habits;
        device.opened(habits.wantedMillis(), habits.graceHundredths());
    }

    private static void message(Device device, int opcode, byte[] bytes) {
        ByteBuf out = device.buffer(WsWriter.LONGEST_HEADER + bytes.length);
        begin(device, out, opcode, bytes.length);
        out.writeBytes(bytes);
        end(device, out);
    }

    @Override
    void message(Device device, WsCursor message, ByteBuf in) {
        if (!device.isOpen()) {
            open(device);
        } else if (script.pingReply() > 0) {
            device.answeredNext();
        }
    }

    @Override
    void nativePong(Device device, WsCursor message, ByteBuf in) {
        if (script.ping().length == 0) {
            device.answeredNext();
        }
    }

    @Override
    void beat(Device device, int sequence) {
        message(device, script.ping().length == 0 ? WsCursor.PING : WsCursor.BINARY, script.ping());
    }

    @Override
    void leave(Device device) {
        closeFrame(device, 1000);
    }
}
