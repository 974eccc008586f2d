package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Refused command lines: exit status 2, or 4 where nobody listens, and a line or two. */
final class CommandLineTest {

    private final StringWriter errors = new StringWriter();
    private final StringWriter output = new StringWriter();

    private int execute(String... arguments) {
        CommandLine line = LoadgenMain.commandLine();
        line.setOut(new PrintWriter(output, true));
        line.setErr(new PrintWriter(errors, true));
        return line.execute(arguments);
    }

    @Test
    void line_noCommand_isAUsageError() {
        assertEquals(2, execute());
        assertTrue(
                errors.toString().startsWith("a command is needed: demo, run, hold, worker, compare or conform"),
                errors::toString);
    }

    @Test
    void line_unknownOptionOrCommand_tellsTheMistakeTheNearestAndWhereTheHelpIs() {
        assertEquals(2, execute("run", "--clents", "5"));
        assertEquals(2, execute("hold", "--target", "tcp=127.0.0.1:1", "--durration", "5"));
        assertEquals(2, execute("rum"));
        assertEquals(2, execute("run", "--clients", "many"));
        assertEquals(
                List.of(
                        "unknown option --clents, did you mean --clients?",
                        "see heartwheel-loadgen run --help",
                        "unknown option --durration, did you mean --duration?",
                        "see heartwheel-loadgen hold --help",
                        "unexpected argument rum, did you mean run?",
                        "see heartwheel-loadgen --help",
                        "Invalid value for option '--clients': 'many' is not an int",
                        "see heartwheel-loadgen run --help"),
                errors.toString().lines().toList());
    }

    @Test
    void version_ofEachCommand_tellsOursJavasAndNettys() {
        assertEquals(0, execute("--version"));
        assertEquals(0, execute("run", "--version"));
        List<String> lines = output.toString().lines().toList();
        assertEquals(lines.subList(0, 3), lines.subList(3, 6));
        assertEquals("heartwheel-loadgen " + LoadgenMain.VERSION, lines.get(0));
        assertTrue(lines.get(1).startsWith("java " + Runtime.version()), lines.get(1));
        assertTrue(lines.get(2).matches("netty 4\\.2\\.\\d+\\.Final"), lines.get(2));
    }

    @Test
    void help_ofEachCommandForAnyServer_callsItAServer() {
        for (String command : List.of("", "run", "hold")) {
            assertEquals(0, execute((command + " --help").strip().split(" ", -1)));
        }
        String text = output.toString().replaceAll("\\s+", " ");
        assertTrue(text.contains("against a server and judges"), text);
        assertFalse(text.contains("PASS: the gateway"), text);
        assertFalse(text.contains("against a gateway"), text);
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
    void run_noSuchScenario_namesTheOnesThereAre() {
        assertEquals(2, execute("run", "--scenario", "no-such"));
        assertTrue(errors.toString()
                .startsWith("scenario = no-such: no such file, and none of the built-in ones: quick, "));
    }

    @Test
    void run_contractThatIsNone_isAUsageError() {
        assertEquals(2, execute("run", "--target", "plain=127.0.0.1:1", "--contract", "grace = = 2"));
        assertTrue(errors.toString().startsWith("contract = grace = = 2: need keys of a contract"), errors::toString);
        assertEquals(2, execute("run", "--target", "plain=127.0.0.1:1", "--contract", "grase = none"));
        assertTrue(errors.toString().contains("contract.grase: unknown key, did you mean grace?"), errors::toString);
        assertEquals(4, execute("run", "--target", "plain=127.0.0.1:1", "--contract", "grace = none"));
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
            assertEquals(4, status, () -> kind + ": " + errors);
        }
    }

    @Test
    void run_noPortToBeHad_isInconclusiveAndTellsWhatMends() throws IOException {
        try (ServerSocket somebody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String target = "--target=tcp=127.0.0.1:" + somebody.getLocalPort();
            String nobody = "--target=ws=127.0.0.1:1";
            int status = execute("run", target, nobody, "--clients=3", "--source=192.0.2.1");
            assertEquals(3, status, errors::toString);
        }
        String text = output.toString();
        String told = "nobody listens at ws=127.0.0.1:1 (Connection refused): its devices will be refused";
        assertTrue(text.lines().anyMatch(line -> line.endsWith(told)), text);
        assertTrue(text.contains("OWN: 3 sockets the own machine refused: "), text);
        assertTrue(text.contains("; no local port was left, or --source names an address of another"), text);
        assertTrue(text.stripTrailing().endsWith("INCONCLUSIVE"), text);
    }

    @Test
    void run_nobodyListens_isNotBegunAndTellsEachTargetInOneLine() {
        assertEquals(4, execute("run", "--target=tcp+tls=127.0.0.1:1", "--target=mqtt=127.0.0.1:2", "--clients=10"));
        assertEquals(
                "nobody listens at mqtt=127.0.0.1:2 (Connection refused), tcp+tls=127.0.0.1:1 (Connection refused):"
                        + " nothing was run; start the server, or say where it is",
                errors.toString().strip());
        assertEquals("", output.toString());
    }

    @Test
    void conform_badOptions_areUsageErrors() {
        assertEquals(2, execute("conform"));
        assertEquals(2, execute("conform", "--client", "true", "--over", "udp"));
        assertEquals(2, execute("conform", "--client", "true", "--rule", "no-such"));
        assertEquals(2, execute("conform", "--client", "true", "--parallel", "0"));
    }

    @Test
    void conform_aCommandThatIsNoClient_couldNotBegin() {
        assertEquals(4, execute("conform", "--client", "exit 7", "--over", "json", "--rule", "pong"));
        assertTrue(output.toString().contains("HELLO did not come: the client ended with status 7"), output::toString);
    }
}
