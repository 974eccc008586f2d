package io.heartwheel.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.wheel.TimingWheel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Time is handed in; the threads that are watched wait for the end of the test, and the test reports for them. */
class ThreadSupervisorTest {
    private static final long SECOND = 1_000_000_000L;

    private long nowNanos = Long.MAX_VALUE - 20 * SECOND;
    private final TimingWheel wheel = new TimingWheel(10_000_000, 64, 16, nowNanos);
    private final List<String> unhealthy = new ArrayList<>();
    private int ends;
    private final ThreadSupervisor threads =
            new ThreadSupervisor((thread, problem) -> unhealthy.add(problem), () -> ends++);
    private final ThreadProgress progress = threads.watch("writer");
    private final CountDownLatch over = new CountDownLatch(1);
    private boolean waits;

    @BeforeEach
    void begin() {
        progress.start(this::awaitEnd, () -> waits);
        threads.begin(wheel, () -> nowNanos);
        pass(2);
    }

    @AfterEach
    void end() {
        over.countDown();
    }

    private void awaitEnd() {
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pass(int seconds) {
        for (int i = 0; i < seconds; i++) {
            nowNanos += SECOND;
            while (wheel.advance(nowNanos, 100) > 0) {
                // until nothing is due
            }
        }
    }

    @Test
    void look_threadThatRests_isHealthyHoweverLong() {
        progress.works();
        progress.rests();
        pass(1_000);

        assertEquals(List.of(), threads.problems());
    }

    @Test
    void look_threadThatWorksOn_isHealthyHoweverLong() {
        for (int i = 0; i < 100; i++) {
            progress.works();
            pass(20);
        }
        assertEquals(List.of(), unhealthy);
    }

    @Test
    void look_observedThatStandsStill_isToldOfAndNothingEnds() {
        ThreadProgress observed = threads.observe("reader");
        observed.start(this::awaitEnd);
        observed.works();
        pass(100);

        assertEquals(List.of("thread reader has stood still for 30 s"), unhealthy);
        assertEquals(List.of(), threads.problems());
        assertEquals(0, ends);
    }

    @Test
    void look_workAndNothingDone_isUnhealthyAfterThirtySecondsAndEndsAfterForty() {
        progress.works();
        pass(30);
        assertEquals(List.of(), threads.problems());

        pass(1);
        assertEquals(List.of("thread writer has stood still for 30 s"), threads.problems());
        pass(9);
        assertEquals(List.of("thread writer has stood still for 30 s"), unhealthy, "told once");
        assertEquals(0, ends);
        pass(1);
        assertTrue(ends > 0);
    }

    @Test
    void look_threadThatGoesOnAtLast_isHealthyAgainAndToldAnewIfItStops() {
        progress.works();
        pass(35);
        progress.works();
        pass(1);
        assertEquals(List.of(), threads.problems());
        pass(35);

        assertEquals(2, unhealthy.size());
        assertEquals(0, ends);
    }

    @Test
    void look_restingThreadThatMissedItsWakeUp_isFoundByTheWorkThatWaits() {
        waits = true;
        pass(31);

        assertEquals(1, threads.problems().size());
    }

    @Test
    void look_idleWheel_isWokenOnceASecond() {
        TimingWheel idle = new TimingWheel(10_000_000, 1_024, 16, nowNanos);
        threads.begin(idle, () -> nowNanos);
        nowNanos += SECOND / 100;
        idle.advance(nowNanos, 100);
        for (int i = 0; i < 3; i++) {
            nowNanos = idle.nextWakeNanos(nowNanos);
            idle.advance(nowNanos, 100);
            long sleepNanos = idle.nextWakeNanos(nowNanos) - nowNanos;
            assertTrue(sleepNanos > SECOND / 2, () -> "sleeps " + sleepNanos + " ns");
        }
    }

    @Test
    void look_threadThatLeft_isHealthyUntilWorkWaitsAndNobodyDoesIt() throws Exception {
        ThreadProgress leaver = threads.watch("leaver");
        Thread first = leaver.start(leaver::leaves, () -> waits);
        first.join();
        pass(100);
        assertEquals(List.of(), threads.problems());
        assertNull(leaver.thread());

        waits = true;
        progress.works();
        pass(31);
        assertEquals(2, threads.problems().size(), threads.problems()::toString);
    }

    @Test
    void look_processThatStoodStill_countsTwoSecondsOfIt() {
        progress.works();
        for (int i = 0; i < 14; i++) {
            nowNanos += 3_600 * SECOND;
            pass(0);
            wheel.advance(nowNanos, 100);
        }
        assertEquals(List.of(), threads.problems());
    }

    @Test
    void look_threadThatEnded_isUnhealthyAtOnceAndEndsTenSecondsLater() throws Exception {
        over.countDown();
        Thread thread = progress.thread();
        thread.join();
        pass(1);
        assertEquals(List.of("thread writer has ended"), threads.problems());
        assertEquals(0, ends);
        pass(10);
        assertTrue(ends > 0);
        assertEquals(1, unhealthy.size());
    }

    @Test
    void close_threadsThatEndAfterIt_areNobodysBusiness() throws Exception {
        threads.close();
        over.countDown();
        progress.thread().join();
        pass(100);

        assertEquals(0, ends);
        assertEquals(List.of(), unhealthy);
    }
}
