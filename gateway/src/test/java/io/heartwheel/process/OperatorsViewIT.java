package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An operator's view of a real gateway beside its metrics: a recording, a log in JSON, and doctor's opinion of the machine. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class OperatorsViewIT {
    @TempDir
    Path directory;

    private static String jar() {
        return System.getProperty("heartwheel.gateway.jar");
    }

    private record Outcome(int status, String out, String err) {}

    private Outcome java(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("-jar", jar()));
        command.addAll(List.of(arguments));
        Path err = directory.resolve("err");
        Process process =
                new ProcessBuilder(command).redirectError(err.toFile()).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "still running");
        return new Outcome(process.exitValue(), out, Files.readString(err));
    }

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
            gateway.signal("TERM");
            assertEquals(0, gateway.awaitExit());
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

    // ------------------------------------------------------------------ log

    @Test
    void log_json_isAnObjectALineWhateverTheDeviceCallsItself() throws Exception {
        String id = "d\",\"level\":\"error\"}\\{\"level\":\"error\"}";
        try (GatewayProcess gateway = GatewayProcess.with(
                        "log.format", "json", "log.levels.io.heartwheel.closes", "debug")
                .start()) {
            WireClient.hello(gateway.tcp(), id).close();
            gateway.awaitLog("peer_");
            gateway.signal("TERM");
            assertEquals(0, gateway.awaitExit());

            List<String> lines = gateway.log().lines().toList();
            assertTrue(lines.size() >= 5, lines::toString);
            boolean named = false;
            for (String line : lines) {
                JsonNode fact = new ObjectMapper().readTree(line);
                assertTrue(Set.of("info", "debug").contains(fact.get("level").asText()), fact::toString);
                named |= fact.get("message").asText().startsWith(id + " session 1 ");
            }
            assertTrue(named, lines::toString);
        }
    }

    @Test
    void log_levelChangedInTheFile_countsAfterSighup() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("log.level", "info").start()) {
            Path config = gateway.directory().resolve("gateway.conf");
            WireClient.hello(gateway.tcp(), "before").close();
            Await.until(
                    "the first one is closed",
                    () -> gateway.admin("GET", "/v1/devices/before/why").json().has("closed"));
            Files.writeString(
                    config,
                    Files.readString(config).replace("heartwheel.log.level = info", "heartwheel.log.level = debug"));
            gateway.signal("HUP");
            gateway.awaitLog("in force: log.level = debug (was info)");
            WireClient.hello(gateway.tcp(), "after").close();
            gateway.awaitLog("closes after session 2");
            assertFalse(gateway.log().contains("closes before session 1"), gateway.log());
        }
    }

    // ------------------------------------------------------------------ doctor

    @Test
    void doctor_thisMachine_tellsItAsJson() throws Exception {
        Path config = Files.writeString(
                directory.resolve("gateway.conf"),
                "heartwheel { listeners { tcp { bind = \"127.0.0.1:0\" } }, admin.enabled = false, sink.kind = none }");
        Outcome outcome = java("doctor", "--config", config.toString(), "--connections", "100", "--json");

        JsonNode report = new ObjectMapper().readTree(outcome.out);
        assertEquals(0, report.get("fail").asInt(), outcome.out);
        assertEquals(0, outcome.status);
        assertEquals("", outcome.err);
        Set<String> areas =
                report.get("findings").findValuesAsText("area").stream().collect(Collectors.toSet());
        assertTrue(
                areas.containsAll(
                        Set.of("configuration", "descriptors", "memory", "ports", "network", "transport", "clock")),
                areas::toString);
    }

    @Test
    void doctor_besideARunningGateway_knowsItByItsPort() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start()) {
            String bind = "127.0.0.1:" + gateway.tcp().getPort();
            Outcome outcome = java("doctor", "-Dheartwheel.listeners.tcp.bind=" + bind, "--connections=10");
            assertTrue(outcome.out.contains("a gateway that runs, process " + gateway.pid()), outcome.out);
        }
    }

    @Test
    void doctor_wrongConfiguration_isStatus1() throws Exception {
        Outcome outcome = java("doctor", "-Dheartwheel.wheel.tick=9s", "--connections=10");
        assertEquals(1, outcome.status);
        assertTrue(
                outcome.out.startsWith("fail  configuration  heartwheel.wheel.tick = 9s: need 1ms..1s"), outcome.out);
    }

    @Test
    void doctor_wrongOption_isOneLineAndStatus2() throws Exception {
        Outcome outcome = java("doctor", "--conections=10");
        assertEquals(2, outcome.status);
        assertEquals(1, outcome.err.lines().count(), outcome.err);
    }
}
