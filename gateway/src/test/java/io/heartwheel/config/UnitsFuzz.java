package io.heartwheel.config;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Durations and sizes as text: refused, or a quantity that does not depend on the blanks around it and is never negative. */
public final class UnitsFuzz {
    private UnitsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        Optional<Duration> duration = Units.duration(text);
        Optional<Long> bytes = Units.bytes(text);
        boolean sound = duration.equals(Units.duration(" " + text + "\t"))
                && bytes.equals(Units.bytes("\n" + text))
                && duration.map(found -> !found.isNegative()).orElse(true)
                && bytes.map(found -> found >= 0).orElse(true)
                && (duration.isEmpty() || bytes.isEmpty());
        if (!sound) {
            throw new AssertionError(text + ": " + duration + ", " + bytes);
        }
        bytes.ifPresent(found -> requireOracle(text.strip(), found));
        if (!text.isEmpty() && text.length() <= 64) {
            SpellingHint.distance(text, "heartbeat");
        }
    }

    private static void requireOracle(String text, long found) {
        int unit = 0;
        while (Character.isDigit(text.charAt(unit)) || text.charAt(unit) == '.') {
            unit++;
        }
        long factor =
                switch (text.substring(unit).strip()) {
                    case "B" -> 1;
                    case "KiB" -> 1_024;
                    case "MiB" -> 1_048_576;
                    default -> 1_073_741_824;
                };
        BigDecimal exact = new BigDecimal(text.substring(0, unit)).multiply(BigDecimal.valueOf(factor));
        BigDecimal most = BigDecimal.valueOf(Long.MAX_VALUE);
        long wanted = exact.compareTo(most) > 0 ? Long.MAX_VALUE : exact.longValue();
        if (wanted != found) {
            throw new AssertionError(text + " = " + found + ", not " + wanted);
        }
    }
}
