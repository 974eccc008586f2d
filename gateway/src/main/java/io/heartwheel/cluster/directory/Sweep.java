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
 * <p>A node that is not sure of its devices hurries: a round of {@value #HURRIED_PER_SECOND} rows a second, or more if the others are faster, again and again
 * until one is whole. Then it is sure.
 *
 * <p>One thread; {@link #hurry} any.
 */
final class Sweep {
    private static final int PERIOD_SECONDS = 10;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(PERIOD_SECONDS);
    private static final int HURRIED_PER_SECOND = 5_000;

    private final SessionRegistry local;
    private final ClusterDirectory directory;
    private final int ordinaryPerSecond;
    private final Runnable onWhole;
    private final AtomicInteger underWay = new AtomicInteger();
    /** Devices of this round of which it is not known how they stand. */
    private final AtomicInteger unknown = new AtomicInteger();

    private volatile boolean hurries;
    private volatile boolean firmly;
    private volatile boolean anew;
    private @Nullable Iterator<Session> round;
    private long nextRoundNanos;
    private long lastNanos;
    private double credit;

    /** @param onWhole run when a round in a hurry was whole; by who turns */
    Sweep(SessionRegistry local, ClusterDirectory directory, int perSecond, Runnable onWhole, long nowNanos) {
        this.onWhole = onWhole;
        this.local = local;
        this.directory = directory;
        ordinaryPerSecond = perSecond;
        nextRoundNanos = nowNanos + PERIOD_NANOS;
        lastNanos = nowNanos;
    }

    /** The next round begins now, and one under way begins again: rows may be missing. */
    void beginSoon(long nowNanos) {
        round = null;
        nextRoundNanos = nowNanos;
    }

    /**
     * Likewise, and in a hurry: this node is not sure of its devices.
     *
     * @param writesAll whether rows are written also if they are as they should be
     */
    void hurry(boolean writesAll) {
        firmly |= writesAll;
        hurries = true;
        anew = true;
    }

    /** Goes on by as many as are due. A second's worth at most at a time. */
    void turn(long nowNanos) {
        int perSecond = hurries ? Math.max(ordinaryPerSecond, HURRIED_PER_SECOND) : ordinaryPerSecond;
        credit = Math.min(perSecond, credit + (nowNanos - lastNanos) * 1e-9 * perSecond);
        lastNanos = nowNanos;
        if (anew) {
            anew = false;
            beginSoon(nowNanos);
        }
        if (round == null && nowNanos - nextRoundNanos >= 0) {
            unknown.set(underWay.get()); // those of the round before count as not known
            round = local.round();
            nextRoundNanos = nowNanos + PERIOD_NANOS;
        }
        Iterator<Session> on = round;
        while (on != null && credit >= 1 && underWay.get() < perSecond) {
            if (!on.hasNext()) {
                end(nowNanos);
                return;
            }
            credit--;
            Session session = on.next();
            if (session.isEstablished()) {
                underWay.incrementAndGet();
                unknown.incrementAndGet();
                directory.look(session, firmly, this::ended);
            }
        }
    }

    private void ended(boolean known) {
        if (known) {
            unknown.decrementAndGet();
        }
        underWay.decrementAndGet();
    }

    private void end(long nowNanos) {
        if (!hurries) {
            round = null;
        } else if (underWay.get() == 0) {
            round = null;
            if (unknown.get() > 0) {
                nextRoundNanos = nowNanos;
            } else if (!anew) {
                hurries = false;
                firmly = false;
                onWhole.run();
            }
        }
    }
}
