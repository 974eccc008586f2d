package io.heartwheel.push.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.schedule.ScheduleSpec.Missed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Schedules under virtual time. */
class SchedulesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    // ------------------------------------------------------------------ when

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE, Long.MAX_VALUE, -3_000_000_000L, Long.MAX_VALUE - 5_000_000_000L})
    void once_anyStartOfTheClock_runsOnceAtItsTime(long startNanos) {
        for (boolean durable : new boolean[] {true, false}) {
            ScheduleRig rig = new ScheduleRig(startNanos, durable, 10);
            rig.put("k", ScheduleRig.once(Duration.ofSeconds(5)), "hello");
            rig.put("w", ScheduleRig.at(rig.wallMillis() + 7_000, Missed.SKIP), "wall");
            rig.pass(Duration.ofMillis(4_999));
            assertEquals(List.of(), rig.texts());
            rig.pass(Duration.ofMillis(60));
            assertEquals(List.of("hello"), rig.texts());
            rig.pass(Duration.ofDays(2));
            assertEquals(List.of("hello", "wall"), rig.texts());
            assertEquals(0, rig.schedules.size());
            assertEquals(0, rig.handles());
            assertEquals(List.of(), rig.list("", "", 9));
            assertEquals(2, rig.runs(RunResult.SENT));
        }
    }

    @Test
    void rate_threeTimes_keepsItsGridThoughRunsAreLate() {
        ScheduleRig rig = ScheduleRig.durable();
        rig.put("k", ScheduleRig.rate(Duration.ofMillis(150), 3, Missed.SKIP), "x");
        rig.pass(Duration.ofSeconds(3));
        List<Long> times = rig.millisSince(0);
        assertEquals(3, times.size());
        for (int i = 0; i < 3; i++) {
            long due = 150L * (i + 1);
            assertTrue(times.get(i) >= due && times.get(i) <= due + 41, times.toString());
        }
        assertEquals(0, rig.schedules.size());
    }

    @Test
    void delay_slowRuns_countsFromTheEndOfTheRun() {
        ScheduleRig rig = ScheduleRig.durable();
        rig.holds = true;
        rig.put("k", ScheduleRig.delay(SECOND, 2), "x");
        rig.pass(Duration.ofMillis(1_040));
        assertEquals(1, rig.held.size());
        rig.pass(Duration.ofSeconds(10));
        assertEquals(1, rig.held.size());
        rig.held.get(0).complete(RunResult.DELIVERED);
        rig.pass(Duration.ofMillis(900));
        assertEquals(1, rig.held.size());
        rig.pass(Duration.ofMillis(200));
        assertEquals(2, rig.held.size());
        rig.held.get(1).complete(RunResult.EXPIRED);
        rig.pass(SECOND);
        assertEquals(0, rig.schedules.size());
        assertEquals(1, rig.runs(RunResult.DELIVERED));
        assertEquals(1, rig.runs(RunResult.EXPIRED));
    }

    @Test
    void rate_runLongerThanThePeriod_runsNeverOverlapAndAreMadeUpForUpToTheGrace() {
        ScheduleRig rig = ScheduleRig.durable();
        rig.holds = true;
        rig.put("k", ScheduleRig.rate(SECOND, ScheduleSpec.FOR_EVER, Missed.SKIP), "x");
        rig.pass(Duration.ofMillis(1_040));
        rig.pass(Duration.ofMillis(9_500)); // 2..10 have come, those before 5.5 are missed
        assertEquals(1, rig.held.size());
        rig.holds = false;
        rig.held.get(0).complete(RunResult.SENT);
        rig.pass(Duration.ofMillis(200));
        assertEquals(4, rig.runs(RunResult.SKIPPED));
        assertEquals(6, rig.delivered.size());
        ScheduleView view = rig.get("k");
        assertEquals(10, view.row().progress().run());
        assertEquals(ScheduleRig.WALL_MILLIS + 11_000, view.nextMillis(), 2);
    }

    @Test
    void after_daysAhead_wheelTurnsNoMoreThanToLookAtTheClock() {
        ScheduleRig rig = ScheduleRig.durable();
        rig.put("k", ScheduleRig.once(Duration.ofDays(2)), "x");
        long before = rig.tasks;
        rig.pass(Duration.ofHours(1));
        assertTrue(rig.tasks - before < 4_000, () -> "tasks " + rig.tasks);
        assertEquals(0, rig.delivered.size());
        rig.pass(Duration.ofHours(46));
        assertEquals(0, rig.delivered.size());
        rig.pass(Duration.ofHours(2));
        assertEquals(1, rig.delivered.size());
    }

    // ------------------------------------------------------------------ the wall clock

    @Test
    void at_clockSetForward_runsByTheNewTimeAndRelativeOnesDoNot() {
        ScheduleRig rig = ScheduleRig.durable();
        rig.put("wall", ScheduleRig.at(rig.wallMillis() + 3_600_000, Missed.ONCE), "wall");
        rig.put("steady", ScheduleRig.once(Duration.ofHours(1)), "steady");
        rig.pass(Duration.ofMinutes(1));
        rig.stepClock(Duration.ofMinutes(58));
        rig.pass(Duration.ofSeconds(59));
        assertEquals(List.of(), rig.texts());
        rig.pass(Duration.ofSeconds(2));
        assertEquals(List.of("wall"), rig.texts());
        rig.pass(Duration.ofMinutes(57));
        assertEquals(1, rig.delivered.size());
        rig.pass(Duration.ofMinutes(1));
        assertEquals(List.of("wall", "steady"), rig.texts());
        assertEquals(3_600_000, rig.millisSince(0).get(1), 41);
    }

    @Test
    void at_clockSetBack_waitsAsMuchLonger() {
        ScheduleRig rig = ScheduleRig.durable();
        long at = rig.wallMillis() + 10_000;
        rig.put("wall", ScheduleRig.at(at, Missed.SKIP), "wall");
        rig.stepClock(Duration.ofSeconds(-30));
        rig.pass(Duration.ofSeconds(39));
        assertEquals(0, rig.delivered.size());
        rig.pass(Duration.ofSeconds(2));
        assertEquals(at, rig.delivered.get(0).atWallMillis(), 41);
    }

    @Test
    void at_clockSetPastItByMoreThanTheGrace_isMissed() {
        for (Missed missed : Missed.values()) {
            ScheduleRig rig = ScheduleRig.durable();
            rig.put("wall", ScheduleRig.at(rig.wallMillis() + 60_000, missed), "wall");
            rig.stepClock(Duration.ofHours(1));
            rig.pass(Duration.ofSeconds(3));
            assertEquals(missed == Missed.SKIP ? 0 : 1, rig.delivered.size());
            assertEquals(0, rig.schedules.size());
        }
    }

    @Test
    void at_clockSetToAndFro_thousandsFollow() {
        ScheduleRig rig = ScheduleRig.durable();
        long at = rig.wallMillis() + 7_200_000;
        for (int i = 0; i < 3_000; i++) {
            rig.put("w" + i, ScheduleRig.at(at + i, Missed.SKIP), "" + i);
        }
        for (int i = 0; i < 20; i++) {
            rig.stepClock(Duration.ofMinutes(i % 2 == 0 ? 50 : -50));
            rig.pass(SECOND);
        }
        assertEquals(0, rig.delivered.size());
        rig.stepClock(Duration.ofMillis(at - rig.wallMillis() - 1_500));
        rig.pass(Duration.ofSeconds(5));
        assertEquals(3_000, rig.delivered.size());
        rig.delivered.forEach(each -> assertTrue(each.atWallMillis() >= at + Long.parseLong(each.text())));
    }

    @Test
    void at_gridWhoseFirstTimeIsOver_beginsWithTheNextTime() {
        ScheduleRig rig = ScheduleRig.durable();
        long day = Duration.ofDays(1).toMillis();
        long at = rig.wallMillis() - 10 * day + 5_000;
        ScheduleSpec daily = ScheduleRig.spec(ScheduleSpec.Start.AT, at, ScheduleSpec.Repeat.RATE, day, 2, Missed.SKIP);
        rig.put("daily", daily, "x");
        rig.pass(Duration.ofDays(3));
        assertEquals(2, rig.delivered.size());
        assertEquals(at + 10 * day, rig.delivered.get(0).atWallMillis(), 41);
        assertEquals(at + 11 * day, rig.delivered.get(1).atWallMillis(), 41);
    }

    @Test
    void at_tooFarOrOver_isRefused() {
        ScheduleRig rig = ScheduleRig.durable();
        long now = rig.wallMillis();
        long far = now + Duration.ofDays(367).toMillis();
        for (long at : new long[] {far, now - 6_000}) {
            PutResult put = rig.put("k", ScheduleRig.at(at, Missed.ALL), "x");
            assertEquals(
                    PutResult.Cause.TIME,
                    assertInstanceOf(PutResult.Refused.class, put).cause());
        }
        assertInstanceOf(PutResult.Stored.class, rig.put("k", ScheduleRig.at(now - 1_000, Missed.SKIP), "x"));
        rig.pass(SECOND);
        assertEquals(1, rig.delivered.size());
    }

    // ------------------------------------------------------------------ keys

    @Test
    void put_sameKeyWhileItRuns_oldEndsAndNewRunsOnce() {
        ScheduleRig rig = ScheduleRig.durable();
        rig.holds = true;
        rig.put("k", ScheduleRig.rate(SECOND, ScheduleSpec.FOR_EVER, Missed.ALL), "old");
        rig.pass(Duration.ofMillis(1_040));
        PutResult put = rig.put("k", ScheduleRig.once(SECOND), "new");
        assertTrue(assertInstanceOf(PutResult.Stored.class, put).replaced());
        rig.held.get(0).complete(RunResult.SENT);
        rig.holds = false;
        rig.pass(Duration.ofMinutes(1));
        assertEquals(List.of("old", "new"), rig.texts());
        assertEquals(0, rig.schedules.size());
        rig.crash(SECOND);
        assertEquals(0, rig.schedules.size());
    }

    @Test
    void put_whileTheResultIsOnItsWay_rowsOfTheNewOneStay() {
        ScheduleRig rig = ScheduleRig.durable();
        rig.holds = true;
        rig.put("k", ScheduleRig.rate(SECOND, ScheduleSpec.FOR_EVER, Missed.ALL), "old");
        rig.pass(Duration.ofMillis(1_040));
        CompletableFuture<PutResult> put = rig.putSoon("k", ScheduleRig.once(Duration.ofHours(1)), "new");
        rig.held.get(0).complete(RunResult.SENT); // its task stands behind that of the put
        rig.settle();
        assertInstanceOf(PutResult.Stored.class, put.join());
        rig.crash(SECOND);
        ScheduleRow row = rig.get("k").row();
        assertEquals(ScheduleSpec.Repeat.ONCE, row.spec().repeat());
        assertEquals(0, row.progress().run());
    }

    @Test
    void delete_whileItRuns_nothingIsLeft() {
        ScheduleRig rig = ScheduleRig.durable();
        rig.holds = true;
        rig.put("k", ScheduleRig.rate(SECOND, ScheduleSpec.FOR_EVER, Missed.ALL), "x");
        rig.pass(Duration.ofMillis(1_040));
        assertTrue(rig.delete("k"));
        assertFalse(rig.delete("k"));
        rig.held.get(0).complete(RunResult.SENT);
        rig.pass(Duration.ofMinutes(1));
        assertEquals(1, rig.delivered.size());
        assertEquals(0, rig.schedules.size());
        assertEquals(0, rig.handles());
    }

    @Test
    void put_moreThanTheLimit_isFullUntilOneEnds() {
        ScheduleRig rig = new ScheduleRig(0, true, 2);
        rig.put("a", ScheduleRig.once(SECOND), "x");
        rig.put("b", ScheduleRig.once(Duration.ofHours(1)), "x");
        PutResult full = rig.put("c", ScheduleRig.once(SECOND), "x");
        assertEquals(
                new PutResult.Refused(PutResult.Cause.FULL, "messages.schedules.max = 2: there are as many"), full);
        assertInstanceOf(PutResult.Stored.class, rig.put("b", ScheduleRig.once(Duration.ofHours(2)), "y"));
        rig.pass(Duration.ofSeconds(2));
        assertInstanceOf(PutResult.Stored.class, rig.put("c", ScheduleRig.once(SECOND), "x"));
    }

    @Test
    void list_pages_inTheOrderOfKeys() {
        for (boolean durable : new boolean[] {true, false}) {
            ScheduleRig rig = new ScheduleRig(0, durable, 100);
            for (String key : List.of("b1", "a", "b2", "c", "b3")) {
                rig.put(key, ScheduleRig.once(Duration.ofHours(1)), key);
            }
            assertEquals(List.of("a", "b1"), rig.list("", "", 2));
            assertEquals(List.of("b2", "b3", "c"), rig.list("b1", "", 3));
            assertEquals(List.of("b1", "b2", "b3"), rig.list("", "b", 9));
            assertEquals(List.of("b3"), rig.list("b2", "b", 9));
            assertEquals(List.of(), rig.list("c", "", 9));
        }
    }

    @Test
    void get_running_tellsHowFarItIs() {
        ScheduleRig rig = ScheduleRig.durable();
        rig.put("k", ScheduleRig.rate(SECOND, 9, Missed.ALL), "hello");
        rig.pass(Duration.ofMillis(2_100));
        ScheduleView view = rig.get("k");
        ScheduleRow row = view.row();
        assertEquals(2, row.progress().run());
        assertEquals(7, row.progress().left());
        assertEquals(9, row.spec().times());
        assertEquals("hello", new String(row.payload(), StandardCharsets.UTF_8));
        assertEquals(RunResult.SENT, row.progress().lastResult());
        assertEquals(ScheduleRig.WALL_MILLIS + 3_000, view.nextMillis(), 2);
        assertTrue(view.durable());
    }

    // ------------------------------------------------------------------ many

    @Test
    void expiry_tensOfThousandsInOneTick_eachOnceInSlicesAndFewTransactions() {
        ScheduleRig rig = ScheduleRig.durable();
        int many = 20_000;
        CompletableFuture<?>[] puts = LongStream.range(0, many)
                .mapToObj(i -> rig.putSoon("k" + i, ScheduleRig.rate(Duration.ofMinutes(1), 2, Missed.SKIP), "x"))
                .toArray(CompletableFuture<?>[]::new);
        rig.settle();
        CompletableFuture.allOf(puts).join();
        int commits = rig.rows.commits;
        rig.stall(Duration.ofSeconds(61));
        rig.wheel.advance(rig.nowNanos, Integer.MAX_VALUE);
        while (rig.wheel.advance(rig.nowNanos, Integer.MAX_VALUE) > 0) {
            // what one advance leaves
        }
        assertTrue(rig.thread.size() <= 2, "the thread is woken once, and once to look at the clock");
        int before = rig.delivered.size();
        rig.step();
        rig.step();
        rig.step();
        assertTrue(rig.delivered.size() - before <= 256);
        boolean[] asked = new boolean[1];
        rig.schedules.list("", "", 1).thenAccept(list -> asked[0] = true);
        while (!asked[0]) {
            assertTrue(rig.step());
        }
        assertTrue(rig.delivered.size() < many / 2, "a request does not wait for all of them");
        rig.settle();
        assertEquals(many, rig.delivered.size());
        assertTrue(rig.rows.commits - commits < many / 20, () -> "commits " + (rig.rows.commits - commits));
        rig.pass(Duration.ofMinutes(2));
        assertEquals(2 * many, rig.delivered.size());
        Set<Long> ids = new HashSet<>();
        rig.delivered.forEach(each -> assertTrue(ids.add(each.messageId()) && each.messageId() < 0));
        assertEquals(0, rig.schedules.size());
        assertEquals(0, rig.handles());
    }

    @Test
    void close_runsUnderWay_theirRowsAreWrittenAndNothingIsArmed() {
        ScheduleRig rig = ScheduleRig.durable();
        rig.holds = true;
        rig.put("k", ScheduleRig.rate(SECOND, 5, Missed.ALL), "x");
        rig.put("later", ScheduleRig.once(Duration.ofHours(1)), "x");
        rig.pass(Duration.ofMillis(1_040));
        rig.held.get(0).complete(RunResult.SENT);
        rig.schedules.close();
        rig.settle();
        assertEquals(-1, rig.handles(), "not even that of the look at the clock");
        rig.holds = false;
        rig.crash(Duration.ofMillis(100));
        assertEquals(2, rig.schedules.size());
        assertEquals(1, rig.progress("k").run());
    }
}
