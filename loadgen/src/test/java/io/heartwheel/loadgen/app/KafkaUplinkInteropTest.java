package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real jars and Apache Kafka's own broker between them: what devices were told comes out of a topic. The gateway's build
 * has made the broker's class path.
 */
@Tag("interop")
final class KafkaUplinkInteropTest {

    private static final Path LIBRARIES = Path.of("..", "gateway", "target", "kafka");
    private static final long PATIENCE_SECONDS = 60;
    private static final String TOPIC = "heartwheel-events";

    @TempDir
    private static Path directory;

    private static String bootstrap;
    private static Process broker;

    @BeforeAll
    static void start() throws Exception {
        assertTrue(Files.isDirectory(LIBRARIES), () -> LIBRARIES + " is missing: profile interop makes it");
        int port = freePort();
        int controller = freePort();
        bootstrap = "127.0.0.1:" + port;
        Path config = Files.writeString(
                directory.resolve("server.properties"),
                """
                process.roles = broker,controller
                node.id = 1
                controller.quorum.voters = 1@127.0.0.1:%2$d
                listeners = PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                controller.listener.names = CONTROLLER
                log.dirs = %3$s
                auto.create.topics.enable = false
                """
                        .formatted(port, controller, directory.resolve("data")));
        Process format = kafka(
                "kafka.tools.StorageTool",
                "format",
                "--cluster-id",
                "aGVhcnR3aGVlbC10ZXN0cw",
                "--config",
                config.toString());
        assertTrue(format.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "format is still running");
        assertEquals(0, format.exitValue(), KafkaUplinkInteropTest::log);
        broker = kafka("kafka.Kafka", config.toString());
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!hasTopic()) {
            assertTrue(broker.isAlive(), () -> "ended:\n" + log());
            assertTrue(System.nanoTime() - endNanos < 0, () -> "does not answer:\n" + log());
        }
    }

    @AfterAll
    static void end() throws InterruptedException {
        if (broker != null) {
            broker.destroyForcibly().waitFor();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private static Process kafka(String main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-cp",
                LIBRARIES.toAbsolutePath() + "/*",
                main));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("broker.log").toFile()))
                .start();
    }

    private static String log() {
        try {
            return Files.readString(directory.resolve("broker.log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static boolean hasTopic() throws InterruptedException {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrap, "default.api.timeout.ms", 2_000, "request.timeout.ms", 2_000);
        try (Admin admin = Admin.create(settings)) {
            if (!admin.listTopics().names().get().contains(TOPIC)) {
                admin.createTopics(List.of(new NewTopic(TOPIC, 3, (short) 1)))
                        .all()
                        .get();
            }
            return true;
        } catch (ExecutionException notYet) {
            return false;
        }
    }

    private static ScenarioRun run(String name) throws Exception {
        return ScenarioRun.scenario(
                Files.createDirectories(directory.resolve(name)),
                "journal",
                """
                clients = 220
                duration = 12s
                timeline = []
                behaviours = [{ kind = chatty, weight = 200, rate = 4 }, { kind = flapping, weight = 20, up = 4s, down = 2s }]
                uplink { kind = kafka, bootstrap = "%s", topic = %s, plan = [] }
                assert = ["data_accepted >= 2000", "presence_judged >= 150"]
                """
                        .formatted(bootstrap, TOPIC));
    }

    /** Twice, so that the topic holds the events of another run with the same devices. */
    @Test
    void demo_journalIntoATopic_losesNothing() throws Exception {
        for (String name : List.of("first", "second")) {
            ScenarioRun run = run(name).passed();
            run.same("data_accepted", "uplink_came")
                    .none("uplink_lost")
                    .none("uplink_changed")
                    .none("uplink_out_of_order")
                    .none("uplink_malformed")
                    .none("uplink_unreadable")
                    .none("uplink_gaps")
                    .none("uplink_others")
                    .none("presence_wrong");
            assertTrue(run.count("data_accepted") >= 2_000, run.output());
            assertTrue(run.output().contains("kafka://" + bootstrap + "/" + TOPIC), run.output());
            System.out.println("kafka: " + run.count("uplink_came") + " acknowledged messages came out, "
                    + run.count("uplink_repeated") + " repeats");
        }
    }
}
