package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsHandshake;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What every WebSocket dialect has in common: the upgrade, native pings, the closing handshake. */
abstract class WsDialect extends Dialect {

    /** RFC 6455, 7.4.1: seen when a close frame carries no code. */
    private static final int NO_STATUS = 1005;

    private final String host;
    private final @Nullable String subprotocol;

    /**
     * A dialect towards one host.
     *
     * @param host value of the Host header
     * @param subprotocol asked for, or null for none
     */
    WsDialect(String host, @Nullable String subprotocol) {
        this.host = host;
        this.subprotocol = subprotocol;
    }

    /** Request target of the upgrade. */
    abstract String path(Device device);

    /** The server answered 101. */
    abstract void upgraded(Device device);

    /** A whole text or binary message lies where the crew's message cursor says. */
    abstract void message(Device device, WsCursor message, ByteBuf in);

    /** A native pong lies there. */
    abstract void nativePong(Device device, WsCursor message, ByteBuf in);

    @Override
    void greet(Device device) {
        ByteBuf out = device.buffer(384);
        WsHandshake.request(out, host, path(device), subprotocol, device.index());
        device.send(out);
    }

    @Override
    void read(Device device, ByteBuf in) {
        if (!device.isUpgraded()) {
            if (!WsHandshake.accepted(in, subprotocol, device.index())) {
                return;
            }
            device.markUpgraded();
            upgraded(device);
        }
        WsCursor messages = device.crew().messages;
        while (device.listening() && messages.next(in, LARGEST)) {
            on(device, messages, in);
        }
    }

    private void on(Device device, WsCursor frame, ByteBuf in) {
        switch (frame.opcode()) {
            case WsCursor.PING:
                device.probed();
                if (!device.silent()) {
                    ByteBuf out = device.buffer(WsWriter.LONGEST_HEADER + frame.payloadLength());
                    begin(device, out, WsCursor.PONG, frame.payloadLength());
                    out.writeBytes(in, frame.payloadAt(), frame.payloadLength());
                    end(device, out);
                }
                break;
            case WsCursor.PONG:
                nativePong(device, frame, in);
                break;
            case WsCursor.CLOSE:
                closed(device, frame, in);
                break;
            default:
                if (!frame.last() || frame.opcode() == WsCursor.CONTINUATION) {
                    throw new WireException(CloseCodes.MALFORMED, "a message in fragments");
                }
                message(device, frame, in);
                break;
        }
    }

    private static void closed(Device device, WsCursor frame, ByteBuf in) {
        int length = frame.payloadLength();
        if (length == 1) {
            throw new WireException(1002, "a close frame of one byte");
        }
        if (length == 0) {
            device.closed(NO_STATUS, "");
            return;
        }
        int code = in.getUnsignedShort(frame.payloadAt());
        device.closed(code, in.toString(frame.payloadAt() + 2, length - 2, StandardCharsets.UTF_8));
    }

    /** Starts a masked message of exactly this length. */
    static void begin(Device device, ByteBuf out, int opcode, int length) {
        device.crew().writer.begin(out, opcode, length);
    }

    /** Masks and sends it. */
    static void end(Device device, ByteBuf out) {
        device.crew().writer.end(out);
        device.send(out);
    }

    /** The device's half of the closing handshake; the server then closes the socket. */
    @Override
    void farewell(Device device, int code) {
        closeFrame(device, code == NO_STATUS ? 1000 : code);
    }

    /** Sends a close frame with this code. */
    static void closeFrame(Device device, int code) {
        ByteBuf out = device.buffer(WsWriter.LONGEST_HEADER + 2);
        begin(device, out, WsCursor.CLOSE, 2);
        out.writeShort(code);
        end(device, out);
    }
}
