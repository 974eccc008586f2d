package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The jar as a process: what it writes where, and with what status it leaves. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class GatewayProcessIT {
    private static final String HELLO = "0100001948570100000000000000000000000000056465762d31000000";
    private static final int WELCOME = 0x02;
    private static final int GOAWAY = 0x07;

    @TempDir
    Path directory;

    private Process process;

    private void start(String... more) throws IOException {
        startWithSignals("--default-signal=HUP,INT,TERM", more);
    }

    /** @param signals what {@code env} is to do with them, whatever they are in this process */
    private void startWithSignals(String signals, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "env",
                signals,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                System.getProperty("heartwheel.gateway.jar"),
                "-Dheartwheel.listeners.tcp.bind=127.0.0.1:0",
                "-Dheartwheel.listeners.websocket.enabled=false",
                "-Dheartwheel.admin.bind=127.0.0.1:0",
                "-Dheartwheel.ports-file=" + directory.resolve("ports")));
        command.addAll(List.of(more));
        process = new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile())
                .start();
    }

    @AfterEach
    void end() throws InterruptedException {
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void sigterm_once_drainsAndLeavesWithZero() throws Exception {
        start();
        awaitPort();

        signal("TERM");

        assertEquals(0, process.waitFor());
    }

    @Test
    void signals_ignoredByWhoeverStartedIt_areToldAndSigtermDrains() throws Exception {
        startWithSignals("--ignore-signal=HUP,INT");
        awaitPort();

        signal("HUP");
        signal("INT");
        signal("TERM");

        assertEquals(0, process.waitFor());
        String log = Files.readString(directory.resolve("err"));
        assertTrue(log.contains("SIGHUP is ignored: this process was started so; the configuration is read"), log);
        assertTrue(log.contains("SIGINT is ignored: this process was started so; end it with SIGTERM"), log);
        assertFalse(log.contains("SIGTERM is ignored"), log);
    }

    @Test
    void sigint_once_drainsAndLeavesWithZero() throws Exception {
        start();
        awaitPort();

        signal("INT");

        assertEquals(0, process.waitFor());
    }

    @Test
    void sigterm_twice_leavesAtOnce() throws Exception {
        start("-Dheartwheel.shutdown.drain=1h");
        try (Socket device = new Socket(InetAddress.getLoopbackAddress(), awaitPort())) {
            DataInputStream in = hello(device);
            signal("TERM");
            assertEquals(GOAWAY, frame(in));

            signal("TERM");

            assertEquals(143, process.waitFor());
        }
    }

    @Test
    void console_eventsAndLog_areKeptApart() throws Exception {
        start("--exit-with-stdin");
        try (Socket device = new Socket(InetAddress.getLoopbackAddress(), awaitPort())) {
            hello(device);
            process.getOutputStream().close();

            assertEquals(0, process.waitFor());
        }
        List<String> events = Files.readAllLines(directory.resolve("out"));
        assertEquals(2, events.size(), events::toString);
        assertEquals(
                "connected",
                new ObjectMapper().readTree(events.get(0)).get("event").asText());
        assertEquals(
                "disconnected",
                new ObjectMapper().readTree(events.get(1)).get("event").asText());
        String line = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}\\S+ (DEBUG|INFO |WARN |ERROR) \\w+ .*";
        List<String> log = Files.readAllLines(directory.resolve("err"));
        assertTrue(!log.isEmpty() && log.stream().allMatch(text -> text.matches(line)), log::toString);
    }

    @Test
    void start_portInUse_isOneLineAndStatusOne() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String bind = "127.0.0.1:" + taken.getLocalPort();
            start("-Dheartwheel.listeners.tcp.bind=" + bind);

            assertEquals(1, process.waitFor());
            assertOneLineNaming(bind);
        }
    }

    @Test
    void start_badCertificate_isOneLineAndStatusOne() throws Exception {
        Path pem = Files.writeString(directory.resolve("bad.pem"), "not a certificate");
        String tls = "-Dheartwheel.listeners.tcp.tls.";
        start(tls + "enabled=true", tls + "certificate-file=" + pem, tls + "key-file=" + pem);

        assertEquals(1, process.waitFor());
        assertOneLineNaming("tcp");
    }

    @Test
    void start_ownLogback_behindTheJarCounts() throws Exception {
        Path logback = Files.writeString(
                directory.resolve("mine.xml"),
                """
                <configuration>
                  <appender name="f" class="ch.qos.logback.core.FileAppender">
                    <file>%s</file>
                    <encoder><pattern>mine %%msg%%n</pattern></encoder>
                  </appender>
                  <root level="INFO"><appender-ref ref="f"/></root>
                </configuration>
                """
                        .formatted(directory.resolve("mine.log")));
        start("-Dlogback.configurationFile=" + logback);
        awaitPort();
        signal("TERM");

        assertEquals(0, process.waitFor());
        assertTrue(Files.readString(directory.resolve("mine.log")).contains("mine SIGTERM received"));
        assertEquals("", Files.readString(directory.resolve("err")));
    }

    @Test
    void version_fromTheJar_isThatOfTheBuild() throws Exception {
        start("--version");

        assertEquals(0, process.waitFor());
        List<String> lines = Files.readAllLines(directory.resolve("out"));
        assertTrue(lines.get(0).matches("heartwheel-gateway \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?"), lines.get(0));
        assertTrue(lines.get(2).matches("netty 4\\.2\\.\\d+\\.Final"), lines.get(2));
    }

    private void assertOneLineNaming(String what) throws IOException {
        List<String> told = Files.readAllLines(directory.resolve("err")).stream()
                .filter(line -> !line.matches("\\S+ INFO .*"))
                .toList();
        assertEquals(1, told.size(), told::toString);
        assertTrue(told.get(0).startsWith("heartwheel-gateway: could not start: "), told.get(0));
        assertTrue(told.get(0).contains(what), told.get(0));
    }

    private void signal(String name) throws Exception {
        assertEquals(
                0,
                new ProcessBuilder("kill", "-" + name, "" + process.pid())
                        .inheritIO()
                        .start()
                        .waitFor());
    }

    /** Says hello and waits for the welcome. */
    private static DataInputStream hello(Socket device) throws IOException {
        device.getOutputStream().write(HexFormat.of().parseHex(HELLO));
        DataInputStream in = new DataInputStream(device.getInputStream());
        assertEquals(WELCOME, frame(in));
        return in;
    }

    /** The type of the next frame, all of which is read. */
    private static int frame(DataInputStream in) throws IOException {
        int type = in.readUnsignedByte();
        in.readUnsignedByte();
        in.readFully(new byte[in.readUnsignedShort()]);
        return type;
    }

    /** The port of the tcp listener, as soon as the ports file is there. */
    private int awaitPort() throws Exception {
        Path ports = directory.resolve("ports");
        while (!Files.exists(ports)) {
            assertTrue(!process.waitFor(20, TimeUnit.MILLISECONDS), "it ended while starting");
        }
        String line = Files.readAllLines(ports).stream()
                .filter(text -> text.startsWith("tcp="))
                .findFirst()
                .orElseThrow();
        return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
    }
}
