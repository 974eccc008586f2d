package io.heartwheel.loadgen.scenario;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.loadgen.client.RecordedEnd;

/** One line of a liveness trace: a part of one connection's activity. Fields it does not know are passed over. */
record RecordedLine(
        Connection connection,
        long connectedMillis,
        long fromMillis,
        long intervalMillis,
        int graceHundredths,
        int[] readsMillis,
        RecordedEnd ended,
        long endedMillis) {

    /** Far more than any clock says, and no sum of them overflows. */
    private static final long MOST_MILLIS = 1L << 48;

    private static final int MOST_GRACE_HUNDREDTHS = 0xFFFF;
    private static final long MOST_INTERVAL_MILLIS = 0xFFFF_FFFFL;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Numbers of connections are drawn anew in each trace. */
    record Connection(long trace, long number) {}

    /** @throws IllegalArgumentException saying what is wrong with it, without saying where */
    static RecordedLine of(String text) {
        JsonNode line = tree(text);
        boolean over = line.has("ended");
        return new RecordedLine(
                new Connection(number(line, "trace", 0, Long.MAX_VALUE), number(line, "connection", 0, Long.MAX_VALUE)),
                number(line, "connected_ms", 0, MOST_MILLIS),
                number(line, "from_ms", 0, MOST_MILLIS),
                number(line, "interval_ms", 0, MOST_INTERVAL_MILLIS),
                (int) number(line, "grace", 0, MOST_GRACE_HUNDREDTHS),
                reads(line.path("reads_ms")),
                over ? RecordedEnd.of(line.path("ended").asText()) : RecordedEnd.UNTOLD,
                over ? number(line, "ended_ms", 0, MOST_MILLIS) : 0);
    }

    private static JsonNode tree(String text) {
        try {
            JsonNode line = JSON.readTree(text);
            if (line.isObject()) {
                return line;
            }
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("need a JSON object (" + e.getOriginalMessage() + ")", e);
        }
        throw new IllegalArgumentException("need a JSON object");
    }

    private static long number(JsonNode line, String key, long least, long most) {
        return inRange(line.path(key), key, least, most);
    }

    private static long inRange(JsonNode value, String key, long least, long most) {
        if (!value.isIntegralNumber() || !value.canConvertToLong() || value.asLong() < least || value.asLong() > most) {
            String shown = value.isMissingNode() ? "nothing" : value.toString();
            throw new IllegalArgumentException(
                    key + " = " + shown + ": need " + least + ".." + most + (key.endsWith("_ms") ? " ms" : ""));
        }
        return value.asLong();
    }

    private static int[] reads(JsonNode list) {
        if (!list.isArray()) {
            throw new IllegalArgumentException(
                    "reads_ms = " + (list.isMissingNode() ? "nothing" : list) + ": need a list of 0..2147483647 ms");
        }
        int[] reads = new int[list.size()];
        for (int i = 0; i < reads.length; i++) {
            reads[i] = (int) inRange(list.get(i), "reads_ms", 0, Integer.MAX_VALUE);
        }
        return reads;
    }
}
