package io.heartwheel.config;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations and sizes as operators write them. A unit is always required: only its author knows what "interval = 30" means.
 */
final class Units {
    static final String DURATIONS = "ns, us, ms, s, m, h, d";
    static final String SIZES = "B, KiB, MiB, GiB";

    private static final Pattern QUANTITY = Pattern.compile("([0-9]{1,18}(?:\\.[0-9]{1,9})?)\\s*([A-Za-z]+)");
    private static final Pattern WITH_LETTERS = Pattern.compile("[0-9][0-9.,'_\\s]*([A-Za-z\u00b5\u03bc]{1,16})");
    private static final Pattern BARE = Pattern.compile("-?[0-9]+([.,'_ ][0-9]+)*");
    private static final Pattern GROUPED = Pattern.compile("-?[0-9]{1,3}([.,'_ ][0-9]{3})+");
    private static final Map<String, Long> NANOS = Map.of(
            "ns", 1L,
            "us", 1_000L,
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L,
            "d", 86_400_000_000_000L);
    private static final Map<String, Long> BYTES = Map.of("B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30);

    private Units() {}

    /** A duration, rounded down to a nanosecond; empty if the text is none. What overflows is as long as a duration of nanoseconds can be. */
    static Optional<Duration> duration(String text) {
        return quantity(text, NANOS).map(Duration::ofNanos);
    }

    /** A number of bytes, rounded down; empty if the text is none. What overflows is as large as can be. */
    static Optional<Long> bytes(String text) {
        return quantity(text, BYTES);
    }

    /** What an operator wrote where a quantity of these units is needed and none can be read: why its unit will not do; empty if that is not the fault. */
    static String complaint(String text, String units) {
        String plain = text.strip();
        if (BARE.matcher(plain).matches()) {
            return ", with a unit (" + units + ")";
        }
        Matcher matcher = WITH_LETTERS.matcher(plain);
        boolean wrong = matcher.matches() && !List.of(units.split(", ")).contains(matcher.group(1));
        return wrong ? ", with a unit (" + units + "): wrong unit " + matcher.group(1) : "";
    }

    /** Whether this is a number whose thousands are set apart: by a point, which would make it a thousandth, or by something else. */
    static boolean isGrouped(String text) {
        return GROUPED.matcher(text.strip()).matches();
    }

    private static Optional<Long> quantity(String text, Map<String, Long> units) {
        Matcher matcher = QUANTITY.matcher(text.strip());
        Long unit = matcher.matches() ? units.get(matcher.group(2)) : null;
        if (unit == null) {
            return Optional.empty();
        }
        BigInteger all = new BigDecimal(matcher.group(1))
                .multiply(BigDecimal.valueOf(unit))
                .setScale(0, RoundingMode.DOWN)
                .toBigInteger();
        return Optional.of(all.bitLength() < Long.SIZE ? all.longValue() : Long.MAX_VALUE);
    }
}
