package io.heartwheel.protocol.websocket;

import io.heartwheel.protocol.frame.Frames;
import io.heartwheel.session.AuthStatus;
import io.heartwheel.session.GoAway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Writer of the gateway's JSON messages, without blanks, members in the order of the protocol document. Each method returns a new buffer that the caller owns. Any thread. */
final class JsonWriter {
    private static final int MOST_MEMBERS_BYTES = 96;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private JsonWriter() {}

    /** The device is in. */
    static ByteBuf welcome(
            ByteBufAllocator alloc,
            int intervalMillis,
            int graceHundredths,
            long sessionId,
            long epoch,
            int maxPayloadBytes) {
        String grace =
                BigDecimal.valueOf(graceHundredths, 2).stripTrailingZeros().toPlainString();
        return object(
                alloc,
                "{\"type\":\"welcome\",\"interval_ms\":" + intervalMillis + ",\"grace\":" + grace + ",\"session\":\""
                        + Long.toUnsignedString(sessionId) + "\",\"epoch\":\"" + Long.toUnsignedString(epoch)
                        + "\",\"max_payload\":" + maxPayloadBytes + "}");
    }

    /**
     * A message.
     *
     * @param payload UTF-8 if it is text
     */
    static ByteBuf data(ByteBufAllocator alloc, long messageId, boolean ackWanted, boolean text, byte[] payload) {
        byte[] value = text ? payload : Base64.getEncoder().encode(payload);
        ByteBuf out = alloc.ioBuffer(MOST_MEMBERS_BYTES + value.length);
        ascii(out, "{\"type\":\"data\"");
        if (messageId != 0) {
            ascii(out, ",\"id\":\"" + Long.toUnsignedString(messageId) + '"');
        }
        ascii(out, ackWanted ? ",\"ack\":true" : "");
        ascii(out, text ? ",\"text\":\"" : ",\"base64\":\"");
        string(out, value);
        ascii(out, "\"}");
        return out;
    }

    /** What became of a message. */
    static ByteBuf ack(ByteBufAllocator alloc, long messageId, int status) {
        String id = Long.toUnsignedString(messageId);
        return object(alloc, "{\"type\":\"ack\",\"id\":\"" + id + "\",\"status\":" + status + "}");
    }

    /** Answers a ping, or is just a sign of life. */
    static ByteBuf pong(ByteBufAllocator alloc) {
        return object(alloc, "{\"type\":\"pong\"}");
    }

    /** Leave soon. */
    static ByteBuf goAway(ByteBufAllocator alloc, int code, GoAway goAway) {
        ByteBuf out = object(
                alloc,
                "{\"type\":\"goaway\",\"code\":" + code + ",\"retry_min_ms\":" + goAway.retryMinMillis()
                        + ",\"retry_max_ms\":" + goAway.retryMaxMillis() + ",\"host\":\"");
        string(out, goAway.alternateHost().getBytes(StandardCharsets.UTF_8));
        ascii(out, "\"}");
        return out;
    }

    /**
     * How long what the device was admitted with is good for.
     *
     * @param leftMillis 0 if it does not expire; what is more than 32 bits hold is told as the most they do
     */
    static ByteBuf auth(ByteBufAllocator alloc, AuthStatus status, long leftMillis) {
        long told = Math.min(leftMillis, Frames.MOST_MILLIS);
        return object(alloc, "{\"type\":\"auth\",\"status\":" + status.wireCode() + ",\"remaining_ms\":" + told + "}");
    }

    private static ByteBuf object(ByteBufAllocator alloc, String text) {
        ByteBuf out = alloc.ioBuffer(MOST_MEMBERS_BYTES + text.length());
        ascii(out, text);
        return out;
    }

    private static void ascii(ByteBuf out, String text) {
        out.writeCharSequence(text, StandardCharsets.US_ASCII);
    }

    /** What is within the quotes of a string: in runs, but for what RFC 8259 section 7 wants escaped. */
    private static void string(ByteBuf out, byte[] utf8) {
        int from = 0;
        for (int at = 0; at < utf8.length; at++) {
            int octet = utf8[at];
            if (octet == '"' || octet == '\\' || (octet >= 0 && octet < ' ')) {
                out.writeBytes(utf8, from, at - from);
                escape(out, octet);
                from = at + 1;
            }
        }
        out.writeBytes(utf8, from, utf8.length - from);
    }

    private static void escape(ByteBuf out, int octet) {
        out.writeByte('\\');
        if (octet >= ' ') {
            out.writeByte(octet);
        } else if (octet == '\n') {
            out.writeByte('n');
        } else {
            ascii(out, "u00");
            out.writeByte(HEX[octet >> 4]).writeByte(HEX[octet & 0xF]);
        }
    }
}
