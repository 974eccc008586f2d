package io.heartwheel.sink;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.Refused;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Evidence;
import io.heartwheel.session.SessionObserver;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Events of refused connections, however many there are: of each reason so many a second, and then one that says how many more there were.
 *
 * <pre>
 *   in a second:  refused  refused  ...  refused | the rest is counted, the latest is kept
 *   tell():       refused, "unreported" = the count of the others
 * </pre>
 *
 * <p>Has no thread: {@link #tell} is to be called once a second. Event loops tell it of closes; of one that is not published it costs an addition. A
 * close that comes between two steps of {@link #tell} may be counted a second later; none is lost and none is counted twice.
 */
public final class RefusalEvents implements SessionObserver {
    private final EventSink sink;
    private final int mostOfAReason;

    /** By the ordinal of the reason: refusals since the last call of {@link #tell}. */
    private final AtomicLongArray refusals =
            new AtomicLongArray(CloseReason.all().size());
    /** By the ordinal of the reason: those that no event told yet, and the latest of them. */
    private final AtomicLongArray unreported =
            new AtomicLongArray(CloseReason.all().size());

    private final AtomicReferenceArray<@Nullable Evidence> latest =
            new AtomicReferenceArray<>(CloseReason.all().size());

    /** @param mostOfAReason events of one reason between two calls of {@link #tell}, and one more for the rest; 0: none at all */
    public RefusalEvents(EventSink sink, int mostOfAReason) {
        this.sink = sink;
        this.mostOfAReason = mostOfAReason;
    }

    @Override
    public void closed(Evidence close) {
        CloseReason reason = close.reason();
        if (reason == null || !close.refused() || mostOfAReason == 0) {
            return;
        }
        int index = reason.ordinal();
        if (refusals.incrementAndGet(index) <= mostOfAReason) {
            sink.publish(new Refused(close, 0));
        } else {
            latest.set(index, close);
            unreported.incrementAndGet(index);
        }
    }

    /** Tells of those that had no event of their own. Any thread, once a second, and once at the end. */
    public void tell() {
        for (int index = 0; index < refusals.length(); index++) {
            refusals.set(index, 0);
            long count = unreported.getAndSet(index, 0);
            Evidence one = count == 0 ? null : latest.get(index);
            if (one != null) {
                sink.publish(new Refused(one, count - 1));
            }
        }
    }
}
