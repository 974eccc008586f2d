package io.heartwheel.presence;

import io.heartwheel.event.ConnectionEvent.Lost;
import io.heartwheel.event.EventSink;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionRegistry;
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
 * Devices of earlier incarnations that did not come back. Some time after the start it goes through the rows that those have left in the store, and tells
 * each device that is not here now as {@link Lost}, so many a second.
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
    private static final byte[] BEGINNING = {};

    private final StoreReader reader;
    private final SessionRegistry registry;
    private final EventSink sink;
    private final Consumer<byte[]> forget;
    private final long incarnation;
    private final int rate;
    private final long settleNanos;
    private final LongSupplier wallMillis;

    private long dueNanos;
    private boolean over;
    private Pace pace;
    private byte[] after = BEGINNING;
    private List<StoreReader.Row> page = List.of();
    private int next;
    /** Rows of this round that may still be there when it is through. */
    private long left;

    private final AtomicLong told = new AtomicLong();

    /**
     * Settles from now on.
     *
     * @param reader of its own; closed by whoever made it, when the thread has ended
     * @param forget is given the key of each row that is needed no more
     * @param incarnation the present one, 1 or more
     * @param wallMillis milliseconds since 1970
     */
    public LostDevices(
            StoreReader reader,
            SessionRegistry registry,
            EventSink sink,
            Consumer<byte[]> forget,
            long incarnation,
            PresenceSettings settings,
            long nowNanos,
            LongSupplier wallMillis) {
        this.reader = reader;
        this.registry = registry;
        this.sink = sink;
        this.forget = forget;
        this.incarnation = incarnation;
        this.rate = settings.rate();
        this.settleNanos = settings.settle().toNanos();
        this.wallMillis = wallMillis;
        dueNanos = nowNanos + settleNanos;
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
        if (dueNanos - nowNanos > 0) {
            return dueNanos - nowNanos;
        }
        try {
            return goOn(nowNanos);
        } catch (StoreException e) {
            LOG.warn("devices of earlier incarnations cannot be read: {}", e.getMessage());
            return again(nowNanos);
        }
    }

    private long goOn(long nowNanos) throws StoreException {
        for (int may = pace.mayNow(nowNanos); may > 0; may--) {
            if (next == page.size() && !nextPage()) {
                over = left == 0;
                return over ? IDLE_NANOS : again(nowNanos);
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
        return Long.compareUnsigned(PresenceRow.incarnation(page.get(0).key()), incarnation) < 0;
    }

    private void take(StoreReader.Row row) {
        if (Long.compareUnsigned(PresenceRow.incarnation(row.key()), incarnation) >= 0) {
            return;
        }
        Lost lost = PresenceRow.read(row.key(), row.value(), wallMillis.getAsLong());
        Session here = lost == null ? null : registry.find(lost.identity().deviceId());
        if (lost == null) {
            LOG.warn("a row of an earlier incarnation cannot be read and is dropped");
            forget.accept(row.key());
        } else if (here == null) {
            sink.publish(lost);
            told.incrementAndGet();
            left++;
        } else if (here.isEstablished()) {
            forget.accept(row.key());
        } else {
            left++;
        }
    }

    private long again(long nowNanos) {
        after = BEGINNING;
        page = List.of();
        next = 0;
        left = 0;
        long pauseNanos = Math.max(LEAST_PAUSE_NANOS, settleNanos);
        dueNanos = nowNanos + pauseNanos;
        pace = new Pace(rate, dueNanos);
        return pauseNanos;
    }
}
