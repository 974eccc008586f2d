package io.heartwheel.loadgen.scenario;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations with their units, as people write them: {@code 1.5s}, {@code 200ms}. Pure functions. */
public final class Durations {

    private static final Pattern FORM =
            Pattern.compile("\\s*([0-9]{1,15}(?:\\.[0-9]{1,9})?)\\s*(ns|us|ms|s|m|h|d)\\s*");

    private static final List<String> UNITS = List.of("ns", "us", "ms", "s", "m", "h", "d");
    private static final long[] NANOS = {
        1, 1_000, 1_000_000, 1_000_000_000, 60_000_000_000L, 3_600_000_000_000L, 86_400_000_000_000L
    };

    private Durations() {}

    /** Nanoseconds; empty when it is no duration, lacks its unit, or is longer than 200 years. */
    public static Optional<Long> nanos(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        BigDecimal unit = BigDecimal.valueOf(NANOS[UNITS.indexOf(matcher.group(2))]);
        BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(unit);
        return nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE / 2)) > 0
                ? Optional.empty()
                : Optional.of(nanos.longValue());
    }

    /** For people: {@code 250.0 ms}, {@code 1.5 s}. */
    public static String text(double nanos) {
        double size = Math.abs(nanos);
        if (size < 1e6) {
            return String.format(Locale.ROOT, "%.0f us", nanos / 1e3);
        }
        return size < 1e9
                ? String.format(Locale.ROOT, "%.1f ms", nanos / 1e6)
                : String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }
}
