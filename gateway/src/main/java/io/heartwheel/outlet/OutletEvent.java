package io.heartwheel.outlet;

import io.heartwheel.event.EventKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/**
 * Event on its way to a receiver.
 *
 * @param id unique everywhere, and the same however often it is delivered
 * @param number its place in the journal, 1 or more
 * @param atEpochMillis when it happened
 * @param device whom it is about; empty: nobody alone
 * @param json the object of {@code gateway/docs/events.md}, UTF-8; nobody changes it
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record OutletEvent(String id, long number, EventKind kind, long atEpochMillis, String device, byte[] json) {
    private static final byte[] ID = ",\"event_id\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = "\"}\n".getBytes(StandardCharsets.US_ASCII);

    /** All of them as JSON Lines: each the object that the journal has and, as its last field, {@code event_id}, by which a repeat can be told. */
    public static ByteBuffer lines(List<OutletEvent> events) {
        int added = ID.length + END.length - 1;
        int bytes = events.stream()
                .mapToInt(event -> event.json().length + event.id().length() + added)
                .sum();
        ByteBuffer lines = ByteBuffer.allocate(bytes);
        for (OutletEvent event : events) {
            lines.put(event.json(), 0, event.json().length - 1).put(ID);
            lines.put(event.id().getBytes(StandardCharsets.US_ASCII)).put(END);
        }
        return lines.flip();
    }

    /**
     * A {@code gap} in the place of this one, with the same id.
     *
     * @param instance name of this gateway, may be empty
     */
    public OutletEvent asGap(String instance) {
        return gap(id, number, device, atEpochMillis, atEpochMillis, atEpochMillis, kind.label(), 1, instance);
    }

    /**
     * An event {@code gap}.
     *
     * @param lost what kind of events
     * @param count how many
     * @param instance name of this gateway, may be empty
     */
    static OutletEvent gap(
            String id,
            long number,
            String device,
            long atEpochMillis,
            long fromEpochMillis,
            long toEpochMillis,
            String lost,
            long count,
            String instance) {
        String json = "{\"event\":\"gap\",\"at\":\"" + time(atEpochMillis) + "\",\"from\":\"" + time(fromEpochMillis)
                + "\",\"to\":\"" + time(toEpochMillis) + "\",\"lost\":{\"" + lost + "\":" + count + "}"
                + (instance.isEmpty() ? "" : ",\"instance\":\"" + instance + "\"") + "}";
        return new OutletEvent(id, number, EventKind.GAP, atEpochMillis, device, json.getBytes(StandardCharsets.UTF_8));
    }

    /** With milliseconds, as in all events. */
    private static String time(long epochMillis) {
        String text = Instant.ofEpochMilli(epochMillis).toString();
        return text.length() == "1970-01-01T00:00:00Z".length() ? text.substring(0, text.length() - 1) + ".000Z" : text;
    }
}
