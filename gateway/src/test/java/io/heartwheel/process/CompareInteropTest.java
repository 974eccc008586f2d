package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The comparison of {@code -Pcompare} with few connections: it measures each row on each side, whatever the figures are. */
@Tag("interop")
class CompareInteropTest {
    private static final int ROWS = 25;

    /** Netty has no breaker, and what a device draws upon itself is compared with itself. C speaks neither TLS nor WebSocket, and has no heap. */
    private static final int NOT_MEASURED = 2 * 4 + 3 + 1 + 1;

    @TempDir
    private Path scratch;

    @Test
    void compare_fewConnections_hasAFigureOfEachSideInEachRow() throws Exception {
        Path log = scratch.resolve("log");
        Path out = scratch.resolve("out");
        Process compare = new ProcessBuilder("src/compare/compare", "--quick", "--out", out.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertTrue(compare.waitFor(120, TimeUnit.SECONDS), "it goes on for ever");
        } finally {
            compare.destroyForcibly();
        }
        String said = Files.readString(log);
        assertEquals(0, compare.exitValue(), said);
        List<String> rows = Files.readAllLines(out.resolve("table.md"));
        assertEquals(2 + ROWS, rows.size(), said);
        int none = 0;
        for (String row : rows.subList(2, rows.size())) {
            String[] cells = row.split("\\|");
            for (String cell : List.of(cells[2], cells[3], cells[4])) {
                none += cell.isBlank() || cell.equals(" - ") ? 1 : 0;
                assertTrue(cell.equals(" - ") || cell.matches(" -?[\\d,.]+ "), row);
            }
            assertTrue(cells[2].matches(" -?[\\d,.]+ "), row);
        }
        assertEquals(NOT_MEASURED, none, said);
    }
}
