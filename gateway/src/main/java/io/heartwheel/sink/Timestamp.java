package io.heartwheel.sink;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Instants as ISO 8601 in UTC with milliseconds; the seconds are worked out once for all events within them. One thread. */
final class Timestamp {
    /** Of {@code 2026-01-01T00:00:00.000Z}. */
    static final int LENGTH = 24;

    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss");
    private static final long LAST_MILLI = 253_402_300_799_999L; // of the year 9999
    private static final int MILLIS_AT = 20;

    private final char[] text = "1970-01-01T00:00:00.000Z".toCharArray();
    private long second;

    /** A field of JSON with this instant. */
    void write(String name, long epochMillis, JsonGenerator json) throws IOException {
        json.writeFieldName(name);
        json.writeString(of(epochMillis), 0, LENGTH);
    }

    /** The text of an instant, valid until the next call; what lies outside of the years 1970 to 9999 is shown as the nearest within. */
    char[] of(long epochMillis) {
        long millis = Math.max(0, Math.min(LAST_MILLI, epochMillis));
        long newSecond = millis / 1_000;
        if (newSecond != second) {
            second = newSecond;
            String seconds = SECONDS.format(LocalDateTime.ofEpochSecond(newSecond, 0, ZoneOffset.UTC));
            seconds.getChars(0, MILLIS_AT - 1, text, 0);
        }
        int rest = (int) (millis % 1_000);
        text[MILLIS_AT] = (char) ('0' + rest / 100);
        text[MILLIS_AT + 1] = (char) ('0' + rest / 10 % 10);
        text[MILLIS_AT + 2] = (char) ('0' + rest % 10);
        return text;
    }
}
