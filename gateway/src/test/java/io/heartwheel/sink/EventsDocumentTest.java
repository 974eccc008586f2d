package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.event.CertificateProblem;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.Connected;
import io.heartwheel.event.ConnectionEvent.Disconnected;
import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.ConnectionEvent.Refused;
import io.heartwheel.event.ConnectionEvent.TakenOver;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.DeadlineOrigin;
import io.heartwheel.event.EventKind;
import io.heartwheel.event.Events;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Gap;
import io.heartwheel.event.Incarnation;
import io.heartwheel.event.Incident;
import io.heartwheel.event.PauseCause;
import io.heartwheel.event.Snapshot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The reference page of event lines against the encoder: fields, their order, which are always there, and the examples. */
class EventsDocumentTest {
    private static final Path DOCUMENT = Path.of("docs/events.md");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long AT = Events.AT;

    /** A row of a table: a field, and when it is there. */
    private record Row(String field, String when) {
        static Row of(String line) {
            String[] cells = line.split("\\|", -1);
            return new Row(cells[1].strip().replace("`", ""), cells[3].strip());
        }
    }

    private static List<Row> table(String kind) throws IOException {
        return Files.readAllLines(DOCUMENT).stream()
                .dropWhile(line -> !line.equals("## " + kind))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("| `"))
                .map(Row::of)
                .toList();
    }

    /** All fields of a line in order; those of an object as {@code object.field}. */
    private static List<String> fields(Fact fact, String instance) throws IOException {
        List<String> all = new ArrayList<>();
        flatten("", JSON.readTree(line(fact, instance)), all);
        return all;
    }

    private static void flatten(String prefix, JsonNode object, List<String> all) {
        object.properties().forEach(field -> {
            if (field.getValue().isObject() && !Set.of("lost", "attributes").contains(field.getKey())) {
                flatten(prefix + field.getKey() + ".", field.getValue(), all);
            } else {
                all.add(prefix + field.getKey());
            }
        });
    }

    private static String line(Fact fact, String instance) {
        EventEncoder encoder = new EventEncoder(instance, AT / 1_000);
        if (!instance.isEmpty()) {
            encoder.append(new Snapshot(AT, 1, false, Snapshot.Cause.ASKED, 0));
            encoder.clear();
        }
        assertTrue(encoder.append(fact));
        return StandardCharsets.UTF_8.decode(encoder.lines()).toString().strip();
    }

    /** With everything that can be told at once. */
    private static Evidence fullEvidence(boolean established, CloseReason reason) {
        return new Evidence(
                new Identity(established ? "d" : "", 7, established ? 9 : 0),
                established ? "" : "d",
                established ? "heartwheel" : "handshake",
                "10.0.0.1:5000",
                "10.9.0.1:41000",
                "acme",
                established,
                AT,
                120_000,
                reason,
                "silent for 90.0 s",
                new Evidence.PeerClose(4000, "battery low"),
                new Evidence.Certificate("CN=d", "CN=ca", "01", CertificateProblem.EXPIRED),
                new Evidence.Limit(DeadlineKind.HEARTBEAT, DeadlineOrigin.ASKED, 90_000, 60_000, 150, -2),
                new Evidence.Traffic(1, 1, "PING", 1, "PING", 0, 0, List.of(PauseCause.SINK, PauseCause.RATE)),
                new Evidence.Probes(2, 1, 29_900, List.of(41_000)),
                new Evidence.Path(1, 1, 1, 1, 1, 1, 1, 1, 1),
                new Evidence.Timing(90_001_000, 1_500, 0, 1, 9_000, 9_001, false),
                8,
                "b");
    }

    /** With as little as there can be. */
    private static Evidence barestEvidence(boolean established, CloseReason reason) {
        Identity identity = established ? new Identity("d", 7, 9) : new Identity("", 7, 0);
        return FactJsonTest.bare(identity, AT, reason, null);
    }

    /** The sections of the page: all kinds, and one of {@code disconnected} that is told otherwise. */
    static Stream<String> kinds() {
        return Stream.concat(EventKind.all().stream().map(EventKind::label), Stream.of("gateway_lost", "node_lost"));
    }

    static List<Fact> fullest(String kind) {
        return switch (kind) {
            case "connected" ->
                List.of(new Connected(
                        Events.DEVICE,
                        AT,
                        "heartwheel",
                        "10.0.0.1:5000",
                        "10.9.0.1:41000",
                        "acme",
                        1,
                        List.of("acme", "beta"),
                        Map.of("site", "north")));
            case "data" -> List.of(Events.text(1, "a"), Events.binary(1, (byte) 0));
            case "disconnected" -> List.of(new Disconnected(fullEvidence(true, CloseReason.HEARTBEAT_TIMEOUT), 3));
            case "taken-over" -> List.of(new TakenOver(fullEvidence(true, CloseReason.TAKEN_OVER), 3));
            case "refused" -> List.of(new Refused(fullEvidence(false, CloseReason.HEARTBEAT_TIMEOUT), 41));
            case "suspect" -> List.of(Events.suspect());
            case "recovered" -> List.of(Events.recovered());
            case "id-conflict" -> List.of(Events.idConflict());
            case "gateway_lost" -> List.of(Events.lost());
            case "node_lost" ->
                List.of(Events.nodeLost(CloseReason.NODE_LOST), Events.nodeLost(CloseReason.NODE_ENDED));
            case "node-down" -> List.of(Events.nodeDown());
            case "incarnation" -> List.of(new Incarnation(AT, AT / 1_000, AT / 1_000 - 3_600, false, "0.1.0"));
            case "snapshot" -> List.of(new Snapshot(AT, 1, true, Snapshot.Cause.ASKED, 1));
            case "present" -> List.of(Events.granted(Events.present("10.9.0.1:41000")));
            case "incident" -> List.of(Events.incident(true));
            case "gap" -> List.of(new Gap(AT, AT, AT, Map.of("data", 1L)));
            default -> throw new AssertionError(kind);
        };
    }

    static List<Fact> barest(String kind) {
        return switch (kind) {
            case "connected" -> List.of(Events.connected(""));
            case "data" -> List.of(Events.text(0, ""), Events.binary(0));
            case "disconnected" -> List.of(new Disconnected(barestEvidence(true, CloseReason.PEER_CLOSED), 3));
            case "taken-over" -> List.of(new TakenOver(barestEvidence(true, CloseReason.TAKEN_OVER), 3));
            case "refused" -> List.of(new Refused(barestEvidence(false, CloseReason.PEER_CLOSED), 0));
            case "incarnation" -> List.of(new Incarnation(AT, AT / 1_000, 0, false, "0.1.0"));
            case "snapshot" -> List.of(new Snapshot(AT, 1, false, Snapshot.Cause.START, 0));
            case "present" -> List.of(Events.present(""));
            case "incident" -> List.of(Events.incident(false));
            case "gap" -> List.of(new Gap(AT, AT, AT, Map.of()));
            default -> fullest(kind);
        };
    }

    /** Rows of this kind: all that end have one table, but for what it says of either. */
    private static List<Row> rows(String kind) throws IOException {
        String other = kind.equals("refused") ? "except `refused`" : "`refused` alone";
        boolean ends = Set.of("disconnected", "taken-over", "refused").contains(kind);
        return table(ends ? "disconnected and refused" : kind).stream()
                .filter(row -> !row.when().startsWith(other))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void table_ofEachKind_namesEveryFieldInOrder(String kind) throws Exception {
        List<String> written = new ArrayList<>();
        for (Fact fact : fullest(kind)) {
            fields(fact, "1").stream().filter(field -> !written.contains(field)).forEach(field -> {
                // of two that stand in each other's place the page names the first first
                int end = written.indexOf("incarnation");
                written.add(end < 0 || field.equals("instance") ? written.size() : end, field);
            });
        }
        assertEquals(written, rows(kind).stream().map(Row::field).toList());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void table_ofEachKind_saysWhichFieldsAreAlwaysThere(String kind) throws Exception {
        TreeSet<String> always = new TreeSet<>();
        boolean first = true;
        for (Fact fact : barest(kind)) {
            List<String> here = fields(fact, "");
            assertEquals(
                    kind.endsWith("_lost") ? "disconnected" : kind, fact.kind().label());
            always.retainAll(first ? always : here);
            if (first) {
                always.addAll(here);
            }
            first = false;
        }
        always.remove("code"); // not each reason has one
        TreeSet<String> said = new TreeSet<>();
        rows(kind).stream()
                .filter(row -> row.when().equals("always") || row.when().endsWith(", always"))
                .forEach(row -> said.add(row.field()));
        assertEquals(always, said);
    }

    private static Evidence wrongToken() {
        return new Evidence(
                new Identity("", 8, 0),
                "sensor/42",
                "handshake",
                "192.0.2.9:40112",
                "",
                "",
                false,
                AT,
                1,
                CloseReason.UNAUTHORIZED,
                "wrong token",
                null,
                null,
                null,
                new Evidence.Traffic(0, 0, "HELLO", Evidence.NEVER, "", 0, 0, List.of()),
                new Evidence.Probes(0, 0, Evidence.NEVER, List.of()),
                new Evidence.Path(9_800, 4_900, 0, 0, 0, 0, 0, 0, 1),
                new Evidence.Timing(1_000, 0, 0, 0, 0, 12, false),
                0,
                "");
    }

    /** The examples, in the order of the page. */
    static Stream<Fact> examples() {
        return Stream.of(
                Events.connected("acme-fw/2.1"),
                Events.text(258, "hé"),
                Events.binary(-1, (byte) 0, (byte) -1),
                Events.suspect(),
                Events.recovered(),
                Events.disconnected(CloseReason.HEARTBEAT_TIMEOUT),
                new Refused(wrongToken(), 6_436),
                Events.idConflict(),
                Events.lost(),
                Events.nodeLost(CloseReason.NODE_LOST),
                Events.nodeDown(),
                new Incarnation(AT, AT / 1_000, AT / 1_000 - 3_600, false, "0.1.0"),
                new Snapshot(AT, 1, false, Snapshot.Cause.GAP, 1),
                new Snapshot(AT + 1_000, 1, true, Snapshot.Cause.GAP, 1),
                Events.present(""),
                new Incident(1, false, AT, 0, List.of("subnet 10.1.2.0/24"), 120, 10_000, 0, 0, 0, 0),
                new Incident(1, true, AT + 29_287, 29_287, List.of("subnet 10.1.2.0/24"), 120, 10_000, 130, 4, 125, 1),
                new Gap(AT + 4_284, AT, AT + 2_822, Map.of("connected", 186L, "disconnected", 187L)));
    }

    @Test
    void examples_onThePage_areWhatIsWritten() throws Exception {
        List<String> shown = Files.readAllLines(DOCUMENT).stream()
                .filter(line -> line.startsWith("{\"event\""))
                .toList();

        assertEquals(examples().map(fact -> line(fact, "")).toList(), shown);
    }
}
