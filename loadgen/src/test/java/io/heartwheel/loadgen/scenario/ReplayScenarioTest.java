package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scenarios that replay a recording: how many, how long, and what is wrong with them. */
final class ReplayScenarioTest {

    private static final String LINE = "{\"trace\":1,\"connection\":%d,\"protocol\":\"heartwheel\",\"connected_ms\":%d,"
            + "\"from_ms\":%d,\"interval_ms\":2000,\"grace\":150,\"reads_ms\":[10,1000],\"ended_ms\":%d,\"ended\":\"%s\"}\n";

    @TempDir
    private Path directory;

    private static String life(int number, long connectedMillis, long endedMillis, String ended) {
        return String.format(LINE, number, connectedMillis, connectedMillis, endedMillis, ended);
    }

    private Scenario read(String recording, String more) throws IOException {
        Path file = directory.resolve("trace.jsonl");
        Files.writeString(file, recording);
        return read(file, more);
    }

    private static Scenario read(Path file, String more) {
        String text = "targets = [ { address = \"127.0.0.1:1\" } ]\n behaviours = [ { kind = replay, file = \"" + file
                + "\" } ]\n" + more;
        return ScenarioReader.read(text, "test");
    }

    @Test
    void recording_sizeNotGiven_isPlayedWhole() throws IOException {
        String recording = life(1, 5_000, 8_000, "peer_closed") + life(2, 65_000, 69_010, "heartbeat_timeout");
        Scenario scenario = read(recording, "");
        assertEquals(2, scenario.clients());
        assertTrue(scenario.anyInTheirOwnTime());
        assertEquals(0.5, scenario.closedShare());
        // 60 s to the second connect, 1.01 s to its last beat, 3 s of grace, 2 s until it counts as missed, 1 s for the
        // way.
        assertEquals(67_010_000_000L, scenario.durationNanos());
    }

    @Test
    void recording_shorterDuration_leavesOutWhoComesLaterAndTheEndOfOthers() throws IOException {
        String recording = life(1, 0, 4_010, "heartbeat_timeout")
                + life(2, 3_000, 7_010, "heartbeat_timeout")
                + life(3, 9_000, 13_010, "heartbeat_timeout");
        Scenario scenario = read(recording, "duration = 8s");
        assertEquals(2, scenario.clients());
        assertEquals(0.5, scenario.closedShare());
    }

    @Test
    void recording_missing_isAMistakeWithTheOthers() {
        IllegalArgumentException wrong =
                assertThrows(IllegalArgumentException.class, () -> read(directory.resolve("none"), "clients = 0"));
        assertTrue(wrong.getMessage().contains("2 mistakes"), wrong.getMessage());
        assertTrue(
                wrong.getMessage().contains("behaviours[0].file = " + directory.resolve("none")), wrong.getMessage());
    }

    @Test
    void recording_noRegularFile_isAMistake() {
        IllegalArgumentException wrong = assertThrows(IllegalArgumentException.class, () -> read(directory, ""));
        assertTrue(wrong.getMessage().contains("not a regular file"), wrong.getMessage());
    }

    @Test
    void recording_badLines_areAllNamed() {
        IllegalArgumentException wrong = assertThrows(
                IllegalArgumentException.class,
                () -> read("nonsense\n" + life(1, 0, 2_000, "normal") + life(2, 0, 2_000, "bored"), ""));
        assertTrue(wrong.getMessage().contains("line 1: "), wrong.getMessage());
        assertTrue(wrong.getMessage().contains("line 3: ended = bored"), wrong.getMessage());
    }

    @Test
    void recording_empty_isAMistake() {
        IllegalArgumentException wrong = assertThrows(IllegalArgumentException.class, () -> read("", ""));
        assertTrue(wrong.getMessage().contains("need at least one connection"), wrong.getMessage());
    }

    @Test
    void recording_changedMeanwhile_isReadAgain() throws IOException {
        assertEquals(1, read(life(1, 0, 2_000, "normal"), "").clients());
        assertEquals(
                2,
                read(life(1, 0, 2_000, "normal") + life(2, 0, 2_000, "normal"), "")
                        .clients());
    }

    @Test
    void assertion_percentage_isOneOfTheDevices() throws IOException {
        Scenario scenario =
                read(life(1, 0, 2_000, "normal"), "clients = 255\nassert = [ \"opened >= 10%\", \"ended = 3\" ]");
        assertEquals(
                List.of(25.0, 3.0),
                scenario.assertions().stream().map(Assertion::bound).toList());
        assertThrows(
                IllegalArgumentException.class,
                () -> read(directory.resolve("trace.jsonl"), "assert = [ \"round_trip.p99 <= 5%\" ]"));
    }
}
