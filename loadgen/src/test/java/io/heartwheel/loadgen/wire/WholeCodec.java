package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** {@link FrameCodec} and the other half of section 3, which only a gateway needs: HELLO and a newer token to a value, all else to bytes. */
public final class WholeCodec {

    private static final int LONGEST_ID = 128;
    private static final int LONGEST_TOKEN = 4_096;
    private static final int LONGEST_NAME = 64;

    /** Characters that break a line, or show it in another order than it is written. */
    private static final Pattern TROUBLE =
            Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}\\x{061C}\\x{200E}\\x{200F}\\x{202A}-\\x{202E}\\x{2066}-\\x{2069}]");

    private WholeCodec() {}

    /** The value of the frame the cursor stands on. */
    public static Frame decode(FrameCursor cursor, ByteBuf in) {
        if (cursor.type() != FrameType.HELLO) {
            return FrameCodec.decode(cursor, in);
        }
        try {
            return hello(in.slice(cursor.payloadAt(), cursor.payloadLength()));
        } catch (IndexOutOfBoundsException e) {
            throw new WireException(CloseCodes.MALFORMED, "HELLO ends inside a field");
        }
    }

    private static Frame hello(ByteBuf payload) {
        if (payload.readableBytes() < 2 || payload.readUnsignedShort() != FrameCodec.MAGIC) {
            throw new WireException(CloseCodes.BAD_MAGIC, "HELLO without HW");
        }
        int version = payload.readUnsignedByte();
        if (version != FrameCodec.VERSION) {
            throw new WireException(CloseCodes.BAD_VERSION, "version " + version + ": need 1");
        }
        int features = payload.readUnsignedByte();
        long interval = payload.readUnsignedInt();
        long epoch = payload.readLong();
        String id = FrameCodec.text(payload, idLength(payload.readUnsignedByte()));
        checkIdentity(id);
        String token = FrameCodec.text(payload, atMost(payload.readUnsignedShort(), LONGEST_TOKEN, "token"));
        String name = FrameCodec.text(payload, atMost(payload.readUnsignedByte(), LONGEST_NAME, "client name"));
        if (TROUBLE.matcher(name).find()) {
            throw new WireException(CloseCodes.MALFORMED, "client name with a character that breaks a line");
        }
        return new Frame.Hello(features, interval, epoch, id, token, name);
    }

    /** The token of an AUTH from a device. */
    public static Frame.Renewal renewal(FrameCursor cursor, ByteBuf in) {
        if (cursor.payloadLength() == 0) {
            throw new WireException(CloseCodes.MALFORMED, "AUTH without a token");
        }
        return new Frame.Renewal(
                FrameCodec.text(in.slice(cursor.payloadAt(), cursor.payloadLength()), cursor.payloadLength()));
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

    /** Writes the frame, header and all, in the form the document demands for its length. */
    public static void encode(Frame frame, ByteBuf out) {
        if (frame instanceof Frame.Hello hello) {
            FrameCodec.hello(hello, out);
        } else if (frame instanceof Frame.Renewal renewal) {
            FrameCodec.renewal(renewal.token(), out);
        } else if (frame instanceof Frame.Welcome welcome) {
            Frames.header(out, FrameType.WELCOME, 0, 28);
            out.writeByte(FrameCodec.VERSION).writeByte(0).writeInt((int) welcome.intervalMillis());
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

    private static void encodeEnding(Frame frame, ByteBuf out) {
        if (frame instanceof Frame.Ack ack) {
            Frames.header(out, FrameType.ACK, 0, 9);
            out.writeLong(ack.id()).writeByte(ack.status());
        } else if (frame instanceof Frame.Goaway goaway) {
            byte[] host = goaway.host().getBytes(StandardCharsets.UTF_8);
            Frames.header(out, FrameType.GOAWAY, 0, 11 + host.length);
            out.writeShort(goaway.code()).writeInt((int) goaway.retryMinMillis());
            out.writeInt((int) goaway.retryMaxMillis()).writeByte(host.length).writeBytes(host);
        } else if (frame instanceof Frame.AuthAnswer answer) {
            Frames.header(out, FrameType.AUTH, 0, 5);
            out.writeByte(answer.status()).writeInt((int) answer.remainingMillis());
        } else if (frame instanceof Frame.Close close) {
            byte[] text = close.text().getBytes(StandardCharsets.UTF_8);
            Frames.header(out, FrameType.CLOSE, 0, 2 + text.length);
            out.writeShort(close.code()).writeBytes(text);
        }
    }
}
