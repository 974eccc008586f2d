package io.heartwheel.wheel;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The deadlines of a whole process in one hierarchical hashed timing wheel. Entries are registered once and get an int handle; arming, disarming
 * and expiring allocate nothing and cost the same however many there are.
 *
 * <p><b>The promise.</b> {@link Timed#expire} is never called before the deadline, and at most one tick after it when the wheel is turned at the
 * times that {@link #nextWakeNanos} names. Each arming expires at most once, and not at all when {@link #disarm} answered {@code true}. Entries of
 * one tick expire in no particular order.
 *
 * <p><b>How.</b> An owner stores the deadline it wants in the entry's cell and, unless it only moved later, marks the cell. The next {@link
 * #advance} takes the marks and files those cells in the ring. A cell that is wanted later than it is filed stays where it is: when the cursor
 * meets it the wheel looks at the cell, asks the {@link Timed}, and files it again at the later of both. So activity, which only moves deadlines
 * later, never touches the ring, arming and disarming between two advances does not either, and a disarmed entry costs at most one more look.
 *
 * <pre>
 *   owner's thread             |            turning thread
 *                              |
 *   arm -- wanted = deadline --+--&gt; mark --&gt; advance: take marks --&gt; [ ring ]
 *   disarm - wanted = none     |                                       | cursor meets the cell
 *   activity - time in entry   |            wanted? Timed? -- later ---+--&gt; file again
 *                              |                           \- due -------&gt; wanted = none, expire
 * </pre>
 *
 * <p><b>Time</b> is handed in: a monotonic {@code long} of nanoseconds that may start anywhere and wrap; see {@link Deadline}. A deadline that
 * has been reached when the wheel first sees it expires in that advance. A time earlier than the last one is ignored.
 *
 * <h2>Concurrency</h2>
 *
 * <p>Owner: the one thread that turns the wheel ({@link #advance}, {@link #nextWakeNanos}); it has the ring, the cursor and the links.
 *
 * <p>Callers: {@link #register}, {@link #isArmed}, {@link #counters} and {@link #countArmed} by any thread. {@link #arm}, {@link #disarm} and
 * {@link #release} of one handle by one thread at a time, its owner (an event loop, say), in an order that the threads agree on if they change;
 * of different handles by any number of threads at once. All of them also from within {@link Timed#expire}.
 *
 * <p>Fields shared: a cell's wanted deadline ({@link Cells}), the marks ({@link HandOver}), the time slept until ({@link WakeGate}).
 *
 * <p>Races allowed, and why they are harmless:
 *
 * <ul>
 *   <li>The wheel decides to expire while the owner arms or disarms: both change {@code wanted} atomically. Either the expiry comes first, and
 *       then the owner's new deadline stands; or it finds {@code wanted} changed and looks again (jcstress: {@code DisarmOrExpireNeverBoth}, {@code
 *       ArmLaterOrExpireKeepsDeadline}).
 *   <li>A mark is set after the wheel has already acted on the news: the second look finds nothing to do (jcstress: {@code
 *       ArmExpiresExactlyOnce}).
 *   <li>A handle is released while the wheel decides to expire it: {@code expire} may come to the old {@link Timed} late. Never to the next one:
 *       the cell is freed by the turning thread only (jcstress: {@code ReleaseKeepsExpiryFromNextEntry}).
 * </ul>
 */
public final class TimingWheel {

    /** What {@link #tryRegister} answers when every handle is in use. */
    public static final int NO_HANDLE = Cells.NONE;

    /** The most buckets a turn may have. */
    public static final int MAX_BUCKETS = 1 << 20;

    /** The most entries a wheel may be made for. */
    public static final int MAX_ENTRIES = 1 << 28;

    /** Marked cells looked at in one advance, and cells met beyond those that expired: what else bounds its length. */
    static final int MAX_LOOKS = 1 << 14;

    private static final int MIN_BUCKETS = 4;
    private static final long MAX_TICK_NANOS = 3_600_000_000_000L;

    // Any thread
    private final long tickNanos;
    private final Cells cells;
    private final HandOver handOver;
    private final WakeGate gate = new WakeGate();
    private final WheelCounters counters;
    /** Released cells after which a sleeping wheel is woken to take them back. */
    private final int releasesPerWake;

    private final AtomicInteger releases = new AtomicInteger();

    // The turning thread
    private final WheelObserver observer;
    private final int maxLooks;
    private final Ring ring;
    private @Nullable Thread turner;
    /** The time at which the cursor's tick began. */
    private long cursorNanos;

    private long lastNanos;
    private boolean turning;
    /** Not all marks were taken, or the cursor's tick was not worked off, because the advance had to end. */
    private boolean cutShort;

    private int takeFromGroup;
    /** What the advance under way may still expire. */
    private int expiriesLeft;
    /** What it may still meet without expiring. */
    private int looksLeft;

    /**
     * A wheel that nobody watches.
     *
     * @param tickNanos nanoseconds a tick, 1 to one hour
     * @param buckets buckets a level, a power of two in 4..{@link #MAX_BUCKETS}
     * @param maxEntries the most entries registered at once, 1..{@link #MAX_ENTRIES}; memory is taken as they come, but for one bit each
     * @param startNanos the time now, on the clock that {@link #advance} will be given
     * @throws IllegalArgumentException naming what is out of its range
     */
    public TimingWheel(long tickNanos, int buckets, int maxEntries, long startNanos) {
        this(tickNanos, buckets, maxEntries, startNanos, WheelObserver.NONE);
    }

    /**
     * A wheel as configured.
     *
     * @param startNanos the time now, on the clock that {@link #advance} will be given
     */
    public TimingWheel(WheelSettings settings, long startNanos, WheelObserver observer) {
        this(settings.tickNanos(), settings.buckets(), settings.maxEntries(), startNanos, observer);
    }

    /** As {@link #TimingWheel(long, int, int, long)}, watched. */
    public TimingWheel(long tickNanos, int buckets, int maxEntries, long startNanos, WheelObserver observer) {
        this(tickNanos, buckets, maxEntries, startNanos, observer, MAX_LOOKS);
    }

    /** With a limit of its own on looks, so that tests reach it with few entries. */
    TimingWheel(long tickNanos, int buckets, int maxEntries, long startNanos, WheelObserver observer, int maxLooks) {
        need("tickNanos", tickNanos, 1, MAX_TICK_NANOS);
        need("buckets", buckets, MIN_BUCKETS, MAX_BUCKETS);
        if (Integer.bitCount(buckets) != 1) {
            throw new IllegalArgumentException("buckets = " + buckets + ": need a power of two");
        }
        need("maxEntries", maxEntries, 1, MAX_ENTRIES);
        this.tickNanos = tickNanos;
        this.observer = observer;
        this.maxLooks = maxLooks;
        cells = new Cells(maxEntries);
        handOver = new HandOver(maxEntries);
        counters = new WheelCounters(cells);
        ring = new Ring(cells, buckets);
        releasesPerWake = Math.max(1, Math.min(maxEntries / 8, 1_024));
        cursorNanos = startNanos;
        lastNanos = startNanos;
    }

    private static void need(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " = " + value + ": need " + least + ".." + most);
        }
    }

    // --- any thread ---

    /** Nanoseconds a tick. */
    public long tickNanos() {
        return tickNanos;
    }

    /** The most entries that may be registered at once. */
    public int maxEntries() {
        return cells.limit();
    }

    /** What the wheel has done. */
    public WheelCounters counters() {
        return counters;
    }

    /**
     * Gives the entry a handle; it is not armed. Any thread; lock-free but once every 4,096 handles; allocates only then.
     *
     * @return a handle, 0 or more, valid until {@link #release}
     * @throws WheelFullException when every handle is in use; released ones come back with the next {@link #advance}
     */
    public int register(Timed timed) {
        int handle = tryRegister(timed);
        if (handle == NO_HANDLE) {
            throw new WheelFullException(cells.limit());
        }
        return handle;
    }

    /** As {@link #register}, but answers {@link #NO_HANDLE} when every handle is in use. */
    public int tryRegister(Timed timed) {
        int handle = cells.take(timed);
        if (handle == Cells.NONE) {
            counters.reject();
            if (releases.get() > 0) {
                gate.wake();
            }
        }
        return handle;
    }

    /** Whether a deadline is set for the handle. Any thread; one read. */
    public boolean isArmed(int handle) {
        return cells.wanted(handle) >= Deadline.FIRST;
    }

    /**
     * How many entries have a deadline set, counted one by one: about a millisecond for a million. Any thread; entries that change meanwhile may
     * be counted or not.
     */
    public int countArmed() {
        int armed = 0;
        int all = cells.fresh();
        for (int cell = 0; cell < all; cell++) {
            if (cells.wanted(cell) >= Deadline.FIRST) {
                armed++;
            }
        }
        return armed;
    }

    // --- the handle's owner ---

    /**
     * Sets the entry's deadline, in place of the one before. One atomic operation when it only moved later, two or three otherwise; wakes the
     * turning thread when it would sleep past the deadline.
     *
     * @param deadlineNanos a time on the wheel's clock; one that is reached already expires in the next advance; {@link Deadline#NO_DEADLINE}
     *     disarms
     * @throws IllegalStateException when the handle was released
     * @throws IllegalArgumentException or {@link IndexOutOfBoundsException} when there never was such a handle
     */
    public void arm(int handle, long deadlineNanos) {
        if (deadlineNanos == Deadline.NO_DEADLINE) {
            disarm(handle);
            return;
        }
        refuseReleased(handle, cells.wanted(handle));
        long wanted = Math.max(deadlineNanos, Deadline.FIRST);
        long before = cells.exchangeWanted(handle, wanted);
        boolean movedLater = before != Deadline.NO_DEADLINE && (wanted - before) >>> 62 == 0;
        if (!movedLater) {
            handOver.mark(handle);
            gate.wakeFor(wanted);
        }
    }

    /**
     * Takes the deadline back. One atomic operation, none when there was no deadline.
     *
     * @return whether this prevented an expiry; {@code false} when there was no deadline or it has expired, in which case {@link Timed#expire}
     *     was or will be called
     * @throws IllegalStateException when the handle was released
     */
    public boolean disarm(int handle) {
        long before = cells.wanted(handle);
        refuseReleased(handle, before);
        return before != Deadline.NO_DEADLINE
                && cells.exchangeWanted(handle, Deadline.NO_DEADLINE) != Deadline.NO_DEADLINE;
    }

    /**
     * Gives the handle back, disarmed. The owner must not use it any more; it is given out again after an {@link #advance} has seen this. Two or
     * three atomic operations.
     *
     * @return whether this prevented an expiry, as {@link #disarm}
     * @throws IllegalStateException when the handle was released before
     */
    public boolean release(int handle) {
        refuseReleased(handle, cells.wanted(handle));
        cells.dropEntry(handle);
        long before = cells.exchangeWanted(handle, Cells.RELEASED);
        handOver.mark(handle);
        if (releases.incrementAndGet() >= releasesPerWake) {
            gate.wake();
        }
        return before != Deadline.NO_DEADLINE;
    }

    private static void refuseReleased(int handle, long wanted) {
        if (wanted < Deadline.FIRST && wanted != Deadline.NO_DEADLINE) {
            throw new IllegalStateException("handle = " + handle + ": need one that is registered");
        }
    }

    // --- the turning thread ---

    /**
     * Takes over what owners have armed and released, and works off the ticks up to the given time. An advance that reaches a limit ends where it
     * is, and the next one goes on from there; {@link #nextWakeNanos} then answers at once. Besides the budget, an advance looks at no more than
     * 16,384 marked entries and meets no more than 16,384 that do not expire.
     *
     * @param nowNanos the time; one before the last is ignored
     * @param budget the most entries to expire, 1 or more
     * @return entries expired
     * @throws IllegalStateException when called from within {@link Timed#expire}
     */
    public int advance(long nowNanos, int budget) {
        assert onTurningThread();
        need("budget", budget, 1, Integer.MAX_VALUE);
        if (turning) {
            throw new IllegalStateException("advance called from within advance");
        }
        if (nowNanos - lastNanos < 0) {
            return 0;
        }
        turning = true;
        try {
            return turn(nowNanos, budget);
        } finally {
            turning = false;
        }
    }

    private int turn(long now, int budget) {
        lastNanos = now;
        long expiredBefore = counters.now(WheelCounters.EXPIRED);
        long movedBefore = counters.now(WheelCounters.MOVED);
        long target = ring.cursor() + (now - cursorNanos) / tickNanos;
        boolean allTaken = takeMarked(now, target);
        long oldest = ring.emptying() >= 0 ? ring.cursor() : ring.nextTick();
        long lag = oldest - target > 0 ? -1 : now - nanosOf(oldest);
        expiriesLeft = budget;
        looksLeft = maxLooks;
        boolean allMet = meetUntil(now, target);
        cutShort = !allTaken || !allMet;
        int expired = (int) (counters.now(WheelCounters.EXPIRED) - expiredBefore);
        if (lag >= 0) {
            counters.set(WheelCounters.LAG, lag);
            tellTurned(expired, (int) (counters.now(WheelCounters.MOVED) - movedBefore), lag);
        }
        counters.set(WheelCounters.FILED, ring.filed());
        counters.show();
        return expired;
    }

    /**
     * When the wheel next needs to be turned, if nothing is armed until then: at once when the last advance was cut short; one tick after the
     * last one advanced to when owners have marked entries since; otherwise when the next bucket that is not empty falls due, or far away when
     * all are empty.
     *
     * @param nowNanos the time
     * @return a time, up to {@link Deadline#MAX_DELAY_NANOS} ahead; reached already when the wheel is behind
     */
    public long nextWakeNanos(long nowNanos) {
        assert onTurningThread();
        if (cutShort) {
            return nowNanos;
        }
        long ticks = ring.nextTick() - ring.cursor();
        long most = Deadline.MAX_DELAY_NANOS / tickNanos;
        long wake = cursorNanos + Math.min(ticks, most) * tickNanos;
        return handOver.pending() ? cursorNanos + tickNanos : wake;
    }

    /**
     * As {@link #nextWakeNanos}, and makes {@link #arm} wake whoever sleeps until then when it is asked for something earlier. To be followed by
     * {@link #endSleep}.
     */
    long beginSleep(long nowNanos) {
        long wake = nextWakeNanos(nowNanos);
        if (wake - nowNanos <= tickNanos) {
            return wake;
        }
        gate.sleepUntil(wake - tickNanos);
        if (handOver.pending()) {
            gate.awake();
            return nextWakeNanos(nowNanos);
        }
        return wake;
    }

    void endSleep() {
        gate.awake();
    }

    /** Names the one thread that may turn. */
    void turnedBy(Thread thread) {
        turner = thread;
    }

    /** Names what wakes who turns from the sleep begun with {@link #beginSleep}. Run by owners. */
    void wokenBy(Runnable waker) {
        gate.wakeBy(waker);
    }

    private boolean onTurningThread() {
        return turner == null || turner == Thread.currentThread();
    }

    /** Whether the last advance ended before its work was done. */
    boolean isBehind() {
        return cutShort;
    }

    /** The time of the last advance. */
    long lastNanos() {
        return lastNanos;
    }

    /** For the tests' inspection, with {@link #cells} and {@link #handOver}. */
    Ring ring() {
        return ring;
    }

    Cells cells() {
        return cells;
    }

    HandOver handOver() {
        return handOver;
    }

    // --- taking marks ---

    /** Files what was marked; false when there was too much for one advance. */
    private boolean takeMarked(long now, long target) {
        // While an old tick is worked off, what is due now queues behind it, so that newcomers cannot hold it up for
        // ever.
        boolean behind = ring.emptying() >= 0 && ring.cursor() != target;
        long floor = behind ? ring.cursor() + 1 : ring.cursor();
        int groups = handOver.groups();
        int group = takeFromGroup;
        int left = maxLooks;
        for (int i = 0; i < groups && left > 0; i++) {
            left = takeGroup(group, left, now, target, floor);
            group = group + 1 == groups ? 0 : group + 1;
        }
        takeFromGroup = left > 0 ? 0 : group;
        return left > 0;
    }

    private int takeGroup(int group, int most, long now, long target, long floor) {
        int left = most;
        long words = handOver.takeGroup(group);
        while (words != 0) {
            int word = (group << 6) + Long.numberOfTrailingZeros(words);
            words &= words - 1;
            for (long marks = handOver.takeWord(word); marks != 0; marks &= marks - 1) {
                look((word << 6) + Long.numberOfTrailingZeros(marks), now, target, floor);
                left--;
            }
            if (left <= 0) {
                handOver.putBack(group, words);
                break;
            }
        }
        return left;
    }

    /** A marked cell: files it where it is wanted, unless it will be met before that anyway. */
    private void look(int cell, long now, long target, long floor) {
        counters.add(WheelCounters.HANDED_OVER);
        long wanted = cells.wanted(cell);
        int place = cells.place(cell);
        if (wanted >= Deadline.FIRST) {
            long tick = Deadline.isDue(wanted, now) ? clamp(tickOf(wanted, now), floor, target) : tickOf(wanted, now);
            if (place == Cells.NONE) {
                ring.file(cell, tick);
            } else if (ring.meets(place) - tick > 0) {
                ring.unfile(cell);
                ring.file(cell, tick);
            }
        } else if (wanted == Cells.RELEASED) {
            if (place != Cells.NONE) {
                ring.unfile(cell);
            }
            releases.getAndDecrement();
            cells.free(cell);
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

    // --- meeting cells ---

    /** Moves the cursor to the target, meeting what is filed on the way; false when a limit was reached before. */
    private boolean meetUntil(long now, long target) {
        long from = ring.cursor();
        for (; ; ) {
            while (ring.emptying() >= 0) {
                if (isSpent()) {
                    return false;
                }
                int level = ring.emptying();
                meet(ring.poll(), level, now);
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
            for (int share = ring.shareAhead(level, ticksPassed); share > 0 && !isSpent(); share--) {
                meet(ring.pollAhead(level), level, now);
            }
        }
    }

    private boolean isSpent() {
        return expiriesLeft == 0 || looksLeft == 0;
    }

    private void moveTo(long tick) {
        cursorNanos = nanosOf(tick);
        ring.moveTo(tick);
    }

    /** When a tick begins. */
    long nanosOf(long tick) {
        return cursorNanos + (tick - ring.cursor()) * tickNanos;
    }

    /**
     * A cell that the cursor met and that is out of the ring now: expires it, files it again, or lets it be. Goes round again only when the owner
     * changed the deadline in between.
     */
    private void meet(int cell, int level, long now) {
        for (; ; ) {
            long wanted = cells.wanted(cell);
            Timed timed = cells.entry(cell);
            if (wanted < Deadline.FIRST || timed == null) {
                drop();
                return;
            }
            long asked = ask(timed);
            long deadline = later(wanted, asked, now);
            if (asked == Deadline.NO_DEADLINE) {
                if (cells.replaceWanted(cell, wanted, Deadline.NO_DEADLINE)) {
                    drop();
                    return;
                }
            } else if (Deadline.isDue(deadline, now)) {
                if (cells.replaceWanted(cell, wanted, Deadline.NO_DEADLINE)) {
                    expire(timed, now);
                    return;
                }
            } else if (deadline == wanted || cells.replaceWanted(cell, wanted, deadline)) {
                fileAgain(cell, tickOf(deadline, now), level);
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

    private void fileAgain(int cell, long tick, int fromLevel) {
        ring.file(cell, tick);
        counters.add(ring.levelOf(cells.place(cell)) < fromLevel ? WheelCounters.CASCADED : WheelCounters.MOVED);
        looksLeft--;
    }

    // --- calls out, none of which may end the turning ---

    private long ask(Timed timed) {
        try {
            return timed.deadlineNanos();
        } catch (Throwable failure) {
            tellFailed(timed, failure);
            return Deadline.NO_DEADLINE;
        }
    }

    private void expire(Timed timed, long now) {
        expiriesLeft--;
        counters.add(WheelCounters.EXPIRED);
        try {
            timed.expire(now);
        } catch (Throwable failure) {
            tellFailed(timed, failure);
        }
    }

    private void tellFailed(Timed timed, Throwable failure) {
        counters.add(WheelCounters.FAILED);
        try {
            observer.failed(timed, failure);
        } catch (Throwable again) {
            counters.add(WheelCounters.FAILED);
        }
    }

    private void tellTurned(int expired, int moved, long lag) {
        try {
            observer.turned(expired, moved, lag);
        } catch (Throwable failure) {
            counters.add(WheelCounters.FAILED);
        }
    }
}
