package io.heartwheel.baseline;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The ways a client of the comparison talks: what it says first, what a heartbeat is, and how many bytes each answer has. Rivals send and get the same
 * number of bytes: five over TCP; four in a masked message or ping over WebSocket.
 */
enum Wire {
    /** The gateway over TCP: HELLO, then PING of one byte. */
    HEARTWHEEL(Upgrade.NONE),
    /** The gateway over WebSocket with its subprotocol: a PING of nothing in a binary message. */
    HEARTWHEEL_WS(Upgrade.SUBPROTOCOL),
    /** Any WebSocket server without a subprotocol: native pings. */
    WS_PING(Upgrade.PLAIN),
    /** The baseline over TCP: a length of two bytes; first the device id, then three bytes. */
    PREFIXED(Upgrade.NONE),
    /** The baseline over WebSocket: binary messages that are sent back. */
    WS_ECHO(Upgrade.PLAIN);

    private static final int WELCOME_BYTES = 32;
    private static final int WS_HEADER_BYTES = 2;
    private static final int BINARY = 2;
    private static final int PING = 9;
    private static final int MASK = 0x37fa213d;

    private final Upgrade upgrade;

    private enum Upgrade {
        NONE,
        PLAIN,
        SUBPROTOCOL
    }

    Wire(Upgrade upgrade) {
        this.upgrade = upgrade;
    }

    /** Whether an HTTP upgrade stands before everything else. */
    boolean upgrades() {
        return upgrade != Upgrade.NONE;
    }

    /** @param intervalMillis the heartbeat asked for, by those who ask */
    byte[] upgradeRequest(String deviceId, int intervalMillis) {
        String subprotocol = upgrade == Upgrade.SUBPROTOCOL ? "Sec-WebSocket-Protocol: heartwheel.v1\r\n" : "";
        String request = "GET /ws?device=" + deviceId + "&heartbeat_ms=" + intervalMillis + " HTTP/1.1\r\n"
                + "Host: 127.0.0.1\r\n"
                + "Upgrade: websocket\r\n"
                + "Connection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Version: 13\r\n"
                + subprotocol
                + "\r\n";
        return request.getBytes(StandardCharsets.US_ASCII);
    }

    /** What the client says first, behind the upgrade if there is one; may be empty. */
    byte[] hello(String deviceId, int intervalMillis) {
        return switch (this) {
            case HEARTWHEEL -> helloFrame(deviceId, intervalMillis);
            case HEARTWHEEL_WS -> masked(BINARY, helloFrame(deviceId, intervalMillis));
            case PREFIXED -> prefixed(deviceId.getBytes(StandardCharsets.US_ASCII));
            case WS_PING, WS_ECHO -> new byte[0];
        };
    }

    int helloReplyBytes(String deviceId) {
        return switch (this) {
            case HEARTWHEEL -> WELCOME_BYTES;
            case HEARTWHEEL_WS -> WS_HEADER_BYTES + WELCOME_BYTES;
            case PREFIXED -> hello(deviceId, 0).length;
            case WS_PING, WS_ECHO -> 0;
        };
    }

    byte[] beat() {
        byte[] ping = {3, 0, 0, 0};
        return switch (this) {
            case HEARTWHEEL -> new byte[] {3, 0, 0, 1, 42};
            case HEARTWHEEL_WS, WS_ECHO -> masked(BINARY, ping);
            case WS_PING -> masked(PING, ping);
            case PREFIXED -> prefixed(new byte[] {1, 2, 3});
        };
    }

    int beatReplyBytes() {
        return upgrades() ? WS_HEADER_BYTES + 4 : 5;
    }

    /** Section 3 of the wire document. */
    private static byte[] helloFrame(String deviceId, int intervalMillis) {
        byte[] id = deviceId.getBytes(StandardCharsets.US_ASCII);
        byte[] client = "compare/1".getBytes(StandardCharsets.US_ASCII);
        int length = 16 + 1 + id.length + 2 + 1 + client.length;
        return ByteBuffer.allocate(4 + length)
                .put((byte) 1)
                .put((byte) 0)
                .putShort((short) length)
                .putShort((short) 0x4857)
                .put((byte) 1)
                .put((byte) 0)
                .putInt(intervalMillis)
                .putLong(0)
                .put((byte) id.length)
                .put(id)
                .putShort((short) 0)
                .put((byte) client.length)
                .put(client)
                .array();
    }

    private static byte[] prefixed(byte[] payload) {
        return ByteBuffer.allocate(2 + payload.length)
                .putShort((short) payload.length)
                .put(payload)
                .array();
    }

    private static byte[] masked(int opcode, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(6 + payload.length)
                .put((byte) (0x80 | opcode))
                .put((byte) (0x80 | payload.length))
                .putInt(MASK);
        for (int i = 0; i < payload.length; i++) {
            frame.put((byte) (payload[i] ^ (MASK >>> (24 - 8 * (i & 3)))));
        }
        return frame.array();
    }
}
