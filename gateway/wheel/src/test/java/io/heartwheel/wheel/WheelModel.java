package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A wheel and a naive model of it, driven by one random source. The model's time starts at 0 and never wraps: {@code offset = nanos - start};
 * what is armed stands in a {@link TreeMap} by offset.
 */
final class WheelModel implements RandomLives.Life {

    private static final long[] STARTS = {
        Long.MIN_VALUE, Long.MIN_VALUE + 1, -1_000, -1, 0, 1, Long.MAX_VALUE - 1_000, Long.MAX_VALUE - 1, Long.MAX_VALUE
    };
    /** Time passes no further than this, so that the model need not wrap. */
    private static final long END = 1L << 61;

    private static final String PLANNED = "as planned";

    private final SplittableRandom random;
    private final boolean punctual;
    private final long start;
    private final long tick;
    private final int buckets;
    private final int maxEntries;
    private final TimingWheel wheel;
    private final List<Entry> entries = new ArrayList<>();
    /** Armed entries by the offset of what is really their deadline. */
    private final TreeMap<Long, List<Entry>> armed = new TreeMap<>();

    /** Between steps, the time of the last turn. */
    private long now;

    private boolean advancing;
    private int expiries;
    private int failures;
    private boolean woken;
    private Throwable broken;

    WheelModel(SplittableRandom random, boolean punctual) {
        this.random = random;
        this.punctual = punctual;
        start = random.nextInt(3) == 0 ? random.nextLong() : STARTS[random.nextInt(STARTS.length)];
        tick = random.nextInt(4) == 0 ? 1 : 1 + random.nextInt(1 << random.nextInt(1, 25));
        buckets = 4 << random.nextInt(6);
        maxEntries = 1 + random.nextInt(40);
        int looks = random.nextInt(3) == 0 && !punctual ? 1 + random.nextInt(5) : TimingWheel.MAX_LOOKS;
        wheel = new TimingWheel(tick, buckets, maxEntries, start, new Watcher(), looks);
        wheel.wokenBy(() -> woken = true);
    }

    @Override
    public String toString() {
        return "start " + start + ", tick " + tick + ", " + buckets + " buckets, " + maxEntries + " entries, now "
                + now;
    }

    /** The wheel catches whatever an entry throws, so what the model itself has to say comes back this way. */
    private final class Watcher implements WheelObserver {
        @Override
        public void failed(Timed timed, Throwable failure) {
            if (!PLANNED.equals(failure.getMessage())) {
                broken = failure;
            }
        }
    }

    /** An entry and what the model knows of it. Its own deadline is what activity moves; the armed one is what the wheel was told. */
    private final class Entry implements Timed {
        int handle;
        long ownOffset;
        long armedOffset;
        boolean isArmed;
        boolean released;
        boolean throwsWhenAsked;
        boolean throwsWhenExpired;
        /** Armed when this much time had passed; it cannot be late from before that. */
        long armedAt;

        boolean armedWhileAdvancing;

        long offset() {
            return Math.max(ownOffset, armedOffset);
        }

        @Override
        public long deadlineNanos() {
            assertFalse(released, "asked after release");
            if (throwsWhenAsked) {
                throwsWhenAsked = false;
                leave(this);
                failures++;
                throw new IllegalStateException(PLANNED);
            }
            return Math.max(start + ownOffset, Deadline.FIRST);
        }

        @Override
        public void expire(long nowNanos) {
            assertEquals(start + now, nowNanos);
            assertTrue(isArmed, "expired without being armed, or released");
            assertTrue(offset() <= now, () -> "early by " + (offset() - now));
            if (punctual) {
                long late = now - Math.max(offset(), armedAt);
                assertTrue(late <= tick + 3, () -> "late by " + late);
            }
            leave(this);
            expiries++;
            if (random.nextInt(4) == 0) {
                change();
            }
            if (throwsWhenExpired) {
                failures++;
                throw new IllegalStateException(PLANNED);
            }
        }
    }

    // --- the model ---

    private void enter(Entry entry) {
        armed.computeIfAbsent(entry.offset(), any -> new ArrayList<>()).add(entry);
        entry.isArmed = true;
    }

    private void leave(Entry entry) {
        if (entry.isArmed) {
            List<Entry> same = armed.get(entry.offset());
            assertTrue(same.remove(entry));
            if (same.isEmpty()) {
                armed.remove(entry.offset());
            }
            entry.isArmed = false;
        }
    }

    private long randomDelay() {
        int kind = random.nextInt(10);
        if (kind == 0) {
            return -random.nextLong(1 + Math.min(now, 1L << random.nextInt(1, 40)));
        }
        if (kind < 6) {
            return random.nextLong(tick * buckets * 2);
        }
        return random.nextLong(1L << random.nextInt(1, 61));
    }

    // --- what owners do ---

    private void change() {
        Entry entry = entries.isEmpty() ? null : entries.get(random.nextInt(entries.size()));
        int kind = random.nextInt(20);
        if (entry == null || kind < 4) {
            register();
        } else if (kind < 11) {
            arm(entry);
        } else if (kind < 13) {
            assertEquals(entry.isArmed, wheel.disarm(entry.handle));
            leave(entry);
        } else if (kind < 14) {
            release(entry);
        } else if (kind < 15) {
            entry.throwsWhenAsked = random.nextInt(4) == 0;
            entry.throwsWhenExpired = random.nextInt(4) == 0;
        } else {
            beActive(entry);
        }
        if (entry != null && !entry.released) {
            assertEquals(entry.isArmed, wheel.isArmed(entry.handle));
        }
    }

    private void register() {
        Entry entry = new Entry();
        boolean full = wheel.counters().registered() == maxEntries;
        int handle = wheel.tryRegister(entry);
        assertEquals(full, handle == TimingWheel.NO_HANDLE);
        if (handle != TimingWheel.NO_HANDLE) {
            entry.handle = handle;
            entries.add(entry);
            if (random.nextBoolean()) {
                arm(entry);
            }
        }
    }

    private void arm(Entry entry) {
        leave(entry);
        long deadline = Math.max(start + now + randomDelay(), Deadline.FIRST);
        entry.armedOffset = deadline - start;
        // Mostly entry and wheel are told the same; sometimes the entry knows of a later one, or has not heard yet.
        long differs = random.nextInt(8) == 0 ? random.nextLong(-tick * buckets, tick * buckets) : 0;
        entry.ownOffset = entry.armedOffset + differs;
        entry.armedAt = now;
        entry.armedWhileAdvancing = advancing;
        enter(entry);
        wheel.arm(entry.handle, deadline);
    }

    private void beActive(Entry entry) {
        boolean wasArmed = entry.isArmed;
        leave(entry);
        entry.ownOffset = Math.max(entry.ownOffset, now + Math.max(0, randomDelay()));
        if (wasArmed) {
            enter(entry);
        }
    }

    private void release(Entry entry) {
        assertEquals(entry.isArmed, wheel.release(entry.handle));
        leave(entry);
        entry.released = true;
        entries.remove(entry);
    }

    // --- time ---

    /** One random step: some changes, some time, a turn. */
    @Override
    public void step() {
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            change();
            WheelInspector.check(wheel);
        }
        if (punctual) {
            sleepAndTurn();
        } else {
            passTimeAndTurn();
        }
    }

    private void passTimeAndTurn() {
        int kind = random.nextInt(12);
        long passes =
                kind < 8 ? random.nextLong(tick * 3) : kind < 11 ? random.nextLong(tick * buckets * 3) : bigJump();
        if (random.nextInt(10) == 0) {
            assertEquals(0, wheel.advance(start + now - 1 - random.nextLong(tick * 3), 1), "went back");
        }
        now = Math.min(END, now + passes);
        turn(random.nextInt(3) == 0 ? 1 + random.nextInt(3) : Integer.MAX_VALUE);
    }

    private long bigJump() {
        return random.nextLong(1L << random.nextInt(1, 60));
    }

    /** As the wheel's thread: sleeps until the time it was told; on the way owners may come and wake it. */
    private void sleepAndTurn() {
        long wake = wheel.beginSleep(start + now) - start;
        boolean disturbed = random.nextBoolean() && wake > now + 1;
        if (disturbed) {
            woken = false;
            now = Math.min(END, now + random.nextLong(Math.min(wake - now, 1L << random.nextInt(1, 60))));
            change();
            WheelInspector.check(wheel);
            if (!woken) {
                // Not woken, so it sleeps on: nothing may fall due before then but what one tick forgives.
                checkSleptThroughNothing(wake);
            }
            wheel.endSleep();
            return;
        }
        wheel.endSleep();
        if (wake < END) {
            now = Math.max(now, wake);
            turn(Integer.MAX_VALUE);
            assertFalse(wheel.turner().isBehind());
            assertTrue(wheel.nextWakeNanos(start + now) - (start + now) > 0, "would spin");
        }
    }

    private void checkSleptThroughNothing(long wake) {
        armed.values()
                .forEach(same -> same.forEach(entry -> {
                    long due = Math.max(entry.offset(), entry.armedAt);
                    assertTrue(wake - due <= tick, () -> "slept " + (wake - due) + " past a deadline");
                }));
    }

    private void turn(int budget) {
        int before = expiries;
        advancing = true;
        int expired = wheel.advance(start + now, budget);
        advancing = false;
        if (broken != null) {
            throw new AssertionError("within advance", broken);
        }
        assertEquals(expiries - before, expired);
        assertTrue(expired <= budget);
        assertEquals(failures, wheel.counters().failed());
        assertEquals(expiries, wheel.counters().expired());
        WheelInspector.check(wheel);
        if (!wheel.turner().isBehind()) {
            assertTrue(wheel.counters().registered() >= entries.size());
            checkNothingLeft();
        } else {
            assertEquals(start + now, wheel.nextWakeNanos(start + now));
        }
        forgetAdvance();
    }

    /** After an advance that ran to its end nothing is armed whose tick is over, but what was armed during it. */
    private void checkNothingLeft() {
        long reached = now - Math.floorMod(now, tick);
        armed.headMap(reached, true)
                .values()
                .forEach(same -> same.forEach(entry -> assertTrue(
                        entry.armedWhileAdvancing,
                        () -> "not expired: due " + entry.offset() + ", reached " + reached)));
    }

    private void forgetAdvance() {
        entries.forEach(entry -> entry.armedWhileAdvancing = false);
    }

    /** Runs the wheel down: all that is armed expires, and then it sleeps. */
    @Override
    public void finish() {
        while (!armed.isEmpty() && armed.firstKey() < END) {
            now = Math.max(now, Math.min(END, armed.firstKey() + random.nextLong(tick)));
            turn(Integer.MAX_VALUE);
            if (random.nextInt(50) == 0) {
                new ArrayList<>(entries).forEach(this::release);
            }
        }
        new ArrayList<>(entries).forEach(this::release);
        now = Math.min(END, now + tick);
        do {
            wheel.advance(start + now, 1);
            WheelInspector.check(wheel);
        } while (wheel.turner().isBehind());
        assertEquals(0, wheel.counters().filed());
        assertEquals(0, wheel.counters().registered());
        assertTrue(wheel.nextWakeNanos(start + now) - (start + now) > END, "would wake for nothing");
    }
}
