package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.HashedToken;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Tokens and lines that the command makes, as the gateway's files want them. */
class TokenCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private String input = "";

    private int run(String... args) {
        RunningGateway.Starter starter = (config, source) -> {
            throw new AssertionError("nothing starts");
        };
        GatewayMain main = new GatewayMain(
                starter,
                new StopSwitch(),
                Map.of(),
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                settings -> List.of());
        CommandLine commandLine = GatewayMain.commandLine(main);
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        List<String> all = new ArrayList<>(List.of("token"));
        all.addAll(List.of(args));
        return commandLine.execute(all.toArray(new String[0]));
    }

    private static boolean matches(String hash, String token) {
        return HashedToken.parse(hash).matches(token.getBytes(StandardCharsets.UTF_8));
    }

    /** Output of a single token: its line, then that of the hash. */
    private String[] made(String word, String start) {
        List<String> lines = out.toString().lines().toList();
        assertEquals(2, lines.size(), lines::toString);
        assertTrue(lines.get(0).matches("token  [A-Za-z0-9_-]{32}"), lines::toString);
        assertTrue(lines.get(1).startsWith(word + "   " + start), lines::toString);
        return new String[] {lines.get(0).substring(7), lines.get(1).substring(word.length() + 3 + start.length())};
    }

    @Test
    void token_withoutOptions_isRandomAndFitsItsHash() {
        assertEquals(0, run());
        String[] made = made("hash", "");
        assertTrue(matches(made[1], made[0]));
    }

    @ParameterizedTest
    @CsvSource({"sensor-1,sensor-1", "a b,a%20b", "*,*"})
    void token_ofADevice_isAWholeLine(String device, String written) {
        assertEquals(0, run("--device", device));
        String[] made = made("line", written + " ");
        assertTrue(matches(made[1], made[0]));
    }

    @Test
    void token_ofAnOperator_isAWholeLine() {
        assertEquals(0, run("--admin", "alice", "--scopes", "send,read"));
        String[] made = made("line", "alice send,read ");
        assertTrue(matches(made[1], made[0]));
    }

    @Test
    void token_given_isHashedAndNotShown() {
        input = "a token of the operator's own\r\nmore";
        assertEquals(0, run("--stdin", "--device", "sensor-1"));
        assertTrue(out.toString().startsWith("line   sensor-1 sha256:"), out::toString);
        assertTrue(matches(
                out.toString().strip().substring("line   sensor-1 ".length()), "a token of the operator's own"));
        assertFalse((out + "" + err).contains("own"));
    }

    @Test
    void token_givenAndShort_isToldToBeWeak() {
        input = "12345678";
        assertEquals(0, run("--stdin"));
        assertTrue(err.toString().contains("a token of 8 bytes can be guessed from its hash"), err::toString);
        assertFalse(err.toString().contains("12345678"));
    }

    @Test
    void token_ofManyDevices_linesInTheFileAndTokensOnStandardOutput() throws Exception {
        input = "sensor-1\r\n\n a b \n";
        Path file = directory.resolve("tokens");
        assertEquals(0, run("--devices", "-", "--out", file.toString()));
        List<String> tokens = out.toString().lines().toList();
        List<String> lines = Files.readAllLines(file);
        assertEquals(2, tokens.size());
        assertEquals(2, lines.size());
        for (int i = 0; i < 2; i++) {
            String[] token = tokens.get(i).split(" ");
            String[] line = lines.get(i).split(" ");
            assertEquals(i == 0 ? "sensor-1" : "a%20b", token[0]);
            assertEquals(token[0], line[0]);
            assertTrue(matches(line[1], token[1]));
        }
    }

    @Test
    void token_intoAFileThatIsThere_leavesIt() throws Exception {
        Path ids = Files.writeString(directory.resolve("ids"), "sensor-1");
        Path file = Files.writeString(directory.resolve("tokens"), "mine");
        assertEquals(1, run("--devices", ids.toString(), "--out", file.toString()));
        assertEquals("mine", Files.readString(file));
        assertEquals(
                "heartwheel-gateway: " + file
                        + " exists: need a new file, whose lines you then add to the one in use\n",
                err.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--admin alice|--admin, --scopes: need both of them",
                "--scopes read|--admin, --scopes: need both of them",
                "--admin alice --scopes all|--scopes: need some of read, send, operate with commas between",
                "--admin a/b --scopes read|--admin: need a name of 1..64 characters of [A-Za-z0-9._-]",
                "--admin alice --scopes read --device a|--admin: need it without --device, --devices",
                "--devices -|--devices, --out: need both of them",
                "--out x|--devices, --out: need both of them",
                "--device a --devices - --out x|--device, --devices: need one of them",
                "--stdin --devices - --out x|--stdin: need it without --devices",
                "--stdin|--stdin: need a token of 8..4096 bytes in the first line",
            })
    void token_wrongCommandLine_isTold(String args, String said) {
        assertEquals(2, run(args.split(" ")));
        assertTrue(err.toString().startsWith("heartwheel-gateway: " + said), err::toString);
    }

    @Test
    void token_idsThatWillNotDo_areToldWithTheirLine() throws Exception {
        input = "a\na\n";
        assertEquals(2, run("--devices", "-", "--out", directory.resolve("one").toString()));
        assertTrue(err.toString().contains("--devices: line 2: device a stands twice"), err::toString);
        input = "x".repeat(129);
        assertEquals(2, run("--devices", "-", "--out", directory.resolve("two").toString()));
        assertTrue(err.toString().contains("--devices: line 1: device id of 129 bytes: need 1..128"), err::toString);
    }
}
