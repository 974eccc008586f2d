package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Files that a run writes at its end. */
final class OutputFileTest {

    private static final Path FULL = Path.of("/dev/full");

    @TempDir
    private Path directory;

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @Test
    void write_newFile_isThereWholeAndAlone() throws Exception {
        Path path = directory.resolve("result.json");
        try (OutputFile file = OutputFile.open("--json", path)) {
            assertFalse(Files.exists(path));
            file.write("{}");
        }
        assertEquals("{}", Files.readString(path));
        assertEquals(List.of(path), files());
    }

    @Test
    void close_unwritten_leavesTheOlderFile() throws Exception {
        Path path = Files.writeString(directory.resolve("result.json"), "older");
        OutputFile.open("--json", path).close();
        assertEquals("older", Files.readString(path));
        assertEquals(List.of(path), files());
    }

    @Test
    void write_throughALink_replacesWhatItLeadsTo() throws Exception {
        Path path = Files.writeString(directory.resolve("today.json"), "older");
        Path link = Files.createSymbolicLink(directory.resolve("latest.json"), path);
        try (OutputFile file = OutputFile.open("--json", link)) {
            file.write("newer");
        }
        assertTrue(Files.isSymbolicLink(link));
        assertEquals("newer", Files.readString(path));
    }

    @Test
    void open_whatCannotBeWritten_namesOptionAndReason() {
        assertEquals(
                "--json = " + directory.resolve("no/such.json") + ": cannot be written: no such directory",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> OutputFile.open("--json", directory.resolve("no/such.json")))
                        .getMessage());
        assertEquals(
                "--html = " + directory + ": cannot be written: is a directory",
                assertThrows(IllegalArgumentException.class, () -> OutputFile.open("--html", directory))
                        .getMessage());
    }

    @Test
    void write_fullDevice_complainsWithTheReason() {
        try (OutputFile file = OutputFile.open("--json", FULL)) {
            IOException e = assertThrows(IOException.class, () -> file.write("{}"));
            assertEquals("--json = /dev/full: not written: No space left on device", file.complaint(e));
        }
    }

    @Test
    void write_directoryGoneMeanwhile_complainsAndLeavesNothing() throws Exception {
        Path gone = Files.createDirectory(directory.resolve("gone"));
        try (OutputFile file = OutputFile.open("--json", gone.resolve("result.json"))) {
            for (Path part : files(gone)) {
                Files.delete(part);
            }
            Files.delete(gone);
            IOException e = assertThrows(IOException.class, () -> file.write("{}"));
            assertTrue(file.complaint(e).startsWith("--json = " + gone), () -> file.complaint(e));
        }
    }

    private static List<Path> files(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.toList();
        }
    }

    /** Nothing is begun: no gateway, not even the jar is looked for. */
    @Test
    void demo_outputsThatCannotBeHad_stopsAtOnceAndTellsAll() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            java.io.StringWriter err = new java.io.StringWriter();
            CommandLine line = LoadgenMain.commandLine().setErr(new java.io.PrintWriter(err));
            int status = line.execute(
                    "demo",
                    "--gateway-jar=" + directory.resolve("none.jar"),
                    "--json=" + directory.resolve("no/such.json"),
                    "--html=" + directory,
                    "--metrics=127.0.0.1:" + taken.getLocalPort());
            assertEquals(2, status, err::toString);
            List<String> told = err.toString().lines().toList();
            assertEquals(3, told.size(), err::toString);
            assertTrue(told.get(0).startsWith("--json = "), err::toString);
            assertTrue(told.get(1).startsWith("--html = "), err::toString);
            assertTrue(told.get(2).startsWith("--metrics = 127.0.0.1:"), err::toString);
        }
    }

    @Test
    void demo_oneFileForBoth_isRefused() {
        java.io.StringWriter err = new java.io.StringWriter();
        CommandLine line = LoadgenMain.commandLine().setErr(new java.io.PrintWriter(err));
        assertEquals(
                2,
                line.execute(
                        "demo",
                        "--gateway-jar=" + directory.resolve("none.jar"),
                        "--json=" + directory.resolve("x"),
                        "--html=" + directory.resolve("x")));
        assertTrue(
                err.toString().endsWith(": need another file than --json's" + System.lineSeparator()), err::toString);
    }
}
