package io.heartwheel.outlet;

import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.outlet.EventReader.Position;
import io.heartwheel.store.Cursors;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreReader;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runner of one outlet: reads the journal, delivers, and moves the cursor on; what fails is delivered again after a while, for ever and in order.
 *
 * <pre>
 *            +--------------- delivered and settled: cursor moves on ---------------+
 *            v                                                                      |
 *   read a chunk --nothing--&gt; wait for records          deliver --fails--&gt; wait --&gt; deliver the same
 *            |                                              ^                       |
 *            +----------------------------------------------+     receiver says never: paused
 * </pre>
 *
 * <p>Two numbers: {@code position} is how far was delivered, {@code cursor} how far that is settled, say forced to the disk; what waits between them is
 * delivered again when the outlet fails. The outlet is opened here, so that a file of its own that is missing is a failure like any other. While it is paused
 * its cursor holds nothing back.
 *
 * <p>Owner: a thread of its own, which calls {@link #step} again and again. Other threads ask for {@link #status} and order {@link #pause},
 * {@link #resume}, {@link #rewind}; orders count from the next step, so after the attempt that is under way. {@code dueNow} is written behind an order and
 * taken before it. The numbers of the status are volatile, written by the owner alone, and may be a moment apart. A chunk is kept until it is delivered, so
 * that the outlet may rely on being given the same events again. All waits are by the monotonic clock.
 */
public final class OutletRunner {
    /** What {@link #step} returns when the runner has ended. */
    static final long ENDED = -1;
    /** Longest wait without a look at orders, milliseconds. */
    static final long LOOK_MILLIS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(OutletRunner.class);
    /** The receiver wants nothing until it is resumed. */
    private static final long FOR_EVER = Long.MAX_VALUE;

    private static final int LONGEST_ERROR = 300;
    private static final long WARN_EVERY_NANOS = 60_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final OutletSettings settings;
    private final Outlet.Opener opener;
    private final StoreReader storeReader;
    private final Store store;
    private final Cursors cursors;
    private final EventReader reader;
    private final LongSupplier wallMillis;
    private final LongSupplier nanoClock;
    private final Backoff backoff;
    private final Thread thread;

    /** Place to deliver again from, and whoever waits for that; an order that replaces another one has the same. */
    private record RewindOrder(Rewind to, CompletableFuture<OutletStatus> done) {}

    private volatile boolean pauseOrdered;
    private final AtomicReference<@Nullable RewindOrder> rewindOrdered = new AtomicReference<>();
    /** Whether an order ends the wait for the next attempt. */
    private volatile boolean dueNow;

    /** Ends a wait for the next attempt. */
    private final Semaphore orders = new Semaphore(0);

    private volatile boolean closed;

    // the owner's
    private Position position;
    private ThreadProgress progress = new ThreadProgress("");
    private EventReader.@Nullable Chunk chunk;
    /** Of this chunk, or of reading it. */
    private int failuresInARow;
    /** Whether these records may have been delivered by an earlier process, or before a rewind. */
    private boolean mayBeRepeated = true;

    private long warnedNanos;

    // written by the owner, read by any
    private volatile @Nullable Outlet outlet;
    /** Without a look at orders: never {@code PAUSED}. */
    private volatile OutletState state = OutletState.RUNNING;

    private volatile long cursor;
    private volatile long oldestEpochMillis;
    /** When the next attempt is due, while it waits for that. */
    private volatile long dueNanos;

    private volatile boolean waits;
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile String lastError = "";
    private volatile long lastErrorEpochMillis;

    /**
     * A runner that has not begun; it owns the outlet and a reader from now on.
     *
     * @param opener of the outlet, on the runner's thread
     * @param instance name of this gateway, may be empty
     * @param wallMillis milliseconds since 1970, for what is shown
     * @param nanoClock monotonic nanoseconds, for waits
     * @param random 0 to 1
     * @throws StoreException if the store cannot be read; nothing is left open then
     */
    OutletRunner(
            OutletSettings settings,
            Outlet.Opener opener,
            Store store,
            String instance,
            LongSupplier wallMillis,
            LongSupplier nanoClock,
            DoubleSupplier random)
            throws StoreException {
        this.settings = settings;
        this.opener = opener;
        this.store = store;
        cursors = store.cursors();
        this.wallMillis = wallMillis;
        this.nanoClock = nanoClock;
        backoff = new Backoff(random);
        long first = store.firstNumber() - 1;
        cursor = Math.min(cursors.open(settings.name(), first), store.lastNumber());
        position = new Position(cursor, 0);
        storeReader = store.reader();
        reader = new EventReader(storeReader, store.id(), instance, settings.events(), wallMillis);
        thread = new Thread(this::run, "outlet-" + settings.name());
        thread.setDaemon(true);
    }

    /** Whom to tell when it finds that records are missing; quick. Any thread. */
    void onGap(Runnable listener) {
        reader.onGap(listener);
    }

    /** Begins to deliver, on a thread of its own; once. A receiver may take its time: while it does, the thread rests. */
    void start(ThreadProgress reportsTo) {
        progress = reportsTo;
        thread.start();
        progress.started(thread);
    }

    // ------------------------------------------------------------------ orders; any thread

    /** Its name. */
    public String name() {
        return settings.name();
    }

    /** Delivers nothing more until it is resumed. The attempt that is under way is finished. */
    public void pause() {
        pauseOrdered = true;
        orders.release();
    }

    /** Goes on, if it is paused; and if it waits to try again, it does so now. */
    public void resume() {
        pauseOrdered = false;
        dueNow = true;
        orders.release();
    }

    /**
     * Delivers again from a place in the journal on; what waits is delivered in its turn. If a record is no longer there, a {@code gap} is delivered
     * in its place.
     *
     * @return how it is when the cursor is there, told by the runner's thread: after the attempt under way, or {@value #LOOK_MILLIS} ms at most if there is none.
     *     Fails when the runner ends before that, or has ended
     * @throws IllegalArgumentException if there never was a record of that number
     */
    public CompletableFuture<OutletStatus> rewind(Rewind to) {
        long last = store.lastNumber();
        if (to.to() == Rewind.To.RECORD && (to.value() < 1 || to.value() > last + 1)) {
            throw new IllegalArgumentException("record " + to.value() + ": need 1.." + (last + 1));
        }
        CompletableFuture<OutletStatus> done = new CompletableFuture<>();
        RewindOrder order = rewindOrdered.accumulateAndGet(
                new RewindOrder(to, done), (before, now) -> before == null ? now : new RewindOrder(to, before.done()));
        dueNow = true;
        orders.release();
        if (state == OutletState.ENDED) {
            refuseRewind();
        }
        return order.done().copy();
    }

    /** Nobody carries it out any more. The end calls it behind its state, an order before it looks at that: so one of them finds it. */
    private void refuseRewind() {
        RewindOrder order = rewindOrdered.getAndSet(null);
        if (order != null) {
            order.done().completeExceptionally(new IllegalStateException("outlet " + name() + " has ended"));
        }
    }

    /** How it is. */
    public OutletStatus status() {
        OutletSettings.Target target = settings.target();
        Outlet open = outlet;
        long at = cursor;
        return new OutletStatus(
                name(),
                target.kind(),
                target.place(),
                shownState(),
                at,
                Math.max(0, store.lastNumber() - at),
                oldestEpochMillis,
                delivered.get(),
                reader.skipped(),
                open == null ? 0 : open.oversized(),
                failures.get(),
                lastError,
                lastErrorEpochMillis,
                leftMillis());
    }

    private OutletState shownState() {
        OutletState now = state;
        return now != OutletState.ENDED && pauseOrdered ? OutletState.PAUSED : now;
    }

    /** Until the next attempt; 0: it is due. */
    private long leftMillis() {
        long left = waits ? dueNanos - nanoClock.getAsLong() : 0;
        return Math.max(0, (left + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }

    // ------------------------------------------------------------------ the thread

    private void run() {
        try {
            long waitMillis = 0;
            while (waitMillis != ENDED) {
                progress.works();
                waitMillis = step();
                progress.rests();
                if (waitMillis > 0) {
                    await(waitMillis);
                }
            }
        } catch (InterruptedException e) {
            // closed
        } catch (Throwable e) { // its state tells what happened
            LOG.error("outlet {} has ended by an error of the gateway", name(), e);
            noteError("error of the gateway: " + e);
        } finally {
            release();
        }
    }

    /** Waits for records, or for the time of the next attempt; an order ends the latter. */
    private void await(long millis) throws InterruptedException {
        if (chunk == null && failuresInARow == 0) {
            storeReader.await(position.number(), millis);
        } else if (orders.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
            orders.drainPermits();
        }
    }

    /**
     * Does what is to be done now; the owner calls it, or a test.
     *
     * @return how long there is nothing to do unless records or orders come, milliseconds; 0: go on; or {@link #ENDED}
     */
    long step() throws InterruptedException {
        if (closed) {
            return ENDED;
        }
        if (dueNow) {
            dueNow = false;
            waits = false;
        }
        boolean paused = pauseOrdered;
        cursors.holds(name(), !paused);
        long wait = leftMillis();
        if (wait > 0) {
            return wait;
        }
        waits = false;
        try {
            rewindIfOrdered();
            if (chunk == null && hasPassedSome()) {
                return 0;
            }
            Outlet open = outlet;
            if (open == null) {
                progress.rests(); // a directory that is not of this machine may take its time too
                open = opener.open();
                outlet = open;
                progress.works();
            }
            return use(open, chunk != null && !paused);
        } catch (StoreException e) {
            failed("journal: " + e.getMessage(), OutletException.NOT_SAID);
        } catch (ClosedByInterruptException e) {
            throw (InterruptedException) new InterruptedException().initCause(e);
        } catch (OutletException e) {
            failed(String.valueOf(e.getMessage()), e.pauses() ? FOR_EVER : e.retryAfterMillis());
        } catch (IOException e) {
            String kind = e.getClass() == IOException.class ? "" : e.getClass().getSimpleName() + ": ";
            failed(kind + e.getMessage(), OutletException.NOT_SAID);
        } catch (RuntimeException e) {
            LOG.error("outlet {}: error of the gateway; tried again", name(), e);
            failed("error of the gateway: " + e, OutletException.NOT_SAID);
        }
        return 0;
    }

    /** An order stays until it can be carried out. */
    private void rewindIfOrdered() throws StoreException {
        RewindOrder order = rewindOrdered.get();
        if (order != null) {
            goTo(before(order.to()));
            LOG.info("outlet {} goes on behind record {}", name(), cursor);
            if (rewindOrdered.compareAndSet(order, null)) {
                order.done().complete(status());
            }
        }
    }

    private long before(Rewind rewind) throws StoreException {
        return switch (rewind.to()) {
            case START ->
                Math.min(store.firstNumber() - 1, position.number()); // what was dropped behind it gets its gap
            case RECORD -> rewind.value() - 1;
            case TIME -> storeReader.firstSince(rewind.value()) - 1;
        };
    }

    private void goTo(long number) {
        chunk = null;
        oldestEpochMillis = 0;
        failuresInARow = 0;
        mayBeRepeated = true;
        position = new Position(number, 0);
        moveCursor();
    }

    /** Reads on; whether nothing of that is wanted, so that it is passed over. Else it is the next chunk, if there is anything. */
    private boolean hasPassedSome() throws StoreException {
        OutletSettings.Target target = settings.target();
        EventReader.Chunk next = reader.next(position, target.chunkEvents(), target.chunkBytes());
        boolean passed = next != null && next.events().isEmpty();
        if (next != null && passed) {
            position = next.end();
            settle();
        } else {
            chunk = next;
            oldestEpochMillis = next == null ? 0 : next.events().get(0).atEpochMillis();
        }
        return passed;
    }

    /** Delivers, or has the outlet do what waits; if that fails, what was not settled is delivered again. */
    private long use(Outlet to, boolean delivers) throws IOException, InterruptedException {
        EventReader.Chunk now = delivers ? chunk : null;
        try {
            progress.rests();
            if (now != null) {
                to.deliver(now.events(), failuresInARow + (mayBeRepeated ? 2 : 1));
                progress.works();
                delivered(now);
                return 0;
            }
            long again = to.idle();
            progress.works();
            settle();
            state = OutletState.RUNNING;
            failuresInARow = chunk == null ? 0 : failuresInARow;
            return again == Outlet.NOT_AGAIN ? LOOK_MILLIS : Math.max(1, Math.min(again, LOOK_MILLIS));
        } catch (IOException | InterruptedException | RuntimeException e) {
            if (position.number() > cursor) {
                position = new Position(cursor, 0);
                chunk = null;
                mayBeRepeated = true;
            }
            throw e;
        }
    }

    private void delivered(EventReader.Chunk now) {
        if (failuresInARow > 0) {
            LOG.info("outlet {} delivers again after {} failures", name(), failuresInARow);
        }
        chunk = null;
        failuresInARow = 0;
        mayBeRepeated = false;
        oldestEpochMillis = 0;
        delivered.addAndGet(now.events().size());
        state = OutletState.RUNNING;
        position = now.end();
        settle();
    }

    private void settle() {
        Outlet open = outlet;
        if (open == null || open.isSettled()) {
            moveCursor();
        }
    }

    private void moveCursor() {
        cursor = position.number();
        cursors.moveTo(name(), cursor);
    }

    /** @param retryAfterMillis what the receiver asked for, {@link OutletException#NOT_SAID} or {@link #FOR_EVER} */
    private void failed(String why, long retryAfterMillis) {
        if (closed) {
            return; // the interrupt has ended what was under way
        }
        failuresInARow++;
        failures.incrementAndGet();
        noteError(why);
        String place = settings.target().place();
        if (retryAfterMillis == FOR_EVER) {
            pause();
            LOG.warn(
                    "outlet {} to {} pauses: {}; POST /v1/outlets/{}/resume goes on", name(), place, lastError, name());
            return;
        }
        long now = nanoClock.getAsLong();
        dueNanos = now + backoff.millis(failuresInARow, retryAfterMillis) * NANOS_PER_MILLI;
        waits = true;
        state = OutletState.RETRYING;
        if (failuresInARow == 1 || now - warnedNanos >= WARN_EVERY_NANOS) {
            warnedNanos = now;
            LOG.warn("outlet {} to {}: {}; tried again", name(), place, lastError);
        }
    }

    private void noteError(String why) {
        lastError = why.length() <= LONGEST_ERROR ? why : why.substring(0, LONGEST_ERROR) + "...";
        lastErrorEpochMillis = wallMillis.getAsLong();
    }

    // ------------------------------------------------------------------ the end

    /** Asks it to end: an attempt under way is interrupted. Any thread; does not wait. */
    void end() {
        closed = true;
        thread.interrupt();
    }

    /**
     * Waits until it has ended.
     *
     * @param millis at most so long, 1 or more
     * @return whether it has
     */
    boolean awaitEnd(long millis) throws InterruptedException {
        if (thread.getState() == Thread.State.NEW) {
            release();
            return true;
        }
        TimeUnit.MILLISECONDS.timedJoin(thread, millis);
        return !thread.isAlive();
    }

    /** In its own thread, or in that of whoever never started it: one that hangs keeps its reader to itself. */
    private void release() {
        state = OutletState.ENDED;
        refuseRewind();
        boolean interrupted = Thread.interrupted(); // a file that is to be forced would be closed by it
        Outlet open = outlet;
        try (storeReader) {
            if (open != null) {
                open.close();
                moveCursor();
            }
        } catch (IOException e) {
            LOG.warn("outlet {}: {}", name(), e.toString());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
