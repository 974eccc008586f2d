package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Refused command lines: exit status 2 and one line. */
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
        assertEquals(2, execute("demo", "--gateway-jar", "no-such.jar", "--clients", "10"), errors::toString);
    }

    @Test
    void run_shortDuration_isAUsageError() {
        assertEquals(2, execute("run", "--target", "tcp=127.0.0.1:1", "--clients", "1", "--duration", "1"));
        assertTrue(errors.toString().contains("\n  duration = 1000ms: need at least "), errors::toString);
    }

    @Test
    void run_badTarget_isAUsageError() {
        assertEquals(2, execute("run", "--target", "127.0.0.1"));
        assertTrue(errors.toString().startsWith("target = 127.0.0.1: need kind=host:port"), errors::toString);
        assertEquals(2, execute("run", "--target", "ftp=127.0.0.1:1"));
        assertTrue(errors.toString().contains("targets[0].protocol = ftp: need tcp, ws, plain"), errors::toString);
        assertEquals(2, execute("run", "--target", "tcp=127.0.0.1:0"));
        assertTrue(errors.toString().contains("targets[0].address = 127.0.0.1:0: need host:port"), errors::toString);
    }

    @Test
    void run_badShare_isAUsageError() {
        assertEquals(2, execute("run", "--silent-share", "1.5"));
        assertEquals("silent-share = 1.5: need 0..1", errors.toString().strip());
    }

    @Test
    void run_noSuchScenario_namesTheOnesThereAre() {
        assertEquals(2, execute("run", "--scenario", "no-such"));
        assertTrue(errors.toString()
                .startsWith("scenario = no-such: no such file, and none of the built-in ones: quick, "));
    }

    @Test
    void run_moreClientsThanAnyMachinePlays_isAUsageError() {
        assertEquals(2, execute("run", "--target", "tcp=127.0.0.1:1", "--clients", "2000000000"));
        assertTrue(errors.toString().contains("clients = 2000000000: need "), errors::toString);
    }

    /** Seen: bytes for raw targets were laid over every target, and each other protocol refused them as an unknown key. */
    @Test
    void hold_everyProtocol_isReadAndTellsThatNobodyListens() {
        for (String kind : new String[] {"tcp", "ws", "plain", "raw", "raw-ws"}) {
            int status = execute("hold", "--target", kind + "=127.0.0.1:1", "--clients", "1", "--duration", "0.001");
            assertEquals(1, status, () -> kind + ": " + errors);
        }
    }
}
