package io.heartwheel.protocol.websocket;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.WireForms;
import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.session.AuthStatus;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Connection of a device that speaks JSON in WebSocket text messages, subprotocol {@code heartwheel.json.v1}: plain WebSocket with acknowledgements. Its
 * messages count as the frames of the same names.
 *
 * <p>Owner: the channel's event loop.
 */
final class JsonConnection extends RequestConnection {
    static final String PROTOCOL = "heartwheel.json.v1";

    JsonConnection(SessionContext sessionContext, int maxPayloadBytes, UpgradeRequest request) {
        super(sessionContext, maxPayloadBytes, request);
    }

    @Override
    void begin(UpgradeRequest.Device device) {
        hello(device.id(), device.token(), device.wantedMillis(), 0, "", true);
    }

    @Override
    protected void welcome() {
        super.welcome();
        int graceHundredths = sessionContext().policy().graceHundredths();
        say(
                FrameType.WELCOME,
                JsonWriter.welcome(
                        alloc(), intervalMillis(), graceHundredths, sessionId(), epoch(), maxPayloadBytes()));
    }

    @Override
    public String protocolName() {
        return PROTOCOL;
    }

    // ------------------------------------------------------------------ in

    @Override
    public int maxMessageBytes() {
        return JsonMessage.maxBytes(maxPayloadBytes());
    }

    @Override
    public void requireTaken(int opcode) throws ProtocolViolation {
        if (opcode == Opcode.BINARY) {
            throw new ProtocolViolation(CloseReason.UNKNOWN_TYPE, "a binary message: need text ones");
        }
    }

    @Override
    public void message(boolean text, ByteBuf in, int index, int length, long nowNanos) throws ProtocolViolation {
        take(JsonMessage.read(in.toString(index, length, StandardCharsets.UTF_8)));
    }

    @Override
    public void message(boolean text, byte[] utf8, long nowNanos) throws ProtocolViolation {
        take(JsonMessage.read(new String(utf8, StandardCharsets.UTF_8)));
    }

    private void take(JsonMessage message) throws ProtocolViolation {
        switch (message.type()) {
            case "data" -> {
                frameIn(FrameType.DATA);
                byte[] payload = message.payload(maxPayloadBytes());
                data(message.id(), message.isText(), payload, message.ackWanted());
            }
            case "ack" -> {
                frameIn(FrameType.ACK);
                message.requireId();
                peerAcknowledged(message.id(), message.status() == ACCEPTED);
            }
            case "ping" -> {
                frameIn(FrameType.PING);
                sendKeepAlive();
            }
            case "auth" -> {
                frameIn(FrameType.AUTH);
                if (!renew(message.token())) {
                    throw JsonMessage.malformed("auth before the answer to the one before");
                }
            }
            default -> throw new ProtocolViolation(CloseReason.UNKNOWN_TYPE, "JSON: need a type that is known");
        }
    }

    // ------------------------------------------------------------------ out

    private void say(int type, ByteBuf json) {
        frameOut(type);
        send(framed(json, 0));
    }

    /** @param windowBits 0 for what is short: only the payload of a message is worth the work */
    private ByteBuf framed(ByteBuf json, int windowBits) {
        return WebSocketFrameEncoder.message(alloc(), Opcode.TEXT, json, windowBits);
    }

    @Override
    int wireForm() {
        return WireForms.JSON + windowBits();
    }

    @Override
    ByteBuf encodeData(long messageId, boolean ackWanted, boolean text, byte[] payload) {
        return framed(JsonWriter.data(alloc(), messageId, ackWanted, text, payload), windowBits());
    }

    @Override
    protected ByteBuf encodeAck(long messageId, int status) {
        return framed(JsonWriter.ack(alloc(), messageId, status), 0);
    }

    /** A page in a browser hears nothing of native pings and pongs. */
    @Override
    protected void sendKeepAlive() {
        say(FrameType.PONG, JsonWriter.pong(alloc()));
    }

    @Override
    protected void sendAuth(AuthStatus status, long leftMillis) {
        say(FrameType.AUTH, JsonWriter.auth(alloc(), status, leftMillis));
    }

    @Override
    void sayGoAway(CloseReason reason, GoAway goAway) {
        say(FrameType.GOAWAY, JsonWriter.goAway(alloc(), reason.wireCode(), goAway));
    }
}
