package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The list of metrics in the documentation is the catalogue. */
class MetricsDocumentTest {
    private static final Path DOCUMENT = Path.of("docs", "observability.md");

    static String row(Metric metric) {
        String labels = metric.labels().stream().map(label -> "`" + label + "`").collect(Collectors.joining(", "));
        return "| `" + metric.fullName() + "` | " + metric.type().name().toLowerCase(Locale.ROOT) + " | " + labels
                + " | " + metric.help() + " |";
    }

    @Test
    void table_rows_areTheCatalogueInItsOrder() throws Exception {
        List<String> written = Files.readAllLines(DOCUMENT).stream()
                .filter(line -> line.startsWith("| `heartwheel_"))
                .toList();
        assertEquals(
                Arrays.stream(Metric.values()).map(MetricsDocumentTest::row).collect(Collectors.joining("\n")),
                String.join("\n", written));
    }
}
