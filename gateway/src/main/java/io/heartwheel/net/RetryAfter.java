package io.heartwheel.net;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;

/** The header {@code Retry-After}, in seconds or as a date (RFC 9110, 10.2.3). */
public final class RetryAfter {
    /** There is none, or none that makes sense. */
    public static final long NOT_SAID = -1;

    private RetryAfter() {}

    /**
     * Milliseconds from now, 0 or more; or {@link #NOT_SAID}. Any thread.
     *
     * @param header its value, empty without one
     */
    public static long millis(String header, long nowEpochMillis) {
        String text = header.strip();
        if (text.matches("[0-9]{1,9}")) {
            return Long.parseLong(text) * 1_000;
        }
        try {
            Instant until = DateTimeFormatter.RFC_1123_DATE_TIME.parse(text, Instant::from);
            return Math.max(0, until.toEpochMilli() - nowEpochMillis);
        } catch (DateTimeException | ArithmeticException e) {
            return NOT_SAID;
        }
    }
}
