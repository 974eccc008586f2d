package io.heartwheel.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A configuration file of any content: settings, or mistakes in one bounded line each; nothing else. */
public final class ConfigFuzz {
    private static final Path FILE = scratch("gateway.conf");
    /** A line of a problem: a key, a value that is cut, and what is needed. */
    private static final int LONGEST_LINE = 8_192;

    private ConfigFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        if (new String(input, StandardCharsets.ISO_8859_1).contains("include")) {
            return; // it may name any file or address, and the operator means it
        }
        Files.write(FILE, input);
        try {
            Loading.load(FILE, Map.of(), Map.of());
        } catch (ConfigException mistakes) {
            for (String problem : mistakes.problems()) {
                if (problem.isBlank() || problem.length() > LONGEST_LINE) {
                    throw new AssertionError("a problem of " + problem.length() + " characters");
                }
            }
        }
    }

    static Path scratch(String name) {
        try {
            Path directory = Files.createTempDirectory("heartwheel-fuzz-");
            Path file = directory.resolve(name);
            directory.toFile().deleteOnExit();
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
