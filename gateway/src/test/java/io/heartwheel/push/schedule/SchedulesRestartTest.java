package io.heartwheel.push.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.PushResult;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.schedule.ScheduleSpec.Missed;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Schedules over restarts and crashes, and with a disk that fails. */
class SchedulesRestartTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ScheduleRig rig = ScheduleRig.durable();

    // ------------------------------------------------------------------ what is missed

    @Test
    void restart_skip_goesOnWithTheNextTime() {
        rig.put("k", ScheduleRig.rate(Duration.ofMinutes(1), 100, Missed.SKIP), "x");
        rig.pass(Duration.ofSeconds(61));
        rig.crash(Duration.ofSeconds(610));
        rig.pass(Duration.ofSeconds(40));
        assertEquals(1, rig.delivered.size());
        assertEquals(10, rig.runs(RunResult.SKIPPED));
        rig.pass(Duration.ofSeconds(10));
        assertEquals(2, rig.delivered.size());
        assertEquals(12, rig.progress("k").run());
    }

    @Test
    void restart_once_makesUpForAllWithOneRun() {
        rig.put("k", ScheduleRig.rate(Duration.ofMinutes(1), 5, Missed.ONCE), "x");
        rig.pass(Duration.ofSeconds(61));
        rig.crash(Duration.ofMinutes(10));
        rig.pass(Duration.ofMinutes(10));
        assertEquals(2, rig.delivered.size());
        assertEquals(3, rig.runs(RunResult.SKIPPED));
        assertEquals(0, rig.schedules.size());
    }

    @Test
    void restart_all_makesUpForEach() {
        rig.put("k", ScheduleRig.rate(Duration.ofMinutes(1), 8, Missed.ALL), "x");
        rig.pass(Duration.ofSeconds(61));
        rig.crash(Duration.ofMinutes(4));
        rig.pass(Duration.ofSeconds(5));
        assertEquals(5, rig.delivered.size());
        rig.pass(Duration.ofMinutes(10));
        assertEquals(8, rig.delivered.size());
        assertEquals(
                8,
                rig.delivered.stream()
                        .map(ScheduleRig.Delivered::messageId)
                        .distinct()
                        .count());
    }

    @Test
    void restart_onceOverdue_byMissed() {
        for (Missed missed : Missed.values()) {
            ScheduleRig other = ScheduleRig.durable();
            other.put("k", ScheduleRig.at(other.wallMillis() + 10_000, missed), "x");
            other.crash(Duration.ofHours(1));
            other.pass(SECOND);
            assertEquals(missed == Missed.SKIP ? 0 : 1, other.delivered.size());
            assertEquals(0, other.schedules.size());
            other.crash(SECOND);
            assertEquals(0, other.schedules.size());
        }
    }

    @Test
    void stall_longerThanTheGrace_isMissedToo() {
        rig.put("k", ScheduleRig.rate(Duration.ofMinutes(1), ScheduleSpec.FOR_EVER, Missed.SKIP), "x");
        rig.stall(Duration.ofSeconds(70));
        rig.turn();
        assertEquals(0, rig.delivered.size());
        rig.stall(Duration.ofSeconds(54));
        rig.turn();
        assertEquals(1, rig.delivered.size());
    }

    // ------------------------------------------------------------------ an orderly end

    /** A drain closes the devices, and the schedules end a little later. */
    @Test
    void end_deviceIsSentAwayBeforeTheSchedulesEnd_whatIsDueIsDueAfterTheStart() {
        boolean[] away = {false};
        rig.target = ScheduleTarget.of(
                push -> away[0]
                        ? CompletableFuture.completedFuture(
                                PushResult.refused(Outcome.OFFLINE, push.id(), "the device is not connected"))
                        : rig.deliver(ScheduleRig.once(SECOND), push.id(), push.payload())
                                .thenApply(sent -> PushResult.refused(Outcome.SENT, push.id(), "")),
                rig::deliver,
                () -> away[0]);
        rig.put("all", ScheduleRig.rate(Duration.ofMillis(200), 50, Missed.ALL), "all");
        rig.put("once", ScheduleRig.once(Duration.ofMillis(4_010)), "once");
        rig.pass(Duration.ofSeconds(4));
        away[0] = true;
        rig.pass(Duration.ofMillis(300));
        rig.schedules.close();
        rig.settle();
        assertEquals(0, rig.runs(RunResult.OFFLINE));
        assertEquals(0, rig.runs(RunResult.SKIPPED));
        rig.crash(SECOND);
        away[0] = false;
        rig.pass(Duration.ofSeconds(10));
        assertEquals(50, rig.texts().stream().filter("all"::equals).count());
        assertEquals(1, rig.texts().stream().filter("once"::equals).count());
        assertEquals(0, rig.runs(RunResult.OFFLINE));
    }

    // ------------------------------------------------------------------ crashes

    @Test
    void crash_betweenMessageAndRow_repeatsUnderTheSameId() {
        for (Missed missed : List.of(Missed.ONCE, Missed.ALL)) {
            ScheduleRig other = ScheduleRig.durable();
            other.holds = true;
            other.put("k", ScheduleRig.rate(SECOND, 3, missed), "x");
            other.pass(Duration.ofMillis(1_040));
            assertEquals(1, other.delivered.size());
            other.holds = false;
            other.crash(Duration.ofSeconds(20));
            other.pass(Duration.ofSeconds(20));
            assertEquals(
                    other.delivered.get(0).messageId(), other.delivered.get(1).messageId());
            assertEquals(missed == Missed.ALL ? 4 : 2, other.delivered.size());
        }
    }

    @Test
    void run_refusedForNow_isTriedAgainAlsoAfterACrash() {
        rig.refuses = true;
        rig.put("k", ScheduleRig.once(SECOND), "x");
        rig.pass(Duration.ofSeconds(20));
        assertEquals(1, rig.schedules.size());
        assertTrue(rig.delivered.size() >= 18 && rig.delivered.size() <= 20, () -> rig.delivered.toString());
        rig.crash(SECOND);
        rig.pass(SECOND);
        rig.refuses = false;
        rig.pass(Duration.ofSeconds(2));
        assertEquals(0, rig.schedules.size());
        assertEquals(1, rig.runs(RunResult.SENT));
        assertEquals(
                1,
                rig.delivered.stream()
                        .map(ScheduleRig.Delivered::messageId)
                        .distinct()
                        .count());
    }

    @Test
    void crash_beforeTheRowsAreThere_nothingWasPromised() {
        var put = rig.putSoon("k", ScheduleRig.once(SECOND), "x");
        rig.thread.remove().run();
        rig.crash(SECOND);
        assertTrue(!put.isDone());
        assertEquals(0, rig.schedules.size());
    }

    @Test
    void restart_relative_timePassesWhileItIsDown() {
        rig.put("k", ScheduleRig.once(Duration.ofHours(2)), "x");
        rig.pass(Duration.ofMinutes(30));
        rig.crash(Duration.ofMinutes(30));
        rig.pass(Duration.ofMinutes(59));
        assertEquals(0, rig.delivered.size());
        rig.pass(Duration.ofSeconds(61));
        assertEquals(1, rig.delivered.size());
    }

    @Test
    void restart_clockWasSetBefore_relativeOnesDoNotFollow() {
        rig.put("k", ScheduleRig.once(Duration.ofHours(2)), "x");
        rig.put("wall", ScheduleRig.at(rig.wallMillis() + 7_200_000, Missed.ALL), "wall");
        rig.pass(Duration.ofMinutes(30));
        rig.stepClock(Duration.ofMinutes(60));
        rig.pass(Duration.ofSeconds(10));
        rig.crash(Duration.ofSeconds(50));
        rig.pass(Duration.ofMinutes(30));
        assertEquals(List.of("wall"), rig.texts());
        rig.pass(Duration.ofMinutes(58));
        assertEquals(List.of("wall"), rig.texts());
        rig.pass(Duration.ofMinutes(2));
        assertEquals(List.of("wall", "x"), rig.texts());
    }

    @Test
    void restart_pauseBehindAWallTime_isRelative() {
        ScheduleSpec spec = ScheduleRig.spec(
                ScheduleSpec.Start.AT, rig.wallMillis() + 1_000, ScheduleSpec.Repeat.DELAY, 3_600_000, 2, Missed.ONCE);
        rig.put("k", spec, "x");
        rig.pass(Duration.ofSeconds(2));
        rig.stepClock(Duration.ofHours(1));
        rig.pass(Duration.ofMinutes(30));
        assertEquals(1, rig.delivered.size());
        rig.crash(SECOND);
        rig.pass(Duration.ofMinutes(31));
        assertEquals(2, rig.delivered.size());
    }

    // ------------------------------------------------------------------ the disk

    @Test
    void put_diskFails_oldOneStays() {
        rig.put("k", ScheduleRig.once(Duration.ofSeconds(5)), "old");
        rig.rows.fails = true;
        PutResult put = rig.put("k", ScheduleRig.once(SECOND), "new");
        PutResult notStored = new PutResult.Refused(PutResult.Cause.NOT_STORED, "no room");
        assertEquals(notStored, put);
        assertEquals(notStored, rig.put("other", ScheduleRig.once(SECOND), "x"));
        assertEquals(1, rig.schedules.size());
        rig.rows.fails = false;
        rig.pass(Duration.ofSeconds(10));
        assertEquals(List.of("old"), rig.texts());
        assertEquals(0, rig.handles());
    }

    @Test
    void run_rowCannotBeRead_holdsUpNoOtherAndIsTriedAgain() {
        for (int i = 0; i < 100; i++) {
            rig.put("k" + i, ScheduleRig.once(SECOND), "k" + i);
        }
        rig.rows.unreadable = "k7";
        rig.pass(Duration.ofSeconds(3));
        assertEquals(99, rig.delivered.size());
        assertTrue(rig.delete("k7"));
        rig.rows.unreadable = "k8";
        rig.put("k8", ScheduleRig.once(SECOND), "later");
        rig.pass(Duration.ofSeconds(2));
        rig.rows.unreadable = "";
        rig.pass(SECOND);
        assertEquals("later", rig.delivered.get(99).text());
        assertEquals(0, rig.handles());
    }

    @Test
    void run_rowIsDamaged_failsOnceAndHoldsUpNoOther() {
        for (int i = 0; i < 100; i++) {
            rig.put("k" + i, ScheduleRig.rate(SECOND, 2, Missed.ALL), "k" + i);
        }
        rig.rows.damaged = "k7";
        rig.pass(Duration.ofSeconds(5));
        assertEquals(2 * 99, rig.delivered.size());
        assertEquals(1, rig.runs(RunResult.FAILED));
        assertEquals(0, rig.schedules.size());
        assertEquals(0, rig.handles());
    }

    @Test
    void move_rowIsDamaged_othersAreWrittenAndItIsNotTriedAgain() {
        rig.holds = true;
        for (int i = 0; i < 5; i++) {
            rig.put("k" + i, ScheduleRig.rate(Duration.ofHours(1), 3, Missed.ALL), "x");
        }
        rig.pass(Duration.ofMillis(3_600_040));
        rig.rows.damaged = "k2";
        rig.held.forEach(run -> run.complete(RunResult.SENT));
        rig.pass(Duration.ofSeconds(5));
        int commits = rig.rows.commits;
        rig.pass(Duration.ofSeconds(5));
        assertEquals(commits, rig.rows.commits, "nothing is tried again");
        rig.crash(SECOND);
        rig.pass(Duration.ofMinutes(5));
        assertEquals(5 + 1, rig.delivered.size(), "what was written does not run again");
    }

    @Test
    void put_othersHaveTheDisk_isRefusedAndALoadedOneCounts() {
        rig.put("old", ScheduleRig.once(Duration.ofHours(1)), "12345678");
        rig.crash(SECOND);
        assertEquals(8, rig.storedBytes.get());
        rig.storedBytes.addAndGet((1 << 20) - 10); // messages
        PutResult.Refused full = (PutResult.Refused) rig.put("new", ScheduleRig.once(SECOND), "123");
        assertEquals("messages.stored-bytes = 1048576B: what is kept takes 1048574, and this one 3", full.detail());
        rig.put("old", ScheduleRig.once(SECOND), "1234567890");
        assertEquals(1 << 20, rig.storedBytes.get());
        rig.pass(Duration.ofSeconds(2));
        assertEquals((1 << 20) - 10, rig.storedBytes.get());
    }

    @Test
    void run_rowCannotBeMoved_goesOnInMemory() {
        rig.put("k", ScheduleRig.rate(SECOND, 3, Missed.ALL), "x");
        rig.holds = true;
        rig.pass(Duration.ofMillis(1_040));
        rig.rows.fails = true;
        rig.holds = false;
        rig.held.get(0).complete(RunResult.SENT);
        rig.settle();
        rig.rows.fails = false;
        rig.pass(Duration.ofSeconds(3));
        assertEquals(3, rig.delivered.size());
        assertEquals(0, rig.schedules.size());
    }

    private void diskFails(boolean on) {
        rig.rows.fails = on;
    }

    @Test
    void end_rowCannotBeDeleted_isDeletedLaterAndDoesNotRunAgain() {
        rig.holds = true;
        rig.put("k", ScheduleRig.once(SECOND), "x");
        rig.pass(Duration.ofMillis(1_040));
        diskFails(true);
        rig.held.get(0).complete(RunResult.SENT);
        rig.pass(Duration.ofSeconds(5));
        assertEquals(1, rig.schedules.size(), "it is on the disk");
        diskFails(false);
        rig.pass(Duration.ofSeconds(2));
        assertEquals(0, rig.schedules.size());
        rig.crash(SECOND);
        rig.pass(Duration.ofSeconds(5));
        assertEquals(0, rig.schedules.size());
        assertEquals(1, rig.delivered.size());
    }

    @Test
    void end_rowCannotBeDeletedAndIsReplaced_newOneStays() {
        rig.holds = true;
        rig.put("k", ScheduleRig.once(SECOND), "old");
        rig.pass(Duration.ofMillis(1_040));
        diskFails(true);
        rig.held.get(0).complete(RunResult.SENT);
        rig.settle();
        diskFails(false);
        rig.put("k", ScheduleRig.once(Duration.ofMinutes(1)), "new");
        rig.pass(Duration.ofSeconds(5));
        rig.crash(SECOND);
        assertEquals(1, rig.schedules.size());
        rig.pass(Duration.ofMinutes(2));
        assertEquals(List.of("old", "new"), rig.texts());
    }

    @Test
    void run_rowCannotBeMovedAndTheNextTimeIsFar_isMovedLater() {
        rig.holds = true;
        rig.put("k", ScheduleRig.rate(Duration.ofHours(1), 3, Missed.ALL), "x");
        rig.pass(Duration.ofMillis(3_600_040));
        diskFails(true);
        rig.held.get(0).complete(RunResult.SENT);
        rig.pass(Duration.ofSeconds(5));
        diskFails(false);
        rig.pass(Duration.ofSeconds(2));
        rig.holds = false;
        rig.crash(SECOND);
        rig.pass(Duration.ofMinutes(5));
        assertEquals(1, rig.delivered.size());
        rig.pass(Duration.ofHours(3));
        assertEquals(3, rig.delivered.size());
    }

    @Test
    void clockStep_cannotBeWritten_isWrittenLater() {
        rig.put("k", ScheduleRig.once(Duration.ofHours(2)), "x");
        diskFails(true);
        rig.stepClock(Duration.ofHours(1));
        rig.pass(Duration.ofSeconds(5));
        diskFails(false);
        rig.pass(Duration.ofSeconds(2));
        rig.crash(SECOND);
        rig.pass(Duration.ofMinutes(119));
        assertEquals(List.of(), rig.texts());
        rig.pass(Duration.ofMinutes(1));
        assertEquals(List.of("x"), rig.texts());
    }

    @Test
    void start_thousandsOfRows_allAreThere() {
        for (int i = 0; i < 2_500; i++) {
            rig.putSoon("k" + i, ScheduleRig.once(Duration.ofHours(1)), "x");
        }
        rig.settle();
        rig.crash(SECOND);
        assertEquals(2_500, rig.schedules.size());
        rig.pass(Duration.ofHours(1));
        assertEquals(2_500, rig.delivered.size());
    }
}
