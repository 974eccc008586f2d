package io.heartwheel.app.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.LoadedConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Output and exit status of doctor. */
class DoctorCommandTest {
    @TempDir
    Path root;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Map<String, String> properties = Map.of();

    private int run(FakeMachine bed, String... args) {
        LoadedConfig.Source source = () -> ConfigLoader.read(null, properties, Map.of());
        return new CommandLine(new DoctorCommand(source, () -> "gateway.conf", bed.machine(), bed))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    @Test
    void run_goodHealth_isStatus0AndALineEach() {
        assertEquals(0, run(new FakeMachine(root)));

        List<String> lines = out.toString().lines().toList();
        assertEquals("ok    configuration  good: gateway.conf", lines.get(0));
        assertTrue(lines.get(lines.size() - 1).matches("\\d+ ok, 0 warn, 0 fail, for 1,000,000 connections"));
        assertTrue(lines.stream().limit(lines.size() - 1).allMatch(line -> line.startsWith("ok ")), out::toString);
    }

    @Test
    void run_warning_isStatus0AndTellsWhyAndHow() {
        assertEquals(0, run(new FakeMachine(root).sysctl("net.ipv4.tcp_syncookies", "0")));

        List<String> lines = out.toString().lines().toList();
        int at = lines.indexOf(
                "warn  network        net.ipv4.tcp_syncookies = 0: no cookies when the queue of handshakes is full");
        assertTrue(at > 0, out::toString);
        assertTrue(lines.get(at + 1).endsWith(" a flood of first packets shuts honest devices out"), out::toString);
        assertTrue(lines.get(at + 2).strip().startsWith("-> echo 'net.ipv4.tcp_syncookies = 1' >> "), out::toString);
    }

    @Test
    void run_connections_areWhatIsLookedFor() {
        FakeMachine bed = new FakeMachine(root).file("proc/self/limits", "Max open files 1024 4096 files\n");
        assertEquals(1, run(bed));
        assertTrue(out.toString().contains("\nfail  descriptors "), out::toString);
        assertEquals(0, run(bed, "--connections", "3000"));
        assertTrue(out.toString().contains("3,556 needed for 3,000 connections, 4,096 allowed"), out::toString);
    }

    @Test
    void run_connectionsOutOfRange_isStatus2() {
        assertEquals(2, run(new FakeMachine(root), "--connections", "0"));
        assertTrue(err.toString().contains("--connections = 0: need 1..10000000"), err::toString);
    }

    @Test
    void run_badConfiguration_tellsEachMistakeAndLooksOn() {
        properties = Map.of("heartwheel.wheel.tick", "9s", "heartwheel.sink.queue", "1");
        assertEquals(1, run(new FakeMachine(root)));

        List<String> lines = out.toString().lines().toList();
        long mistakes = lines.stream()
                .filter(line -> line.startsWith("fail  configuration"))
                .count();
        assertEquals(2, mistakes, out::toString);
        assertTrue(lines.stream().anyMatch(line -> line.contains("heartwheel.wheel.tick = 9s: need 1ms..1s")));
        assertTrue(lines.stream().anyMatch(line -> line.startsWith("ok    clock")), out::toString);
    }

    @Test
    void run_json_isOneObjectWithTheSame() throws Exception {
        assertEquals(1, run(new FakeMachine(root).sysctl("fs.file-max", "5"), "--json", "--connections=10"));

        assertEquals(1, out.toString().lines().count());
        JsonNode report = new ObjectMapper().readTree(out.toString());
        assertEquals(10, report.get("connections").asInt());
        assertEquals(1, report.get("fail").asInt());
        assertEquals(0, report.get("warn").asInt());
        assertEquals(report.get("findings").size(), report.get("ok").asInt() + 1);
        for (JsonNode finding : report.get("findings")) {
            boolean ok = finding.get("grade").asText().equals("ok");
            assertEquals(!ok, finding.has("remedy"), finding::toString);
            assertFalse(finding.get("what").asText().isEmpty());
        }
    }
}
