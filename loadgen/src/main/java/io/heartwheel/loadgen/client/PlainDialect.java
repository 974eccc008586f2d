package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.Frames;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;
import java.util.Map;

/**
 * A WebSocket without subprotocol: identity in the path, native pings as heartbeats. Such a line is never told what it
 * was granted, so it takes its wish for it.
 */
public final class PlainDialect extends WsDialect {

    private static final int NORMAL = 1000;

    /** Speaks to the host; ids are appended to the path, for example {@code /ws}. */
    public PlainDialect(String host, String path) {
        this(host, new WsRequest(Template.of(path), false, Map.of(), null));
    }

    /** Speaks to the host as asked for. */
    public PlainDialect(String host, WsRequest request) {
        super(host, request);
    }

    @Override
    void upgraded(DeviceConnection line) {
        welcome(line);
    }

    @Override
    void message(DeviceConnection line, WsCursor message, ByteBuf in) {
        if (!line.pushed(in, message.payloadAt(), message.payloadLength())) {
            boolean text = message.opcode() == WsCursor.TEXT;
            line.receivedUnnamed(text, in, message.payloadAt(), message.payloadLength());
        }
    }

    @Override
    void nativePong(DeviceConnection line, WsCursor message, ByteBuf in) {
        if (message.payloadLength() == Frames.BEAT_PAYLOAD) {
            line.answered(in.getInt(message.payloadAt()));
        } else if (message.payloadLength() != 0) {
            line.answeredOddly(message.payloadLength());
        }
    }

    @Override
    void beat(DeviceConnection line, int sequence) {
        ByteBuf out = line.buffer(WsWriter.LONGEST_HEADER + Frames.BEAT_PAYLOAD);
        begin(line, out, WsCursor.PING, Frames.BEAT_PAYLOAD);
        out.writeInt(sequence);
        end(line, out);
    }

    @Override
    void data(DeviceConnection line, long id, int bytes) {
        ByteBuf out = line.buffer(WsWriter.LONGEST_HEADER + bytes);
        begin(line, out, WsCursor.BINARY, bytes);
        line.content(out, id, bytes);
        end(line, out);
    }

    @Override
    void leave(DeviceConnection line) {
        closeFrame(line, NORMAL);
    }
}
