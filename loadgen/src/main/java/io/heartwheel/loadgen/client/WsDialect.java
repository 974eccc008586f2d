package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsHandshake;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** What every WebSocket dialect has in common: the upgrade, native pings, the closing handshake. */
abstract class WsDialect extends Dialect {

    /** RFC 6455, 7.4.1: seen when a close frame carries no code. */
    private static final int NO_STATUS = 1005;

    private static final int MOST_STATUS_LINE = 80;

    private final String host;
    private final WsRequest request;

    /**
     * A dialect towards one host.
     *
     * @param host value of the Host header
     * @param request how each device asks for its connection
     */
    WsDialect(String host, WsRequest request) {
        this.host = host;
        this.request = request;
    }

    /** The server answered 101. */
    abstract void upgraded(DeviceConnection line);

    /** A whole text or binary message lies where the crew's message cursor says. */
    abstract void message(DeviceConnection line, WsCursor message, ByteBuf in);

    /** A native pong lies there. */
    abstract void nativePong(DeviceConnection line, WsCursor message, ByteBuf in);

    @Override
    void greet(DeviceConnection line) {
        ByteBuf out = line.buffer(384);
        WsHandshake.request(
                out, host, request.path(line), request.subprotocol(line), request.headers(line), line.index());
        line.send(out);
    }

    @Override
    void read(DeviceConnection line, ByteBuf in) {
        if (!line.isUpgraded()) {
            if (line.quiet()) {
                // It asked for nothing, so this is a farewell: HTTP has a status for those who never speak.
                line.end(ConnectionEnd.NOT_ACCEPTED, CloseCodes.NONE, statusLine(in));
                line.hangUp();
                return;
            }
            if (!WsHandshake.accepted(in, request.subprotocol(line), line.index())) {
                return;
            }
            line.markUpgraded();
            upgraded(line);
        }
        WsCursor messages = line.loopContext().messages;
        while (line.listening() && messages.next(in, LARGEST)) {
            on(line, messages, in);
        }
    }

    private static String statusLine(ByteBuf in) {
        int length = Math.min(in.readableBytes(), MOST_STATUS_LINE);
        String start = in.toString(in.readerIndex(), length, StandardCharsets.US_ASCII);
        in.skipBytes(in.readableBytes());
        return start.lines().findFirst().orElse("");
    }

    private void on(DeviceConnection line, WsCursor frame, ByteBuf in) {
        switch (frame.opcode()) {
            case WsCursor.PING -> {
                line.probed();
                if (!line.quiet()) {
                    ByteBuf out = line.buffer(WsWriter.LONGEST_HEADER + frame.payloadLength());
                    begin(line, out, WsCursor.PONG, frame.payloadLength());
                    out.writeBytes(in, frame.payloadAt(), frame.payloadLength());
                    end(line, out);
                }
            }
            case WsCursor.PONG -> nativePong(line, frame, in);
            case WsCursor.CLOSE -> closed(line, frame, in);
            default -> {
                if (!frame.last() || frame.opcode() == WsCursor.CONTINUATION) {
                    throw new WireException(CloseCodes.MALFORMED, "a message in fragments");
                }
                message(line, frame, in);
            }
        }
    }

    private static void closed(DeviceConnection line, WsCursor frame, ByteBuf in) {
        int length = frame.payloadLength();
        if (length == 1) {
            throw new WireException(1002, "a close frame of one byte");
        }
        if (length == 0) {
            line.closed(NO_STATUS, "");
            return;
        }
        int code = in.getUnsignedShort(frame.payloadAt());
        line.closed(code, in.toString(frame.payloadAt() + 2, length - 2, StandardCharsets.UTF_8));
    }

    /** Starts a masked message of exactly this length. */
    static void begin(DeviceConnection line, ByteBuf out, int opcode, int length) {
        line.loopContext().writer.begin(out, opcode, length);
    }

    /** Masks and sends it. */
    static void end(DeviceConnection line, ByteBuf out) {
        line.loopContext().writer.end(out);
        line.send(out);
    }

    /** The device's half of the closing handshake; the server then closes the socket. */
    @Override
    void farewell(DeviceConnection line, int code) {
        closeFrame(line, code == NO_STATUS ? 1000 : code);
    }

    @Override
    void flood(DeviceConnection line) {
        if (line.loopContext().messagesHeldTo().echo()) {
            ByteBuf bulk = line.buffer(WsWriter.LONGEST_HEADER + BULK_BYTES);
            line.loopContext().writer.begin(bulk, WsCursor.BINARY, BULK_BYTES);
            bulk(bulk);
            line.loopContext().writer.end(bulk);
            line.sendUnnoted(bulk);
            return;
        }
        ByteBuf out = line.buffer(FLOOD * (WsWriter.LONGEST_HEADER + FrameType.MOST_PING));
        for (int i = 0; i < FLOOD; i++) {
            line.loopContext().writer.begin(out, WsCursor.PING, FrameType.MOST_PING);
            out.writeZero(FrameType.MOST_PING);
            line.loopContext().writer.end(out);
        }
        line.sendUnnoted(out);
    }

    @Override
    void beginDrip(DeviceConnection line, int bytes) {
        ByteBuf out = line.buffer(WsWriter.LONGEST_HEADER);
        line.loopContext().writer.begin(out, WsCursor.BINARY, bytes);
        line.sendUnnoted(out);
    }

    /** Writes a message of {@link #BULK_BYTES} that is sent back. */
    void bulk(ByteBuf out) {
        out.writeZero(BULK_BYTES);
    }

    /** Sends a close frame with this code. */
    static void closeFrame(DeviceConnection line, int code) {
        ByteBuf out = line.buffer(WsWriter.LONGEST_HEADER + 2);
        begin(line, out, WsCursor.CLOSE, 2);
        out.writeShort(code);
        end(line, out);
    }
}
