package io.heartwheel.store;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Store in segment files.
 *
 * <pre>
 *   NUMBER.log       batches behind each other, see {@link BatchHeader}; NUMBER is that of the first record
 *   journal.state    {@link StoreState}: incarnation, newest number, what was dropped, cursors
 *   presence.db      {@link PresenceRows}: a view of the log, in SQLite
 *   lock             the pid of the process that has it
 * </pre>
 *
 * <p>A batch is appended and forced. The file is filled with zeros ahead of it, so that a force seldom has to write how long the file is. A new segment is
 * begun by each start, when the last one is full or old, and after each failure: what the system could not write it may forget, so a file is never written
 * behind its last good batch again. The name of the new segment says where the numbers of the one before end: what stands behind them there was never
 * acknowledged. It is on the disk before the first commit to it returns. The oldest segments are deleted by the keeper's thread; that they may be missing is
 * in the state, on the disk, before.
 *
 * <p>What happens when something is wrong:
 *
 * <table>
 * <caption>Faults</caption>
 * <tr><td>the disk is full or fails</td><td>{@link #commit} throws; nothing of the transaction is there, readers go on; the keeper drops what all outlets
 *     have, for which it needs no room; commits succeed again when there is some</td></tr>
 * <tr><td>the directory is missing</td><td>it is made</td></tr>
 * <tr><td>its parent is missing, it cannot be written to, or is a file</td><td>{@link #open} throws NOT_WRITABLE and names it</td></tr>
 * <tr><td>another process, or this one, has it</td><td>{@link #open} throws LOCKED with the pid</td></tr>
 * <tr><td>bytes of a segment are damaged, it is cut or missing, or cannot be read</td><td>readers get a damaged batch with the numbers that are missing, and
 *     go on at the next batch that is as it was written; {@link #damage} counts them</td></tr>
 * <tr><td>the log ends before the newest number that was acknowledged</td><td>the start tells the numbers between as lost, readers do so in their
 *     place</td></tr>
 * <tr><td>the state is gone, while there are segments</td><td>told as damage; outlets begin with the oldest record</td></tr>
 * <tr><td>{@code presence.db} is gone or damaged</td><td>told as damage; it is made anew from what is kept</td></tr>
 * <tr><td>the power fails</td><td>{@code always}: all that was acknowledged is there, and of the batch under way all or nothing. {@code never}: what the
 *     state knows is told as lost</td></tr>
 * <tr><td>numbers are given again, because an old copy is back or the end of the log and the state are damaged</td><td>they are under another
 *     {@link #id}</td></tr>
 * </table>
 *
 * <p>Threads: one commits, with {@code transaction}, {@link SegmentLog#append} and all volatile numbers; the keeper's has the view and drops; readers look at
 * {@code lastNumber} before they look at the segments.
 */
public final class SegmentStore implements Store, LogReader.Source {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentStore.class);
    /** How long a reader that was woken lets commits go on without waking it for each. */
    private static final int GATHER_MILLIS = 2;

    private final Path directory;
    private final Disk disk;
    private final LongSupplier wallMillis;
    private final StoreLock lock;
    private final StoreState state;
    private final SegmentLog log;
    private final long number;
    private final Start start;
    private final Cursors cursors;
    private final PresenceRows presence;
    private final Keeper keeper;

    // written by whoever commits, read by any
    private final Object committed = new Object();
    private volatile long lastNumber;
    private volatile long greatestEpoch;
    private volatile boolean full;
    private final AtomicLong failures = new AtomicLong();

    private volatile boolean ended;

    /** Ranges of numbers that {@code damage} tells of, first to last. Both change under the monitor of this. */
    private final NavigableMap<Long, Long> knownLost;

    private volatile Damage damage;
    private volatile @Nullable Runnable damageListener;
    /** Whether there is damage that the listener was not told of. */
    private final AtomicBoolean untold = new AtomicBoolean();

    private SegmentStore(Built with, StoreState state, StoreOpener opened, StoreLock lock) throws IOException {
        StoreSettings settings = with.settings;
        this.state = state;
        this.lock = lock;
        directory = settings.directory();
        disk = with.disk;
        wallMillis = with.wallMillis;
        log = new SegmentLog(with.disk, settings, opened.segments);
        number = new SecureRandom().nextLong();
        start = opened.start(wallMillis.getAsLong());
        cursors = new Cursors(opened.cursors());
        lastNumber = opened.last;
        greatestEpoch = start.greatestEpoch();
        damage = opened.damage;
        untold.set(damage.any());
        knownLost = opened.lost;
        presence = new PresenceRows(this, directory.resolve(PresenceRows.FILE));
        keeper = new Keeper(this, log, presence, settings, opened.dropped, with.hasThread);
        save(opened.dropped);
    }

    /** All that a store is built with. */
    record Built(StoreSettings settings, Disk disk, LongSupplier wallMillis, boolean hasThread) {}

    /**
     * Opens the store in this directory, or makes one.
     *
     * @param wallMillis milliseconds since 1970
     * @throws StoreException naming the directory, and the process that has it if one has
     */
    public static SegmentStore open(StoreSettings settings, LongSupplier wallMillis) throws StoreException {
        return open(new Built(settings, new RealDisk(settings.directory()), wallMillis, true));
    }

    /** The same. Tests do it over another disk, with {@link #keep} instead of the keeper's thread. */
    static SegmentStore open(Built with) throws StoreException {
        Path directory = with.settings.directory();
        RealDisk.makeDirectory(directory);
        StoreLock lock = StoreLock.take(directory);
        StoreState state = null;
        try {
            state = StoreState.open(with.disk);
            StoreOpener opened = new StoreOpener(with.settings, with.disk, state.found());
            return new SegmentStore(with, state, opened, lock);
        } catch (IOException e) {
            release(lock, state);
            throw StoreException.of(directory, e);
        }
    }

    private static void release(StoreLock lock, @Nullable StoreState state) {
        try (lock) {
            if (state != null) {
                state.close();
            }
        } catch (IOException e) {
            // what is told is why it was not opened
        }
    }

    @Override
    public void commit(Transaction transaction) throws StoreException {
        int count = transaction.records().count();
        if (count == 0) {
            throw new IllegalArgumentException("a transaction without a record");
        }
        keeper.begin();
        long first = lastNumber + 1;
        long last = lastNumber + count;
        long now = wallMillis.getAsLong();
        long epoch = Math.max(greatestEpoch, transaction.epoch());
        boolean begun;
        try {
            begun = log.append(transaction.image(number, start.incarnation(), first, now, epoch), first, last, now);
        } catch (IOException e) {
            failures.incrementAndGet();
            StoreException failure = StoreException.of(directory, e);
            full = failure.kind() == StoreException.Cause.DISK_FULL;
            keeper.wake();
            throw failure;
        }
        full = false;
        greatestEpoch = epoch;
        state.mark(last, epoch);
        synchronized (committed) {
            lastNumber = last;
            committed.notifyAll();
        }
        if (begun) {
            keeper.wake();
        }
    }

    @Override
    public void lacksRoom() {
        full = true;
        keeper.wake();
    }

    // ------------------------------------------------------------------ for the keeper

    /** Writes the state, and blocks until the disk has it. */
    void save(long dropped) throws IOException {
        Map<String, Long> numbers = new LinkedHashMap<>();
        numbers.put(StoreState.INCARNATION, start.incarnation());
        numbers.put(StoreState.ENDED, ended ? start.incarnation() : 0);
        numbers.put(StoreState.DROPPED, dropped);
        numbers.put(StoreState.EPOCH, greatestEpoch);
        Map<String, Long> reached = cursors.all(); // before the newest number, which none of them is to pass
        numbers.put(StoreState.LAST, lastNumber);
        reached.forEach((outlet, cursor) -> numbers.put(StoreState.CURSOR + outlet, cursor));
        state.save(numbers);
    }

    /** Whether the latest commit found no room, on the disk or below the limit. */
    boolean isFull() {
        return full;
    }

    long nowEpochMillis() {
        return wallMillis.getAsLong();
    }

    @Override
    public void onKeeping(Runnable works, Runnable rests) {
        keeper.tell(works, rests);
    }

    /** For tests: what the keeper does in a round. */
    void keep() {
        keeper.round();
    }

    // ------------------------------------------------------------------ reading

    @Override
    public StoreReader reader() {
        return new LogReader(this, false);
    }

    @Override
    public Segment[] segments() {
        return log.segments();
    }

    @Override
    public Disk disk() {
        return disk;
    }

    @Override
    public boolean await(long after, long millis) throws InterruptedException {
        if (lastNumber > after) {
            return true;
        }
        long untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        synchronized (committed) {
            long leftNanos = untilNanos - System.nanoTime();
            while (lastNumber <= after && leftNanos > 0) {
                TimeUnit.NANOSECONDS.timedWait(committed, leftNanos);
                leftNanos = untilNanos - System.nanoTime();
            }
        }
        if (lastNumber <= after) {
            return false;
        }
        TimeUnit.MILLISECONDS.sleep(GATHER_MILLIS);
        return true;
    }

    @Override
    public List<StoreReader.Row> rows(byte[] after, int limit) throws StoreException {
        return presence.rows(after, limit);
    }

    /** Counts what is not counted yet. */
    @Override
    public void foundDamaged(Segment in, long first, long last) {
        synchronized (knownLost) {
            Map.Entry<Long, Long> known = knownLost.floorEntry(last);
            if (known != null && known.getValue() >= first) {
                return;
            }
            knownLost.put(first, last);
            while (!knownLost.isEmpty() && knownLost.firstEntry().getValue() < firstNumber()) {
                knownLost.pollFirstEntry(); // was dropped, so nobody reads it again
            }
        }
        foundDamage(
                last - first + 1,
                directory.resolve(in.name()) + ": records " + first + ".." + last + " cannot be read");
    }

    /** Something is damaged. Each is logged, as far as {@link #damage} names it. */
    void foundDamage(long records, String text) {
        synchronized (knownLost) {
            Damage before = damage;
            damage = before.and(records, text);
            if (!damage.text().equals(before.text())) {
                LOG.warn("the journal is damaged: {}", text);
            }
        }
        untold.set(true);
        tellDamage();
    }

    @Override
    public Damage damage() {
        return damage;
    }

    @Override
    public void onDamage(Runnable listener) {
        damageListener = listener;
        tellDamage();
    }

    private void tellDamage() {
        Runnable told = damageListener;
        if (told != null && untold.getAndSet(false)) {
            told.run();
        }
    }

    // ------------------------------------------------------------------ what it is

    @Override
    public String id() {
        return HexFormat.of().toHexDigits(number);
    }

    @Override
    public long firstNumber() {
        Segment[] all = log.segments();
        return all.length == 0 ? lastNumber + 1 : all[0].first;
    }

    @Override
    public long lastNumber() {
        return lastNumber;
    }

    @Override
    public long recordBytes() {
        return log.bytes();
    }

    @Override
    public Cursors cursors() {
        return cursors;
    }

    @Override
    public Start start() {
        return start;
    }

    @Override
    public Figures figures() {
        Segment[] all = log.segments();
        return new Figures(
                all.length,
                all.length == 0 ? 0 : all[0].atEpochMillis,
                lastNumber - presence.applied(),
                failures.get(),
                keeper.keptNanos());
    }

    @Override
    public void forget(byte[] presenceKey) {
        presence.forget(presenceKey);
    }

    @Override
    public void ended() {
        ended = true;
    }

    @Override
    public void close() throws StoreException {
        try (lock;
                state) {
            if (!keeper.end()) {
                throw new IOException("the keeper does not end");
            }
            presence.close();
            log.close();
            save(keeper.dropped());
        } catch (IOException e) {
            throw StoreException.of(directory, e);
        }
    }
}
