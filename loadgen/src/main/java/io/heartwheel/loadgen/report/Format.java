package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.OwnHealth;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Figures and foreign text as people read them. Stateless. */
final class Format {

    private static final double MILLI = 1e6;
    private static final double SECOND = 1e9;
    private static final String[] BINARY = {"bytes", "KiB", "MiB", "GiB", "TiB"};

    private Format() {}

    /** What {@link String#format} makes of it, the same everywhere. */
    static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** {@code 1,234}. */
    static String count(long value) {
        return text("%,d", value);
    }

    /** A number with as many digits as it deserves: {@code 1,234}, {@code 12.3}, {@code 0.123}. */
    static String number(double value) {
        double size = Math.abs(value);
        if (!Double.isFinite(value)) {
            return "unknown";
        }
        if (size >= 100 || size == Math.rint(size)) {
            return text("%,.0f", value);
        }
        return text(size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", value);
    }

    /** Milliseconds to two digits, to one above 10 ms, seconds above 10 s. */
    static String latency(double nanos) {
        if (nanos >= 10 * SECOND) {
            return text("%,.1f s", nanos / SECOND);
        }
        return text(nanos >= 10 * MILLI ? "%,.1f ms" : "%.2f ms", nanos / MILLI);
    }

    /** {@code 3.4 KiB}, {@code 512 bytes}. */
    static String bytes(double bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < BINARY.length - 1) {
            value /= 1024;
            unit++;
        }
        return text(unit == 0 ? "%.0f %s" : "%.1f %s", value, BINARY[unit]);
    }

    /** {@code steady 900, silent 100}. */
    static String shares(Map<String, Long> shares) {
        return shares.entrySet().stream()
                .map(share -> printable(share.getKey()) + " " + count(share.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** Half, nearly all and all of a distribution, in milliseconds to a tenth. */
    static String threePercentiles(Latencies.Summary summary) {
        return text(
                "p50 %.1f ms, p99 %.1f ms, max %.1f ms",
                summary.p50Nanos() / MILLI, summary.p99Nanos() / MILLI, summary.maxNanos() / MILLI);
    }

    /** What the generator and its machine had to do. */
    static String processors(OwnHealth health) {
        return text(
                "%.2f processors, of the machine's %d busy %.2f; %.1f %% of the time collecting garbage",
                health.cores(), health.processors(), health.machineCores(), 100 * health.collectorShare());
    }

    /** A time, or {@code never} where there is none. */
    static String seconds(@Nullable Double seconds) {
        return seconds == null ? "never" : number(seconds) + " s";
    }

    /**
     * Text from outside (device ids, words of a close, names in a scenario) without what could move a terminal's cursor or
     * turn its writing round: control and format characters become {@code ?}.
     */
    static String printable(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            int type = Character.getType(point);
            boolean harmful = type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.SURROGATE
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR;
            clean.appendCodePoint(harmful ? '?' : point);
        });
        return clean.toString();
    }
}
