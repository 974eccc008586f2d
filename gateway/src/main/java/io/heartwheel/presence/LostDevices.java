package io.heartwheel.presence;

import io.heartwheel.event.ConnectionEvent.Lost;
import io.heartwheel.event.EventSink;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreReader;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Devices of earlier incarnations that did not come back. At the start it counts the rows that those have left in the store, for the log. Some time after it
 * goes through them, and tells each device that is not here now as {@link Lost}, so many a second.
 *
 * <p>Whoever commits a {@link Lost} deletes its row ({@link PresenceRow#key(Lost)}) in the same transaction; rows of devices that are back are deleted by
 * whoever keeps them. What is still there when all were gone through, because the sink had no room or the device was just coming, is gone through again
 * after as long; so each is told at least once, and once only as a rule. A crash meanwhile leaves the rest to the next start.
 *
 * <p>Sleeps for good when no row is left. One thread, that of {@link PresenceThread}; {@link #told} any.
 */
public final class LostDevices implements Step {
    private static final Logger LOG = LoggerFactory.getLogger(LostDevices.class);

    private static final int PAGE = 500;
    private static final long MOST_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LEAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final byte[] BEGINNING = {};

    private final StoreReader reader;
    private final SessionRegistry registry;
    private final EventSink sink;
    private final Consumer<byte[]> forget;
    private final Store.Start start;
    private final int rate;
    private final long settleNanos;
    private final LongSupplier wallMillis;

    /** When devices have had their time. */
    private final long settledNanos;

    private long dueNanos;
    private boolean over;
    private Pace pace;
    private byte[] after = BEGINNING;
    private List<StoreReader.Row> page = List.of();
    private int next;
    /** Rows of this round that may still be there when it is through: of devices that were told, and of those that are just coming. */
    private long lost;

    private long coming;
    /** Rows of devices that are here, in this round. */
    private long back;
    /** Rows there were at the start, as far as they are counted. */
    private long cutOff;

    private boolean counted;
    /** Whether the log has what became of them. */
    private boolean summed;

    private final AtomicLong told = new AtomicLong();

    /**
     * Settles from now on.
     *
     * @param reader of its own; closed by whoever made it, when the thread has ended
     * @param forget is given the key of each row that is needed no more
     * @param start the present one
     * @param wallMillis milliseconds since 1970
     */
    public LostDevices(
            StoreReader reader,
            SessionRegistry registry,
            EventSink sink,
            Consumer<byte[]> forget,
            Store.Start start,
            PresenceSettings settings,
            long nowNanos,
            LongSupplier wallMillis) {
        this.reader = reader;
        this.registry = registry;
        this.sink = sink;
        this.forget = forget;
        this.start = start;
        this.rate = settings.rate();
        this.settleNanos = settings.settle().toNanos();
        this.wallMillis = wallMillis;
        settledNanos = nowNanos + settleNanos;
        dueNanos = nowNanos;
        pace = new Pace(rate, nowNanos);
    }

    /** How many were told so far, one told again counted again. */
    public long told() {
        return told.get();
    }

    @Override
    public long step(long nowNanos) {
        if (over) {
            return IDLE_NANOS;
        }
        long leftNanos = dueNanos - nowNanos;
        if (leftNanos > 0) {
            return leftNanos;
        }
        try {
            return counted ? goOn(nowNanos) : countNextPage(nowNanos);
        } catch (StoreException e) {
            LOG.warn("devices of earlier incarnations cannot be read: {}", e.getMessage());
            return rest(AFTER_FAILURE_NANOS, nowNanos); // and goes on where it was
        }
    }

    /** When all are counted, also if they have had their time meanwhile, the log is told how many there were. */
    private long countNextPage(long nowNanos) throws StoreException {
        if (nextPage()) {
            cutOff += page.stream().filter(this::isEarlier).count();
            return 1;
        }
        counted = true;
        begin();
        long leftNanos = Math.max(0, settledNanos - nowNanos);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(leftNanos + TimeUnit.SECONDS.toNanos(1) - 1);
        if (start.previous() != 0 && !start.previousEnded()) {
            LOG.warn("incarnation {} ended without a word; its last event is {}", start.previous(), age());
            LOG.info("{} devices were cut off by it and have {} s to come back", cutOff, seconds);
        } else if (cutOff > 0) {
            LOG.info("{} devices of earlier starts, whose end is not known, have {} s to come back", cutOff, seconds);
        }
        return rest(Math.max(1, leftNanos), nowNanos);
    }

    private String age() {
        long millis = Math.max(0, wallMillis.getAsLong() - start.lastEpochMillis());
        return start.lastEpochMillis() == 0 ? "not there" : TimeUnit.MILLISECONDS.toSeconds(millis) + " s old";
    }

    private long goOn(long nowNanos) throws StoreException {
        for (int may = pace.mayNow(nowNanos); may > 0; may--) {
            if (next == page.size() && !nextPage()) {
                sumUp();
                over = lost + coming == 0;
                begin();
                return over ? IDLE_NANOS : rest(Math.max(LEAST_PAUSE_NANOS, settleNanos), nowNanos);
            }
            take(page.get(next++));
            pace.used(1);
        }
        return MOST_STEP_NANOS;
    }

    /** Whether there are more rows of earlier incarnations. */
    private boolean nextPage() throws StoreException {
        page = reader.rows(after, PAGE);
        next = 0;
        if (page.isEmpty()) {
            return false;
        }
        after = page.get(page.size() - 1).key();
        return isEarlier(page.get(0));
    }

    private boolean isEarlier(StoreReader.Row row) {
        return Long.compareUnsigned(PresenceRow.incarnation(row.key()), start.incarnation()) < 0;
    }

    private void take(StoreReader.Row row) {
        if (!isEarlier(row)) {
            return;
        }
        Lost event = PresenceRow.read(row.key(), row.value(), wallMillis.getAsLong());
        Session here = event == null ? null : registry.find(event.identity().deviceId());
        if (event == null) {
            LOG.warn("a row of an earlier incarnation cannot be read and is dropped");
            forget.accept(row.key());
        } else if (here == null) {
            sink.publish(event);
            told.incrementAndGet();
            lost++;
        } else if (here.isEstablished()) {
            forget.accept(row.key());
            back++;
        } else {
            coming++;
        }
    }

    /** The log is told once, after the first round: whoever is told again was counted there. */
    private void sumUp() {
        if (!summed && lost + back + coming > 0) {
            LOG.info(
                    "of {} devices that were cut off {} are back, {} were told lost and {} are just coming",
                    back + lost + coming,
                    back,
                    lost,
                    coming);
        }
        summed = true;
    }

    private void begin() {
        after = BEGINNING;
        page = List.of();
        next = 0;
        lost = 0;
        back = 0;
        coming = 0;
    }

    private long rest(long pauseNanos, long nowNanos) {
        dueNanos = nowNanos + pauseNanos;
        pace = new Pace(rate, dueNanos);
        return pauseNanos;
    }
}
