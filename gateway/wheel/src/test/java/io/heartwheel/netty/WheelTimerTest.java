package io.heartwheel.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract beyond what Netty's own tests ask: who may call what from where, faults, odd delays, and what we promise more. */
class WheelTimerTest {

    private final RecordedLog log = new RecordedLog();
    private WheelTimerRig rig = WheelTimerRig.ordinary();

    @AfterEach
    void stop() {
        rig.close();
        log.close();
    }

    private void use(WheelTimerRig other) {
        rig.close();
        rig = other;
    }

    private void warnedOnce(String message) {
        assertEquals(1, log.lines.size());
        LogRecord line = log.lines.get(0);
        assertSame(Level.WARNING, line.getLevel());
        assertTrue(line.getMessage().contains(message), line.getMessage());
        assertEquals("as planned", line.getThrown().getMessage());
    }

    // --- delays ---

    @Test
    void newTimeout_zeroOrNegativeDelay_isDueInTheNextAdvance() {
        rig.advance(57);
        rig.after(0);
        rig.after(-1_000);
        rig.after(Long.MIN_VALUE);
        assertEquals(List.of(), rig.ran, "not on the caller's thread");
        rig.advance(57);
        assertEquals(List.of(57L, 57L, 57L), rig.ran);
    }

    @Test
    void newTimeout_delayInAnyUnit_isKept() {
        rig.timer.newTimeout(rig.task(), 300_000, TimeUnit.MICROSECONDS);
        rig.timer.newTimeout(rig.task(), 2, TimeUnit.SECONDS);
        rig.timer.newTimeout(rig.task(), 1, TimeUnit.HOURS);
        rig.tickTo(3_600_000);
        assertEquals(List.of(300L, 2_000L, 3_600_000L), rig.ran);
    }

    @Test
    void newTimeout_byATaskWithoutDelay_runsInALaterAdvance() {
        rig.after(100, timeout -> rig.after(0));
        rig.advance(100);
        assertEquals(List.of(), rig.ran);
        rig.advance(200);
        assertEquals(List.of(200L), rig.ran);
    }

    @Test
    void nextWake_oneFarAhead_isFarAhead() {
        rig.after(3_600_000);
        rig.advance(100);
        assertTrue(rig.nextWakeMillis() > 1_000_000, () -> "wakes at " + rig.nextWakeMillis() + " ms");
    }

    // --- the timeout ---

    @Test
    void timeout_throughItsLife_tellsOfItself() {
        TimerTask task = rig.task();
        Timeout timeout = rig.after(1_000, task);
        assertSame(rig.timer, timeout.timer());
        assertSame(task, timeout.task());
        assertFalse(timeout.isExpired());
        assertFalse(timeout.isCancelled());
        assertEquals("timeout due in 1000 ms, task " + task, timeout.toString());
        rig.tickTo(1_000);
        assertTrue(timeout.isExpired());
        assertFalse(timeout.isCancelled());
        assertEquals("timeout expired, task " + task, timeout.toString());
        Timeout other = rig.after(1_000, task);
        other.cancel();
        assertTrue(other.isCancelled());
        assertFalse(other.isExpired());
        assertEquals("timeout cancelled, task " + task, other.toString());
        assertEquals("wheel timer, tick 100 ms, 0 pending", rig.timer.toString());
        rig.timer.stop();
        assertEquals("wheel timer, tick 100 ms, 0 pending, stopped", rig.timer.toString());
    }

    @Test
    void run_task_getsItsOwnTimeout() {
        List<Timeout> got = new ArrayList<>();
        Timeout timeout = rig.after(10, got::add);
        rig.advance(100);
        assertEquals(List.of(timeout), got);
    }

    @Test
    void cancel_expired_isFalseAndTellsNobody() {
        Timeout timeout = rig.after(100);
        rig.advance(100);
        assertFalse(timeout.cancel());
        assertFalse(timeout.isCancelled());
        assertEquals(List.of(), rig.cancelled);
    }

    @Test
    void cancel_fromWithinTheTaskItself_isTooLate() {
        List<Boolean> answers = new ArrayList<>();
        rig.after(100, timeout -> answers.add(timeout.cancel()));
        rig.advance(100);
        assertEquals(List.of(false), answers);
        assertTrue(rig.isEmpty());
    }

    @Test
    void cancel_manyFarAhead_leaveNothingAfterOneAdvance() {
        List<Timeout> made = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            made.add(rig.after(1_000_000 + i));
        }
        rig.advance(100);
        made.forEach(Timeout::cancel);
        assertEquals(0, rig.timer.pendingTimeouts());
        assertTrue(rig.isEmpty());
    }

    // --- faults ---

    @Test
    void run_taskThrows_isLoggedOnceAndHurtsNoOther() {
        rig.after(100, timeout -> {
            throw new AssertionError("as planned");
        });
        rig.after(100);
        rig.advance(100);
        rig.after(100);
        rig.advance(200);
        assertEquals(List.of(100L, 200L), rig.ran);
        warnedOnce("threw");
        assertEquals(0, rig.wheel().counters().failed());
    }

    @Test
    void expire_executorRefuses_isLoggedOnceAndCounted() {
        use(new WheelTimerRig(0, 100, 32, 1, run -> {
            throw new RejectedExecutionException("as planned");
        }));
        Timeout timeout = rig.after(100);
        rig.advance(100);
        assertTrue(timeout.isExpired());
        warnedOnce("refused by its executor");
        assertTrue(rig.isEmpty());
    }

    @Test
    void cancel_callbackThrows_isLoggedOnceAndCancelsAllTheSame() {
        Timeout timeout = rig.after(100, new TimerTask() {
            @Override
            public void run(Timeout self) {
                rig.ran.add(0L);
            }

            @Override
            public void cancelled(Timeout self) {
                throw new IllegalStateException("as planned");
            }
        });
        assertTrue(timeout.cancel());
        warnedOnce("cancelled");
        rig.advance(200);
        assertEquals(List.of(), rig.ran);
    }

    // --- start and stop ---

    @Test
    void start_beforeAndAfterStop_startsAndIsRefused() {
        assertFalse(rig.started);
        rig.timer.start();
        assertTrue(rig.started);
        rig.timer.stop();
        assertTrue(rig.ended);
        assertThrows(IllegalStateException.class, rig.timer::start);
    }

    @Test
    void stop_byATaskOnTheTimersOwnThread_isRefusedAndStopsNothing() {
        List<Throwable> thrown = new ArrayList<>();
        rig.after(100, timeout -> thrown.add(assertThrows(IllegalStateException.class, rig.timer::stop)));
        rig.advance(100);
        assertEquals(1, thrown.size());
        assertFalse(rig.ended);
        rig.after(100);
        rig.advance(200);
        assertEquals(List.of(200L), rig.ran);
    }

    @Test
    void stop_mixedTimeouts_returnsThoseThatNeitherExpiredNorWereCancelled() {
        rig.after(100);
        rig.advance(100);
        rig.after(500).cancel();
        Timeout filed = rig.after(500);
        rig.advance(200);
        Timeout fresh = rig.after(1);
        assertEquals(Set.of(filed, fresh), rig.timer.stop());
        assertEquals(Set.of(), rig.timer.stop(), "the second time");
        assertEquals(1, rig.cancelled.size(), "those stopped are not told");
        assertEquals(0, rig.timer.pendingTimeouts());
        rig.tickTo(1_000);
        assertEquals(List.of(100L), rig.ran);
    }
}
