package io.heartwheel.push.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.schedule.ScheduleSpec.Missed;
import io.heartwheel.push.schedule.ScheduleSpec.Repeat;
import io.heartwheel.push.schedule.ScheduleSpec.Start;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Schedules of every kind, with clocks that are set, standstills, results that are late, a disk that fails and crashes, against a model that knows nothing but the
 * times of each schedule: what ran, when, how often, and what was passed over.
 */
class SchedulesModelTest {
    private static final int STEPS = 3_000;
    /** A tick, and milliseconds that are whole. */
    private static final long TOLERANCE_MILLIS = 2 * ScheduleRig.TICK_NANOS / 1_000_000 + 2;
    /** A step of the wall clock is found within a second. */
    private static final long LOOK_MILLIS = 1_000 + TOLERANCE_MILLIS;

    /** One schedule as it was put. */
    private static final class Life {
        final String text;
        final ScheduleSpec spec;
        /** Of the first time, by its clock. */
        final long firstMillis;

        final ScheduleRow row;
        /** The time that the next run is in place of, as far as runs tell. */
        long next;
        /** The same of the run before, and when that was by its clock. */
        long lastRun = -1;

        long lastRunMillis;
        /** The first time that the row of the run before may still name. */
        long unwritten;
        /** The run before may come once more. */
        boolean repeats;

        boolean gone;
        /** Until when a pause lasts at least, by the steady clock. */
        long pausedMillis;

        Life(String text, ScheduleRow row, long firstMillis) {
            this.text = text;
            this.row = row;
            spec = row.spec();
            this.firstMillis = firstMillis;
        }

        boolean wall() {
            return spec.start() == Start.AT;
        }

        long due(long time) {
            return firstMillis + time * spec.everyMillis();
        }
    }

    private final Map<String, Life> live = new HashMap<>();
    private final Map<String, Life> byText = new HashMap<>();
    private ScheduleRig rig;
    private Random random;
    private String where = "";
    private int seen;
    /** A time of the wheel less this is one of the steady clock, over crashes too; may wrap. */
    private long steadyOffsetNanos;

    private int puts;
    private int runs;

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE, Long.MAX_VALUE - 20_000_000_000L})
    void run_noCrash_asTheModelSays(long startNanos) {
        run(startNanos, false);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE, Long.MAX_VALUE - 20_000_000_000L})
    void run_crashes_noTimeIsLostAndRepeatsHaveTheSameId(long startNanos) {
        run(startNanos, true);
    }

    private void run(long startNanos, boolean crashes) {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("test.seed = " + seed);
        random = new Random(seed);
        rig = new ScheduleRig(startNanos, true, 50);
        steadyOffsetNanos = startNanos - ScheduleRig.WALL_MILLIS * 1_000_000;
        rig.put("far", ScheduleRig.once(Duration.ofDays(300)), ""); // without any, nobody looks at the clock
        for (int i = 0; i < STEPS; i++) {
            where = "seed " + seed + ", step " + i + ": ";
            step(crashes);
            look(false);
        }
        where = "seed " + seed + ", end: ";
        rest();
        for (String key : List.copyOf(live.keySet())) {
            delete(key);
        }
        rig.delete("far");
        rig.pass(Duration.ofSeconds(2));
        assertEquals(0, rig.schedules.size(), where);
        assertEquals(0, rig.handles(), where);
        assertTrue(runs > STEPS, where + runs + " runs are few");
    }

    private void step(boolean crashes) {
        String key = "k" + random.nextInt(8);
        switch (random.nextInt(crashes ? 14 : 13)) {
            case 0, 1 -> put(key);
            case 2 -> delete(key);
            case 3 -> {
                long by = 200L + random.nextInt(20_000);
                rig.stepClock(Duration.ofMillis(random.nextBoolean() ? by : -by));
                // a step that nobody has looked at before a crash is not known after it
                rig.pass(Duration.ofMillis(LOOK_MILLIS + 100));
            }
            case 4 -> {
                rig.stall(Duration.ofMillis(random.nextInt(12_000)));
                rig.turn();
            }
            case 5 -> rig.holds = !rig.holds && random.nextBoolean();
            case 6 -> release();
            case 7 -> {
                rig.rows.fails = random.nextBoolean();
                rig.pass(Duration.ofMillis(random.nextInt(1_500)));
                rig.rows.fails = false;
                rig.pass(Duration.ofMillis(LOOK_MILLIS));
            }
            case 12 -> rest();
            case 13 -> crash();
            default -> rig.pass(Duration.ofMillis(random.nextInt(2_000)));
        }
    }

    private void release() {
        List<CompletableFuture<RunResult>> held = List.copyOf(rig.held);
        rig.held.clear();
        held.forEach(result -> result.complete(RunResult.DELIVERED));
        rig.settle();
    }

    /** All that is due is made up for. */
    private void rest() {
        rig.holds = false;
        release();
        rig.pass(Duration.ofSeconds(20));
        look(true);
    }

    /** Steady milliseconds of the model, over crashes too. */
    private long steady(long nanos) {
        return Math.floorDiv(nanos - steadyOffsetNanos, 1_000_000);
    }

    private void put(String key) {
        Repeat repeat = Repeat.values()[random.nextInt(3)];
        Start start = Start.values()[random.nextInt(2)];
        long aheadMillis = random.nextInt(5_000);
        long everyMillis = repeat == Repeat.ONCE ? 0 : 200 + random.nextInt(3_000);
        long times = repeat == Repeat.ONCE ? 1 : random.nextInt(4) == 0 ? ScheduleSpec.FOR_EVER : 1 + random.nextInt(6);
        ScheduleSpec spec = ScheduleRig.spec(
                start,
                start == Start.AT ? rig.wallMillis() + aheadMillis : aheadMillis,
                repeat,
                everyMillis,
                times,
                Missed.values()[random.nextInt(3)]);
        String text = key + "-" + puts++;
        long firstMillis = start == Start.AT ? spec.startMillis() : steady(rig.nowNanos) + aheadMillis;
        PutResult put = rig.put(key, spec, text);
        Life life = new Life(text, ((PutResult.Stored) put).view().row(), firstMillis);
        byText.put(text, life);
        gone(live.put(key, life));
    }

    private void delete(String key) {
        boolean deleted = rig.delete(key);
        Life life = live.remove(key);
        assertTrue(!deleted || life != null, where + key);
        gone(life);
    }

    private static void gone(Life life) {
        if (life != null) {
            life.gone = true;
        }
    }

    private void crash() {
        rig.stall(Duration.ofMillis(random.nextInt(1_000)));
        rig.wheel.advance(rig.nowNanos, 1_024);
        for (int tasks = random.nextInt(6); tasks > 0; tasks--) {
            rig.step();
        }
        runs();
        live.values().forEach(life -> life.repeats = true);
        Duration down = Duration.ofMillis(random.nextInt(20_000));
        long nanos = rig.nowNanos + down.toNanos();
        rig.crash(down);
        steadyOffsetNanos += rig.nowNanos - nanos;
    }

    // ------------------------------------------------------------------ the model

    /** @param rested whether nothing that is due may be left */
    private void look(boolean rested) {
        runs();
        if (rig.held.isEmpty()) {
            List.copyOf(live.values()).forEach(life -> progress(life, rested));
        }
    }

    /** What was delivered since the last look. */
    private void runs() {
        for (ScheduleRig.Delivered each : rig.delivered.subList(seen, rig.delivered.size())) {
            ran(byText.get(each.text()), each);
            runs++;
        }
        seen = rig.delivered.size();
    }

    private void ran(Life life, ScheduleRig.Delivered run) {
        long steadyMillis = steady(run.atNanos());
        String what = where + life.text + " " + life.spec + " " + run + " at " + steadyMillis + ": ";
        assertTrue(!life.gone, what + "it is gone");
        long nowMillis = life.wall() ? run.atWallMillis() : steadyMillis;
        long time = timeOf(life, run.messageId(), what);
        if (life.spec.repeat() != Repeat.DELAY || time == 0) {
            grid(life, time, nowMillis, what);
        } else if (time > life.lastRun) {
            assertTrue(steadyMillis >= life.pausedMillis - 1, what + "within the pause");
            assertTrue(time == life.next || life.spec.missed() == Missed.SKIP, what + life.next + " was left out");
        }
        life.unwritten = life.repeats ? life.unwritten : life.next;
        life.repeats = false;
        life.lastRun = time;
        life.lastRunMillis = nowMillis;
        life.next = time + 1;
        life.pausedMillis = steadyMillis + life.spec.everyMillis();
    }

    /** Which time has this id: the next or, if some are passed over, a later one; after a crash the one before again. */
    private static long timeOf(Life life, long messageId, String what) {
        for (long time = life.repeats ? life.unwritten : life.next; time < life.next + 1_000; time++) {
            if (life.row.messageId(time) == messageId) {
                return time;
            }
        }
        throw new AssertionError(what + "an id of no time from " + life.next + " on");
    }

    /** A run at one of its times, and all times before it that had none. */
    private static void grid(Life life, long time, long nowMillis, String what) {
        assertTrue(nowMillis >= life.due(time) - 1, what + "early, or not all had come in place of which it is");
        long lateMillis = nowMillis - life.due(time);
        switch (life.spec.missed()) {
            case ALL -> assertTrue(time <= life.next, what + life.next + " was left out");
            case SKIP -> {
                assertTrue(lateMillis <= RunPlan.GRACE_MILLIS + TOLERANCE_MILLIS, what + "was missed");
                boolean clockIsKnown = !life.wall(); // else it may have been set back since some were passed over
                assertTrue(
                        time <= life.next
                                || !clockIsKnown
                                || nowMillis - life.due(time - 1) > RunPlan.GRACE_MILLIS - TOLERANCE_MILLIS,
                        what + "the one before was not missed");
            }
            case ONCE -> {
                if (time > life.next) { // the run before was in place of all that had come by then
                    assertTrue(life.due(time - 1) <= life.lastRunMillis + 1, what + "the one before had not come");
                }
                boolean wasMissed = life.lastRun >= 0
                        && life.lastRunMillis - life.due(life.lastRun) > RunPlan.GRACE_MILLIS + TOLERANCE_MILLIS;
                assertTrue(
                        time == life.lastRun || !wasMissed || life.due(time) > life.lastRunMillis - TOLERANCE_MILLIS,
                        what + "the run before was in its place");
            }
        }
    }

    /** How far it says that it is. */
    private void progress(Life life, boolean rested) {
        String key = life.text.substring(0, life.text.indexOf('-'));
        var found = rig.schedules.get(key);
        rig.settle();
        ScheduleRow.Progress at =
                found.join().map(view -> view.row().progress()).orElse(null);
        String what = where + life.text + " " + life.spec + " " + at + ": ";
        Missed missed = life.spec.missed();
        if (at == null) {
            assertTrue(life.spec.times() != ScheduleSpec.FOR_EVER, what + "has ended");
            assertTrue(life.next > 0 || missed == Missed.SKIP, what + "has never run");
            assertTrue(life.next == life.spec.times() || missed != Missed.ALL, what + "has ended early");
            live.remove(key, life);
            return;
        }
        if (life.spec.repeat() == Repeat.RATE) {
            assertEquals(life.due(at.run()), at.dueMillis(), 2, what + "off the grid");
        }
        if (rested) {
            long nowMillis = at.wall() ? rig.wallMillis() : steady(rig.nowNanos);
            assertTrue(at.dueMillis() > nowMillis - TOLERANCE_MILLIS, what + "not run at " + nowMillis);
        }
        if (!life.repeats && missed != Missed.SKIP) {
            boolean exact = missed == Missed.ALL || life.spec.repeat() == Repeat.DELAY;
            assertTrue(exact ? at.run() == life.next : at.run() >= life.next, what + "next is " + life.next);
        }
    }
}
