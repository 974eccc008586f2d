package io.heartwheel.wheel;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The turning thread's half of {@link TimingWheel}, and confined to it: takes what owners marked, moves the cursor, meets entries, and expires
 * them or files them again.
 */
final class Turner {

    private final long tickNanos;
    private final Cells cells;
    private final DirtyBitmap dirty;
    /** Released entries that were not seen yet. */
    private final AtomicInteger releases;

    private final WheelCounters counters;
    private final WheelObserver observer;
    private final int maxLooks;
    private final Ring ring;

    /** Entries whose marks were taken and that were not looked at yet; null for a mark that came when the cell was free again. */
    private final @Nullable WheelEntry[] marked = new WheelEntry[Long.SIZE];

    private int markedCount;
    /** Entries taken out of the ring and not met yet. */
    private final @Nullable WheelEntry[] taken = new WheelEntry[Ring.MOST_TAKEN];

    /** The time at which the cursor's tick began. */
    private long cursorNanos;

    private long lastNanos;
    /** Not all marks were taken, or the cursor's tick was not worked off, because the advance had to end. */
    private boolean behind;
    /** Where the next take of marks begins, so that no group waits for ever when there is too much for one advance. */
    private int takeFromGroup;
    /** What the advance under way may still expire. */
    private int expiriesLeft;
    /** What it may still meet without expiring. */
    private int looksLeft;

    Turner(
            TimingWheel wheel,
            Ring ring,
            AtomicInteger releases,
            WheelObserver observer,
            int maxLooks,
            long startNanos) {
        tickNanos = wheel.tickNanos();
        cells = wheel.cells();
        dirty = wheel.dirty();
        counters = wheel.counters();
        this.ring = ring;
        this.releases = releases;
        this.observer = observer;
        this.maxLooks = maxLooks;
        cursorNanos = startNanos;
        lastNanos = startNanos;
    }

    Ring ring() {
        return ring;
    }

    /** The time of the last advance. */
    long lastNanos() {
        return lastNanos;
    }

    /** Whether the last advance ended before its work was done. */
    boolean isBehind() {
        return behind;
    }

    /** When a tick begins. */
    long nanosOf(long tick) {
        return cursorNanos + (tick - ring.cursor()) * tickNanos;
    }

    /** As {@link TimingWheel#advance}, with a time that is not before the last. */
    int turn(long now, int budget) {
        lastNanos = now;
        // Should this end early, the next one begins at once.
        behind = true;
        expiriesLeft = budget;
        looksLeft = maxLooks;
        long movedBefore = counters.now(WheelCounters.MOVED);
        long target = ring.cursor() + (now - cursorNanos) / tickNanos;
        long oldest = ring.emptying() >= 0 ? ring.cursor() : ring.nextTick();
        boolean wasDue = oldest - target <= 0;
        long lag = wasDue ? now - nanosOf(oldest) : 0;
        boolean allTaken = takeMarked(now, target);
        boolean allMet = meetUntil(now, target);
        behind = !allTaken || !allMet;
        int expired = budget - expiriesLeft;
        if (wasDue || expired > 0) {
            counters.set(WheelCounters.LAG, lag);
            tellTurned(expired, (int) (counters.now(WheelCounters.MOVED) - movedBefore), lag);
        }
        counters.set(WheelCounters.FILED, ring.filed());
        counters.show();
        return expired;
    }

    /** As {@link TimingWheel#nextWakeNanos}. */
    long nextWakeNanos(long nowNanos) {
        if (behind) {
            return nowNanos;
        }
        if (dirty.pending()) {
            return cursorNanos + tickNanos;
        }
        long most = Deadline.MAX_DELAY_NANOS / tickNanos;
        return cursorNanos + Math.min(ring.nextTick() - ring.cursor(), most) * tickNanos;
    }

    // --- taking marks ---

    /** Files what was marked; false when there was too much for one advance. */
    private boolean takeMarked(long now, long target) {
        // While an old tick is worked off, what is due now queues behind it, lest newcomers hold it up for ever.
        boolean queue = ring.emptying() >= 0 && ring.cursor() != target;
        long floor = queue ? ring.cursor() + 1 : ring.cursor();
        int groups = dirty.groups();
        int group = takeFromGroup;
        int left = maxLooks;
        for (int i = 0; i < groups && left > 0; i++) {
            long words = dirty.takeGroup(group);
            if (words != 0) {
                left = takeWords(group, words, left, now, target, floor);
            }
            group = group + 1 == groups ? 0 : group + 1;
        }
        lookAtMarked(now, target, floor);
        int freed = cells.giveBackFreed();
        if (freed > 0) {
            releases.getAndAdd(-freed);
        }
        takeFromGroup = left > 0 ? 0 : group;
        return left > 0;
    }

    private int takeWords(int group, long markedWords, int most, long now, long target, long floor) {
        int left = most;
        long words = markedWords;
        while (words != 0) {
            int word = Long.numberOfTrailingZeros(words);
            words &= words - 1;
            int firstCell = (group << 6 | word) << 6;
            for (long marks = dirty.takeWord(group, word); marks != 0; marks &= marks - 1) {
                if (markedCount == marked.length) {
                    lookAtMarked(now, target, floor);
                }
                marked[markedCount++] = cells.entry(firstCell + Long.numberOfTrailingZeros(marks));
                left--;
            }
            if (left <= 0) {
                dirty.putBack(group, words);
                break;
            }
        }
        return left;
    }

    /** Looks at the entries in {@link #marked}, having read ahead what that needs. Should it end early, the rest is marked again. */
    private void lookAtMarked(long now, long target, long floor) {
        int count = markedCount;
        markedCount = 0;
        ring.touch(marked, count);
        int looked = 0;
        try {
            while (looked < count) {
                counters.add(WheelCounters.HANDED_OVER);
                WheelEntry entry = marked[looked];
                if (entry != null) {
                    look(entry, now, target, floor);
                }
                looked++;
            }
        } finally {
            markAgain(marked, looked, count);
        }
    }

    /** Lets the entries from the one on go, lest they be lost, and all of them, lest they be kept. */
    private void markAgain(@Nullable WheelEntry[] some, int from, int count) {
        for (int i = from; i < count; i++) {
            WheelEntry entry = some[i];
            if (entry != null) {
                dirty.mark(entry.handle());
            }
        }
        Arrays.fill(some, 0, count, null);
    }

    /** A marked entry: files it where it is wanted, unless it will be met before that anyway. */
    private void look(WheelEntry entry, long now, long target, long floor) {
        long wanted = entry.wanted();
        if (wanted >= Deadline.FIRST) {
            int place = ring.placeOf(entry);
            long tick = Deadline.isDue(wanted, now) ? clamp(tickOf(wanted, now), floor, target) : tickOf(wanted, now);
            if (place == Blocks.NONE) {
                ring.file(entry, tick);
            } else if (ring.meets(place) - tick > 0) {
                ring.unfile(entry);
                ring.file(entry, tick);
            }
        } else if (wanted == WheelEntry.RELEASED) {
            if (ring.placeOf(entry) != Blocks.NONE) {
                ring.unfile(entry);
            }
            cells.free(entry);
        }
    }

    /** The tick by which the deadline is reached; before the cursor's when it was reached long ago. */
    private long tickOf(long deadline, long now) {
        long remaining = Deadline.remaining(deadline, now);
        long ahead = remaining + (now - cursorNanos);
        if (ahead < 0) {
            if (remaining <= 0) {
                return ring.cursor();
            }
            ahead = Deadline.MAX_DELAY_NANOS; // the sum overflowed
        }
        ahead = Math.min(ahead, Deadline.MAX_DELAY_NANOS);
        long ticks = ahead / tickNanos;
        return ring.cursor() + (ticks * tickNanos == ahead ? ticks : ticks + 1);
    }

    private static long clamp(long tick, long floor, long target) {
        long atMost = tick - target > 0 ? target : tick;
        return atMost - floor < 0 ? floor : atMost;
    }

    // --- meeting entries ---

    /** Moves the cursor to the target, meeting what is filed on the way; false when a limit was reached before. */
    private boolean meetUntil(long now, long target) {
        long from = ring.cursor();
        for (; ; ) {
            while (ring.emptying() >= 0) {
                if (isSpent()) {
                    return false;
                }
                int level = ring.emptying();
                meet(ring.take(taken, atMost(Ring.MOST_TAKEN)), level, now);
            }
            if (ring.cursor() == target) {
                emptyAhead(now, target - from);
                return true;
            }
            long next = ring.nextTick();
            moveTo(next - target > 0 ? target : next);
        }
    }

    /** Meets a share of what lies in the next buckets of the upper levels; what it does not get to is met in its time. */
    private void emptyAhead(long now, long ticksPassed) {
        for (int level = 1; level < ring.height(); level++) {
            int share = ring.shareAhead(level, ticksPassed);
            while (share > 0 && !isSpent()) {
                int count = ring.takeAhead(level, taken, atMost(Math.min(share, Ring.MOST_TAKEN)));
                meet(count, level, now);
                share -= count;
            }
        }
    }

    /** So many that no limit is reached within, whatever becomes of them. */
    private int atMost(int most) {
        return Math.min(most, Math.min(expiriesLeft, looksLeft));
    }

    /** Meets the entries in {@link #taken}. Should that end early, they are marked, so as not to be lost. */
    private void meet(int count, int level, long now) {
        int met = 0;
        try {
            while (met < count) {
                meetEntry(Objects.requireNonNull(taken[met]), level, now);
                met++;
            }
        } finally {
            markAgain(taken, met, count);
        }
    }

    private boolean isSpent() {
        return expiriesLeft == 0 || looksLeft == 0;
    }

    private void moveTo(long tick) {
        cursorNanos = nanosOf(tick);
        ring.moveTo(tick);
    }

    /**
     * An entry that the cursor met and that is out of the ring now: expires it, files it again, or lets it be. Goes round again only when the owner
     * armed or disarmed in between: what the entry answered before that is void.
     */
    private void meetEntry(WheelEntry entry, int level, long now) {
        for (; ; ) {
            long wanted = entry.wanted();
            if (wanted < Deadline.FIRST) {
                drop();
                return;
            }
            if (!entry.replaceWanted(wanted, WheelEntry.ASKED)) {
                continue;
            }
            long asked = ask(entry);
            long deadline = later(wanted, asked, now);
            if (asked == Deadline.NO_DEADLINE) {
                if (entry.replaceWanted(WheelEntry.ASKED, Deadline.NO_DEADLINE)) {
                    drop();
                    return;
                }
            } else if (Deadline.isDue(deadline, now)) {
                if (entry.replaceWanted(WheelEntry.ASKED, Deadline.NO_DEADLINE)) {
                    expire(entry, now);
                    return;
                }
            } else if (entry.replaceWanted(WheelEntry.ASKED, deadline)) {
                fileAgain(entry, tickOf(deadline, now), level);
                return;
            }
        }
    }

    private static long later(long wanted, long asked, long now) {
        return Deadline.remaining(asked, now) > Deadline.remaining(wanted, now)
                ? Math.max(asked, Deadline.FIRST)
                : wanted;
    }

    private void drop() {
        counters.add(WheelCounters.DROPPED);
        looksLeft--;
    }

    private void fileAgain(WheelEntry entry, long tick, int fromLevel) {
        int level = ring.file(entry, tick);
        counters.add(level < fromLevel ? WheelCounters.CASCADED : WheelCounters.MOVED);
        looksLeft--;
    }

    // --- calls out, none of which may end the turning ---

    private long ask(WheelEntry entry) {
        try {
            return entry.deadlineNanos();
        } catch (Throwable failure) {
            tellFailed(entry, failure);
            return Deadline.NO_DEADLINE;
        }
    }

    private void expire(WheelEntry entry, long now) {
        expiriesLeft--;
        counters.add(WheelCounters.EXPIRED);
        try {
            entry.expire(now);
        } catch (Throwable failure) {
            tellFailed(entry, failure);
        }
    }

    private void tellFailed(WheelEntry entry, Throwable failure) {
        counters.add(WheelCounters.FAILED);
        try {
            observer.failed(entry.timed(), failure);
        } catch (Throwable again) {
            counters.add(WheelCounters.FAILED);
        }
    }

    void tellTurnFailed(Throwable failure) {
        counters.add(WheelCounters.FAILED);
        try {
            observer.turnFailed(failure);
        } catch (Throwable again) {
            counters.add(WheelCounters.FAILED);
        }
        counters.show();
    }

    private void tellTurned(int expired, int moved, long lag) {
        try {
            observer.turned(expired, moved, lag);
        } catch (Throwable failure) {
            counters.add(WheelCounters.FAILED);
        }
    }
}
