package io.heartwheel.loadgen.conform;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.WireException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Messages of {@code heartwheel.json.v1} as a gateway reads and writes them, section 8 of the wire document. Stateless. */
final class JsonFrames {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final double HUNDREDTHS = 100.0;
    private static final int MOST_STATUS = 255;

    private JsonFrames() {}

    /**
     * The frame that a message of a device means.
     *
     * @throws WireException when a device must not send it
     */
    static Frame decode(String text) {
        JsonNode message;
        try {
            message = MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw bad("text that is no JSON: " + e.getOriginalMessage());
        }
        if (!message.isObject()) {
            throw bad("a message that is no JSON object");
        }
        String type = message.path("type").asText();
        return switch (type) {
            case "data" -> data(message);
            case "ack" -> {
                need(message.has("id"), "ack without id");
                int status = message.path("status").asInt(0);
                need(status >= 0 && status <= MOST_STATUS, "status = " + status + ": need 0..255");
                yield new Frame.Ack(id(message), status);
            }
            case "ping" -> new Frame.Ping(ByteBuffer.allocate(0));
            case "auth" -> new Frame.Renewal(message.path("token").asText());
            default -> throw bad("a message of type " + type + ": need data, ack, ping or auth");
        };
    }

    private static Frame data(JsonNode message) {
        JsonNode text = message.path("text");
        JsonNode base64 = message.path("base64");
        need(text.isTextual() != base64.isTextual(), "data with both or none of text and base64");
        JsonNode ack = message.path("ack");
        need(ack.isMissingNode() || ack.isBoolean(), "ack = " + ack + ": need true or false");
        try {
            byte[] payload = text.isTextual()
                    ? text.textValue().getBytes(StandardCharsets.UTF_8)
                    : Base64.getDecoder().decode(base64.textValue());
            return new Frame.Data(id(message), ack.asBoolean(), text.isTextual(), ByteBuffer.wrap(payload));
        } catch (IllegalArgumentException e) {
            throw bad("base64: " + e.getMessage());
        }
    }

    /** A string of digits, or a number that JavaScript can hold. */
    private static long id(JsonNode message) {
        JsonNode id = message.path("id");
        if (id.isMissingNode()) {
            return 0;
        }
        try {
            need(id.isTextual() || (id.canConvertToLong() && id.asLong() <= 1L << 53), "id = " + id);
            return Long.parseUnsignedLong(id.asText());
        } catch (NumberFormatException e) {
            throw bad("id = " + id + ": need 1 to 20 digits");
        }
    }

    private static void need(boolean good, String otherwise) {
        if (!good) {
            throw bad(otherwise);
        }
    }

    private static WireException bad(String what) {
        return new WireException(CloseCodes.MALFORMED, what);
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
            out.put("grace", welcome.graceHundredths() / HUNDREDTHS);
            out.put("session", Long.toUnsignedString(welcome.sessionId()));
            out.put("epoch", Long.toUnsignedString(welcome.epoch())).put("max_payload", welcome.payloadLimit());
        } else if (frame instanceof Frame.Data data) {
            out.put("type", "data").put("id", Long.toUnsignedString(data.id()));
            if (data.ackWanted()) {
                out.put("ack", true);
            }
            out.put(
                    "text",
                    StandardCharsets.UTF_8.decode(data.payload().duplicate()).toString());
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
