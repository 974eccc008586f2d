package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.PlantedServer.Fault;
import io.heartwheel.loadgen.fleet.PlantedServer.Speech;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers of lines and of WebSocket messages, each with one fault: all of them are found, with their number and their name, and nothing else. In virtual time. */
final class PlantedFaultsTest {

    private static final Set<Count> WRONG = EnumSet.of(
            Count.FALSE_KILLS,
            Count.MISSED_KILLS,
            Count.WRONG_CODES,
            Count.VIOLATIONS,
            Count.UNJUDGED,
            Count.OWN_FAULTS,
            Count.BEATS_LATE,
            Count.BEATS_UNANSWERED,
            Count.DATA_ACKNOWLEDGED_LATE,
            Count.DATA_UNACKNOWLEDGED,
            Count.DATA_LATE,
            Count.DATA_LOST,
            Count.DATA_CHANGED,
            Count.DATA_DOUBLED,
            Count.DATA_DISORDERED,
            Count.DATA_MISDELIVERED);

    private static final String COMMON =
            """
            clients = 12, duration = 30s, seed = 11, id-prefix = "load-", echo = true
            heartbeat { interval = 4s, share = 0.5 }
            contract { answer-within = 1s, echo-within = 1s, missed-after = 2s }
            behaviours = [{ kind = chatty, rate = 2, weight = 5, payload { distribution = uniform, min = 16B, max = 90B } }
                          { kind = silent, after = 5s, until = 14s }]
            """;

    private static String target(Speech speech) {
        String numbers = speech == Speech.LINES ? "{id}' '{counter:text}' '" : "";
        String acknowledgement = speech == Speech.LINES ? "expect = \"'ACK '{counter:text}\"," : "";
        return switch (speech) {
            case WEB_SOCKET ->
                """
                targets = [{ protocol = plain, address = "127.0.0.1:1", path = "/ws/dev{number:6}"
                  contract { interval = 4s, grace = 1.5, close = any } }]
                """;
            default ->
                """
                targets = [{ protocol = framed, address = "127.0.0.1:1", contract { interval = 4s, grace = 1.5, close = fin }
                  framed { id = "dev{number:6}", counter = 1, framing.lines = lf
                    hello = [{ send = "'HELLO '{id}", expect = "'WELCOME'" }]
                    heartbeat { send = "'PING'", expect = "'PONG'" }
                    message { send = "'MSG '%1$s{payload:hex}", %2$s echo = "'MSG '%1$s{payload:hex}" } } }]
                """
                        .formatted(numbers, acknowledgement);
        };
    }

    @Test
    void warmUp_roundTrips_standApart() {
        Scenario scenario = ScenarioReader.read(COMMON + target(Speech.LINES) + "\nwarm-up = 4s", "warm-up");
        Result result = new VirtualFleet(scenario, new PlantedServer(Speech.LINES, Fault.NONE, 1, 0)).run();
        long cold = result.timings().get(Timing.ROUND_TRIP_COLD.label()).count();
        long rest = result.timings().get(Timing.ROUND_TRIP.label()).count();
        long all = result.counts().get(Count.BEATS_ANSWERED.label());
        assertTrue(cold > 0 && rest > cold && cold + rest <= all, cold + " " + rest + " " + all);
    }

    /** What it is found as; null: nothing is wrong, or this server cannot do it. */
    private static Count named(Fault fault, Speech speech) {
        return switch (fault) {
            case NONE -> null;
            case SILENT_CLOSE, EARLY_CLOSE -> Count.FALSE_KILLS;
            case NO_CLOSE -> Count.MISSED_KILLS;
            case LATE_HEARTBEAT -> Count.BEATS_LATE;
            case LOST_HEARTBEAT -> Count.BEATS_UNANSWERED;
            case LATE_DATA -> speech.acknowledges() ? Count.DATA_ACKNOWLEDGED_LATE : null;
            case LATE_ECHO -> Count.DATA_LATE;
            case REORDERED -> Count.DATA_DISORDERED;
            case LOST -> Count.DATA_LOST;
            case DOUBLED -> Count.DATA_DOUBLED;
            case ALTERED, ALTERED_NAME -> Count.DATA_CHANGED;
            // a copy is one too many, whatever it contains
            case ALTERED_COPY -> Count.DATA_DOUBLED;
            case WRONG_NUMBER -> speech.acknowledges() ? Count.VIOLATIONS : null;
            case COPIED, LEAKED, WRONG_CLIENT -> Count.DATA_MISDELIVERED;
        };
    }

    private static void assertFound(Speech speech, Fault fault, int every) {
        assertFound(speech, fault, every, fault == Fault.REORDERED ? 1 : 0, "");
    }

    private static void assertFound(Speech speech, Fault fault, int every, int behind, String more) {
        Scenario scenario = ScenarioReader.read(COMMON + target(speech) + more, "planted");
        PlantedServer server = new PlantedServer(speech, fault, every, behind);
        Result result = new VirtualFleet(scenario, server).run();
        Count named = named(fault, speech);
        String told = speech + " " + fault + ": " + server.planted() + " planted\n" + result.findings() + "\n"
                + result.counts() + "\n"
                + result.evidence().stream().limit(10).map(GatewayFault::line).collect(Collectors.joining("\n"));
        int planted = fault == Fault.NO_CLOSE ? 2 : server.planted();
        assertEquals(named == null, planted == 0, told);
        for (Count count : WRONG) {
            long wanted = count == named ? planted : 0;
            assertEquals(wanted, result.counts().getOrDefault(count.label(), 0L), () -> count + " of " + told);
        }
        assertEquals(named == null ? RunVerdict.PASS : RunVerdict.FAIL, result.verdict(), told);
        assertTrue(result.timings().containsKey(Timing.ECHO_ROUND_TRIP.label()), told);
        assertEquals(speech.acknowledges(), result.timings().containsKey(Timing.DATA_ROUND_TRIP.label()), told);
        if (named != null) {
            GatewayFault evidence = result.evidence().get(0);
            assertTrue(evidence.device().matches("(/ws/)?dev0000[0-9]{2}"), told);
            boolean ofMessage = named.label().startsWith("data_");
            String detail = named == Count.DATA_MISDELIVERED
                    ? "message [0-9]+ of (/ws/)?dev0000[0-9]{2} came here"
                    : ofMessage ? "message [0-9]+" + (behind > 16 ? ".*" : " of [0-9.]+ s (was|came) .*") : ".*";
            assertTrue(evidence.detail().matches(detail), told);
            assertTrue(!fault.name().startsWith("ALTERED") || server.concerns(evidence.message()), told);
        }
    }

    @ParameterizedTest
    @EnumSource
    void server_withOneFault_isFoundExactly(Fault fault) {
        for (Speech speech : Speech.values()) {
            assertFound(speech, fault, fault == Fault.SILENT_CLOSE ? 40 : 17);
        }
    }

    /** The last messages of a run are waited for as long as they may take, however long that is. */
    @ParameterizedTest
    @EnumSource
    void server_thatMayTakeLong_isFoundExactlyAllTheSame(Speech speech) {
        for (String within : List.of("4s", "12s")) {
            assertFound(speech, Fault.LOST, 5, 0, "contract.echo-within = " + within);
        }
    }

    @ParameterizedTest
    @EnumSource
    void server_lateByHundredsOfMessages_isFoundExactly(Speech speech) {
        String often = "contract.echo-within = 1m, behaviours = [{ kind = chatty, rate = 20 }]";
        assertFound(speech, Fault.REORDERED, 400, 150, often);
        assertFound(speech, Fault.DOUBLED, 400, 150, often);
    }
}
