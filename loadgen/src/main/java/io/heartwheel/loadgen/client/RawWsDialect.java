package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;

/**
 * A plain WebSocket to any server: each ping of the {@link RawScript} is a binary message and any message answers it; with
 * an empty ping native pings are sent and native pongs answer.
 */
public final class RawWsDialect extends WsDialect {

    private final RawScript script;

    /** Speaks the script to the host at the path. */
    public RawWsDialect(String host, String path, RawScript script) {
        super(host, WsRequest.of(path, null));
        this.script = script;
    }

    @Override
    void upgraded(DeviceConnection line) {
        if (script.hello().length > 0) {
            message(line, WsCursor.BINARY, script.hello());
        }
        if (script.helloReply() == 0) {
            welcome(line);
        }
    }

    private static void message(DeviceConnection line, int opcode, byte[] bytes) {
        ByteBuf out = line.buffer(WsWriter.LONGEST_HEADER + bytes.length);
        begin(line, out, opcode, bytes.length);
        out.writeBytes(bytes);
        end(line, out);
    }

    @Override
    void message(DeviceConnection line, WsCursor message, ByteBuf in) {
        if (!line.isOpen()) {
            welcome(line);
        } else if (!line.pushed(in, message.payloadAt(), message.payloadLength()) && script.pingReply() > 0) {
            line.answeredNext();
        }
    }

    @Override
    void nativePong(DeviceConnection line, WsCursor message, ByteBuf in) {
        if (script.ping().length == 0) {
            line.answeredNext();
        }
    }

    @Override
    public boolean carriesMessages() {
        return false;
    }

    @Override
    public boolean answersBeats() {
        return script.ping().length == 0 || script.pingReply() > 0;
    }

    @Override
    void beat(DeviceConnection line, int sequence) {
        message(line, script.ping().length == 0 ? WsCursor.PING : WsCursor.BINARY, script.ping());
    }

    @Override
    void leave(DeviceConnection line) {
        closeFrame(line, 1000);
    }
}
