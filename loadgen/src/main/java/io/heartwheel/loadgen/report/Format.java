package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.measure.Latencies;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Figures and foreign text as people read them. Stateless. */
final class Format {

    private static final double MILLI = 1e6;
    private static final double SECOND = 1e9;
    private static final String[] BINARY = {"bytes", "KiB", "MiB", "GiB", "TiB"};

    private Format() {}

    /** {@code 1,234}. */
    static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** A number with as many digits as it deserves: {@code 1,234}, {@code 12.3}, {@code 0.123}. */
    static String number(double value) {
        double size = Math.abs(value);
        if (!Double.isFinite(value)) {
            return "unknown";
        }
        if (size >= 100 || size == Math.rint(size)) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", value);
    }

    /** Milliseconds to two digits, to one above 10 ms, seconds above 10 s. */
    static String latency(double nanos) {
        if (nanos >= 10 * SECOND) {
            return String.format(Locale.ROOT, "%,.1f s", nanos / SECOND);
        }
        return String.format(Locale.ROOT, nanos >= 10 * MILLI ? "%,.1f ms" : "%.2f ms", nanos / MILLI);
    }

    /** {@code 3.4 KiB}, {@code 512 bytes}. */
    static String bytes(double bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < BINARY.length - 1) {
            value /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, BINARY[unit]);
    }

    /** {@code steady 900, silent 100}. */
    static String shares(Map<String, Long> shares) {
        return shares.entrySet().stream()
                .map(share -> printable(share.getKey()) + " " + count(share.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** The four figures that tell a distribution. */
    static String percentiles(Latencies.Summary summary) {
        return String.format(
                Locale.ROOT,
                "p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, max %.1f ms",
                summary.p50Nanos() / MILLI,
                summary.p99Nanos() / MILLI,
                summary.p999Nanos() / MILLI,
                summary.maxNanos() / MILLI);
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
