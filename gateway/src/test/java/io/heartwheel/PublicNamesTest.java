package io.heartwheel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.ConfigFactory;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.EventKind;
import io.heartwheel.protocol.frame.FrameType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Names that devices, operators' files and scripts rely on, beside a list kept in {@code src/test/resources/public-names}: nobody changes one by
 * accident. Who changes one on purpose copies {@code target/public-names} there and writes it into the change log.
 */
class PublicNamesTest {
    private static final Path SOURCES = Path.of("src/main/java");
    private static final Path KEPT = Path.of("src/test/resources/public-names");
    private static final Path FOUND = Path.of("target/public-names");

    private static final Pattern OPTIONAL_KEY = Pattern.compile("(?m)^\\s*#\\s*([a-z][\\w.-]*) = ");
    private static final Pattern METRIC = Pattern.compile("(?m)^\\| `(heartwheel_\\w+)` \\| (\\w+) \\| ([^|]*) \\|");
    private static final Pattern ROUTE = Pattern.compile("Route\\.(get|post|put|delete)\\(\\s*\"([^\"]+)\"");
    private static final Pattern WORD = Pattern.compile("\"([a-z][a-z0-9_]*)\"");
    private static final Pattern JFR_NAME = Pattern.compile("@Name\\(\"([^\"]+)\"\\)");

    @Test
    void names_ofEveryKind_areThoseOfTheList() throws Exception {
        String config = Files.readString(Path.of("../conf/gateway.conf"));
        List<String> found = Stream.of(
                        kind(
                                "key",
                                ConfigFactory.parseString(config).entrySet().stream()
                                        .map(entry -> entry.getKey())),
                        kind("optional key", all(OPTIONAL_KEY, config).map(key -> key.group(1))),
                        kind(
                                "metric",
                                all(METRIC, Files.readString(Path.of("docs/observability.md")))
                                        .map(row -> row.group(1) + " " + row.group(2) + " " + row.group(3))),
                        kind(
                                "route",
                                all(ROUTE, sources("Route> routes()"))
                                        .map(route -> route.group(1).toUpperCase(Locale.ROOT) + " " + route.group(2))),
                        kind("JSON", all(WORD, sources("JsonGenerator ")).map(word -> word.group(1))),
                        kind(
                                "JFR event",
                                all(JFR_NAME, sources("extends Event ")).map(name -> name.group(1))),
                        kind("event", EventKind.all().stream().map(event -> event.label() + " " + event.number())),
                        kind(
                                "frame",
                                IntStream.range(0, 256)
                                        .filter(FrameType::isKnown)
                                        .mapToObj(type -> FrameType.name(type) + " " + type)),
                        kind(
                                "close",
                                CloseReason.all().stream()
                                        .map(reason -> reason.label() + " " + reason.wireCode() + " "
                                                + reason.webSocketCode())))
                .flatMap(lines -> lines)
                .toList();
        Files.createDirectories(FOUND.getParent());
        Files.write(FOUND, found);
        assertEquals(Files.readString(KEPT), String.join("\n", found) + "\n");
    }

    private static Stream<String> kind(String kind, Stream<String> names) {
        Set<String> sorted =
                names.map(name -> kind + " " + name.strip()).collect(Collectors.toCollection(TreeSet::new));
        return sorted.stream();
    }

    private static Stream<MatchResult> all(Pattern pattern, String text) {
        return pattern.matcher(text).results();
    }

    /** All sources that hold this text, as one. */
    private static String sources(String with) throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String source = Files.readString(file);
                if (source.contains(with)) {
                    text.append(source);
                }
            }
        }
        return text.toString();
    }
}
