package io.heartwheel.wheel;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The deadlines of a whole process in one hierarchical hashed timing wheel. Entries are registered once and get an int handle; arming, disarming
 * and expiring allocate nothing and cost the same however many there are.
 *
 * <p><b>The promise.</b> {@link Timed#expire} is never called before the deadline, and at most one tick after it when the wheel is turned at the
 * times that {@link #nextWakeNanos} names. Each arming expires at most once, and not at all when {@link #disarm} answered {@code true}. Entries of
 * one tick expire in no particular order, nor do those of several ticks that one advance works off.
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
 * <p>Fields shared: an entry's wanted deadline ({@link WheelEntry}), the cells ({@link Cells}, {@link FreeCells}), the marks ({@link DirtyBitmap}), the time slept until ({@link WakeGate}).
 *
 * <p>Races allowed, and why they are harmless:
 *
 * <ul>
 *   <li>The wheel decides while the owner arms or disarms: both change {@code wanted} atomically. Either the wheel's decision comes first, and
 *       then the owner's new deadline stands; or it finds {@code wanted} changed, as it is even by the same deadline armed again, and asks again
 *       (jcstress: {@code DisarmOrExpireNeverBothStress}, {@code ArmLaterOrExpireKeepsDeadlineStress}, {@code ArmEarlierIsNeverMissedStress}, {@code
 *       ArmEqualIsNeverLostStress}, {@code DisarmAndArmEqualIsNeverLostStress}).
 *   <li>A mark is set after the wheel has already acted on the news: the second look finds nothing to do (jcstress: {@code
 *       ArmExpiresExactlyOnceStress}, {@code ReleaseFreesOnceStress}).
 *   <li>A handle is released while the wheel decides to expire it: {@code expire} may come to the old {@link Timed} late. Never to the next one:
 *       the cell is freed by the turning thread only (jcstress: {@code ReleaseKeepsExpiryFromNextEntryStress}).
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
    private final long startNanos;
    private final Cells cells;
    private final DirtyBitmap dirty;
    private final WakeGate gate = new WakeGate();
    private final WheelCounters counters;
    /** Released cells after which a sleeping wheel is woken to take them back. */
    private final int releasesPerWake;

    private final AtomicInteger releases = new AtomicInteger();

    // The turning thread
    private final Turner turner;
    private @Nullable Thread thread;
    private boolean turning;

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
        this.startNanos = startNanos;
        cells = new Cells(maxEntries);
        dirty = new DirtyBitmap(maxEntries);
        counters = new WheelCounters(cells);
        releasesPerWake = Math.max(1, Math.min(maxEntries / 8, 1_024));
        turner = new Turner(this, new Ring(cells, buckets), releases, observer, maxLooks, startNanos);
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

    /** The tick this time lies in: whole ticks since the wheel was made. For people; times before that have negative ones. */
    public long tickOf(long nanos) {
        return Math.floorDiv(nanos - startNanos, tickNanos);
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
     * Gives the entry a handle; it is not armed. Any thread; lock-free but once every 4,096 handles. A {@link WheelEntry} is met where it is; for a {@link
     * Timed} of another class an object of 32 bytes is made that stands for it.
     *
     * @return a handle, 0 or more, valid until {@link #release}
     * @throws IllegalStateException when it is a {@link WheelEntry} that is in a wheel already, or was released and not seen by an {@link #advance} since
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
        Objects.requireNonNull(timed, "timed");
        int handle = cells.take(timed instanceof WheelEntry entry ? entry : new WheelEntry.For(timed));
        if (handle == Cells.NONE) {
            counters.reject();
            if (releases.get() > 0) {
                gate.wake();
            }
        }
        return handle;
    }

    /**
     * Calls with every entry registered now, armed or not; one that comes or goes meanwhile may be missed. Any thread; a walk over all cells
     * ever used.
     */
    public void forEach(Consumer<Timed> action) {
        cells.forEach(entry -> action.accept(entry.timed()));
    }

    /** Whether a deadline is set for the handle. Any thread; one read. */
    public boolean isArmed(int handle) {
        WheelEntry entry = cells.entry(handle);
        return entry != null && WheelEntry.isArmed(entry.wanted());
    }

    /**
     * How many entries have a deadline set, counted one by one: some ten milliseconds for a million. Any thread; entries that change meanwhile may
     * be counted or not.
     */
    public int countArmed() {
        int armed = 0;
        int all = cells.fresh();
        for (int cell = 0; cell < all; cell++) {
            if (isArmed(cell)) {
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
        arm(registered(handle), deadlineNanos);
    }

    /** As {@link #arm(int, long)}, of an entry that has its own place: reads nothing else of it. */
    public void arm(WheelEntry entry, long deadlineNanos) {
        if (deadlineNanos == Deadline.NO_DEADLINE) {
            disarm(entry);
            return;
        }
        refuseReleased(entry.handle(), entry.wanted());
        long wanted = Math.max(deadlineNanos, Deadline.FIRST);
        long before = entry.exchangeWanted(wanted);
        boolean movedLater = before >= Deadline.FIRST && (wanted - before) >>> 62 == 0;
        if (!movedLater) {
            dirty.mark(entry.handle());
            gate.wakeFor(wanted);
        }
    }

    /**
     * Takes the deadline back. One atomic operation, none when there was no deadline.
     *
     * @return whether this prevented an expiry; {@code false} when there was no deadline, when the entry's own answer has disarmed it ({@link
     *     Timed#deadlineNanos}), or when it has expired, in which case {@link Timed#expire} was or will be called
     * @throws IllegalStateException when the handle was released
     */
    public boolean disarm(int handle) {
        return disarm(registered(handle));
    }

    /** As {@link #disarm(int)}. */
    public boolean disarm(WheelEntry entry) {
        long before = entry.wanted();
        refuseReleased(entry.handle(), before);
        return before != Deadline.NO_DEADLINE && entry.exchangeWanted(Deadline.NO_DEADLINE) != Deadline.NO_DEADLINE;
    }

    /**
     * Gives the handle back, disarmed. The owner must not use it any more; it is given out again after an {@link #advance} has seen this, and the entry
     * is kept until then. Two or three atomic operations.
     *
     * @return whether this prevented an expiry, as {@link #disarm}
     * @throws IllegalStateException when the handle was released before
     */
    public boolean release(int handle) {
        return release(registered(handle));
    }

    /** As {@link #release(int)}. The entry may be registered again when an {@link #advance} has seen this. */
    public boolean release(WheelEntry entry) {
        int handle = entry.handle();
        refuseReleased(handle, entry.wanted());
        long before = entry.exchangeWanted(WheelEntry.RELEASED);
        dirty.mark(handle);
        if (releases.incrementAndGet() >= releasesPerWake) {
            gate.wake();
        }
        return before != Deadline.NO_DEADLINE;
    }

    private WheelEntry registered(int handle) {
        WheelEntry entry = cells.entry(handle);
        if (entry == null) {
            throw notRegistered(handle);
        }
        return entry;
    }

    private static void refuseReleased(int handle, long wanted) {
        if (wanted == WheelEntry.RELEASED || wanted == WheelEntry.FREE) {
            throw notRegistered(handle);
        }
    }

    private static IllegalStateException notRegistered(int handle) {
        return new IllegalStateException("handle = " + handle + ": need one that is registered");
    }

    // --- the turning thread ---

    /**
     * Takes over what owners have armed and released, and works off the ticks up to the given time. An advance that reaches a limit ends where it
     * is, and the next one goes on from there; {@link #nextWakeNanos} then answers at once. Besides the budget, an advance looks at no more than
     * about 16,384 marked entries and meets no more than 16,384 that do not expire.
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
        if (nowNanos - turner.lastNanos() < 0) {
            return 0;
        }
        turning = true;
        try {
            return turner.turn(nowNanos, budget);
        } finally {
            turning = false;
        }
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
        return turner.nextWakeNanos(nowNanos);
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
        if (dirty.pending()) {
            gate.awake();
            return nextWakeNanos(nowNanos);
        }
        return wake;
    }

    /**
     * For whoever turns the wheel only once there is something in it: from now on the first {@link #arm} calls the waker. Before the turning
     * thread runs.
     *
     * @return whether there is something in it already
     */
    boolean sleepUntilArmed(long nowNanos) {
        // Beyond the longest delay from any time at which that first arm may come.
        gate.sleepUntil(nowNanos + Deadline.MAX_DELAY_NANOS + Deadline.MAX_DELAY_NANOS / 2);
        return dirty.pending() || turner.ring().filed() > 0;
    }

    /** Turning thread: what it threw out of {@link #advance}, its clock or its sleep; it goes on. */
    void turnFailed(Throwable failure) {
        turner.tellTurnFailed(failure);
    }

    void endSleep() {
        gate.awake();
    }

    /** Names the one thread that may turn. */
    void turnedBy(Thread thread) {
        this.thread = thread;
    }

    /** Names what wakes who turns from the sleep begun with {@link #beginSleep}. Run by owners. */
    void wokenBy(Runnable waker) {
        gate.wakeBy(waker);
    }

    private boolean onTurningThread() {
        return thread == null || thread == Thread.currentThread();
    }

    /** For the tests' inspection, with {@link #cells}. */
    Turner turner() {
        return turner;
    }

    Cells cells() {
        return cells;
    }

    DirtyBitmap dirty() {
        return dirty;
    }
}
