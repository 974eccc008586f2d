package io.heartwheel.loadgen.peers;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.Version;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server that the fleet is played against, running, in the configuration that {@code peers.md} shows. Each is set to
 * close a device that has said nothing for six seconds, but for {@code ws}, which asks every four.
 *
 * @param title its name and version
 * @param configured the settings that idle detection depends on
 * @param target how devices reach it and what it is held to: the keys of a target
 * @param java whether it is a Java process, whose memory is told by its live heap
 * @param behind what it needs beside it
 */
record Peer(String title, String configured, String target, boolean java, PeerServer server, List<AutoCloseable> behind)
        implements AutoCloseable {

    private static final String ECHO = "protocol = raw, script { ping = \"00047631\", ping-reply = 4 }, ";
    private static final String SIX_SECONDS = "contract { interval = 4s, grace = 1.5, close = [fin, rst] }";

    /**
     * Heartwheel itself.
     *
     * @param listener {@code tcp} or {@code websocket}
     */
    static Peer heartwheel(Path directory, String listener, String protocol) throws Exception {
        Path ports = directory.resolve("ports");
        List<String> command = javaCommand();
        command.addAll(List.of("-jar", gatewayJar(), "--exit-with-stdin", "-Dheartwheel.ports-file=" + ports));
        for (String each : List.of("listeners.tcp", "listeners.websocket", "admin")) {
            command.add("-Dheartwheel." + each + ".bind=127.0.0.1:0");
        }
        command.addAll(List.of("-Dheartwheel.sink.kind=none", "-Dheartwheel.heartbeat.min=1s"));
        PeerServer server = PeerServer.start(directory, ports, listener, command);
        return new Peer(
                "Heartwheel, " + (protocol.equals("tcp") ? "TCP" : "plain WebSocket"),
                "interval 4 s, asked for by the device; `heartbeat.grace = 1.5`",
                "protocol = " + protocol + at(server.port()),
                true,
                server,
                List.of());
    }

    /** Debian's MQTT broker; the keep-alive is the device's. */
    static Peer mosquitto(Path directory, String version) throws Exception {
        int port = PeerServer.freePort();
        Path config = Files.writeString(
                directory.resolve("mosquitto.conf"),
                "listener " + port + " 127.0.0.1\nallow_anonymous true\npersistence false\nlog_dest none\n");
        PeerServer server =
                PeerServer.start(directory, port, Map.of(), List.of("/usr/sbin/mosquitto", "-c", config.toString()));
        return new Peer(
                "Mosquitto " + firstGroup("version (\\S+)", "/usr/sbin/mosquitto", "-h") + ", MQTT " + version,
                "keep-alive 4 s, asked for by the device",
                "protocol = " + (version.equals("5") ? "mqtt5" : "mqtt") + at(port),
                false,
                server,
                List.of());
    }

    /** The {@code ws} of npm, as its README says to find broken connections. */
    static Peer node(Path directory) throws Exception {
        Path script = directory.resolve("ws-server.js");
        try (var in = Peer.class.getResourceAsStream("/peers/ws-server.js")) {
            Files.write(script, in.readAllBytes());
        }
        int port = PeerServer.freePort();
        Map<String, String> modules = Map.of("NODE_PATH", "/usr/share/nodejs");
        PeerServer server =
                PeerServer.start(directory, port, modules, List.of("node", script.toString(), "" + port, "4000"));
        String version = firstGroup("\"version\": *\"([^\"]+)\"", "cat", "/usr/share/nodejs/ws/package.json");
        return new Peer(
                "ws " + version + ", Node " + firstGroup("v(\\S+)", "node", "--version"),
                "`ping()` and `terminate()` by `setInterval` of 4 s",
                "protocol = raw-ws, path = \"/\", contract { interval = 4s, grace = 1, close = any }" + at(port),
                false,
                server,
                List.of());
    }

    /** HAProxy in TCP mode before a server that sends everything back. */
    static Peer haproxy(Path directory) throws Exception {
        int port = PeerServer.freePort();
        EchoServer echo = new EchoServer();
        String config =
                """
                global
                    maxconn 9000
                defaults
                    mode tcp
                    timeout connect 2s
                    timeout client 6s
                    timeout server 6s
                    timeout tunnel 6s
                listen devices
                    bind 127.0.0.1:%d
                    server echo 127.0.0.1:%d
                """
                        .formatted(port, echo.port());
        Path file = Files.writeString(directory.resolve("haproxy.cfg"), config);
        PeerServer server =
                PeerServer.start(directory, port, Map.of(), List.of("/usr/sbin/haproxy", "-db", "-f", file.toString()));
        return new Peer(
                "HAProxy " + firstGroup("version (\\d[\\d.]*)", "/usr/sbin/haproxy", "-v") + ", TCP mode",
                "`timeout client`, `server` and `tunnel` 6 s",
                ECHO + SIX_SECONDS + at(port),
                false,
                server,
                List.of(echo));
    }

    /** What most teams write with Netty: the baseline that the gateway is compared with, compiled with its tests. */
    static Peer netty(Path directory) throws Exception {
        Path classes = Path.of("..", "gateway", "target", "test-classes").toAbsolutePath();
        assertTrue(
                Files.isDirectory(classes.resolve("io/heartwheel/baseline")),
                () -> classes + ": need the gateway's test classes; build both modules");
        Path ports = directory.resolve("ports");
        List<String> command = javaCommand();
        command.addAll(List.of(
                "-cp",
                classes + ":" + gatewayJar(),
                "io.heartwheel.baseline.BaselineServer",
                "6000",
                ports.toString()));
        PeerServer server = PeerServer.start(directory, ports, "tcp", command);
        return new Peer(
                "Netty " + Version.identify().get("netty-common").artifactVersion() + ", frame decoder and handler",
                "`IdleStateHandler(6, 6, 6)`",
                ECHO.replace("00047631", "03000000") + SIX_SECONDS + at(server.port()),
                true,
                server,
                List.of());
    }

    private static String gatewayJar() {
        return Path.of(System.getProperty("heartwheel.gateway.jar"))
                .toAbsolutePath()
                .toString();
    }

    private static List<String> javaCommand() {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m", "-XX:+UseSerialGC"));
    }

    private static String at(int port) {
        return ", address = \"127.0.0.1:" + port + "\"";
    }

    private static String firstGroup(String pattern, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        Matcher found = Pattern.compile(pattern).matcher(text);
        assertTrue(found.find(), text);
        return found.group(1);
    }

    @Override
    public void close() throws Exception {
        server.close();
        for (AutoCloseable each : behind) {
            each.close();
        }
    }
}
