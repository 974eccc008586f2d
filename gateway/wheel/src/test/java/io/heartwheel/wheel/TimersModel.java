package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionException;

/**
 * Timers and a naive model of them, driven by one random source on one thread. The model's time starts at 0 and never wraps; what waits stands in
 * a sorted set by when it is due.
 */
final class TimersModel implements TimerObserver, RandomLives.Life {

    private static final long[] STARTS = {Long.MIN_VALUE, -1_000, 0, 1, Long.MAX_VALUE - 1_000, Long.MAX_VALUE};
    private static final long END = 1L << 60;
    private static final int KEYS = 4;
    private static final String PLANNED = "as planned";

    private final SplittableRandom random;
    private final boolean punctual;
    private final long start;
    private final long tick;
    private final int maxPending;
    private final TimingWheel wheel;
    private final Timers timers;

    private final Set<Model> pending = new HashSet<>();
    private final TreeSet<Model> waiting =
            new TreeSet<>(Comparator.<Model>comparingLong(model -> model.due).thenComparingInt(model -> model.id));
    private final Map<Object, Model> keys = new HashMap<>();
    private final List<Model> all = new ArrayList<>();
    private final ArrayDeque<Runnable> queue = new ArrayDeque<>();

    private long now;
    private boolean advancing;
    private int depth;
    private long skipped;
    private long skippedTold;
    private long thrown;
    private long refused;
    /** What went wrong where it would be caught. */
    private Throwable broken;

    TimersModel(SplittableRandom random, boolean punctual) {
        this.random = random;
        this.punctual = punctual;
        start = random.nextInt(3) == 0 ? random.nextLong() : STARTS[random.nextInt(STARTS.length)];
        tick = random.nextInt(4) == 0 ? 1 : 1 + random.nextInt(1 << random.nextInt(1, 20));
        maxPending = 1 + random.nextInt(30);
        wheel = new TimingWheel(tick, 4 << random.nextInt(5), 1 + random.nextInt(40), start);
        timers = new Timers(wheel, () -> start + now, Timers.ON_WHEEL_THREAD, maxPending, this);
    }

    @Override
    public String toString() {
        return "start " + start + ", tick " + tick + ", " + maxPending + " pending, now " + now;
    }

    /** Model of one timer. Its executor runs at once, queues or refuses. */
    private final class Model {
        final int id = all.size();
        final Object key;
        final Schedule schedule;
        final int executor = random.nextInt(8);
        Timer timer;
        long due;
        long armedAt;
        boolean armedWhileAdvancing;
        long runs;
        Timer.State state = Timer.State.PENDING;
        boolean isRunning;

        Model(Object key, Schedule schedule) {
            this.key = key;
            this.schedule = schedule;
        }

        void waitUntil(long offset) {
            due = offset;
            armedAt = now;
            armedWhileAdvancing = advancing;
            waiting.add(this);
        }

        void end(Timer.State how) {
            assertEquals(Timer.State.PENDING, state);
            state = how;
            waiting.remove(this);
            pending.remove(this);
            keys.remove(key, this);
        }

        /** The timer's executor. */
        void execute(Runnable run) {
            guard(this::checkExpiry);
            runs++;
            waiting.remove(this);
            if (runs == schedule.times()) {
                end(Timer.State.FIRED);
            }
            if (executor == 0 && random.nextBoolean()) {
                refused++;
                waitAgain();
                throw new RejectedExecutionException(PLANNED);
            } else if (executor < 4) {
                runNow(run);
            } else {
                queue.add(() -> runNow(run));
            }
        }

        private void checkExpiry() {
            assertTrue(advancing, "handed over outside of advance");
            assertTrue(waiting.contains(this), () -> "expired but not waiting: " + timer);
            assertTrue(due <= now, () -> "early by " + (due - now));
            if (punctual) {
                long late = now - Math.max(due, armedAt);
                assertTrue(late <= tick + 3, () -> "late by " + late);
            }
        }

        private void runNow(Runnable run) {
            run.run();
            if (isRunning) {
                isRunning = false;
                waitAgain();
            }
        }

        void task() {
            guard(() -> {
                assertTrue(state == Timer.State.PENDING || state == Timer.State.FIRED, () -> "ran when " + state);
                assertFalse(isRunning, "overlaps");
                assertEquals(state, timer.state());
                assertEquals(runs, timer.runs());
            });
            isRunning = true;
            if (!punctual && !advancing && random.nextInt(3) == 0) {
                now += random.nextLong(tick * 20);
            }
            if (depth < 3 && random.nextInt(3) == 0) {
                depth++;
                guard(TimersModel.this::change);
                depth--;
            }
            if (random.nextInt(10) == 0) {
                thrown++;
                throw new IllegalStateException(PLANNED);
            }
        }

        /** The run is over. */
        private void waitAgain() {
            if (state != Timer.State.PENDING) {
                return;
            }
            long every = schedule.everyNanos();
            if (schedule.kind() == Schedule.Kind.FIXED_DELAY) {
                waitUntil(offsetAfter(every));
            } else {
                long periods = Math.max(1, Math.floorDiv(now - due, every));
                skipped += periods - 1;
                waitUntil(due + periods * every);
            }
        }
    }

    private void guard(Runnable check) {
        try {
            check.run();
        } catch (Throwable failure) {
            if (broken == null) {
                broken = failure;
            }
        }
    }

    @Override
    public void failed(Timer timer, Throwable failure) {
        if (!PLANNED.equals(failure.getMessage())) {
            broken = failure;
        }
    }

    @Override
    public void skipped(Timer timer, long runs) {
        skippedTold += runs;
    }

    // --- what callers do ---

    private long offsetAfter(long delay) {
        return Deadline.after(start + now, delay) - start;
    }

    private long randomDelay() {
        return switch (random.nextInt(8)) {
            case 0 -> -random.nextLong(1L << random.nextInt(1, 62));
            case 1 -> random.nextLong(1L << random.nextInt(1, 56));
            case 2 -> 0;
            default -> random.nextLong(tick * 40);
        };
    }

    private Schedule randomSchedule() {
        long delay = randomDelay();
        long every = 1 + random.nextLong(tick * (random.nextBoolean() ? 3 : 100));
        Schedule schedule =
                switch (random.nextInt(3)) {
                    case 0 -> Schedule.once(delay);
                    case 1 -> Schedule.atFixedRate(delay, every);
                    default -> Schedule.withFixedDelay(delay, every);
                };
        return schedule.kind() == Schedule.Kind.ONCE || random.nextInt(4) == 0
                ? schedule
                : schedule.times(1 + random.nextInt(5));
    }

    private void change() {
        int kind = random.nextInt(100);
        if (kind < 35) {
            begin(null);
        } else if (kind < 55) {
            begin(random.nextInt(KEYS));
        } else if (kind < 70) {
            Object key = random.nextInt(KEYS);
            Model model = keys.get(key);
            assertEquals(model != null, timers.remove(key));
            if (model != null) {
                model.end(Timer.State.CANCELLED);
            }
        } else if (!all.isEmpty()) {
            Model model = all.get(random.nextInt(all.size()));
            assertEquals(model.state == Timer.State.PENDING, model.timer.cancel());
            if (model.state == Timer.State.PENDING) {
                model.end(Timer.State.CANCELLED);
            }
        }
    }

    private void begin(Object key) {
        Model model = new Model(key, randomSchedule());
        if (timers.isStopped()
                || pending.size() >= maxPending
                || wheel.counters().registered() == wheel.maxEntries()) {
            assertThrows(RejectedExecutionException.class, () -> start(model));
            return;
        }
        model.timer = start(model);
        all.add(model);
        Model before = key == null ? null : keys.put(key, model);
        if (before != null) {
            before.end(Timer.State.CANCELLED);
        }
        pending.add(model);
        model.waitUntil(offsetAfter(model.schedule.delayNanos()));
    }

    private Timer start(Model model) {
        if (model.key != null && model.schedule.kind() == Schedule.Kind.ONCE && random.nextBoolean()) {
            return timers.replace(model.key, model.schedule.delayNanos(), model::task, model::execute);
        }
        return model.key == null
                ? timers.start(model.schedule, model::task, model::execute)
                : timers.replace(model.key, model.schedule, model::task, model::execute);
    }

    // --- steps ---

    @Override
    public void step() {
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            change();
            check();
        }
        if (random.nextBoolean() || queue.size() > 10) {
            drain();
        }
        passTime();
        check();
    }

    private void drain() {
        for (int runs = random.nextInt(1 + queue.size()); runs > 0; runs--) {
            queue.remove().run();
            check();
        }
    }

    private void passTime() {
        if (punctual) {
            long wake = wheel.nextWakeNanos(start + now) - start;
            if (wake > now && random.nextInt(3) == 0) {
                now += random.nextLong(Math.min(wake - now, tick * 50));
            } else if (wake < END) {
                now = Math.max(now, wake);
                turn();
            }
        } else {
            now += random.nextInt(20) == 0 ? random.nextLong(1L << random.nextInt(1, 50)) : random.nextLong(tick * 5);
            turn();
        }
    }

    private void turn() {
        advancing = true;
        wheel.advance(start + now, Integer.MAX_VALUE);
        advancing = false;
        long reached = now - Math.floorMod(now, tick);
        for (Model model : waiting) {
            // a time that falls on the wheel's own marks is moved behind them
            if (Deadline.after(start + model.due, 0) - start > reached) {
                break;
            }
            assertTrue(model.armedWhileAdvancing, () -> "not expired: due " + model.due + ", reached " + reached);
        }
        waiting.forEach(model -> model.armedWhileAdvancing = false);
    }

    private void check() {
        if (broken != null) {
            throw new AssertionError("where it is caught", broken);
        }
        assertEquals(pending.size(), timers.pending());
        assertEquals(keys.size(), timers.keys());
        for (int key = 0; key < KEYS; key++) {
            Model model = keys.get(key);
            assertSame(model == null ? null : model.timer, timers.get(key));
        }
        for (Model model : all) {
            assertEquals(model.state, model.timer.state());
            assertEquals(model.runs, model.timer.runs());
            assertEquals(Math.max(start + model.due, Deadline.FIRST), model.timer.deadlineNanos());
        }
        assertEquals(skipped, skippedTold);
        assertEquals(thrown, timers.counters().failed());
        assertEquals(refused, timers.counters().refused());
        assertEquals(0, wheel.counters().failed());
    }

    /** Stops: all that is pending comes back, and nothing is left. */
    @Override
    public void finish() {
        Set<Timer> expected = new HashSet<>();
        new ArrayList<>(pending).forEach(model -> {
            expected.add(model.timer);
            model.end(Timer.State.STOPPED);
        });
        List<Timer> left = timers.stop();
        assertEquals(expected.size(), left.size());
        assertEquals(expected, new HashSet<>(left));
        change();
        queue.forEach(Runnable::run);
        check();
        assertEquals(0, timers.stop().size());
        now += tick;
        turn();
        assertEquals(0, timers.keys());
        assertEquals(0, wheel.counters().registered());
        WheelInspector.check(wheel);
    }
}
