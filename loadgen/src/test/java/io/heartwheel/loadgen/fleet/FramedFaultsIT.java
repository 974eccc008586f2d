package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.fleet.Told.assertCount;
import static io.heartwheel.loadgen.fleet.Told.count;
import static io.heartwheel.loadgen.fleet.Told.told;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fake.FramedFault;
import io.heartwheel.loadgen.fake.FramedServer;
import io.heartwheel.loadgen.fake.FramedWire;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three servers of protocols that are not ours, each described in a scenario: honest ones pass, and each planted fault fails
 * with its exact number.
 */
@Tag("timed")
@Timeout(120)
final class FramedFaultsIT {

    /** Protocols of the servers. */
    private enum Wire {
        JT808(
                FramedWire.Jt808::new,
                "id = \"0139{number:8}\"",
                """
            framing { delimiter = "7e", escape { "7e" = "7d02", "7d" = "7d01" } }
            frame = "{type} {length:u16:body} {id:bcd:6} {counter:u16} {body} {xor}"
            answer-frame = "{type} {length:u16:body} {id:bcd:6} {any:2} {body} {xor}"
            hello = [
              { send = "0100 | 0000 0000 'HWHW1' {any:20} '0000001' 00", expect = "8100 | {counter:u16} 00 {auth=any}" }
              { send = "0102 | {auth}", expect = "8001 | {counter:u16} 0102 00", refused = "8001 | {counter:u16} 0102 {code:u8}" }
            ]
            heartbeat { send = "0002 |", expect = "8001 | {counter:u16} 0002 00" }
            message {
              send = "0900 | {payload}", expect = "8001 | {counter:u16} 0900 00", refused = "8001 | {counter:u16} 0900 01"
              echo = "8900 | {counter:u16} {payload}"
            }
            leave = "0003 |"
            """),
        LENGTH(
                FramedWire.LengthField::new,
                "id = \"dev{number:5}\", counter = 1",
                """
            framing { length { bytes = 4, little-endian = true, adjust = -4 }, most = 32KiB }
            frame = "{length:u32le:frame} {type} {counter:u32le} {id:text:8} {body} {crc32:le}"
            hello = [{ send = "01 |", expect = "81 |", refused = "c1 |" }]
            heartbeat { send = "02 |", expect = "82 |" }
            message { send = "03 | {payload}", expect = "83 |", refused = "c3 |", echo = "a0 | {payload}" }
            leave = "04 |"
            """),
        LINES(
                FramedWire.Lines::new,
                "counter = 1",
                """
            framing { lines = crlf, most = 32KiB }
            hello = [{ send = "'LOGIN '{id}", expect = "'WELCOME '{id}' every '{interval-s:text}", refused = "'DENIED '{code:text}" }]
            heartbeat { send = "'PING'", expect = "'PONG'" }
            message { send = "'MSG '{counter:text}' '{payload:hex}", expect = "'ACK '{counter:text}", refused = "'NAK '{counter:text}"
              echo = "'MSG '{counter:text}' '{payload:hex}" }
            leave = "'QUIT'"
            """),
        /** The same lines, in text messages of a plain WebSocket. */
        WEB(
                FramedWire.Lines::new,
                "counter = 1",
                """
            hello = [{ send = "'LOGIN '{id}", expect = "'WELCOME '{id}' every '{interval-s:text}", refused = "'DENIED '{code:text}" }]
            heartbeat { send = "'PING'", expect = "'PONG'" }
            message { send = "'MSG '{counter:text}' '{payload:hex}", expect = "'ACK '{counter:text}", refused = "'NAK '{counter:text}"
              echo = "'MSG '{counter:text}' '{payload:hex}" }
            """);

        private FramedServer start(FramedFault fault) throws InterruptedException {
            return this == WEB ? FramedServer.overWebSocket(fault) : new FramedServer(server, fault);
        }

        private String target(int port) {
            String keys = this == WEB
                    ? "protocol = plain, path = \"/devices/{id}?key=k-{id}\", headers { X-Device = \"{id}\" }, subprotocol = lines.v2, messages {"
                    : "protocol = framed, framed {";
            return "targets = [{ address = \"127.0.0.1:" + port + "\"\n"
                    + "contract { interval = 1s, grace = 1.5, close = " + (this == WEB ? "4321" : "fin")
                    + ", handshake = 2s, read-progress { timeout = 1s, min-rate = 1MiB } }\n"
                    + keys + "\n" + description + "}\n}]\n";
        }

        private final Supplier<FramedWire> server;
        private final String description;

        Wire(Supplier<FramedWire> server, String id, String description) {
            this.server = server;
            this.description = id + "\n" + description;
        }
    }

    private static final String BEATING = "clients = 40, duration = 4s\n";
    private static final String IMPATIENT = BEATING + "assert = [\"connect_hello.p50 <= 350ms\"]\n";
    private static final String SILENCE =
            "clients = 60, duration = 5s, behaviours = [{ kind = steady, weight = 4 }, { kind = silent, weight = 1 }]\n";
    private static final int SILENT = 12;
    private static final String MESSAGES =
            "clients = 20, duration = 4s, echo = true, behaviours = [{ kind = chatty, rate = 4, payload { min = 8B, max = 90B, distribution = uniform } }]\n";
    private static final int SENDERS = 20;
    private static final String GREETING =
            "clients = 20, duration = 4s, behaviours = [{ kind = steady }, { kind = never-hello }]\n";
    private static final String DRIPPING =
            "clients = 20, duration = 4s, behaviours = [{ kind = steady }, { kind = byte-drip, gap = 100ms }]\n";
    private static final String TAKEOVER =
            "clients = 20, duration = 4s, behaviours = [{ kind = steady }, { kind = duplicate-id, after = 200ms, until = 900ms }]\n";
    private static final String MIXED =
            """
            clients = 60, duration = 6s, behaviours = [
              { kind = steady, weight = 3 }, { kind = vanishing }, { kind = leaving, after = 500ms, until = 2s }
              { kind = nat-rebind, after = 200ms, until = 900ms }, { kind = flapping, up = 600ms, down = 300ms }
            ]
            """;
    private static final int HALF = 10;

    private record Case(Wire wire, String scenario, FramedFault fault) {}

    private static final Map<Case, CompletableFuture<Result>> RESULTS = new LinkedHashMap<>();

    private static Result play(Case each) {
        Trial.Seen seen = once(each);
        for (int more = Trial.MOST_AGAIN; more > 0 && seen.stillNanos() > Trial.STANDSTILL_NANOS; more--) {
            seen = once(each);
        }
        return seen.result();
    }

    private static Trial.Seen once(Case each) {
        try (FramedServer server = each.wire.start(each.fault)) {
            Scenario read =
                    ScenarioReader.read(Trial.COMMON + each.wire.target(server.port()) + each.scenario, "trial");
            try (Fleet fleet = new Fleet(
                    read,
                    Slice.whole(read.clients()),
                    new SourceList(List.of(), Slice.whole(read.clients())),
                    1,
                    System::nanoTime,
                    Trial.CALM)) {
                return Trial.played(read, fleet, server::stoodStillNanos, () -> {});
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final List<Case> FAULTY = List.of(
            new Case(Wire.JT808, SILENCE, FramedFault.KILLS_EARLY),
            new Case(Wire.JT808, SILENCE, FramedFault.NEVER_KILLS),
            new Case(Wire.LENGTH, SILENCE, FramedFault.KILLS_LATE),
            new Case(Wire.LENGTH, SILENCE, FramedFault.RST_FOR_FIN),
            new Case(Wire.LINES, SILENCE, FramedFault.NEVER_KILLS),
            new Case(Wire.LINES, BEATING, FramedFault.KILLS_THE_LIVING),
            new Case(Wire.JT808, BEATING, FramedFault.MUTE),
            new Case(Wire.JT808, BEATING, FramedFault.SWALLOWS_A_BEAT),
            new Case(Wire.LENGTH, BEATING, FramedFault.ANSWERS_A_BEAT_TWICE),
            new Case(Wire.JT808, BEATING, FramedFault.ANSWERS_A_BEAT_THAT_WAS_NONE),
            new Case(Wire.LINES, BEATING, FramedFault.WRONG_ANSWER),
            new Case(Wire.JT808, BEATING, FramedFault.WRONG_ANSWER),
            new Case(Wire.JT808, BEATING, FramedFault.BROKEN_FRAME),
            new Case(Wire.LENGTH, BEATING, FramedFault.BROKEN_FRAME),
            new Case(Wire.LENGTH, BEATING, FramedFault.ANOTHERS_ANSWER),
            new Case(Wire.LENGTH, BEATING, FramedFault.FLOODS),
            new Case(Wire.LINES, BEATING, FramedFault.FLOODS),
            new Case(Wire.LINES, BEATING, FramedFault.REFUSES),
            new Case(Wire.JT808, BEATING, FramedFault.REFUSES),
            new Case(Wire.LENGTH, IMPATIENT, FramedFault.WELCOMES_LATE),
            new Case(Wire.LENGTH, GREETING, FramedFault.HANDSHAKE_EARLY),
            new Case(Wire.LINES, GREETING, FramedFault.HANDSHAKE_NEVER),
            new Case(Wire.LENGTH, DRIPPING, FramedFault.PROGRESS_NEVER),
            new Case(Wire.JT808, DRIPPING, FramedFault.PROGRESS_EARLY),
            new Case(Wire.JT808, MESSAGES, FramedFault.LOSES_AN_ACK),
            new Case(Wire.LINES, MESSAGES, FramedFault.DOUBLES_AN_ACK),
            new Case(Wire.LENGTH, MESSAGES, FramedFault.DISORDERS_ACKS),
            new Case(Wire.LINES, MESSAGES, FramedFault.REFUSES_A_MESSAGE),
            new Case(Wire.LENGTH, MESSAGES, FramedFault.ACKS_ANOTHER),
            new Case(Wire.JT808, MESSAGES, FramedFault.LOSES_AN_ECHO),
            new Case(Wire.LINES, MESSAGES, FramedFault.DOUBLES_AN_ECHO),
            new Case(Wire.WEB, SILENCE, FramedFault.KILLS_EARLY),
            new Case(Wire.WEB, SILENCE, FramedFault.NEVER_KILLS),
            new Case(Wire.WEB, SILENCE, FramedFault.RST_FOR_FIN),
            new Case(Wire.WEB, BEATING, FramedFault.SWALLOWS_A_BEAT),
            new Case(Wire.WEB, BEATING, FramedFault.WRONG_ANSWER),
            new Case(Wire.WEB, MESSAGES, FramedFault.LOSES_AN_ECHO),
            new Case(Wire.JT808, TAKEOVER, FramedFault.KEEPS_THE_PREDECESSOR),
            new Case(Wire.LINES, TAKEOVER, FramedFault.CLOSES_THE_SUCCESSOR));

    @BeforeAll
    static void tryAll() {
        play(new Case(Wire.LINES, BEATING.replace("4s", "1s"), FramedFault.NONE));
        for (Case each : FAULTY) {
            RESULTS.put(each, Trial.started(() -> play(each)));
        }
        for (Wire wire : Wire.values()) {
            List<String> all = List.of(SILENCE, MESSAGES, GREETING, TAKEOVER, MIXED, DRIPPING);
            for (String scenario : wire == Wire.WEB ? all.subList(0, 5) : all) {
                Case each = new Case(wire, scenario, FramedFault.NONE);
                RESULTS.put(each, Trial.started(() -> play(each)));
            }
        }
    }

    private static Result failed(Wire wire, String scenario, FramedFault fault) {
        Result result = RESULTS.get(new Case(wire, scenario, fault)).join();
        assertEquals(RunVerdict.FAIL, result.verdict(), () -> told(result));
        return result;
    }

    // ---- honest servers

    @Test
    void honest_everyProtocolAndScenario_passes() {
        RESULTS.forEach((each, future) -> {
            if (each.fault == FramedFault.NONE) {
                Result result = future.join();
                assertEquals(RunVerdict.PASS, result.verdict(), () -> each + told(result));
                assertTrue(count(result, Count.BEATS_ANSWERED) > 20, () -> each + told(result));
            }
        });
    }

    @Test
    void honest_brokenPromises_areEachDetected() {
        for (Wire wire : Wire.values()) {
            assertCount(SILENT, Count.DETECTED, honest(wire, SILENCE));
            assertCount(HALF, Count.DETECTED, honest(wire, GREETING));
            if (wire != Wire.WEB) {
                assertCount(HALF, Count.DETECTED, honest(wire, DRIPPING));
            }
            assertCount(HALF, Count.TAKEOVERS_RIGHT, honest(wire, TAKEOVER));
            assertTrue(
                    count(honest(wire, MESSAGES), Count.DATA_ACCEPTED) > 8 * SENDERS,
                    () -> told(honest(wire, MESSAGES)));
            assertTrue(
                    count(honest(wire, MESSAGES), Count.DATA_ECHOED) > 8 * SENDERS, () -> told(honest(wire, MESSAGES)));
        }
    }

    private static Result honest(Wire wire, String scenario) {
        return RESULTS.get(new Case(wire, scenario, FramedFault.NONE)).join();
    }

    // ---- closes

    @Test
    void verdict_closesTooEarlyOrNeverOrOtherwise_failsWithTheirNumber() {
        Result early = failed(Wire.JT808, SILENCE, FramedFault.KILLS_EARLY);
        assertEquals(SILENT, count(early, Count.FALSE_KILLS) + count(early, Count.OWN_FAULTS), () -> told(early));
        assertCount(SILENT, Count.MISSED_KILLS, failed(Wire.JT808, SILENCE, FramedFault.NEVER_KILLS));
        assertCount(SILENT, Count.MISSED_KILLS, failed(Wire.LINES, SILENCE, FramedFault.NEVER_KILLS));
        assertCount(SILENT, Count.WRONG_CODES, failed(Wire.LENGTH, SILENCE, FramedFault.RST_FOR_FIN));
        assertCount(4, Count.FALSE_KILLS, failed(Wire.LINES, BEATING, FramedFault.KILLS_THE_LIVING));
        failed(Wire.LENGTH, SILENCE, FramedFault.KILLS_LATE);
    }

    @Test
    void verdict_handshakesAndUnfinishedMessages_areHeldToTheirDeadline() {
        assertCount(HALF, Count.FALSE_KILLS, failed(Wire.LENGTH, GREETING, FramedFault.HANDSHAKE_EARLY));
        assertCount(HALF, Count.MISSED_KILLS, failed(Wire.LINES, GREETING, FramedFault.HANDSHAKE_NEVER));
        assertCount(HALF, Count.MISSED_KILLS, failed(Wire.LENGTH, DRIPPING, FramedFault.PROGRESS_NEVER));
        assertCount(HALF, Count.FALSE_KILLS, failed(Wire.JT808, DRIPPING, FramedFault.PROGRESS_EARLY));
    }

    @Test
    void verdict_describedMessagesOfAWebSocket_areJudgedAlike() {
        Result early = failed(Wire.WEB, SILENCE, FramedFault.KILLS_EARLY);
        assertEquals(SILENT, count(early, Count.FALSE_KILLS) + count(early, Count.OWN_FAULTS), () -> told(early));
        assertCount(SILENT, Count.MISSED_KILLS, failed(Wire.WEB, SILENCE, FramedFault.NEVER_KILLS));
        assertCount(SILENT, Count.WRONG_CODES, failed(Wire.WEB, SILENCE, FramedFault.RST_FOR_FIN));
        assertCount(40, Count.BEATS_UNANSWERED, failed(Wire.WEB, BEATING, FramedFault.SWALLOWS_A_BEAT));
        assertCount(40, Count.VIOLATIONS, failed(Wire.WEB, BEATING, FramedFault.WRONG_ANSWER));
        assertCount(SENDERS, Count.DATA_LOST, failed(Wire.WEB, MESSAGES, FramedFault.LOSES_AN_ECHO));
    }

    // ---- heartbeats and greetings

    @Test
    void verdict_beatsNotAnswered_failsWithEach() {
        assertCount(40, Count.DEVICES_UNANSWERED, failed(Wire.JT808, BEATING, FramedFault.MUTE));
        assertCount(40, Count.BEATS_UNANSWERED, failed(Wire.JT808, BEATING, FramedFault.SWALLOWS_A_BEAT));
    }

    @Test
    void verdict_answersThatAreNone_areViolations() {
        assertCount(40, Count.VIOLATIONS, failed(Wire.LENGTH, BEATING, FramedFault.ANSWERS_A_BEAT_TWICE));
        assertCount(40, Count.VIOLATIONS, failed(Wire.JT808, BEATING, FramedFault.ANSWERS_A_BEAT_THAT_WAS_NONE));
        assertCount(40, Count.VIOLATIONS, failed(Wire.LINES, BEATING, FramedFault.WRONG_ANSWER));
        assertCount(40, Count.VIOLATIONS, failed(Wire.JT808, BEATING, FramedFault.WRONG_ANSWER));
        assertCount(40, Count.VIOLATIONS, failed(Wire.JT808, BEATING, FramedFault.BROKEN_FRAME));
        assertCount(40, Count.VIOLATIONS, failed(Wire.LENGTH, BEATING, FramedFault.BROKEN_FRAME));
        assertCount(40, Count.VIOLATIONS, failed(Wire.LENGTH, BEATING, FramedFault.ANOTHERS_ANSWER));
        assertCount(40, Count.VIOLATIONS, failed(Wire.LENGTH, BEATING, FramedFault.FLOODS));
        assertCount(40, Count.VIOLATIONS, failed(Wire.LINES, BEATING, FramedFault.FLOODS));
    }

    @Test
    void verdict_refusesOrIsLateToWelcome_fails() {
        Result refused = failed(Wire.LINES, BEATING, FramedFault.REFUSES);
        assertCount(4, Count.REFUSED, refused);
        assertEquals(4, refused.tables().get("refusals").get("7"), () -> told(refused));
        assertCount(4, Count.REFUSED, failed(Wire.JT808, BEATING, FramedFault.REFUSES));
        failed(Wire.LENGTH, IMPATIENT, FramedFault.WELCOMES_LATE);
    }

    // ---- messages

    @Test
    void verdict_messagesGoneWrong_failWithTheirNumber() {
        assertCount(SENDERS, Count.DATA_UNACKNOWLEDGED, failed(Wire.JT808, MESSAGES, FramedFault.LOSES_AN_ACK));
        assertCount(SENDERS, Count.DATA_DOUBLED, failed(Wire.LINES, MESSAGES, FramedFault.DOUBLES_AN_ACK));
        assertCount(SENDERS, Count.DATA_DISORDERED, failed(Wire.LENGTH, MESSAGES, FramedFault.DISORDERS_ACKS));
        Case refusing = new Case(Wire.LINES, MESSAGES, FramedFault.REFUSES_A_MESSAGE);
        assertCount(SENDERS, Count.DATA_REFUSED, RESULTS.get(refusing).join());
        assertCount(SENDERS, Count.VIOLATIONS, failed(Wire.LENGTH, MESSAGES, FramedFault.ACKS_ANOTHER));
        assertCount(SENDERS, Count.DATA_LOST, failed(Wire.JT808, MESSAGES, FramedFault.LOSES_AN_ECHO));
        assertCount(SENDERS, Count.DATA_DOUBLED, failed(Wire.LINES, MESSAGES, FramedFault.DOUBLES_AN_ECHO));
    }

    // ---- takeovers

    @Test
    void verdict_takeoversGoneWrong_areEachCounted() {
        assertCount(HALF, Count.TAKEOVERS_WRONG, failed(Wire.JT808, TAKEOVER, FramedFault.KEEPS_THE_PREDECESSOR));
        assertCount(HALF, Count.TAKEOVERS_WRONG, failed(Wire.LINES, TAKEOVER, FramedFault.CLOSES_THE_SUCCESSOR));
    }
}
