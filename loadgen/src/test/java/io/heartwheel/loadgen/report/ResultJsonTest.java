package io.heartwheel.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.loadgen.judge.Recovery;
import io.heartwheel.loadgen.judge.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A result survives its file, and a file that is none says so. */
final class ResultJsonTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static ObjectNode tree() throws Exception {
        return (ObjectNode) JSON.readTree(ResultJson.text(Results.rich().result()));
    }

    private static String refusal(String text) {
        return assertThrows(IllegalArgumentException.class, () -> ResultJson.parse(text, "a.json"))
                .getMessage();
    }

    @Test
    void write_everyKindOfContent_isReadBackEqual(@TempDir Path directory) throws Exception {
        Result rich = Results.rich().falseKill("dev-1", "silent").result();
        Path file = directory.resolve("a.json");
        Files.writeString(file, ResultJson.text(rich));
        assertEquals(rich, ResultJson.read(file));
    }

    @Test
    void write_withoutCostsAndSeries_isReadBackEqual() {
        Result quiet = Results.quiet().result();
        assertEquals(quiet, ResultJson.parse(ResultJson.text(quiet), "a.json"));
    }

    @Test
    void write_largestNumbersAndNone_isReadBackEqual() throws Exception {
        Results results = Results.quiet();
        results.seed = Long.MAX_VALUE;
        results.clients = Long.MIN_VALUE;
        results.recoveries.add(new Recovery("a", Double.NaN, 1, 0, Map.of(50, Double.MIN_VALUE), Double.MAX_VALUE, 0));
        Result result = results.result();
        String text = ResultJson.text(result);
        assertTrue(JSON.readTree(text).at("/recoveries/0/at_seconds").isNull(), text);
        assertEquals(result, ResultJson.parse(text, "a.json"));
    }

    @Test
    void write_infiniteNumber_isNull() {
        Results results = Results.quiet();
        results.recoveries.add(new Recovery("a", 1, 1, 0, Map.of(), Double.POSITIVE_INFINITY, 0));
        Result back = ResultJson.parse(ResultJson.text(results.result()), "a.json");
        assertTrue(Double.isNaN(back.recoveries().get(0).peakOpensPerSecond()));
    }

    @Test
    void write_names_areThoseAnOperatorGuesses() throws Exception {
        Results results = Results.rich().falseKill("dev-1", "silent");
        JsonNode tree = JSON.readTree(ResultJson.text(results.result()));
        assertEquals("FAIL", tree.at("/verdict").asText());
        assertEquals(10_000, tree.at("/counts/opened").asLong());
        assertTrue(tree.at("/timings/round_trip/p99_nanos").asLong() > 0);
        assertTrue(tree.at("/timings/round_trip/p999_nanos").asLong() > 0);
        assertEquals(3.4, tree.at("/recoveries/0/seconds_to/50").asDouble());
        assertEquals(1_000, tree.at("/tables/closes of silent/4001").asLong());
    }

    @Test
    void write_figuresThatFollow_areWritten() throws Exception {
        JsonNode tree = JSON.readTree(
                ResultJson.text(Results.rich().falseKill("dev-1", "silent").result()));
        assertEquals(0.44, tree.at("/health/cores").asDouble(), 1e-9);
        assertEquals(0.0002, tree.at("/health/collector_share").asDouble(), 1e-9);
        assertFalse(tree.at("/health/saturated").asBoolean(true));
        assertTrue(
                tree.at("/evidence/0/line").asText().startsWith("live device closed: dev-1 (live) at 41.500s"),
                tree::toString);
    }

    @Test
    void parse_fieldsOfALaterVersion_areLeftOut() throws Exception {
        ObjectNode tree = tree();
        tree.put("weather", "fair");
        ((ObjectNode) tree.get("health")).put("mood", 3);
        assertEquals(Results.rich().result(), ResultJson.parse(tree.toString(), "a.json"));
    }

    @Test
    void parse_otherFormat_isRefusedByName() throws Exception {
        ObjectNode tree = tree();
        tree.put("format", "heartwheel-loadgen-result/9");
        assertEquals(
                "a.json: format = heartwheel-loadgen-result/9: need heartwheel-loadgen-result/1",
                refusal(tree.toString()));
        assertEquals("a.json: format = none: need heartwheel-loadgen-result/1", refusal("{}"));
        assertEquals("a.json: format = none: need heartwheel-loadgen-result/1", refusal("[1]"));
    }

    @Test
    void parse_noJson_isRefused() {
        assertTrue(refusal("PASS").startsWith("a.json: no result: "));
        assertTrue(refusal("").startsWith("a.json: "));
        assertTrue(refusal("{\"format\": \"heartwheel-loadgen-result/1\"").startsWith("a.json: no result: "));
    }

    @Test
    void parse_severalThingsMissing_namesThemAll() throws Exception {
        ObjectNode tree = tree();
        tree.remove("verdict");
        ((ObjectNode) tree.get("health")).remove("pacing");
        ((ObjectNode) tree.get("series").get(3)).putNull("round_trip");
        String message = refusal(tree.toString());
        assertEquals(
                "a.json: 3 mistakes\n  verdict: missing\n  health.pacing: missing\n  series[3].round_trip: missing",
                message);
    }

    @Test
    void parse_wrongTypes_isRefusedWithWhere() throws Exception {
        ObjectNode tree = tree();
        tree.put("clients", "many");
        assertTrue(refusal(tree.toString()).startsWith("a.json: no result: "), refusal(tree.toString()));
    }

    @Test
    void parse_brokenHistogram_isRefusedByName() throws Exception {
        ObjectNode tree = tree();
        ((ObjectNode) tree.get("histograms")).put("lateness", "SGVsbG8=").put("round_trip", "%%");
        assertEquals(
                "a.json: 2 mistakes\n  histograms.lateness: not readable\n  histograms.round_trip: not readable",
                refusal(tree.toString()));
    }

    @Test
    void read_noSuchFile_saysSo(@TempDir Path directory) {
        Path file = directory.resolve("none.json");
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> ResultJson.read(file));
        assertEquals(file + ": no such file", refusal.getMessage());
    }

    @Test
    void write_comparison_isJsonWithNullsForWhatIsMissing(@TempDir Path directory) throws Exception {
        Comparison comparison =
                Comparison.of(Results.quiet().result(), Results.rich().result());
        Path file = Files.writeString(directory.resolve("c.json"), ResultJson.text(comparison));
        JsonNode tree = JSON.readTree(file.toFile());
        assertEquals(Comparison.FORMAT, tree.at("/format").asText());
        assertEquals("PASS", tree.at("/verdict_a").asText());
        assertTrue(tree.findValues("name").size() > 20, tree::toString);
        JsonNode lateness = null;
        for (JsonNode row : tree.get("rows")) {
            lateness = row.get("name").asText().equals("lateness_p99") ? row : lateness;
        }
        assertTrue(lateness.get("a").isNull() && lateness.get("ratio").isNull(), tree::toString);
        assertTrue(lateness.get("notable").asBoolean());
    }
}
