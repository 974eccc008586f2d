package io.heartwheel.outlet.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** Apache Kafka as a process: one node, broker and controller at once, on loopback, its data below a directory. */
final class KafkaBroker implements AutoCloseable {
    private static final Path LIBRARIES = Path.of("target", "kafka").toAbsolutePath();
    private static final long PATIENCE_SECONDS = 60;

    private final Path directory;
    private final Path config;
    private final Path log;
    private final int port;
    private final int saslPort;
    private Process process;

    /** Formatted, not started. */
    KafkaBroker(Path directory) throws Exception {
        assertTrue(Files.isDirectory(LIBRARIES), () -> LIBRARIES + " is missing: profile interop makes it");
        this.directory = directory;
        log = directory.resolve("broker.log");
        port = freePort();
        saslPort = freePort();
        int controller = freePort();
        config = Files.writeString(
                directory.resolve("server.properties"),
                """
                process.roles = broker,controller
                node.id = 1
                controller.quorum.voters = 1@127.0.0.1:%2$d
                listeners = PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d,SASL_PLAINTEXT://127.0.0.1:%4$d
                listener.security.protocol.map = \\
                    PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT
                controller.listener.names = CONTROLLER
                sasl.enabled.mechanisms = PLAIN
                listener.name.sasl_plaintext.plain.sasl.jaas.config = \\
                    org.apache.kafka.common.security.plain.PlainLoginModule required user_heartwheel="right";
                log.dirs = %3$s
                auto.create.topics.enable = false
                offsets.topic.replication.factor = 1
                # a killed broker may come back when its controller no longer waits for it
                broker.session.timeout.ms = 3000
                broker.heartbeat.interval.ms = 500
                """
                        .formatted(port, controller, directory.resolve("data"), saslPort));
        Process format = run(
                "kafka.tools.StorageTool", "format", "--cluster-id", "aGVhcnR3aGVlbC10ZXN0cw", "--config", "" + config);
        assertTrue(format.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "format is still running");
        assertEquals(0, format.exitValue(), this::log);
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private Process run(String main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-cp",
                LIBRARIES + "/*",
                main));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** Starts it, and returns when it answers. */
    void start() throws Exception {
        process = run("kafka.Kafka", config.toString());
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!answers()) {
            assertTrue(process.isAlive(), () -> "ended:\n" + log());
            assertTrue(System.nanoTime() - endNanos < 0, () -> "does not answer:\n" + log());
        }
    }

    private boolean answers() throws InterruptedException {
        try (Admin admin = admin(2_000)) {
            return !admin.describeCluster().nodes().get().isEmpty();
        } catch (ExecutionException notYet) {
            return false;
        }
    }

    private Admin admin(int timeoutMillis) {
        return Admin.create(Map.of(
                "bootstrap.servers", bootstrap(),
                "default.api.timeout.ms", timeoutMillis,
                "request.timeout.ms", timeoutMillis));
    }

    String bootstrap() {
        return "127.0.0.1:" + port;
    }

    /** Where user heartwheel is let in by the word right. */
    String saslBootstrap() {
        return "127.0.0.1:" + saslPort;
    }

    void create(String topic, int partitions, Map<String, String> settings) throws Exception {
        try (Admin admin = admin(30_000)) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(settings)))
                    .all()
                    .get();
        }
    }

    /** Records in a topic. */
    long records(String topic) throws Exception {
        try (Admin admin = admin(30_000)) {
            int partitions = admin.describeTopics(List.of(topic))
                    .topicNameValues()
                    .get(topic)
                    .get()
                    .partitions()
                    .size();
            Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
            for (int i = 0; i < partitions; i++) {
                asked.put(new TopicPartition(topic, i), OffsetSpec.latest());
            }
            return admin.listOffsets(asked).all().get().values().stream()
                    .mapToLong(ListOffsetsResultInfo::offset)
                    .sum();
        }
    }

    /** As the kernel does when memory is short. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    String log() {
        try {
            String all = Files.readString(log);
            return all.substring(Math.max(0, all.length() - 20_000));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() throws InterruptedException {
        if (process != null) {
            kill();
        }
    }
}
