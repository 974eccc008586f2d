package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.RecordedConnection;
import io.heartwheel.loadgen.client.RecordedEnd;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Activity traces, as the gateway writes them and as they should not be. */
final class RecordingTest {

    private static Recording read(String... lines) throws IOException {
        return Recording.read(new StringReader(String.join("\n", lines)));
    }

    private static Recording good(Recording recording) {
        assertEquals(List.of(), recording.mistakes());
        return recording;
    }

    private static String line(int connection, long connected, long from, String reads, String end) {
        return "{\"trace\":52033,\"connection\":" + connection + ",\"protocol\":\"heartwheel\",\"connected_ms\":"
                + connected + ",\"from_ms\":" + from + ",\"interval_ms\":30000,\"grace\":150,\"reads_ms\":[" + reads
                + "]" + end + "}";
    }

    private static String ended(long at, String how) {
        return ",\"ended_ms\":" + at + ",\"ended\":\"" + how + "\"";
    }

    @Test
    void read_oneLine_isOneLifeFromItsConnect() throws Exception {
        Recording recording = read(line(7, 1_200, 1_200, "3,27000,27001", ended(99_204, "heartbeat_timeout")));

        assertEquals(List.of(), recording.mistakes());
        RecordedConnection life = recording.lives().get(0);
        assertEquals(0, life.connectAtMillis());
        assertEquals(30_000, life.intervalMillis());
        assertEquals(150, life.graceHundredths());
        assertArrayEquals(new int[] {3, 27_003, 54_004}, life.beatAtMillis());
        assertEquals(RecordedEnd.SILENT, life.ended());
        assertEquals(98_004, life.endedAtMillis());
    }

    @Test
    void read_severalLinesOfSeveralLives_areJoinedAndInOrder() throws Exception {
        Recording recording = read(
                line(7, 1_200, 1_200, "3,27000", ""),
                line(9, 1_500, 1_500, "", ended(11_500, "handshake_timeout")),
                line(8, 1_000, 1_000, "5", ""),
                "",
                line(7, 1_200, 28_203, "27000", ""),
                line(7, 1_200, 55_203, "", ended(60_000, "peer_closed")));

        assertEquals(List.of(), recording.mistakes());
        assertEquals(
                List.of(0L, 200L, 500L),
                recording.lives().stream()
                        .map(RecordedConnection::connectAtMillis)
                        .toList());
        assertEquals(
                List.of(RecordedEnd.UNTOLD, RecordedEnd.LEFT, RecordedEnd.NEVER_SPOKE),
                recording.lives().stream().map(RecordedConnection::ended).toList());
        assertArrayEquals(
                new int[] {3, 27_003, 54_003}, recording.lives().get(1).beatAtMillis());
        assertEquals(58_800, recording.lives().get(1).endedAtMillis());
        assertEquals(5, recording.lives().get(0).endedAtMillis());
        assertEquals(0, recording.lives().get(2).beatAtMillis().length);
    }

    @Test
    void read_tracesOfTwoGateways_areKeptApart() throws Exception {
        String other = line(7, 1_000, 1_000, "8", ended(2_000, "peer_reset")).replace("52033", "52034");
        Recording recording = read(line(7, 1_200, 1_200, "3", ""), other);

        assertEquals(List.of(), recording.mistakes());
        assertEquals(
                List.of(RecordedEnd.RESET, RecordedEnd.UNTOLD),
                recording.lives().stream().map(RecordedConnection::ended).toList());
    }

    @Test
    void read_unknownFields_arePassedOver() throws Exception {
        String line = line(7, 0, 0, "1", ended(2, "shutdown") + ",\"later\":{\"a\":[1]}");
        assertEquals(
                RecordedEnd.CLOSED_BY_GATEWAY, good(read(line)).lives().get(0).ended());
    }

    @Test
    void read_everyBadLine_isNamedAndTheOthersAreRead() throws Exception {
        Recording recording = read(
                "{",
                "[1]",
                line(1, -1, 0, "1", ""),
                line(2, 0, 0, "1,-5", ""),
                line(3, 0, 0, "1,\"x\"", ""),
                line(4, 0, 0, "1", ended(5, "boredom")),
                line(5, 0, 0, "7", ended(5, "peer_closed")),
                line(6, 0, 100, "7", ""),
                line(6, 0, 107, "7", ended(900, "peer_closed")),
                line(7, 0, 0, "7", ""),
                line(7, 0, 8, "7", ""),
                line(8, 0, 0, "1", "").replace("150", "1e3"),
                line(9, 0, 0, "2147483647,2147483647", ""),
                "{\"trace\":1}",
                line(10, 0, 0, "4", ended(4, "peer_closed")));

        assertEquals(
                List.of("1", "2", "3", "4", "5", "6", "7", "8", "11", "12", "13", "14"),
                recording.mistakes().stream()
                        .map(text -> text.substring("line ".length(), text.indexOf(':')))
                        .toList(),
                recording.mistakes()::toString);
        assertEquals(1, recording.lives().size());
        assertEquals(
                "line 3: connected_ms = -1: need 0..281474976710656 ms",
                recording.mistakes().get(2));
        assertTrue(recording.mistakes().get(5).startsWith("line 6: ended = boredom: need one of peer_closed, "));
        assertEquals(
                "line 7: connection 5: ended_ms = 5: need at least 7, when it was heard last",
                recording.mistakes().get(6));
        assertEquals(
                "line 8: connection 6: from_ms = 100 of a connection of connected_ms = 0: need 0 of 0, a line before it is missing",
                recording.mistakes().get(7));
        assertEquals(
                "line 14: connection = nothing: need 0..9223372036854775807",
                recording.mistakes().get(11));
    }

    @Test
    void read_manyBadLines_areToldUpToABound() throws Exception {
        Recording recording = read("{\n".repeat(Recording.MOST_MISTAKES + 7));
        assertEquals(Recording.MOST_MISTAKES + 1, recording.mistakes().size());
        assertEquals("and 7 more", recording.mistakes().get(Recording.MOST_MISTAKES));
    }

    @Test
    void read_lineThatIsTooLong_isSkipped() throws Exception {
        Recording recording =
                read("x".repeat(Recording.MOST_LINE_CHARS + 1), line(1, 0, 0, "4", ended(4, "peer_closed")));
        assertEquals(List.of("line 1: longer than 1048576 characters"), recording.mistakes());
        assertEquals(1, recording.lives().size());
    }

    @Test
    void read_longestLineThatTheGatewayWrites_isTaken() throws Exception {
        String reads = "86400,".repeat(65_535) + "1";
        String line =
                line(1, 0, 0, reads, ended(Integer.MAX_VALUE, "peer_closed")).replace("86400", "30000");
        RecordedConnection life = good(read(line)).lives().get(0);
        assertEquals(65_536, life.beatAtMillis().length);
        assertEquals(65_535 * 30_000 + 1, life.beatAtMillis()[65_535]);
    }

    @Test
    void read_moreThanThereIsRoomFor_stopsAndSaysSo() throws Exception {
        String lines = line(1, 0, 0, "4", ended(4, "peer_closed")) + "\n" + line(2, 0, 0, "4,5", "") + "\n"
                + line(3, 0, 0, "4", "");
        Recording few = Recording.read(new StringReader(lines), 2, 100);
        assertEquals(2, few.lives().size());
        assertEquals(List.of("need at most 2 lives and 100 arrivals: the rest was not read"), few.mistakes());
        assertEquals(2, Recording.read(new StringReader(lines), 9, 3).lives().size());
        assertEquals(
                3, good(Recording.read(new StringReader(lines), 4, 5)).lives().size());
    }

    @ParameterizedTest
    @CsvSource({
        "peer_closed, LEFT", "peer_reset, RESET", "heartbeat_timeout, SILENT", "read_idle, SILENT",
        "read_stalled, UNFINISHED", "write_stalled, NOT_READING", "handshake_timeout, NEVER_SPOKE",
                "taken_over, TAKEN_OVER",
        "malformed, REFUSED", "max_age, CLOSED_BY_GATEWAY"
    })
    void ended_label_saysWhatTheDeviceDid(String label, RecordedEnd expected) {
        assertEquals(expected, RecordedEnd.of(label));
    }

    /** The close labels of the wire document are all known. */
    @Test
    void ended_everyLabelOfTheWireDocument_isKnown() throws Exception {
        Matcher labels = Pattern.compile("(?m)^\\| (4[0-9]{3}) \\| [A-Z_0-9]+ \\| `([a-z_0-9]+)` \\|")
                .matcher(Files.readString(Path.of("..", "gateway", "docs", "protocol.md")));
        int count = 0;
        while (labels.find()) {
            RecordedEnd.of(labels.group(2));
            count++;
        }
        assertTrue(count >= 20, count + " labels in the document");
    }

    /** What the gateway's own page shows is read. */
    @Test
    void read_sampleOfTheGatewaysPage_isFourLives() throws Exception {
        String page = Files.readString(Path.of("..", "gateway", "docs", "trace.md"));
        int begin = page.indexOf("```trace\n") + "```trace\n".length();
        Recording recording = good(read(page.substring(begin, page.indexOf("```", begin))));

        assertEquals(
                List.of(RecordedEnd.LEFT, RecordedEnd.SILENT, RecordedEnd.LEFT, RecordedEnd.NEVER_SPOKE),
                recording.lives().stream().map(RecordedConnection::ended).toList());
        assertEquals(18, recording.lives().get(0).beatAtMillis().length);
    }
}
