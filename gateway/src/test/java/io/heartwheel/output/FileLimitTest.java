package io.heartwheel.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A file that really cannot grow: the kernel takes a part of a write and refuses the rest. It has a process of its own, because of
 * the limit.
 */
@Timeout(60)
class FileLimitTest {
    private static final String LINE = "{\"padding\":\"" + "x".repeat(1_000) + "\"}\n";

    @TempDir
    Path directory;

    @Test
    void write_beyondTheLimit_isTakenBackWhole() throws Exception {
        Path file = directory.resolve("events");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String command = "ulimit -f 64; exec \"$0\" -XX:-UsePerfData -XX:TieredStopAtLevel=1 -cp \"$1\" \"$2\" \"$3\"";
        String classes = System.getProperty("java.class.path");
        String[] words = {"bash", "-c", command, java, classes, Writer.class.getName(), file.toString()};
        Process process = new ProcessBuilder(words).inheritIO().start();

        assertEquals(0, process.waitFor());
        List<String> lines = Files.readAllLines(file);
        assertTrue(lines.size() > 10, lines.size() + " lines");
        assertEquals(0, (lines.size() - 1) % 3, "batches of three, and the one line at the end");
        assertEquals("{\"last\":true}", lines.get(lines.size() - 1));
        lines.subList(0, lines.size() - 1).forEach(line -> assertEquals(LINE.strip(), line));
    }

    /** Writes batches of three lines until that fails, then a short line, which fits. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) throws IOException {
            try (FileOutput output = new FileOutput(Path.of(args[0]))) {
                boolean full = false;
                while (!full) {
                    try {
                        output.write(lines(LINE.repeat(3)));
                    } catch (IOException e) {
                        full = true;
                    }
                }
                output.write(lines("{\"last\":true}\n"));
            }
        }

        private static ByteBuffer lines(String text) {
            return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        }
    }
}
