package io.heartwheel.process;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** One frame of section 2 of the wire document. */
record WireFrame(int type, int flags, byte[] payload) {
    static final int HELLO = 1;
    static final int WELCOME = 2;
    static final int PING = 3;
    static final int PONG = 4;
    static final int DATA = 5;
    static final int ACK = 6;
    static final int GOAWAY = 7;
    static final int CLOSE = 8;
    static final int AUTH = 9;

    static final int WANTS_ACK = 1;
    static final int TEXT = 2;

    /** The frame's bytes. */
    static byte[] encode(int type, int flags, byte... payload) {
        boolean extended = payload.length > 0xFFFF;
        ByteBuffer bytes = ByteBuffer.allocate(8 + payload.length);
        bytes.put((byte) type).put((byte) (extended ? flags | 0x80 : flags));
        bytes.putShort((short) (extended ? 0 : payload.length));
        if (extended) {
            bytes.putInt(payload.length);
        }
        return cut(bytes.put(payload));
    }

    /** A HELLO that asks for nothing. */
    static byte[] hello(String device) {
        return hello(device, 0, 0, "", "");
    }

    static byte[] hello(String device, long wantedMillis, long lastEpoch, String token, String client) {
        return hello(device.getBytes(StandardCharsets.UTF_8), wantedMillis, lastEpoch, token, client);
    }

    static byte[] hello(byte[] device, long wantedMillis, long lastEpoch, String token, String client) {
        byte[] secret = token.getBytes(StandardCharsets.UTF_8);
        byte[] name = client.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(20 + device.length + secret.length + name.length);
        bytes.put((byte) 'H').put((byte) 'W').put((byte) 1).put((byte) 0);
        bytes.putInt((int) wantedMillis).putLong(lastEpoch);
        bytes.put((byte) device.length).put(device);
        bytes.putShort((short) secret.length).put(secret);
        bytes.put((byte) name.length).put(name);
        return encode(HELLO, 0, cut(bytes));
    }

    static byte[] data(long id, int flags, byte... payload) {
        return encode(
                DATA,
                flags,
                cut(ByteBuffer.allocate(8 + payload.length).putLong(id).put(payload)));
    }

    static byte[] data(long id, int flags, String text) {
        return data(id, flags, text.getBytes(StandardCharsets.UTF_8));
    }

    /** This HELLO, of a device that understands AUTH. */
    static byte[] understandingAuth(byte[] hello) {
        byte[] told = hello.clone();
        told[4 + 3] |= 1;
        return told;
    }

    private static byte[] cut(ByteBuffer bytes) {
        byte[] whole = new byte[bytes.position()];
        bytes.flip().get(whole);
        return whole;
    }

    private ByteBuffer at(int index) {
        return ByteBuffer.wrap(payload).position(index);
    }

    /** Of CLOSE and GOAWAY. */
    int code() {
        return at(0).getShort() & 0xFFFF;
    }

    /** Of CLOSE: the words. */
    String words() {
        return new String(payload, 2, payload.length - 2, StandardCharsets.UTF_8);
    }

    /** Of GOAWAY. */
    long retryMinMillis() {
        return at(2).getInt() & 0xFFFFFFFFL;
    }

    /** Of GOAWAY. */
    long retryMaxMillis() {
        return at(6).getInt() & 0xFFFFFFFFL;
    }

    /** Of GOAWAY: the alternate host. */
    String host() {
        return new String(payload, 11, payload[10] & 0xFF, StandardCharsets.UTF_8);
    }

    /** Of WELCOME. */
    long intervalMillis() {
        return at(2).getInt() & 0xFFFFFFFFL;
    }

    /** Of WELCOME. */
    int graceHundredths() {
        return at(6).getShort() & 0xFFFF;
    }

    /** Of WELCOME. */
    long session() {
        return at(8).getLong();
    }

    /** Of WELCOME. */
    long epoch() {
        return at(16).getLong();
    }

    /** Of DATA and ACK: the message id. */
    long id() {
        return at(0).getLong();
    }

    /** Of AUTH. */
    int admission() {
        return payload[0];
    }

    /** Of AUTH. */
    long remainingMillis() {
        return at(1).getInt() & 0xFFFFFFFFL;
    }

    /** Of ACK. */
    int status() {
        return payload[8];
    }

    /** Of DATA: what it carries. */
    byte[] message() {
        byte[] message = new byte[payload.length - 8];
        at(8).get(message);
        return message;
    }

    /** Of DATA: what it carries, as text. */
    String text() {
        return new String(message(), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        String hex = HexFormat.of().formatHex(payload, 0, Math.min(payload.length, 64));
        return "type " + type + " flags " + flags + " of " + payload.length + ": " + hex
                + (type == CLOSE && payload.length >= 2 ? " CLOSE " + code() + " " + words() : "");
    }
}
