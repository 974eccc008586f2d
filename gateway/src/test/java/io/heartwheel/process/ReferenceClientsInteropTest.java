package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reference clients of the documents, in Python and Node, as devices of the real gateway, which echoes what they say. */
@Tag("interop")
class ReferenceClientsInteropTest {
    private static final Path CLIENTS = Path.of("docs/client").toAbsolutePath();

    @TempDir
    private Path scratch;

    @ParameterizedTest
    @ValueSource(strings = {"python", "node"})
    void client_closedByTheOperator_comesBackAndDeliversEachLineInOrder(String kind) throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "echo").start()) {
            Process client = start(kind, gateway, "");
            OutputStream lines = client.getOutputStream();
            say(lines, "one\nzwö\n");
            Await.until("the echo of two lines", () -> heard().equals("one\nzwö\n"));
            assertEquals(204, gateway.admin("DELETE", "/v1/devices/reference").status());
            say(lines, "three\n");
            lines.close();
            assertTrue(client.waitFor(60, TimeUnit.SECONDS), "the client is still running");
            assertEquals(0, client.exitValue());
            assertEquals("one\nzwö\nthree\n", heard());
            assertEquals(2, gateway.metrics().sum("heartwheel_opens_total"));
            assertEquals(0, gateway.metrics().closes("malformed"));
        }
    }

    /** Escaped in JSON, such a text is a longer message than the gateway takes. */
    @ParameterizedTest
    @ValueSource(strings = {"python", "node"})
    void client_aLineOfControlCharacters_isDelivered(String kind) throws Exception {
        String line = "\u0001".repeat(40_000) + "\n";
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "echo").start()) {
            Process client = start(kind, gateway, "");
            say(client.getOutputStream(), line);
            Await.until("the echo of the line", () -> heard().equals(line));
            client.getOutputStream().close();
            assertTrue(client.waitFor(60, TimeUnit.SECONDS), "the client is still running");
            assertEquals(0, client.exitValue());
        }
    }

    /** Over WebSocket the answer is a 401, which a page cannot tell from a broken connection. */
    @Test
    void python_withAWrongToken_endsWithStatus3() throws Exception {
        Path tokens = Files.writeString(scratch.resolve("tokens"), "");
        try (GatewayProcess gateway = GatewayProcess.with("auth.mode", "methods", "auth.methods", "[tokens]")
                .set("auth.tokens.file", tokens.toString())
                .start()) {
            Process client = start("python", gateway, "wrong");
            assertTrue(client.waitFor(60, TimeUnit.SECONDS), "the client is still running");
            assertEquals(3, client.exitValue());
        }
    }

    private Process start(String kind, GatewayProcess gateway, String token) throws IOException {
        boolean python = kind.equals("python");
        List<String> command = python
                ? List.of("/usr/bin/python3", CLIENTS.resolve("run.py").toString())
                : List.of("node", CLIENTS.resolve("run.js").toString());
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(scratch.resolve("heard").toFile())
                .redirectError(scratch.resolve("errors").toFile());
        int port = (python ? gateway.tcp() : gateway.webSocket()).getPort();
        builder.environment()
                .put("HEARTWHEEL_URL", python ? "tcp://127.0.0.1:" + port : "ws://127.0.0.1:" + port + "/ws");
        builder.environment().put("HEARTWHEEL_DEVICE", "reference");
        builder.environment().put("HEARTWHEEL_TOKEN", token);
        builder.environment().put("HEARTWHEEL_INTERVAL_MS", "1000");
        // Debian's node-ws, also for another Node
        builder.environment().put("NODE_PATH", "/usr/share/nodejs");
        return builder.start();
    }

    private String heard() throws IOException {
        return Files.readString(scratch.resolve("heard"));
    }

    private static void say(OutputStream lines, String text) throws IOException {
        lines.write(text.getBytes(StandardCharsets.UTF_8));
        lines.flush();
    }
}
