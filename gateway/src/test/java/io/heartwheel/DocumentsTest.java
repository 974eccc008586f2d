package io.heartwheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules for the documents that no other test reads. */
class DocumentsTest {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Path ARCHITECTURE = PROJECT.resolve("gateway/docs/architecture.md");
    private static final Pattern CLASS_NAME = Pattern.compile("`([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)`");
    private static final int MOST_README_BYTES = 12 << 10;

    @Test
    void architecture_everyClassNamed_exists() throws IOException {
        Set<String> missing = new TreeSet<>(namesIn(Files.readString(ARCHITECTURE)));
        assertTrue(missing.size() > 30, () -> "too few to be all: " + missing);
        missing.removeAll(classes());
        assertEquals(Set.of(), missing);
    }

    @Test
    void readme_size_isAScreenOrFew() throws IOException {
        assertTrue(Files.size(PROJECT.resolve("README.md")) <= MOST_README_BYTES);
    }

    private static Set<String> namesIn(String page) {
        Matcher names = CLASS_NAME.matcher(page);
        Set<String> found = new TreeSet<>();
        while (names.find()) {
            found.add(names.group(1));
        }
        return found;
    }

    private static Set<String> classes() throws IOException {
        try (Stream<Path> gateway = Files.walk(PROJECT.resolve("gateway"));
                Stream<Path> loadgen = Files.walk(PROJECT.resolve("loadgen/src"))) {
            return Stream.concat(gateway, loadgen)
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .collect(Collectors.toSet());
        }
    }
}
