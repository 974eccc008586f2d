package io.heartwheel.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeper of a store: once a second, on a thread of its own, brings the view of present devices up to date, saves the cursors that have moved, and drops the
 * segments that nobody needs. So no commit waits for any of it, and none fails of it.
 *
 * <p>A segment goes when all outlets and the view have all of it, and it is old or there is little room. When there is little room, outlets that do not run
 * hold nothing back, nor does a view that fails. {@link #round} by one thread; the rest any.
 */
final class Keeper {
    private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);
    private static final long END_SECONDS = 10;
    private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Files that are deleted between two reports: a journal whose limit was lowered may have thousands. */
    private static final int MOST_DROPPED = 64;

    private final SegmentStore store;
    private final SegmentLog log;
    private final PresenceRows presence;
    private final long roomyBytes;
    private final long keepMillis;
    private final boolean hasThread;
    private final ScheduledExecutorService thread = new ScheduledThreadPoolExecutor(
            1,
            work -> {
                Thread made = new Thread(work, "journal-keeper");
                made.setDaemon(true);
                return made;
            },
            new ThreadPoolExecutor.DiscardPolicy());

    // of the rounds
    private Map<String, Long> saved = new HashMap<>();
    private long warnedNanos = System.nanoTime() - WARN_NANOS;
    private volatile Runnable works = () -> {};
    private volatile Runnable rests = () -> {};
    private volatile long dropped;
    private volatile long keptNanos = System.nanoTime();
    /** Whether a round was asked for that has not begun. */
    private final AtomicBoolean woken = new AtomicBoolean();

    /** Of whoever commits. */
    private boolean begun;

    Keeper(
            SegmentStore store,
            SegmentLog log,
            PresenceRows presence,
            StoreSettings settings,
            long dropped,
            boolean hasThread) {
        this.store = store;
        this.log = log;
        this.presence = presence;
        this.dropped = dropped;
        roomyBytes = settings.maxBytes() / 4 * 3;
        keepMillis = settings.keep().toMillis();
        this.hasThread = hasThread;
        begun = !hasThread;
    }

    /** As {@link Store#onKeeping}. */
    void tell(Runnable works, Runnable rests) {
        this.works = works;
        this.rests = rests;
    }

    /** Starts the rounds, once, by whoever commits: from now on segments are dropped. */
    void begin() {
        if (!begun) {
            begun = true;
            thread.scheduleWithFixedDelay(this::round, 1, 1, TimeUnit.SECONDS);
        }
    }

    /** Something to do may have come: does a round now. */
    void wake() {
        if (hasThread && !woken.getAndSet(true)) {
            thread.execute(this::round);
        }
    }

    /** All that is to be done now. */
    void round() {
        woken.set(false);
        works.run();
        try {
            presence.apply(works);
        } catch (StoreException | RuntimeException | OutOfMemoryError e) {
            failed("who is present cannot be noted", e);
        }
        try {
            Map<String, Long> cursors = store.cursors().all();
            log.cutAgain();
            log.endIfGone();
            endOpen();
            int count = droppable();
            if (count == 0 && !cursors.equals(saved)) {
                store.save(dropped);
            }
            while (count > 0) {
                drop(count);
                works.run();
                count = count == MOST_DROPPED ? droppable() : 0;
            }
            saved = cursors;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            failed("the state cannot be saved", e);
        }
        keptNanos = System.nanoTime();
        rests.run();
    }

    /**
     * The state says first that they may be missing, with the cursors that have passed them. If that needs room itself, as where a file system copies what is
     * overwritten, and there is none, it does so afterwards: a crash in between tells as lost what everybody has had.
     */
    private void drop(int count) throws IOException {
        long last = endOf(log.segments(), count - 1);
        boolean saved = isSaved(last);
        dropped = last;
        log.drop(count);
        if (!saved) {
            store.save(last);
        }
    }

    private boolean isSaved(long last) throws IOException {
        try {
            store.save(last);
            return true;
        } catch (IOException e) {
            if (StoreException.of(Path.of(StoreState.FILE), e).kind() != StoreException.Cause.DISK_FULL) {
                throw e;
            }
            return false;
        }
    }

    /** The open segment alone may be what leaves no room. */
    private void endOpen() {
        Segment[] all = log.segments();
        if (store.isFull() && all.length == 1 && all[0].last <= passed(true)) {
            log.end();
        }
    }

    /** Segments from the oldest on that nobody needs. */
    private int droppable() {
        Segment[] all = log.segments();
        long bytes = log.bytes();
        long old = store.nowEpochMillis() - keepMillis;
        int count = 0;
        while (count < Math.min(all.length, MOST_DROPPED)) {
            boolean little = bytes > roomyBytes || (count == 0 && store.isFull());
            boolean isLast = count + 1 == all.length;
            boolean isOld = !isLast && all[count + 1].atEpochMillis < old;
            if (all[count].open || !(little || isOld) || endOf(all, count) > passed(little)) {
                break;
            }
            bytes -= all[count].bytes;
            count++;
        }
        return count;
    }

    /** Records up to this number are needed by nobody. */
    private long passed(boolean little) {
        long byOutlets = store.cursors().least(little);
        return little && presence.isFailing() ? byOutlets : Math.min(byOutlets, presence.applied());
    }

    private static long endOf(Segment[] all, int index) {
        return index + 1 < all.length ? all[index + 1].first - 1 : all[index].last;
    }

    private void failed(String what, Throwable cause) {
        if (System.nanoTime() - warnedNanos >= WARN_NANOS) {
            warnedNanos = System.nanoTime();
            LOG.warn("journal: {}, which is tried again: {}", what, String.valueOf(cause));
        }
    }

    /** Records up to this number are dropped. */
    long dropped() {
        return dropped;
    }

    /** When it was through with the latest round, {@link System#nanoTime}. */
    long keptNanos() {
        return keptNanos;
    }

    /** Waits for the round that is under way, some seconds; whether it has ended. */
    boolean end() {
        thread.shutdown();
        try {
            return thread.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
