package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the command line refuses, and that it costs exit status 2 and one line. */
final class CommandLineTest {

    private final StringWriter errors = new StringWriter();

    private int execute(String... arguments) {
        CommandLine line = LoadgenMain.commandLine();
        line.setOut(new PrintWriter(new StringWriter()));
        line.setErr(new PrintWriter(errors, true));
        return line.execute(arguments);
    }

    @Test
    void line_noCommand_isAUsageError() {
        assertEquals(2, execute());
        assertTrue(errors.toString().startsWith("a command is needed: demo, run, hold or compare"), errors::toString);
    }

    @Test
    void demo_noSuchJar_isAUsageError() {
        assertEquals(2, execute("demo", "--gateway-jar", "no-such.jar"));
        assertEquals(
                "gateway jar = no-such.jar: no such file; build it or use --gateway-jar",
                errors.toString().strip());
    }

    @Test
    void run_shortDuration_isAUsageError() {
        assertEquals(2, execute("run", "--target", "tcp=127.0.0.1:1", "--clients", "1", "--duration", "1"));
        assertTrue(errors.toString().startsWith("duration = 1000ms: need at least "), errors::toString);
    }

    @Test
    void run_badTarget_isAUsageError() {
        assertEquals(2, execute("run", "--target", "127.0.0.1"));
        assertEquals(2, execute("run", "--target", "ftp=127.0.0.1:1"));
        assertEquals(2, execute("run"));
    }

    @Test
    void run_moreClientsThanDescriptors_isAUsageError() {
        assertEquals(2, execute("run", "--target", "tcp=127.0.0.1:1", "--clients", "2000000000"));
    }
}
