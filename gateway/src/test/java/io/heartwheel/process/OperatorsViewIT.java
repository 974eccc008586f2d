package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An operator's view of a real gateway beside its metrics: a recording, a log in JSON, and doctor's opinion of the machine. */
@Execution(ExecutionMode.CONCURRENT)
class OperatorsViewIT {
    @TempDir
    Path directory;

    // ------------------------------------------------------------------ Flight Recorder

    @Test
    void recording_deviceThatDies_hasItsExpiry() throws Exception {
        Path file = directory.resolve("gateway.jfr");
        try (GatewayProcess gateway = GatewayProcess.with("heartbeat.interval", "500ms")
                .jvm("-XX:StartFlightRecording=filename=" + file + ",dumponexit=true", "-Xlog:jfr*=off")
                .start()) {
            try (WireClient device = WireClient.hello(gateway.tcp(), "d")) {
                gateway.awaitLog("heartbeat_timeout 1");
            }
            gateway.terminate();
        }

        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        List<RecordedEvent> closing = events.stream()
                .filter(event -> event.getEventType().getName().equals("io.heartwheel.ExpiryBatch"))
                .filter(event -> event.getInt("closed") == 1)
                .toList();
        assertEquals(1, closing.size());
        assertEquals(1, closing.get(0).getInt("lookedAt"));
        assertFalse(closing.get(0).getDuration("worstLateness").isNegative());
        Set<String> kinds =
                events.stream().map(event -> event.getEventType().getName()).collect(Collectors.toSet());
        assertTrue(kinds.contains("io.heartwheel.WheelTurn"), kinds::toString);
        assertTrue(kinds.contains("io.heartwheel.Admission"), kinds::toString);
    }

    // ------------------------------------------------------------------ threads

    /** Those of the table in architecture.md that are there from the start; the others begin with what they do. */
    @Test
    void threads_ofAGatewayThatNobodyUses_areThoseOfTheTable() throws Exception {
        List<String> listed = Files.readString(Path.of("docs", "architecture.md"))
                .lines()
                .filter(line -> line.startsWith("| `") && line.contains("| from the start |"))
                .map(line -> line.split("`")[1].replaceAll("-N$", ""))
                .sorted()
                .toList();
        assertTrue(listed.contains("heartwheel-wheel"), listed::toString);
        try (GatewayProcess gateway = GatewayProcess.with(
                        "sink.kind", "file", "sink.file", directory.resolve("events.jsonl"))
                .start()) {
            // it goes when nothing has been scheduled for 10 s; the kernel, which is cheap to ask, has the first 15
            // letters
            Await.until(
                    "the thread of schedules has gone", () -> !tasks(gateway).contains("heartwheel-sche"));
            Await.until("only those are there", () -> ours(gateway).equals(listed));
        }
    }

    private static Set<String> tasks(GatewayProcess gateway) throws IOException {
        Set<String> names = new HashSet<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/" + gateway.pid() + "/task"))) {
            for (Path task : tasks) {
                try {
                    names.add(Files.readString(task.resolve("comm")).strip());
                } catch (IOException ended) {
                    assertFalse(Files.exists(task), ended::toString);
                }
            }
        }
        return names;
    }

    /** Without the numbers of Netty's. */
    private static List<String> ours(GatewayProcess gateway) throws Exception {
        Process printing = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(gateway.pid()),
                        "Thread.print")
                .redirectErrorStream(true)
                .start();
        String threads = new String(printing.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, printing.waitFor(), threads);
        return Pattern.compile("(?m)^\"((?:heartwheel|device-loop|acceptor|admin)[a-z-]*?)[-0-9]*\" ")
                .matcher(threads)
                .results()
                .map(found -> found.group(1))
                .distinct()
                .sorted()
                .toList();
    }

    // ------------------------------------------------------------------ log

    /** Closes are in it from the moment on when their level is changed in the file. */
    @Test
    void log_json_isAnObjectALineWhateverTheDeviceCallsItself() throws Exception {
        String id = "d\",\"level\":\"error\"}\\{\"level\":\"error\"}";
        try (GatewayProcess gateway =
                GatewayProcess.with("log.format", "json", "log.level", "info").start()) {
            WireClient.hello(gateway.tcp(), "before").close();
            Await.until(
                    "the first one is closed",
                    () -> gateway.admin("GET", "/v1/devices/before/why")
                                    .json()
                                    .path("closed")
                                    .size()
                            == 1);
            gateway.configure("heartwheel.log.level = debug");
            gateway.signal("HUP");
            gateway.awaitLog("in force: log.level = debug (was info)");
            WireClient.hello(gateway.tcp(), id).close();
            gateway.awaitLog(" session 2 ");
            gateway.terminate();

            boolean named = false;
            for (String line : gateway.log().lines().toList()) {
                JsonNode fact = new ObjectMapper().readTree(line);
                String message = fact.get("message").asText();
                boolean calm =
                        Set.of("info", "debug").contains(fact.get("level").asText());
                assertTrue(calm || message.contains("stood still"), fact::toString);
                named |= message.startsWith(id + " session 2 ");
                assertFalse(message.startsWith("before session"), fact::toString);
            }
            assertTrue(named, gateway.log());
        }
    }

    // ------------------------------------------------------------------ doctor

    @Test
    void doctor_besideARunningGateway_knowsItByItsPort() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start()) {
            String bind = "127.0.0.1:" + gateway.tcp().getPort();
            GatewayProcess.Outcome outcome = GatewayProcess.with("listeners.tcp.bind", bind)
                    .command("doctor")
                    .arguments("--connections=10")
                    .run();
            assertTrue(outcome.out().contains("a gateway that runs, process " + gateway.pid()), outcome.out());
        }
    }
}
