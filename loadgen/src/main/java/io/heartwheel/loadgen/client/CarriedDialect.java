package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.Frames;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsHandshake;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

/**
 * Base of the dialects whose messages go over TCP as they are, or in messages of a WebSocket: the latter's upgrade, native
 * pings and closing handshake.
 */
abstract class CarriedDialect extends Dialect {

    /** RFC 6455, 7.4.1: the connection has done what it was for. */
    static final int NORMAL = 1000;
    /** The same: seen when a close frame carries no code. */
    private static final int NO_STATUS = 1005;

    private static final int MOST_STATUS_LINE = 80;

    private final String host;
    private final @Nullable WsRequest request;

    /**
     * A dialect.
     *
     * @param host value of the Host header
     * @param request how each device asks for its WebSocket; null: over TCP
     */
    CarriedDialect(EnumSet<Trait> traits, String host, @Nullable WsRequest request) {
        super(traits);
        this.host = host;
        this.request = request;
    }

    /** Whether a WebSocket carries its messages; else TCP does. */
    final boolean overWebSocket() {
        return request != null;
    }

    /** A path that is the device's own, up to what it asks for, is its name. */
    @Override
    public String wireId(int index, DeviceDefaults defaults) {
        String id = super.wireId(index, defaults);
        if (request == null || !request.path().isIndividual()) {
            return id;
        }
        String path = request.path().of(index, defaults).replaceFirst("\\?.*", "");
        return path.contains(id) ? id : path;
    }

    /** The connection is made, and upgraded if it had to be: say the first thing. */
    abstract void begun(DeviceConnection connection);

    /** Bytes came over TCP; as {@link #read}. */
    void readStream(DeviceConnection connection, ByteBuf in) {
        throw new IllegalStateException("a dialect for WebSockets alone");
    }

    /** A whole text or binary message lies where the message cursor says. */
    abstract void message(DeviceConnection connection, WsCursor message, ByteBuf in);

    /** A native pong lies there: a sign of life nobody asked for, unless native pings are heartbeats. */
    void nativePong(DeviceConnection connection, WsCursor message, ByteBuf in) {}

    @Override
    void greet(DeviceConnection connection) {
        if (request == null) {
            begun(connection);
            return;
        }
        ByteBuf out = connection.buffer(384 + connection.token().length());
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
        if (request == null) {
            readStream(connection, in);
            return;
        }
        if (!connection.isUpgraded()) {
            if (connection.quiet() || WsHandshake.refused(in)) {
                // To one that asked for nothing this is a farewell: HTTP has a status for those who never speak.
                connection.end(ConnectionEnd.NOT_ACCEPTED, CloseCodes.NONE, statusLine(in));
                connection.hangUp();
                return;
            }
            if (!WsHandshake.accepted(in, request.subprotocol(connection), connection.index())) {
                return;
            }
            connection.markUpgraded();
            begun(connection);
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
                    ByteBuf out = begin(connection, WsCursor.PONG, frame.payloadLength());
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

    /** A buffer for a message of exactly so many bytes, which are written next. */
    final ByteBuf begin(DeviceConnection connection, int opcode, int bytes) {
        if (!overWebSocket()) {
            return connection.buffer(bytes);
        }
        ByteBuf out = connection.buffer(WsWriter.LONGEST_HEADER + bytes);
        connection.loopContext().writer.begin(out, opcode, bytes);
        return out;
    }

    /** Masks it where that has to be, and sends it. */
    final void end(DeviceConnection connection, ByteBuf out) {
        if (overWebSocket()) {
            connection.loopContext().writer.end(out);
        }
        connection.send(out);
    }

    /** Sends a native ping that carries the number of a heartbeat. */
    final void nativePing(DeviceConnection connection, int sequence) {
        ByteBuf out = begin(connection, WsCursor.PING, Frames.BEAT_PAYLOAD);
        out.writeInt(sequence);
        end(connection, out);
    }

    /** Over WebSocket the device's half of the closing handshake; the server then closes the socket. */
    @Override
    void farewell(DeviceConnection connection, int code) {
        if (overWebSocket()) {
            closeFrame(connection, code == NO_STATUS ? NORMAL : code);
        } else {
            super.farewell(connection, code);
        }
    }

    @Override
    void flood(DeviceConnection connection) {
        ByteBuf out = connection.buffer(FLOOD * FrameType.MOST_PING);
        for (int i = 0; i < FLOOD && out.readableBytes() < BULK_BYTES; i++) {
            question(connection, out);
        }
        connection.sendUnnoted(out);
    }

    /** Writes a question that is answered at some length, or where messages come back one of {@link #BULK_BYTES}; this one over WebSocket. */
    void question(DeviceConnection connection, ByteBuf out) {
        WsWriter writer = connection.loopContext().writer;
        if (connection.loopContext().messageContract().echo()) {
            writer.begin(out, WsCursor.BINARY, BULK_BYTES);
            bulk(out);
        } else {
            writer.begin(out, WsCursor.PING, FrameType.MOST_PING);
            out.writeZero(FrameType.MOST_PING);
        }
        writer.end(out);
    }

    /** Writes a message of {@link #BULK_BYTES} that is sent back. */
    void bulk(ByteBuf out) {
        out.writeZero(BULK_BYTES);
    }

    /** Over WebSocket. */
    @Override
    void beginUnfinished(DeviceConnection connection, int bytes) {
        ByteBuf out = connection.buffer(WsWriter.LONGEST_HEADER);
        connection.loopContext().writer.begin(out, WsCursor.BINARY, bytes);
        connection.sendUnnoted(out);
    }

    @Override
    void leave(DeviceConnection connection) {
        if (overWebSocket()) {
            closeFrame(connection, NORMAL);
        } else {
            connection.hangUp();
        }
    }

    /** Sends a close frame with this code. */
    final void closeFrame(DeviceConnection connection, int code) {
        ByteBuf out = begin(connection, WsCursor.CLOSE, 2);
        out.writeShort(code);
        end(connection, out);
    }
}
