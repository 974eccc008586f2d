package io.heartwheel.push.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.schedule.ScheduleSpec.Missed;
import io.heartwheel.push.schedule.ScheduleSpec.Repeat;
import io.heartwheel.push.schedule.ScheduleSpec.Start;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
        /** Of the first time, by its clock; {@code Long.MIN_VALUE}: not known yet. */
        final long firstMillis;

        ScheduleRow row;
        /** The time of {@code row} that comes next, as far as runs tell. */
        long next;
        /** The run before: of which time at least, when, and whether its result is known. */
        long lastRun = -1;

        long lastRunMillis;
        boolean repeats;
        boolean gone;
        /** Until when a pause lasts at least, by the steady clock. */
        long pausedMillis;

        Life(String text, ScheduleSpec spec, long firstMillis) {
            this.text = text;
            this.spec = spec;
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
    private long steadyMillis;
    private long steadyNanos;
    private long runsInAll;

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
        steadyNanos = startNanos;
        for (int i = 0; i < STEPS; i++) {
            where = "seed " + seed + ", step " + i + ": ";
            step(crashes);
            look();
        }
        where = "seed " + seed + ", end: ";
        rig.rows.fails = false;
        rig.holds = false;
        release();
        rig.pass(Duration.ofSeconds(2));
        look();
        for (String key : List.copyOf(live.keySet())) {
            delete(key);
        }
        rig.pass(Duration.ofSeconds(2));
        assertEquals(0, rig.schedules.size(), where);
        assertEquals(0, rig.handles(), where);
        assertTrue(runsInAll > STEPS / 2, where + runsInAll + " runs are few");
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
            case 13 -> crash();
            default -> rig.pass(Duration.ofMillis(random.nextInt(2_000)));
        }
    }

    private void release() {
        rig.settle();
        look();
        List<java.util.concurrent.CompletableFuture<RunResult>> held = new ArrayList<>(rig.held);
        rig.held.clear();
        held.forEach(result -> result.complete(RunResult.DELIVERED));
        rig.settle();
    }

    /** Steady milliseconds of the model, over crashes too. */
    private long steady() {
        return steadyMillis + (rig.nowNanos - steadyNanos) / 1_000_000;
    }

    private void put(String key) {
        Repeat repeat = Repeat.values()[random.nextInt(3)];
        Start start = Start.values()[random.nextInt(2)];
        long aheadMillis = random.nextInt(5_000);
        long everyMillis = repeat == Repeat.ONCE ? 0 : 100 + random.nextInt(3_000);
        long times = repeat == Repeat.ONCE ? 1 : random.nextInt(4) == 0 ? ScheduleSpec.FOR_EVER : 1 + random.nextInt(6);
        ScheduleSpec spec = ScheduleRig.spec(
                start,
                start == Start.AT ? rig.wallMillis() + aheadMillis : aheadMillis,
                repeat,
                everyMillis,
                times,
                Missed.values()[random.nextInt(3)]);
        Life life = new Life(
                key + "-" + byText.size(), spec, start == Start.AT ? spec.startMillis() : steady() + aheadMillis);
        byText.put(life.text, life); // it may run while the test has not seen the answer
        PutResult put = rig.put(key, spec, life.text);
        life.row = ((PutResult.Stored) put).view().row();
        look();
        gone(live.put(key, life));
    }

    private void delete(String key) {
        look();
        assertEquals(live.containsKey(key), rig.delete(key), where + key);
        look();
        gone(live.remove(key));
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
        look(); // what was delivered before
        Duration down = Duration.ofMillis(random.nextInt(20_000));
        long before = steady();
        live.values().forEach(life -> life.repeats = true);
        rig.crash(down);
        steadyMillis = before + down.toMillis();
        steadyNanos = rig.nowNanos;
    }

    // ------------------------------------------------------------------ the model

    /** What was delivered since the last look, and what should have been. */
    private void look() {
        List<ScheduleRig.Delivered> fresh = List.copyOf(rig.delivered.subList(seen, rig.delivered.size()));
        seen = rig.delivered.size();
        for (ScheduleRig.Delivered each : fresh) {
            Life life = byText.get(each.text());
            if (life.row == null) {
                seen--; // looked at again when its id is known
                continue;
            }
            runsInAll++;
            ran(life, each);
        }
        if (rig.held.isEmpty() && !rig.rows.fails) {
            live.values().forEach(this::nothingIsLeft);
        }
    }

    private void ran(Life life, ScheduleRig.Delivered run) {
        String what = where + life.text + " " + life.spec + " " + run;
        assertTrue(!life.gone, what + ": it is gone");
        long nowMillis = life.wall() ? run.atWallMillis() : steadyAt(run);
        long time = timeOf(life, run.messageId(), what);
        life.repeats = false;
        if (life.spec.repeat() == Repeat.RATE) {
            grid(life, time, nowMillis, what);
        } else if (life.spec.repeat() == Repeat.ONCE || time == 0) {
            assertTrue(nowMillis >= life.firstMillis - 1, what + ": early");
        } else {
            assertTrue(steadyAt(run) >= life.pausedMillis - 1, what + ": within the pause");
        }
        if (life.spec.missed() == Missed.SKIP && life.spec.repeat() != Repeat.DELAY) {
            assertTrue(nowMillis - life.due(time) <= RunPlan.GRACE_MILLIS + TOLERANCE_MILLIS, what + ": was missed");
        }
        life.lastRun = time;
        life.lastRunMillis = nowMillis;
        life.next = time + 1;
        life.pausedMillis = steadyAt(run) + life.spec.everyMillis();
    }

    private long steadyAt(ScheduleRig.Delivered run) {
        return steadyMillis + (run.atNanos() - steadyNanos) / 1_000_000;
    }

    /** Which time has this id; after a crash, or if not all that was passed over is known, a later one than the next, or the one before again. */
    private static long timeOf(Life life, long messageId, String what) {
        for (long time = life.repeats ? Math.max(0, life.lastRun) : life.next; time < life.next + 1_000; time++) {
            if (life.row.messageId(time) == messageId) {
                return time;
            }
        }
        throw new AssertionError(what + ": an id of no time from " + life.next + " on");
    }

    /** Times before this one that had no run: only if they were missed. */
    private static void grid(Life life, long time, long nowMillis, String what) {
        assertTrue(nowMillis >= life.due(time) - 1, what + ": early, or not all of it had come");
        if (time <= life.next) {
            return;
        }
        switch (life.spec.missed()) {
            case ALL -> throw new AssertionError(what + ": " + life.next + " was left out");
            case SKIP -> {
                // it was passed over now, or when the run before was over
            }
            case ONCE ->
                // the run before was in the place of all that had come by then
                assertTrue(life.due(time - 1) <= life.lastRunMillis + 1, what + ": had not come when " + life.lastRun + " ran");
        }
    }

    private void nothingIsLeft(Life life) {
        String key = life.text.substring(0, life.text.indexOf('-'));
        var found = rig.schedules.get(key);
        rig.settle();
        ScheduleRow.Progress at = found.join().map(view -> view.row().progress()).orElse(null);
        String what = where + life.text + " " + life.spec + " " + at;
        long nowMillis = life.wall() ? rig.wallMillis() : steady();
        if (at == null) {
            assertTrue(life.spec.times() != ScheduleSpec.FOR_EVER, what + ": has ended");
            if (life.spec.missed() != Missed.SKIP) {
                assertTrue(life.next > 0, what + ": has never run");
            }
            if (life.spec.missed() == Missed.ALL) {
                assertEquals(life.spec.times(), life.next, what + ": has ended early");
            }
            live.remove(key, life);
            return;
        }
        if (life.spec.repeat() == Repeat.RATE) {
            assertEquals(life.due(at.run()), at.dueMillis(), TOLERANCE_MILLIS, what + ": off the grid");
        }
        if (life.spec.repeat() != Repeat.DELAY) {
            assertTrue(at.dueMillis() > nowMillis - TOLERANCE_MILLIS, what + ": not run at " + nowMillis);
        } else if (!at.wall()) {
            assertTrue(at.dueMillis() > steady() - TOLERANCE_MILLIS, what + ": not run at " + steady());
        }
        if (life.spec.missed() != Missed.SKIP && !life.repeats) {
            assertTrue(
                    life.spec.missed() == Missed.ONCE ? at.run() >= life.next : at.run() == life.next,
                    what + ": next is " + life.next);
        }
    }
}
