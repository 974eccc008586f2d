package io.heartwheel.outlet;

import io.heartwheel.store.Cursors;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreReader;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runner of one outlet: reads the journal, delivers, and moves the cursor on; what fails is delivered again after a while, for ever and in order.
 *
 * <pre>
 *            +--------------------- delivered: cursor moves on ---------------------+
 *            v                                                                      |
 *   read a chunk --nothing--&gt; wait for records          deliver --fails--&gt; wait --&gt; deliver the same
 *            |                                              ^                       |
 *            +----------------------------------------------+     receiver says never: paused
 * </pre>
 *
 * <p>Owner: a thread of its own, which calls {@link #step} again and again. Other threads ask for {@link #status} and order {@link #pause},
 * {@link #resume}, {@link #rewind}; orders count from the next step, so after the attempt that is under way. {@code lock} guards the orders; the
 * numbers of the status are volatile, written by the owner alone, and may be a moment apart. A chunk is kept until it is delivered, so that the
 * outlet may rely on being given the same events again.
 */
public final class OutletRunner implements Closeable {
    /** What {@link #step} returns when the runner has ended. */
    static final long ENDED = -1;
    /** Longest wait without a look at orders, milliseconds. */
    static final long LOOK_MILLIS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(OutletRunner.class);
    private static final int LONGEST_ERROR = 300;
    private static final long WARN_EVERY_MILLIS = 60_000;

    private final OutletSettings settings;
    private final Outlet outlet;
    private final StoreReader storeReader;
    private final Store store;
    private final Cursors cursors;
    private final EventReader reader;
    private final LongSupplier wallMillis;
    private final Backoff backoff;
    private final Thread thread;

    private final Object lock = new Object();
    private boolean pauseOrdered;
    private @Nullable Rewind rewindOrdered;
    /** Whether an order ends the wait for the next attempt. */
    private boolean dueNow;

    private volatile boolean closed;

    // the owner's
    private EventReader.@Nullable Chunk chunk;
    /** Of this chunk, or of reading it. */
    private int failuresInARow;
    /** Whether these records may have been delivered by an earlier process, or before a rewind. */
    private boolean mayBeRepeated = true;

    private long dueEpochMillis;
    private long warnedEpochMillis;

    // written by the owner, read by any
    private volatile OutletState state = OutletState.RUNNING;
    private volatile long cursor;
    private volatile long oldestEpochMillis;
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile String lastError = "";
    private volatile long lastErrorEpochMillis;
    private volatile long nextAttemptEpochMillis;

    /**
     * A runner that has not begun; it owns the outlet and the reader from now on.
     *
     * @param instance name of this gateway, may be empty
     * @param wallMillis milliseconds since 1970
     * @param random 0 to 1
     */
    OutletRunner(
            OutletSettings settings,
            Outlet outlet,
            Store store,
            StoreReader storeReader,
            Cursors cursors,
            String instance,
            LongSupplier wallMillis,
            DoubleSupplier random) {
        this.settings = settings;
        this.outlet = outlet;
        this.store = store;
        this.storeReader = storeReader;
        this.cursors = cursors;
        this.wallMillis = wallMillis;
        backoff = new Backoff(random);
        long first = store.firstNumber() - 1;
        cursor = Math.min(cursors.open(settings.name(), first), store.lastNumber());
        reader = new EventReader(storeReader, store.id(), instance, settings.events(), wallMillis, cursor);
        thread = new Thread(this::run, "outlet-" + settings.name());
        thread.setDaemon(true);
    }

    /** Begins to deliver, on a thread of its own; once. */
    void start() {
        thread.start();
    }

    // ------------------------------------------------------------------ orders; any thread

    /** Its name. */
    public String name() {
        return settings.name();
    }

    /** Delivers nothing more until it is resumed. The attempt that is under way is finished. */
    public void pause() {
        synchronized (lock) {
            pauseOrdered = true;
            lock.notifyAll();
        }
    }

    /** Goes on, if it is paused; and if it waits to try again, it does so now. */
    public void resume() {
        synchronized (lock) {
            pauseOrdered = false;
            dueNow = true;
            lock.notifyAll();
        }
    }

    /**
     * Delivers again from a place in the journal on; what waits is delivered in its turn. If a record is no longer there, a {@code gap} is delivered
     * in its place.
     *
     * @throws IllegalArgumentException if there never was a record of that number
     */
    public void rewind(Rewind to) {
        long last = store.lastNumber();
        if (to.to() == Rewind.To.RECORD && (to.value() < 1 || to.value() > last + 1)) {
            throw new IllegalArgumentException("record " + to.value() + ": need 1.." + (last + 1));
        }
        synchronized (lock) {
            rewindOrdered = to;
            dueNow = true;
            lock.notifyAll();
        }
    }

    /** How it is. */
    public OutletStatus status() {
        OutletSettings.Target target = settings.target();
        long at = cursor;
        OutletState now = shownState();
        return new OutletStatus(
                name(),
                target.kind(),
                target.place(),
                now,
                at,
                Math.max(0, store.lastNumber() - at),
                oldestEpochMillis,
                delivered.get(),
                reader.skipped(),
                failures.get(),
                lastError,
                lastErrorEpochMillis,
                now == OutletState.RETRYING ? nextAttemptEpochMillis : 0);
    }

    private OutletState shownState() {
        OutletState now = state;
        synchronized (lock) {
            return now != OutletState.ENDED && pauseOrdered ? OutletState.PAUSED : now;
        }
    }

    // ------------------------------------------------------------------ the thread

    private void run() {
        try {
            long waitMillis = 0;
            while (waitMillis != ENDED) {
                waitMillis = step();
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
            state = OutletState.ENDED;
            release();
        }
    }

    /** Waits for records, or for the time of the next attempt; an order ends the latter. */
    private void await(long millis) throws InterruptedException {
        if (chunk == null && failuresInARow == 0) {
            storeReader.await(cursor, millis);
            return;
        }
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        synchronized (lock) {
            long leftNanos = endNanos - System.nanoTime();
            while (rewindOrdered == null && !dueNow && !closed && leftNanos > 0) {
                TimeUnit.NANOSECONDS.timedWait(lock, leftNanos);
                leftNanos = endNanos - System.nanoTime();
            }
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
        boolean paused = takeOrders();
        long wait = dueEpochMillis - wallMillis.getAsLong();
        if (wait > 0) {
            // a clock that was set back does not keep it longer than a wait may be
            return Math.min(wait, paused ? LOOK_MILLIS : Backoff.MOST_RETRY_AFTER_MILLIS);
        }
        try {
            if (chunk == null && !fill()) {
                state = paused ? OutletState.PAUSED : OutletState.RUNNING;
                return idle();
            }
            if (paused) {
                state = OutletState.PAUSED;
                return LOOK_MILLIS;
            }
            deliver();
        } catch (StoreException e) {
            failed("journal: " + e.getMessage(), OutletException.NOT_SAID);
        } catch (OutletException e) {
            if (e.pauses()) {
                pausedByReceiver(e);
            } else {
                failed(String.valueOf(e.getMessage()), e.retryAfterMillis());
            }
        } catch (RuntimeException e) {
            LOG.error("outlet {}: error of the gateway; tried again", name(), e);
            failed("error of the gateway: " + e, OutletException.NOT_SAID);
        }
        return 0;
    }

    /** Whether it is paused. */
    private boolean takeOrders() throws InterruptedException {
        Rewind rewind;
        boolean paused;
        synchronized (lock) {
            rewind = rewindOrdered;
            rewindOrdered = null;
            paused = pauseOrdered;
            if (dueNow) {
                dueNow = false;
                dueEpochMillis = 0;
            }
        }
        if (rewind != null) {
            try {
                goTo(before(rewind));
            } catch (StoreException e) {
                failed("journal: " + e.getMessage(), OutletException.NOT_SAID);
                synchronized (lock) {
                    rewindOrdered = rewindOrdered == null ? rewind : rewindOrdered;
                }
            }
        }
        return paused;
    }

    private long before(Rewind rewind) throws StoreException {
        return switch (rewind.to()) {
            case START -> store.firstNumber() - 1;
            case RECORD -> rewind.value() - 1;
            case TIME -> storeReader.firstSince(rewind.value()) - 1;
        };
    }

    private void goTo(long number) {
        chunk = null;
        oldestEpochMillis = 0;
        failuresInARow = 0;
        mayBeRepeated = true;
        reader.moveTo(number);
        moveCursor(number);
        LOG.info("outlet {} goes on behind record {}", name(), number);
    }

    /** Whether there is anything to deliver. What is not wanted is passed over. */
    private boolean fill() throws StoreException {
        OutletSettings.Target target = settings.target();
        EventReader.Chunk next = reader.next(target.chunkEvents(), target.chunkBytes());
        while (next != null && next.events().isEmpty()) {
            moveCursor(next.last());
            next = reader.next(target.chunkEvents(), target.chunkBytes());
        }
        chunk = next;
        oldestEpochMillis = next == null ? 0 : next.events().get(0).atEpochMillis();
        return next != null;
    }

    private long idle() {
        try {
            long again = outlet.idle();
            failuresInARow = 0;
            return again == Outlet.NOT_AGAIN ? LOOK_MILLIS : Math.max(1, Math.min(again, LOOK_MILLIS));
        } catch (OutletException e) {
            failed(String.valueOf(e.getMessage()), e.retryAfterMillis());
            return 0;
        }
    }

    private void deliver() throws OutletException, InterruptedException {
        EventReader.Chunk now = chunk;
        if (now == null) {
            return;
        }
        outlet.deliver(now.events(), failuresInARow + (mayBeRepeated ? 2 : 1));
        if (failuresInARow > 0) {
            LOG.info("outlet {} delivers again after {} failures", name(), failuresInARow);
        }
        chunk = null;
        failuresInARow = 0;
        mayBeRepeated = false;
        oldestEpochMillis = 0;
        delivered.addAndGet(now.events().size());
        state = OutletState.RUNNING;
        moveCursor(now.last());
    }

    private void moveCursor(long number) {
        cursor = number;
        cursors.moveTo(name(), number);
    }

    private void failed(String why, long retryAfterMillis) {
        failuresInARow++;
        failures.incrementAndGet();
        noteError(why);
        long now = wallMillis.getAsLong();
        dueEpochMillis = now + backoff.millis(failuresInARow, retryAfterMillis);
        nextAttemptEpochMillis = dueEpochMillis;
        state = OutletState.RETRYING;
        if (failuresInARow == 1 || now - warnedEpochMillis >= WARN_EVERY_MILLIS) {
            warnedEpochMillis = now;
            LOG.warn(
                    "outlet {} to {}: {}; tried again",
                    name(),
                    settings.target().place(),
                    lastError);
        }
    }

    private void pausedByReceiver(OutletException e) {
        failuresInARow++;
        failures.incrementAndGet();
        noteError(String.valueOf(e.getMessage()));
        state = OutletState.PAUSED;
        synchronized (lock) {
            pauseOrdered = true;
        }
        LOG.warn(
                "outlet {} to {} pauses: {}; POST /v1/outlets/{}/resume goes on",
                name(),
                settings.target().place(),
                lastError,
                name());
    }

    private void noteError(String why) {
        lastError = why.length() <= LONGEST_ERROR ? why : why.substring(0, LONGEST_ERROR) + "...";
        lastErrorEpochMillis = wallMillis.getAsLong();
    }

    // ------------------------------------------------------------------ the end

    /** Asks it to end: an attempt under way is interrupted. Any thread; does not wait. */
    void end() {
        closed = true;
        synchronized (lock) {
            lock.notifyAll();
        }
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

    private void release() {
        outlet.close();
        try {
            storeReader.close();
        } catch (IOException e) {
            LOG.warn("outlet {}: {}", name(), e.toString());
        }
    }

    /** Asks it to end, see {@link #end}. */
    @Override
    public void close() {
        end();
    }
}
