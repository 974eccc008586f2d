package io.heartwheel.protocol.websocket;

import io.heartwheel.event.CloseReason;
import io.heartwheel.fuzz.Octets;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.Utf8;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Any text as a JSON message: understood, or refused without a quotation. Any payload in a message of the gateway: read as it was written. */
public final class JsonFuzz {
    private static final int MOST = 64;
    /** A character that no refusal has of its own. */
    private static final String SECRET = "~";

    private JsonFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws ProtocolViolation {
        read(new String(input, StandardCharsets.UTF_8));
        Octets octets = new Octets(input);
        int flags = octets.next();
        byte[] payload = octets.rest();
        boolean text = (flags & 1) != 0 && Utf8.isWellFormed(Unpooled.wrappedBuffer(payload), 0, payload.length);
        boolean ack = (flags & 2) != 0;
        long id = (long) flags << 56 | payload.length;
        ByteBuf json = JsonWriter.data(UnpooledByteBufAllocator.DEFAULT, id, ack, text, payload);
        JsonMessage message = JsonMessage.read(json.toString(StandardCharsets.UTF_8));
        json.release();
        if (message.id() != id
                || message.ackWanted() != ack
                || message.isText() != text
                || !Arrays.equals(payload, message.payload(payload.length))) {
            throw new AssertionError("read otherwise than written: " + id + " " + ack + " " + text);
        }
    }

    private static void read(String json) {
        try {
            JsonMessage message = JsonMessage.read(json);
            if (message.type().equals("auth")) {
                message.token();
            } else if (message.payload(MOST).length > MOST) {
                throw new AssertionError("more than " + MOST);
            }
        } catch (ProtocolViolation violation) {
            CloseReason reason = violation.reason();
            boolean known = reason == CloseReason.MALFORMED
                    || reason == CloseReason.BAD_UTF8
                    || reason == CloseReason.TOO_LARGE;
            if (!known || violation.text().contains(SECRET)) {
                throw new AssertionError(reason + ": " + violation.text());
            }
        }
    }
}
