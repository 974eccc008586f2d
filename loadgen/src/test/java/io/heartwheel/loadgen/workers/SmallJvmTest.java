package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Command lines of the processes that are started. */
final class SmallJvmTest {

    @TempDir
    private Path directory;

    @Test
    void options_heap_setsTheYoungGenerationToAnEighth() {
        List<String> options = SmallJvm.options(64L << 20);
        assertTrue(options.containsAll(List.of("-Xmx64m", "-Xms64m", "-Xmn8m", "-XX:+UseSerialGC")), options::toString);
        assertTrue(SmallJvm.options(16L << 20).contains("-Xmn4m"));
        assertTrue(options.indexOf("-XX:+UnlockDiagnosticVMOptions") < options.indexOf("-XX:AsyncDeflationInterval=0"));
        assertThrows(IllegalArgumentException.class, () -> SmallJvm.options((16L << 20) - 1));
    }

    @Test
    void archive_written_isReadAndAnAbsentOneIsNot() throws IOException {
        Path file = directory.resolve("x.jsa");
        assertEquals(List.of(), ClassArchive.reading(file));
        Files.createFile(file);
        assertTrue(ClassArchive.reading(file).contains("-XX:SharedArchiveFile=" + file));
        assertTrue(ClassArchive.writing(file).contains("-XX:ArchiveClassesAtExit=" + file));
    }

    @Test
    void command_ofAJar_hasOptionsBeforeAndArgumentsBehind() {
        JavaCommand jar = JavaCommand.ofJar(Path.of("a.jar"));
        List<String> line = jar.line(List.of("-Xmx16m"), List.of("worker"));
        assertEquals(List.of("-Xmx16m", "-jar", "a.jar", "worker"), line.subList(1, line.size()));
        assertTrue(jar.isJar());
        assertFalse(new JavaCommand(Path.of("java"), List.of("-cp", "x", "Main")).isJar());
    }
}
