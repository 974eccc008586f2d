package io.heartwheel.loadgen.uplink;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.loadgen.fleet.UplinkEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reader of CloudEvents 1.0 in JSON, in batches or one in a record: of each event what matters for the comparison. Kinds that it
 * does not know are events without meaning, as the reference of events asks of every consumer. Stateless; any thread.
 *
 * @param idPrefix before the numbers from 0 that name the devices of the run
 * @param clients devices of the run
 */
record EventReader(String idPrefix, int clients) {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String TYPE = "io.heartwheel.";
    /** Another gateway than the one that tells. */
    private static final String NODE = "node";

    /**
     * Event, as far as it was read.
     *
     * @param key unique for an event, the same in every repetition of it
     * @param event null for one that says nothing of a device or of the gateway's start
     * @param gaps events that it tells to be missing
     * @param foreign whether it is about a device that is not of this run
     */
    record Read(long key, @Nullable UplinkEvent event, long gaps, boolean foreign) {}

    /**
     * The events of a batch in their order.
     *
     * @throws IOException saying what is wrong with it
     */
    List<Read> batch(byte[] body) throws IOException {
        JsonNode events = MAPPER.readTree(body);
        if (events == null || !events.isArray()) {
            throw new IOException("a batch: need a JSON array");
        }
        List<Read> read = new ArrayList<>(events.size());
        for (JsonNode event : events) {
            read.add(event(event));
        }
        return read;
    }

    /**
     * The event of a record.
     *
     * @param key the device's id, UTF-8; null for an event that is about none
     * @throws IOException saying what is wrong with it
     */
    Read record(byte @Nullable [] key, byte @Nullable [] value) throws IOException {
        JsonNode event = value == null ? null : MAPPER.readTree(value);
        if (event == null || !event.isObject()) {
            throw new IOException("a record: need a JSON object");
        }
        String subject = key == null ? "" : new String(key, StandardCharsets.UTF_8);
        if (!text(event, "subject").equals(subject)) {
            throw new IOException("key: need the subject, or none without one");
        }
        return event(event);
    }

    private Read event(JsonNode event) throws IOException {
        if (!text(event, "specversion").equals("1.0")) {
            throw new IOException("specversion: need 1.0");
        }
        String source = text(event, "source");
        String id = text(event, "id");
        String type = text(event, "type");
        if (source.isEmpty() || id.isEmpty() || !type.startsWith(TYPE)) {
            throw new IOException("an event: need source, id and type " + TYPE + "...");
        }
        JsonNode data = event.path("data");
        if (!data.isObject()) {
            throw new IOException("data: need an object");
        }
        long key = key(source, id);
        String kind = type.substring(TYPE.length());
        if (kind.equals("gap")) {
            long lost = 0;
            for (JsonNode many : data.path("lost")) {
                lost += many.asLong();
            }
            return new Read(key, null, lost, false);
        }
        Optional<UplinkEvent.Kind> meaning = meaning(kind);
        if (meaning.isEmpty()) {
            return new Read(key, null, 0, false);
        }
        if (meaning.get() == UplinkEvent.Kind.STARTED || meaning.get() == UplinkEvent.Kind.NODE_DOWN) {
            return new Read(key, ofGateway(meaning.get(), data), 0, false);
        }
        String device = text(data, "device");
        if (device.isEmpty() || !device.equals(text(event, "subject"))) {
            throw new IOException("subject: need the device, the same as in data");
        }
        int index = index(device);
        return new Read(key, index < 0 ? null : ofDevice(meaning.get(), index, data), 0, index < 0);
    }

    private static UplinkEvent ofGateway(UplinkEvent.Kind kind, JsonNode data) throws IOException {
        boolean lost = data.path("previous_ended").isBoolean()
                && !data.path("previous_ended").booleanValue();
        String detail = kind == UplinkEvent.Kind.NODE_DOWN
                ? text(data, NODE) + " " + Long.toUnsignedString(number(data, "node_incarnation"))
                : lost ? UplinkEvent.LOST : "";
        long incarnation = number(data, "incarnation");
        return new UplinkEvent(kind, -1, 0, 0, 0, incarnation, text(data, "instance"), detail, 0, 0, 0);
    }

    private static UplinkEvent ofDevice(UplinkEvent.Kind kind, int device, JsonNode data) throws IOException {
        byte[] content = kind == UplinkEvent.Kind.MESSAGE ? content(data) : new byte[0];
        CRC32C sum = new CRC32C();
        sum.update(content);
        boolean lost = kind == UplinkEvent.Kind.ABSENT && data.has(NODE);
        return new UplinkEvent(
                kind,
                device,
                number(data, "session"),
                number(data, "epoch"),
                data.has("sequence") ? number(data, "sequence") : UplinkEvent.LAST,
                lost ? 0 : number(data, "incarnation"),
                text(data, lost ? NODE : "instance"),
                lost ? UplinkEvent.LOST : text(data, "successor_node"),
                kind == UplinkEvent.Kind.MESSAGE ? number(data, "id") : 0,
                content.length,
                sum.getValue());
    }

    private static Optional<UplinkEvent.Kind> meaning(String kind) {
        return switch (kind) {
            case "data" -> Optional.of(UplinkEvent.Kind.MESSAGE);
            case "connected", "suspect", "recovered", "present" -> Optional.of(UplinkEvent.Kind.PRESENT);
            case "disconnected" -> Optional.of(UplinkEvent.Kind.ABSENT);
            case "taken-over" -> Optional.of(UplinkEvent.Kind.TAKEN_OVER);
            case "incarnation" -> Optional.of(UplinkEvent.Kind.STARTED);
            case "node-down" -> Optional.of(UplinkEvent.Kind.NODE_DOWN);
            default -> Optional.empty();
        };
    }

    /** The number of a device of this run; below 0 for another one. */
    private int index(String device) {
        String number = device.startsWith(idPrefix) ? device.substring(idPrefix.length()) : "";
        if (!number.matches("0|[1-9][0-9]{0,8}")) {
            return -1;
        }
        int index = Integer.parseInt(number);
        return index < clients ? index : -1;
    }

    private static byte[] content(JsonNode data) throws IOException {
        if (data.has("text")) {
            return text(data, "text").getBytes(StandardCharsets.UTF_8);
        }
        if (!data.path("base64").isTextual()) {
            throw new IOException("data: need text or base64");
        }
        try {
            return Base64.getDecoder().decode(text(data, "base64"));
        } catch (IllegalArgumentException e) {
            throw new IOException("base64: " + e.getMessage(), e);
        }
    }

    private static String text(JsonNode from, String field) {
        JsonNode value = from.path(field);
        return value.isTextual() ? value.textValue() : "";
    }

    /** 64 bits without sign: a number, or above 2^53 a text of digits; 0 when it is not there. */
    private static long number(JsonNode from, String field) throws IOException {
        JsonNode value = from.path(field);
        if (value.isMissingNode()) {
            return 0;
        }
        try {
            if (value.isTextual() || value.isIntegralNumber()) {
                return Long.parseUnsignedLong(value.asText());
            }
        } catch (NumberFormatException e) {
            // Told below, as whatever else it is not.
        }
        throw new IOException(field + ": need 64 bits without sign");
    }

    /** FNV-1a of both, 64 bits. */
    private static long key(String source, String id) {
        long hash = 0xCBF29CE484222325L;
        String text = source + "\n" + id;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001B3L;
        }
        return hash;
    }
}
