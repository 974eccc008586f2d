package io.heartwheel.cluster.directory;

import io.heartwheel.session.Session;
import io.heartwheel.session.SessionRegistry;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Rounds through the own devices, so many rows a second. A round begins {@value #PERIOD_SECONDS} s after the one before, or when that has ended if it takes
 * longer, and at once when the engine has come back.
 *
 * <p>One thread.
 */
final class Sweep {
    private static final int PERIOD_SECONDS = 10;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(PERIOD_SECONDS);

    private final SessionRegistry local;
    private final ClusterDirectory directory;
    private final int perSecond;
    private final AtomicInteger underWay = new AtomicInteger();

    private @Nullable Iterator<Session> round;
    private long nextRoundNanos;
    private long lastNanos;
    private double credit;

    Sweep(SessionRegistry local, ClusterDirectory directory, int perSecond, long nowNanos) {
        this.local = local;
        this.directory = directory;
        this.perSecond = perSecond;
        nextRoundNanos = nowNanos + PERIOD_NANOS;
        lastNanos = nowNanos;
    }

    /** The next round begins now, and one under way begins again: rows may be missing. */
    void beginSoon(long nowNanos) {
        round = null;
        nextRoundNanos = nowNanos;
    }

    /** Goes on by as many as are due. A second's worth at most at a time. */
    void turn(long nowNanos) {
        credit = Math.min(perSecond, credit + (nowNanos - lastNanos) * 1e-9 * perSecond);
        lastNanos = nowNanos;
        if (round == null && nowNanos - nextRoundNanos >= 0) {
            round = local.round();
            nextRoundNanos = nowNanos + PERIOD_NANOS;
        }
        Iterator<Session> on = round;
        while (on != null && credit >= 1 && underWay.get() < perSecond) {
            if (!on.hasNext()) {
                round = null;
                return;
            }
            credit--;
            Session session = on.next();
            if (session.isEstablished()) {
                underWay.incrementAndGet();
                directory.look(session, underWay::decrementAndGet);
            }
        }
    }
}
