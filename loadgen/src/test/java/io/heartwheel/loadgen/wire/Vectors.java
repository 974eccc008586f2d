package io.heartwheel.loadgen.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The test vectors of the wire document, section 7. */
public final class Vectors {

    private static final Path DOCUMENT = Path.of("..", "gateway", "docs", "protocol.md");

    /**
     * One line.
     *
     * @param hex the bytes
     * @param meaning what it decodes to, or the close code
     */
    public record Vector(String name, String hex, String meaning) {}

    private Vectors() {}

    /** The lines that begin with this word, {@code accept} or {@code reject}. */
    public static List<Vector> of(String word) {
        try {
            List<Vector> vectors = Files.readAllLines(DOCUMENT).stream()
                    .dropWhile(line -> !line.equals("```vectors"))
                    .skip(1)
                    .takeWhile(line -> !line.equals("```"))
                    .filter(line -> line.startsWith(word + " "))
                    .map(line -> line.split(" ", 4))
                    .map(parts -> new Vector(parts[1], parts[2], parts[3]))
                    .toList();
            if (vectors.isEmpty()) {
                throw new IllegalStateException("no " + word + " vectors in " + DOCUMENT);
            }
            return vectors;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
