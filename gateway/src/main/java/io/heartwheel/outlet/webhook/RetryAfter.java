package io.heartwheel.outlet.webhook;

import io.heartwheel.outlet.OutletException;
import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** The header {@code Retry-After}, in seconds or as a date (RFC 9110, 10.2.3). */
final class RetryAfter {
    private RetryAfter() {}

    /** Milliseconds from now, 0 or more; {@link OutletException#NOT_SAID} if there is none, or none that makes sense. */
    static long millis(HttpHeaders headers, long nowEpochMillis) {
        Optional<String> header = headers.firstValue("retry-after").map(String::strip);
        if (header.isEmpty()) {
            return OutletException.NOT_SAID;
        }
        String text = header.get();
        if (text.matches("[0-9]{1,9}")) {
            return Long.parseLong(text) * 1_000;
        }
        try {
            Instant until = DateTimeFormatter.RFC_1123_DATE_TIME.parse(text, Instant::from);
            return Math.max(0, until.toEpochMilli() - nowEpochMillis);
        } catch (DateTimeException | ArithmeticException e) {
            return OutletException.NOT_SAID;
        }
    }
}
