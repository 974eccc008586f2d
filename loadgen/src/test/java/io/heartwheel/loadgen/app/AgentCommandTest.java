package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Command lines that the agent refuses before it listens. */
final class AgentCommandTest {

    private final StringWriter errors = new StringWriter();

    @TempDir
    private Path directory;

    private int execute(String... arguments) {
        CommandLine line = LoadgenMain.commandLine();
        line.setOut(new PrintWriter(new StringWriter()));
        line.setErr(new PrintWriter(errors, true));
        return line.execute(arguments);
    }

    private String token(String text) throws IOException {
        return Files.writeString(directory.resolve("token"), text).toString();
    }

    @Test
    void agent_withoutListenOrToken_isAUsageError() throws IOException {
        assertEquals(2, execute("agent"));
        assertEquals(2, execute("agent", "--listen", "127.0.0.1:0"));
        assertEquals(2, execute("agent", "--token-file", token("0123456789abcdef")));
    }

    @Test
    void agent_badAddress_tellsTheForm() throws IOException {
        assertEquals(2, execute("agent", "--listen", "127.0.0.1", "--token-file", token("0123456789abcdef")));
        assertEquals(
                "listen = 127.0.0.1: need host:port of a host that is known, port 0..65535",
                errors.toString().strip());
    }

    @Test
    void agent_badToken_isNotTold() throws IOException {
        assertEquals(2, execute("agent", "--listen", "127.0.0.1:0", "--token-file", token("secret")));
        assertTrue(errors.toString().contains(" = 6 bytes: need 16..1024 bytes"), errors::toString);
        assertFalse(errors.toString().contains("secret"), errors::toString);
        assertEquals(2, execute("agent", "--listen", "127.0.0.1:0", "--token-file", "no-such-file"));
    }

    @Test
    void agent_portInUse_isToldWithItsAddress() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String listen = "127.0.0.1:" + taken.getLocalPort();
            assertEquals(3, execute("agent", "--listen", listen, "--token-file", token("0123456789abcdef")));
            assertTrue(errors.toString().startsWith("listen = " + listen + ": "), errors::toString);
        }
    }

    @Test
    void worker_help_isHidden() {
        StringWriter out = new StringWriter();
        CommandLine line = LoadgenMain.commandLine();
        line.usage(new PrintWriter(out));
        assertTrue(out.toString().contains("  agent "), out::toString);
        assertFalse(out.toString().contains("  worker "), out::toString);
    }
}
