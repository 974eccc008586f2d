package io.heartwheel.fuzz;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * One decoder under fire.
 *
 * @param className the class that Jazzer calls
 */
record Target(String className) {
    private static final Path SOURCES = Path.of("src", "test", "java");
    private static final Path SEEDS = Path.of("src", "test", "resources", "fuzz");

    /** All classes of this module whose name ends with {@code Fuzz}. */
    static List<Target> all() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.map(file -> SOURCES.relativize(file).toString())
                    .filter(name -> name.endsWith("Fuzz.java"))
                    .map(name -> new Target(name.replace(".java", "").replace('/', '.')))
                    .sorted((one, other) -> one.className.compareTo(other.className))
                    .toList();
        }
    }

    /** Where its inputs are kept. */
    Path seeds() {
        return SEEDS.resolve(className.substring(className.lastIndexOf('.') + 1).replace("Fuzz", ""));
    }

    /** All inputs that are kept, in order of their names. */
    List<byte[]> inputs() throws IOException {
        List<byte[]> inputs = new ArrayList<>();
        try (Stream<Path> files = Files.list(seeds())) {
            for (Path file : files.sorted().toList()) {
                inputs.add(Files.readAllBytes(file));
            }
        }
        return inputs;
    }

    /**
     * Feeds it.
     *
     * @throws Throwable what it throws: a finding
     */
    void feed(byte[] input) throws Throwable {
        try {
            Class.forName(className)
                    .getMethod("fuzzerTestOneInput", byte[].class)
                    .invoke(null, (Object) input);
        } catch (InvocationTargetException finding) {
            throw finding.getCause();
        }
    }
}
