package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.measure.Count.CONDEMNED;
import static io.heartwheel.loadgen.measure.Count.DATA_ACCEPTED;
import static io.heartwheel.loadgen.measure.Count.DATA_ECHOED;
import static io.heartwheel.loadgen.measure.Count.DATA_LOST;
import static io.heartwheel.loadgen.measure.Count.DETECTED;
import static io.heartwheel.loadgen.measure.Count.EXCUSED;
import static io.heartwheel.loadgen.measure.Count.FALSE_KILLS;
import static io.heartwheel.loadgen.measure.Count.MISSED_KILLS;
import static io.heartwheel.loadgen.measure.Count.PUSHES_ABSENT;
import static io.heartwheel.loadgen.measure.Count.PUSHES_ACCEPTED;
import static io.heartwheel.loadgen.measure.Count.PUSHES_DELIVERED;
import static io.heartwheel.loadgen.measure.Count.PUSHES_EXCUSED;
import static io.heartwheel.loadgen.measure.Count.UNJUDGED;
import static io.heartwheel.loadgen.measure.Count.WRONG_CODES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.Trial.Seen;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Timing;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All {@link Play plays}, each held against its row and against what more it proves. */
@Tag("timed")
final class JudgeIT {

    private static final long MILLI = 1_000_000L;
    private static final Judging JUDGING = new Judging(EnumSet.allOf(Play.class), 12);

    @AfterAll
    static void someJudged() {
        JUDGING.assertSomeJudged();
    }

    @ParameterizedTest
    @EnumSource
    void verdict_eachPlay_isAsItsRowSays(Play play) {
        Seen seen = JUDGING.judge(play);
        assertAddsUp(seen);
        silence(seen);
        whoIsLetIn(seen);
        messages(seen);
        pushes(seen);
    }

    /** Whatever a server does, each broken promise comes to exactly one end. */
    private static void assertAddsUp(Seen seen) {
        boolean livingClosed = EnumSet.of(Play.CLOSES_THE_LIVING, Play.CLOSES_THE_CUT, Play.REFUSES_MQTT5)
                .contains(seen.play());
        long ends = seen.of(DETECTED)
                + seen.of(WRONG_CODES)
                + (livingClosed ? 0 : seen.of(FALSE_KILLS))
                + seen.of(MISSED_KILLS)
                + seen.of(UNJUDGED)
                + seen.of(Count.BROKEN_OFF)
                + seen.of(EXCUSED);
        assertEquals(seen.of(CONDEMNED), ends, seen::toString);
        assertEquals(
                seen.of(Count.TAKEOVERS),
                seen.of(Count.TAKEOVERS_RIGHT) + seen.of(Count.TAKEOVERS_WRONG),
                seen::toString);
        assertTrue(seen.of(Count.OPENED) >= seen.of(Count.ENDED), seen::toString);
    }

    private static void silence(Seen seen) {
        switch (seen.play()) {
            case HONEST_MQTT5 -> assertTable("closes of silent", "141 keep alive timeout (0x8D)", 10, seen);
            case SILENCED_BY_THE_TIMELINE, LATE_BEATS -> {
                assertTrue(seen.of(CONDEMNED) >= 10 && seen.of(CONDEMNED) == seen.of(DETECTED), seen::toString);
                assertEquals(seen.play() == Play.LATE_BEATS ? 20 : 40 - seen.of(CONDEMNED), seen.of(Count.LIVE_AT_END));
            }
            case CLOSES_NO_LATE_BEATS ->
                assertTrue(seen.of(CONDEMNED) >= 20 && seen.of(CONDEMNED) == seen.of(MISSED_KILLS), seen::toString);
            case RESTARTED -> assertEquals(seen.of(CONDEMNED), seen.of(EXCUSED), seen::toString);
            case KEEP_ALIVE_OVERRULED -> assertEquals(1_000, seen.result().grantedMostMillis(), seen::toString);
            case CLOSES_EARLY -> assertTold("device closed early: t-.*", seen);
            case CLOSES_THE_LIVING -> assertEvidence(4, GatewayFault.Kind.LIVE_CLOSED, seen);
            case CLOSES_LATE ->
                assertTrue(timing(Timing.LATENESS_AS_SEEN, seen).p50Nanos() >= 500 * MILLI, seen::toString);
            case CLOSES_TOO_LATE -> {
                long atTheEnd = 12 - timing(Timing.LATENESS, seen).count();
                assertTrue(atTheEnd <= 3, seen::toString);
                assertEvidence(12 - atTheEnd, GatewayFault.Kind.CLOSED_LATE, seen);
                assertEvidence(atTheEnd, GatewayFault.Kind.NEVER_CLOSED, seen);
            }
            // those whose id ends in 5
            case CLOSES_A_FEW_LATE -> assertEvidence(2, GatewayFault.Kind.CLOSED_LATE, seen);
            case CLOSES_WITH_ANOTHER_CODE -> assertTable("closes of silent", "4002 READ_IDLE", 12, seen);
            case CLOSES_WITHOUT_A_CODE -> assertTable("closes of silent", "fin", 12, seen);
            default -> {}
        }
    }

    private static void whoIsLetIn(Seen seen) {
        switch (seen.play()) {
            case REFUSES -> assertTable("refusals", "4201 CONNECTION_LIMIT", 4, seen);
            case REFUSES_FRAMED -> assertTable("refusals", "7", 20, seen);
            case REFUSES_MQTT5 -> assertTable("refusals", "136 server unavailable (0x88)", 10, seen);
            case WELCOMES_LATE -> assertFound("asserted connect_hello.p50 <= 250ms: it was ", seen);
            case WELCOMES_TOO_LATE -> assertEvidence(40, GatewayFault.Kind.WELCOMED_LATE, seen);
            case WELCOMES_A_CROWD_LATE -> {
                long stages = timing(Timing.CONNECT_TCP, seen).p50Nanos()
                        + timing(Timing.CONNECT_UPGRADE, seen).p50Nanos()
                        + timing(Timing.CONNECT_HELLO, seen).p50Nanos();
                assertTrue(timing(Timing.CONNECT, seen).p50Nanos() < stages + 250 * MILLI, seen::toString);
                assertEquals(700, timing(Timing.START_LAG, seen).count());
                assertTrue(timing(Timing.START_LAG, seen).maxNanos() >= 900 * MILLI, seen::toString);
            }
            case WELCOMES_NO_MORE ->
                assertFound(
                        "256 devices were never welcomed: the gateway stopped after 100; 256 were accepted and no more,"
                                + " 244 not begun because too many waited",
                        seen);
            case SENDS_AWAY -> {
                assertTrue(seen.of(Count.SENT_AWAY) > 0, seen::toString);
                assertEquals(seen.of(Count.GOAWAYS), seen.of(Count.SENT_AWAY), seen::toString);
            }
            case TOKENS -> {
                assertTrue(seen.of(Count.AUTH_REFUSED) > 0, seen::toString);
                assertTrue(seen.of(Count.AUTH_EXPIRED) > 0, seen::toString);
                assertTrue(seen.of(Count.AUTH_RENEWED) > 0, seen::toString);
            }
            case KEEPS_OUT -> assertTold("device not let in within its retry window: t-.*", seen);
            case RESTARTED_BACK_TOO_SOON -> {
                // one whose event loop stood still for a moment may come in its window all the same
                long inWindow = seen.of(Count.BACK_IN_WINDOW);
                assertTrue(inWindow < 20, seen::toString);
                assertEquals(40 - inWindow, seen.of(Count.BACK_EARLY), seen::toString);
            }
            default -> {}
        }
    }

    private static void messages(Seen seen) {
        switch (seen.play()) {
            case HONEST, HONEST_MQTT, HONEST_MQTT5, HONEST_JT808, HONEST_LENGTH, HONEST_LINES -> {
                assertTrue(seen.of(DATA_ACCEPTED) > 100, seen::toString);
                assertTrue(Math.abs(seen.of(DATA_ECHOED) - seen.of(DATA_ACCEPTED)) <= 10, seen::toString);
                assertTrue(seen.of(Count.BEATS_ANSWERED) > 300, seen::toString);
            }
            case HONEST_PLAIN, HONEST_MQTT5_TLS, MESSAGES_QOS_0 ->
                assertTrue(seen.of(DATA_ECHOED) > 60, seen::toString);
            case ANSWERS_WRONG ->
                assertTrue(
                        seen.result().evidence().stream()
                                .anyMatch(each -> each.line().contains("heartbeats 3 to 4 never answered")),
                        seen::toString);
            case MESSAGES_WRONG ->
                assertTrue(
                        seen.result().evidence().stream().anyMatch(each -> each.line()
                                .matches("message gone wrong: t-.* bytes, other ones from offset [0-9]+ on.*")),
                        seen::toString);
            case MESSAGES_SWALLOWED -> {
                assertTrue(seen.of(Count.GOAWAYS) >= 20 && seen.of(DATA_LOST) > 60, seen::toString);
                // of the connections that are open at the end the youngest may still be under way
                long underWay = seen.of(DATA_ACCEPTED) - seen.of(DATA_LOST) - seen.of(Count.DATA_UNKNOWN);
                assertTrue(underWay >= 0 && underWay <= 160, seen::toString);
            }
            case MESSAGES_REFUSED, MESSAGES_REFUSED_AS_ALLOWED ->
                assertTrue(seen.of(Count.DATA_REFUSED) > 60, seen::toString);
            default -> {}
        }
    }

    private static void pushes(Seen seen) {
        switch (seen.play()) {
            case PUSHES -> {
                // the run is so short that most meet cold code
                long arrivals = timing(Timing.PUSH, seen).count()
                        + timing(Timing.PUSH_COLD, seen).count();
                long calls = timing(Timing.PUSH_CALL, seen).count()
                        + timing(Timing.PUSH_CALL_COLD, seen).count();
                assertEquals(48, arrivals, seen::toString);
                assertEquals(48, calls, seen::toString);
                assertEquals(48, timing(Timing.PUSH_WAIT, seen).count(), seen::toString);
            }
            case PUSHES_TO_THOSE_WHO_COME_AND_GO -> {
                assertTrue(seen.of(PUSHES_ABSENT) > 10, seen::toString);
                assertEquals(200, seen.of(PUSHES_ACCEPTED) + seen.of(PUSHES_ABSENT), seen::toString);
                assertEquals(
                        seen.of(PUSHES_ACCEPTED), seen.of(PUSHES_DELIVERED) + seen.of(PUSHES_EXCUSED), seen::toString);
            }
            case PUSHES_TO_THE_SILENT -> assertTrue(seen.of(PUSHES_ABSENT) > 0, seen::toString);
            case PUSHES_WRONG ->
                assertEquals(
                        Map.of("503", 1L, "404 for a connected device", 1L, "no answer within 8000 ms", 1L),
                        seen.result().tables().get(Result.PUSH_ANSWERS),
                        seen::toString);
            case PUSHES_LOST -> {
                assertEquals(12, seen.planted(), seen::toString);
                assertTold("push gone wrong: t-.*push 3 was accepted \\(202\\) and never came.*", seen);
            }
            case PUSHES_ACCEPTED_FOR_NOBODY -> assertEquals(16, seen.planted(), seen::toString);
            default -> {}
        }
    }

    private static Latencies.Summary timing(Timing timing, Seen seen) {
        return seen.result().timings().getOrDefault(timing.label(), Latencies.Summary.NOTHING);
    }

    /** All rows of the table are this one. */
    private static void assertTable(String table, String row, long many, Seen seen) {
        assertEquals(Map.of(row, many), seen.result().tables().get(table), seen::toString);
    }

    private static void assertFound(String beginning, Seen seen) {
        assertTrue(seen.result().findings().get(0).text().startsWith(beginning), seen::toString);
    }

    private static void assertTold(String pattern, Seen seen) {
        assertTrue(seen.result().evidence().get(0).line().matches(pattern), seen::toString);
    }

    private static void assertEvidence(long wanted, GatewayFault.Kind kind, Seen seen) {
        assertEquals(
                wanted,
                seen.result().evidence().stream()
                        .filter(each -> each.kind() == kind)
                        .count(),
                seen::toString);
    }
}
