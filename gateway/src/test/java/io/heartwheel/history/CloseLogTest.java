package io.heartwheel.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Events;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Incident;
import io.heartwheel.log.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Log lines about closes, stalls and incidents, under a clock that the test moves. */
class CloseLogTest {
    private static final long MILLI = 1_000_000;
    private final LogCapture closes = new LogCapture(CloseLog.CLOSES);
    private final LogCapture warnings = new LogCapture(CloseLog.class);

    private long nowNanos = Long.MAX_VALUE - Duration.ofSeconds(2).toNanos(); // and over the edge
    private final CloseLog log = new CloseLog(() -> nowNanos);

    @AfterEach
    void end() {
        closes.level(null);
        closes.close();
        warnings.close();
    }

    private void tellAfter(Duration time) {
        nowNanos += time.toNanos();
        log.tell();
    }

    private void end(CloseReason reason, int times) {
        for (int i = 0; i < times; i++) {
            log.closed(Events.evidence(reason));
        }
    }

    @Test
    void closed_atDebug_tellsEachInOneLine() {
        closes.level(Level.DEBUG);
        log.closed(Events.evidence(CloseReason.HEARTBEAT_TIMEOUT));
        log.closed(Events.evidence("", CloseReason.PEER_RESET, false, Events.AT));

        assertEquals(
                "sensor/42 session 7 heartbeat_timeout: "
                        + Events.evidence(CloseReason.HEARTBEAT_TIMEOUT).text(),
                closes.messages().get(0));
        assertTrue(closes.messages().get(1).startsWith("nobody at 10.0.0.1:5000 session 7 peer_reset: closed"));
    }

    @Test
    void tell_storm_isOneLineASecondByReason() {
        closes.level(Level.INFO);
        end(CloseReason.READ_STALLED, 34);
        end(CloseReason.HEARTBEAT_TIMEOUT, 1_200);
        end(CloseReason.PEER_CLOSED, 7);
        tellAfter(Duration.ofMillis(1_004));
        tellAfter(Duration.ofSeconds(1));
        end(CloseReason.HEARTBEAT_TIMEOUT, 1);
        tellAfter(Duration.ofSeconds(1));

        assertEquals(
                List.of(
                        "closed 1,234 connections in the last second: heartbeat_timeout 1,200, read_stalled 34",
                        "closed 1 connection in the last second: heartbeat_timeout 1"),
                closes.messages());
    }

    @Test
    void tell_conflicts_areOneLineASecondWithBothAddresses() {
        log.idConflict(Events.idConflict());
        tellAfter(Duration.ofSeconds(1));
        log.idConflict(Events.idConflict());
        log.idConflict(Events.idConflict());
        tellAfter(Duration.ofSeconds(1));
        for (int i = 0; i < 1_235; i++) {
            log.idConflict(Events.idConflict());
        }
        tellAfter(Duration.ofSeconds(1));
        String line =
                "two connections from 10.0.0.1:5000 and 192.0.2.9:40112 displace each other, because both have the device id sensor/42%s;"
                        + " the newer one waits, longer each time";
        assertEquals(
                List.of(
                        String.format(line, ""),
                        String.format(line, ", and so with 1 more id"),
                        String.format(line, ", and so with 1,234 more ids")),
                warnings.messages());
    }

    @Test
    void tell_conflictsThatBeginMeanwhile_missesAndDoublesNone() throws Exception {
        int conflicts = 100_000;
        Thread loop = new Thread(() -> {
            for (int i = 0; i < conflicts; i++) {
                log.idConflict(Events.idConflict());
            }
        });
        loop.start();
        while (loop.isAlive()) {
            log.tell();
        }
        loop.join();
        log.tell();
        Pattern others = Pattern.compile("so with ([0-9,]+) more id");
        long told = 0;
        for (String line : warnings.messages()) {
            Matcher more = others.matcher(line);
            told += more.find() ? 1 + Long.parseLong(more.group(1).replace(",", "")) : 1;
        }
        assertEquals(conflicts, told);
    }

    @Test
    void tell_refusals_areALineASecondForEachReason() {
        closes.level(Level.INFO);
        Evidence full = Events.evidence("", CloseReason.CONNECTION_LIMIT, false, Events.AT);
        Evidence stranger = Events.evidence("d", CloseReason.UNAUTHORIZED, false, Events.AT);
        for (int i = 0; i < 6_447; i++) {
            log.closed(stranger);
        }
        log.closed(full);
        log.closed(Events.evidence("", CloseReason.PEER_CLOSED, false, Events.AT));
        log.closed(Events.evidence(CloseReason.ADMIN_CLOSED));
        tellAfter(Duration.ofSeconds(1));
        tellAfter(Duration.ofSeconds(1));

        assertEquals(
                List.of(
                        "refused 1 connection in the last second as connection_limit, from 10.0.0.1:5000: "
                                + full.text(),
                        "refused 6,447 connections in the last second as unauthorized, one of them from 10.0.0.1:5000: "
                                + stranger.text()),
                closes.messages());
    }

    @Test
    void tell_calledLate_saysOfWhatTime() {
        closes.level(Level.INFO);
        end(CloseReason.HEARTBEAT_TIMEOUT, 2);
        tellAfter(Duration.ofMillis(5_230));

        assertEquals(List.of("closed 2 connections in the last 5.2 s: heartbeat_timeout 2"), closes.messages());
    }

    @Test
    void stalled_manyAtOnce_isOneLineASecondAndNothingIsLost() {
        log.stalled(0, 999 * MILLI);
        log.stalled(0, 3_210 * MILLI);
        log.stalled(1, 3_400 * MILLI);
        log.stalled(2, 3_300 * MILLI);
        log.tell();
        tellAfter(Duration.ofSeconds(1));
        log.stalled(3, 1_001 * MILLI);
        tellAfter(Duration.ofSeconds(1));
        tellAfter(Duration.ofSeconds(1));
        log.stalled(3, Duration.ofSeconds(2).toNanos());

        assertEquals(
                List.of(
                        "event loop 0 stood still for 3.2 s; deadlines of its peers are moved by as much",
                        "event loops stood still 2 times more, for 3.4 s at most",
                        "event loops stood still once more, for 1.0 s at most",
                        "event loop 3 stood still for 2.0 s; deadlines of its peers are moved by as much"),
                warnings.messages());
    }

    @Test
    void incident_beginAndEnd_areTold() {
        List<String> many = IntStream.range(0, 10)
                .mapToObj(i -> "subnet 10.0." + i + ".0/24")
                .toList();
        log.incident(new Incident(3, false, 0, 0, List.of("all", "listener tcp"), 1_200, 10_000, 0, 0, 0, 0));
        log.incident(new Incident(3, true, 0, 42_040, many, 1_200, 10_000, 2_000, 1_950, 40, 10));

        assertEquals(
                List.of(
                        "mass expiry 3 begins: 1,200 of 10,000 connections were found dead; each is asked again before any more are closed; "
                                + "it stands out in all, listener tcp",
                        "mass expiry 3 is over after 42.0 s: 2,000 suspects, of which 1,950 spoke after all, 40 were closed and 10 left; "
                                + "it stood out in " + String.join(", ", many.subList(0, 8)) + " and 2 more"),
                warnings.messages());
    }
}
