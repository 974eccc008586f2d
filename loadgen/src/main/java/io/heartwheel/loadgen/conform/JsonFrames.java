package io.heartwheel.loadgen.conform;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.GatewayCodec;
import io.heartwheel.loadgen.wire.WireException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Messages of {@code heartwheel.json.v1} as a gateway reads and writes them, section 8 of the wire document. Stateless. */
final class JsonFrames {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final int MOST_STATUS = 255;

    private JsonFrames() {}

    /**
     * The frame that a message of a device means.
     *
     * @throws WireException when a device must not send it
     */
    static Frame decode(String text) {
        try {
            JsonNode message = MAPPER.readTree(text);
            JsonNode status = message.path("status");
            need(
                    status.isMissingNode() || (status.isInt() && (status.asInt() & ~MOST_STATUS) == 0),
                    "status = " + status);
            return switch (message.path("type").asText()) {
                case "data" -> data(message);
                case "ack" -> new Frame.Ack(id(message.path("id")), status.asInt());
                case "ping" -> new Frame.Ping(ByteBuffer.allocate(0));
                case "auth" -> {
                    utf8(message.path("token"));
                    yield GatewayCodec.renewal(message.path("token").asText());
                }
                default -> throw new IllegalArgumentException("no type that a device may send");
            };
        } catch (IllegalArgumentException | JsonProcessingException e) {
            throw new WireException(CloseCodes.MALFORMED, "JSON " + text + ": " + e.getMessage());
        }
    }

    private static Frame data(JsonNode message) {
        JsonNode text = message.path("text");
        JsonNode base64 = message.path("base64");
        need(text.isMissingNode() ? base64.isTextual() : text.isTextual() && base64.isMissingNode(), "text or base64");
        JsonNode ack = message.path("ack");
        need(ack.isMissingNode() || ack.isBoolean(), "ack = " + ack);
        ByteBuffer payload = text.isTextual()
                ? utf8(text)
                : ByteBuffer.wrap(Base64.getDecoder().decode(base64.asText()));
        long id = message.has("id") ? id(message.path("id")) : 0;
        return new Frame.Data(id, ack.asBoolean(), text.isTextual(), payload);
    }

    /** A text without halves of characters. */
    private static ByteBuffer utf8(JsonNode text) {
        try {
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text.asText()));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("half a character", e);
        }
    }

    /** A string of digits, or a number that JavaScript can hold. */
    private static long id(JsonNode id) {
        need(
                id.isTextual() ? id.asText().matches("\\d+") : id.isIntegralNumber() && id.asLong() <= 1L << 53,
                "id = " + id);
        return Long.parseUnsignedLong(id.asText());
    }

    private static void need(boolean good, String otherwise) {
        if (!good) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /**
     * The message for a frame of a gateway.
     *
     * @param extended with members of a later version
     */
    static String encode(Frame frame, boolean extended) {
        ObjectNode out = MAPPER.createObjectNode();
        if (extended) {
            out.putObject("later").put("type", "close").putArray("list").add(1).addNull();
        }
        if (frame instanceof Frame.Welcome welcome) {
            out.put("type", "welcome").put("interval_ms", welcome.intervalMillis());
            out.put("grace", 1.5).put("session", Long.toUnsignedString(welcome.sessionId()));
            out.put("epoch", Long.toUnsignedString(welcome.epoch())).put("max_payload", welcome.payloadLimit());
        } else if (frame instanceof Frame.Data data) {
            out.put("type", "data").put("id", Long.toUnsignedString(data.id())).put("ack", data.ackWanted());
            if (data.text()) {
                out.put("text", Trial.text(data));
            } else {
                out.put("base64", data.payload().array());
            }
        } else if (frame instanceof Frame.Ack ack) {
            out.put("type", "ack").put("id", Long.toUnsignedString(ack.id())).put("status", ack.status());
        } else if (frame instanceof Frame.Goaway goaway) {
            out.put("type", "goaway").put("code", goaway.code()).put("retry_min_ms", goaway.retryMinMillis());
            out.put("retry_max_ms", goaway.retryMaxMillis()).put("host", goaway.host());
        } else if (frame instanceof Frame.AuthAnswer answer) {
            out.put("type", "auth").put("status", answer.status()).put("remaining_ms", answer.remainingMillis());
        } else if (frame instanceof Frame.Pong) {
            out.put("type", "pong");
        } else {
            throw new IllegalArgumentException("frame = " + frame + ": need one that a gateway sends as JSON");
        }
        return out.toString();
    }
}
