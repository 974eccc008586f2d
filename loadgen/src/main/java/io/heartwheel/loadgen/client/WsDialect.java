package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsHandshake;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;

/** Base of every WebSocket dialect: the upgrade, native pings, the closing handshake. */
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
    WsDialect(EnumSet<Trait> traits, String host, WsRequest request) {
        super(traits);
        this.host = host;
        this.request = request;
    }

    /** The server answered 101. */
    abstract void upgraded(DeviceConnection connection);

    /** A whole text or binary message lies where the message cursor says. */
    abstract void message(DeviceConnection connection, WsCursor message, ByteBuf in);

    /** A native pong lies there. */
    abstract void nativePong(DeviceConnection connection, WsCursor message, ByteBuf in);

    @Override
    void greet(DeviceConnection connection) {
        ByteBuf out = connection.buffer(384);
        WsHandshake.request(
                out,
                host,
                request.path(connection),
                request.subprotocol(connection),
                request.headers(connection),
                connection.index());
        connection.send(out);
    }

    @Override
    void read(DeviceConnection connection, ByteBuf in) {
        if (!connection.isUpgraded()) {
            if (connection.quiet()) {
                // It asked for nothing, so this is a farewell: HTTP has a status for those who never speak.
                connection.end(ConnectionEnd.NOT_ACCEPTED, CloseCodes.NONE, statusLine(in));
                connection.hangUp();
                return;
            }
            if (!WsHandshake.accepted(in, request.subprotocol(connection), connection.index())) {
                return;
            }
            connection.markUpgraded();
            upgraded(connection);
        }
        WsCursor messages = connection.loopContext().messages;
        while (connection.listening() && messages.next(in, LARGEST)) {
            on(connection, messages, in);
        }
    }

    private static String statusLine(ByteBuf in) {
        int length = Math.min(in.readableBytes(), MOST_STATUS_LINE);
        String start = in.toString(in.readerIndex(), length, StandardCharsets.US_ASCII);
        in.skipBytes(in.readableBytes());
        return start.lines().findFirst().orElse("");
    }

    private void on(DeviceConnection connection, WsCursor frame, ByteBuf in) {
        switch (frame.opcode()) {
            case WsCursor.PING -> {
                connection.probed();
                if (!connection.quiet()) {
                    ByteBuf out = connection.buffer(WsWriter.LONGEST_HEADER + frame.payloadLength());
                    begin(connection, out, WsCursor.PONG, frame.payloadLength());
                    out.writeBytes(in, frame.payloadAt(), frame.payloadLength());
                    end(connection, out);
                }
            }
            case WsCursor.PONG -> nativePong(connection, frame, in);
            case WsCursor.CLOSE -> closed(connection, frame, in);
            default -> {
                if (!frame.last() || frame.opcode() == WsCursor.CONTINUATION) {
                    throw new WireException(CloseCodes.MALFORMED, "a message in fragments");
                }
                message(connection, frame, in);
            }
        }
    }

    private static void closed(DeviceConnection connection, WsCursor frame, ByteBuf in) {
        int length = frame.payloadLength();
        if (length == 1) {
            throw new WireException(1002, "a close frame of one byte");
        }
        if (length == 0) {
            connection.closed(NO_STATUS, "");
            return;
        }
        int code = in.getUnsignedShort(frame.payloadAt());
        connection.closed(code, in.toString(frame.payloadAt() + 2, length - 2, StandardCharsets.UTF_8));
    }

    /** Starts a masked message of exactly this length. */
    static void begin(DeviceConnection connection, ByteBuf out, int opcode, int length) {
        connection.loopContext().writer.begin(out, opcode, length);
    }

    /** Masks and sends it. */
    static void end(DeviceConnection connection, ByteBuf out) {
        connection.loopContext().writer.end(out);
        connection.send(out);
    }

    /** The device's half of the closing handshake; the server then closes the socket. */
    @Override
    void farewell(DeviceConnection connection, int code) {
        closeFrame(connection, code == NO_STATUS ? 1000 : code);
    }

    @Override
    void flood(DeviceConnection connection) {
        if (connection.loopContext().messageContract().echo()) {
            ByteBuf bulk = connection.buffer(WsWriter.LONGEST_HEADER + BULK_BYTES);
            connection.loopContext().writer.begin(bulk, WsCursor.BINARY, BULK_BYTES);
            bulk(bulk);
            connection.loopContext().writer.end(bulk);
            connection.sendUnnoted(bulk);
            return;
        }
        ByteBuf out = connection.buffer(FLOOD * (WsWriter.LONGEST_HEADER + FrameType.MOST_PING));
        for (int i = 0; i < FLOOD; i++) {
            connection.loopContext().writer.begin(out, WsCursor.PING, FrameType.MOST_PING);
            out.writeZero(FrameType.MOST_PING);
            connection.loopContext().writer.end(out);
        }
        connection.sendUnnoted(out);
    }

    @Override
    void beginUnfinished(DeviceConnection connection, int bytes) {
        ByteBuf out = connection.buffer(WsWriter.LONGEST_HEADER);
        connection.loopContext().writer.begin(out, WsCursor.BINARY, bytes);
        connection.sendUnnoted(out);
    }

    /** Writes a message of {@link #BULK_BYTES} that is sent back. */
    void bulk(ByteBuf out) {
        out.writeZero(BULK_BYTES);
    }

    /** Sends a close frame with this code. */
    static void closeFrame(DeviceConnection connection, int code) {
        ByteBuf out = connection.buffer(WsWriter.LONGEST_HEADER + 2);
        begin(connection, out, WsCursor.CLOSE, 2);
        out.writeShort(code);
        end(connection, out);
    }
}
