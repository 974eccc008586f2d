package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page in the text format 0.0.4, read strictly by what the format's description says. */
final class Page {
    private static final Pattern HELP = Pattern.compile("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)");
    private static final Pattern TYPE =
            Pattern.compile("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)");
    private static final Pattern SAMPLE = Pattern.compile(
            "([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{(?:[a-zA-Z_]\\w*=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\",?)*})? (\\S+)");

    final Map<String, String> help = new LinkedHashMap<>();
    final Map<String, String> type = new LinkedHashMap<>();
    final Map<String, Double> series = new LinkedHashMap<>();

    Page(Exposition exposition) {
        String text = new String(exposition.body(), StandardCharsets.UTF_8);
        assertTrue(text.endsWith("\n"), "the last line has no end");
        String family = "";
        for (String line : text.split("\n")) {
            Matcher helpLine = HELP.matcher(line);
            Matcher typeLine = TYPE.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (helpLine.matches()) {
                family = helpLine.group(1);
                assertNull(help.put(family, helpLine.group(2)), line);
            } else if (typeLine.matches()) {
                assertEquals(family, typeLine.group(1), line);
                assertNull(type.put(family, typeLine.group(2)), line);
            } else {
                assertTrue(sample.matches(), line);
                assertTrue(sample.group(1).startsWith(family), () -> line + ": outside of its family");
                String labels = sample.group(2) == null ? "" : sample.group(2).replace(",}", "}");
                assertNull(series.put(sample.group(1) + labels, number(sample.group(3))), line);
            }
        }
    }

    /** The value of a series, as {@code name{label="value"}}. */
    double value(String name) {
        Double value = series.get(name);
        assertNotNull(value, () -> name + ": not on the page");
        return value;
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }
}
