package io.heartwheel.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Instructions of a Dockerfile, each in one line, without comments. */
record Dockerfile(List<String> lines) {
    Dockerfile(Path file) {
        this(read(file));
    }

    private static List<String> read(Path file) {
        try {
            return Files.readString(file)
                    .replaceAll("(?m)^ *#.*\n", "")
                    .replaceAll(" *\\\\\n *", " ")
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The arguments of this instruction, wherever it stands. */
    Stream<String> all(String instruction) {
        return lines.stream()
                .filter(line -> line.startsWith(instruction + " "))
                .map(line -> line.substring(instruction.length() + 1));
    }

    /** The argument of this instruction where it stands last. */
    String last(String instruction) {
        return all(instruction)
                .reduce((before, after) -> after)
                .orElseThrow(() -> new AssertionError("no " + instruction));
    }

    /** What the pattern's group matches in the line that begins so. */
    String word(String beginning, String pattern) {
        return find(last(beginning), pattern);
    }

    static String find(String text, String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(text);
        if (!found.find()) {
            throw new AssertionError("no " + pattern + " in " + text);
        }
        return found.group(1);
    }
}
