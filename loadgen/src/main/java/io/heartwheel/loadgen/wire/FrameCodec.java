package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Frames as values to bytes and back, section 3 of the wire document. Allocates; heartbeats go past it through {@link
 * Frames}. Stateless: any thread.
 */
public final class FrameCodec {

    private static final int MAGIC = 0x4857;
    private static final int VERSION = 1;
    private static final int LONGEST_ID = 128;
    private static final int LONGEST_TOKEN = 1_024;
    private static final int LONGEST_NAME = 64;

    /** Characters that break a line, or show it in another order than it is written. */
    private static final Pattern TROUBLE =
            Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}\\x{061C}\\x{200E}\\x{200F}\\x{202A}-\\x{202E}\\x{2066}-\\x{2069}]");

    private FrameCodec() {}

    /**
     * The value of the frame the cursor stands on.
     *
     * @throws WireException when the payload breaks section 3
     */
    public static Frame decode(FrameCursor cursor, ByteBuf in) {
        Payload payload = new Payload(in, cursor.payloadAt(), cursor.payloadLength(), FrameType.name(cursor.type()));
        return switch (cursor.type()) {
            case FrameType.HELLO -> hello(payload);
            case FrameType.WELCOME -> welcome(payload);
            case FrameType.PING -> new Frame.Ping(payload.rest());
            case FrameType.PONG -> new Frame.Pong(payload.rest());
            case FrameType.DATA -> data(cursor.flags(), payload);
            case FrameType.ACK -> new Frame.Ack(payload.u64(), payload.u8());
            case FrameType.GOAWAY ->
                new Frame.Goaway(payload.u16(), payload.u32(), payload.u32(), payload.text(payload.u8()));
            default -> new Frame.Close(payload.u16(), payload.restText());
        };
    }

    private static Frame hello(Payload payload) {
        if (payload.length() < 2 || payload.u16() != MAGIC) {
            throw new WireException(CloseCodes.BAD_MAGIC, "HELLO without HW");
        }
        int version = payload.u8();
        if (version != VERSION) {
            throw new WireException(CloseCodes.BAD_VERSION, "version " + version + ": need 1");
        }
        payload.u8();
        long interval = payload.u32();
        long epoch = payload.u64();
        String id = payload.text(idLength(payload.u8()));
        checkIdentity(id);
        String token = payload.text(atMost(payload.u16(), LONGEST_TOKEN, "token"));
        String name = payload.text(atMost(payload.u8(), LONGEST_NAME, "client name"));
        if (TROUBLE.matcher(name).find()) {
            throw new WireException(CloseCodes.MALFORMED, "client name with a character that breaks a line");
        }
        return new Frame.Hello(interval, epoch, id, token, name);
    }

    private static int atMost(int length, int limit, String field) {
        if (length > limit) {
            throw new WireException(CloseCodes.MALFORMED, field + " of " + length + " bytes: at most " + limit);
        }
        return length;
    }

    private static int idLength(int bytes) {
        if (bytes < 1 || bytes > LONGEST_ID) {
            throw new WireException(CloseCodes.BAD_IDENTITY, "device id of " + bytes + " bytes: need 1..128");
        }
        return bytes;
    }

    private static void checkIdentity(String id) {
        if (TROUBLE.matcher(id).find()) {
            throw new WireException(CloseCodes.BAD_IDENTITY, "device id with a character that breaks a line");
        }
    }

    private static Frame welcome(Payload payload) {
        int version = payload.u8();
        if (version != VERSION) {
            throw new WireException(CloseCodes.BAD_VERSION, "version " + version + ": need 1");
        }
        payload.u8();
        return new Frame.Welcome(payload.u32(), payload.u16(), payload.u64(), payload.u64(), payload.u32());
    }

    private static Frame data(int flags, Payload payload) {
        boolean text = (flags & FrameType.FLAG_TEXT) != 0;
        long id = payload.u64();
        Frame.Bytes bytes = payload.rest();
        if (text) {
            utf8(bytes.array());
        }
        return new Frame.Data(id, (flags & FrameType.FLAG_ACK) != 0, text, bytes);
    }

    /** Writes the frame, header and all, in the form the document demands for its length. */
    public static void encode(Frame frame, ByteBuf out) {
        if (frame instanceof Frame.Hello hello) {
            encodeHello(hello, out);
        } else if (frame instanceof Frame.Welcome welcome) {
            Frames.header(out, FrameType.WELCOME, 0, 28);
            out.writeByte(VERSION).writeByte(0).writeInt((int) welcome.intervalMillis());
            out.writeShort(welcome.graceHundredths()).writeLong(welcome.sessionId());
            out.writeLong(welcome.epoch()).writeInt((int) welcome.payloadLimit());
        } else if (frame instanceof Frame.Ping ping) {
            Frames.header(out, FrameType.PING, 0, ping.payload().array().length);
            out.writeBytes(ping.payload().array());
        } else if (frame instanceof Frame.Pong pong) {
            Frames.header(out, FrameType.PONG, 0, pong.payload().array().length);
            out.writeBytes(pong.payload().array());
        } else if (frame instanceof Frame.Data data) {
            int flags = (data.ackWanted() ? FrameType.FLAG_ACK : 0) | (data.text() ? FrameType.FLAG_TEXT : 0);
            Frames.header(out, FrameType.DATA, flags, data.payload().array().length + 8);
            out.writeLong(data.id()).writeBytes(data.payload().array());
        } else {
            encodeEnding(frame, out);
        }
    }

    private static void encodeHello(Frame.Hello hello, ByteBuf out) {
        byte[] id = hello.deviceId().getBytes(StandardCharsets.UTF_8);
        byte[] token = hello.token().getBytes(StandardCharsets.UTF_8);
        byte[] name = hello.clientName().getBytes(StandardCharsets.UTF_8);
        Frames.header(out, FrameType.HELLO, 0, 20 + id.length + token.length + name.length);
        out.writeShort(MAGIC).writeByte(VERSION).writeByte(0);
        out.writeInt((int) hello.intervalMillis()).writeLong(hello.lastEpoch());
        out.writeByte(id.length).writeBytes(id);
        out.writeShort(token.length).writeBytes(token);
        out.writeByte(name.length).writeBytes(name);
    }

    private static void encodeEnding(Frame frame, ByteBuf out) {
        if (frame instanceof Frame.Ack ack) {
            Frames.header(out, FrameType.ACK, 0, 9);
            out.writeLong(ack.id()).writeByte(ack.status());
        } else if (frame instanceof Frame.Goaway goaway) {
            byte[] host = goaway.host().getBytes(StandardCharsets.UTF_8);
            Frames.header(out, FrameType.GOAWAY, 0, 11 + host.length);
            out.writeShort(goaway.code()).writeInt((int) goaway.retryMinMillis());
            out.writeInt((int) goaway.retryMaxMillis()).writeByte(host.length).writeBytes(host);
        } else if (frame instanceof Frame.Close close) {
            byte[] text = close.text().getBytes(StandardCharsets.UTF_8);
            Frames.header(out, FrameType.CLOSE, 0, 2 + text.length);
            out.writeShort(close.code()).writeBytes(text);
        }
    }

    private static String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new WireException(CloseCodes.BAD_UTF8, "text that is not UTF-8");
        }
    }

    /** A payload being read field by field; ending inside a field is 4406. */
    private static final class Payload {
        private final ByteBuf in;
        private final int end;
        private final String frame;
        private int at;

        Payload(ByteBuf in, int at, int length, String frame) {
            this.in = in;
            this.at = at;
            this.end = at + length;
            this.frame = frame;
        }

        private int take(int bytes) {
            if (end - at < bytes) {
                throw new WireException(CloseCodes.MALFORMED, frame + " ends inside a field");
            }
            int from = at;
            at += bytes;
            return from;
        }

        int length() {
            return end - at;
        }

        int u8() {
            return in.getUnsignedByte(take(1));
        }

        int u16() {
            return in.getUnsignedShort(take(2));
        }

        long u32() {
            return in.getUnsignedInt(take(4));
        }

        long u64() {
            return in.getLong(take(8));
        }

        String text(int length) {
            byte[] bytes = new byte[length];
            in.getBytes(take(length), bytes);
            return utf8(bytes);
        }

        String restText() {
            return text(end - at);
        }

        Frame.Bytes rest() {
            byte[] bytes = new byte[end - at];
            in.getBytes(take(bytes.length), bytes);
            return new Frame.Bytes(bytes);
        }
    }
}
