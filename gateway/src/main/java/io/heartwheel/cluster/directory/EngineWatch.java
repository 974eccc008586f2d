package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.Health;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State of the engine: down when it says so, or when {@value #MOST_FAILURES} answers in a row failed; up again when it says so and was repaired: it may answer
 * reads and refuse writes. Tells the log each change, once, and the cause of an outage when it is known, or is another.
 *
 * <p>Any thread, but {@link #turn}: one. Guarded by this, for some nanoseconds; {@code down} is written under the lock and read anywhere.
 */
public final class EngineWatch {
    private static final Logger LOG = LoggerFactory.getLogger(EngineWatch.class);

    private static final int MOST_FAILURES = 3;
    /** A server that is started again refuses the connection at first, and perhaps the certificate then. */
    private static final int MOST_CAUSES = 3;

    private static final long REPAIR_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Health health;
    private final Executor repairs;
    private int failures = MOST_FAILURES;
    private String why = "";
    private boolean everUp;
    /** What the log has as causes of this outage. */
    private final Set<String> causes = new HashSet<>();

    private long sinceNanos;
    private long repairNanos;
    private volatile boolean down = true;
    private volatile boolean repairing;

    /**
     * It is down until the first {@link #turn} has found otherwise.
     *
     * @param repairs where the engine is repaired, which may block for some seconds
     */
    public EngineWatch(Health health, long nowNanos, Executor repairs) {
        this.health = health;
        this.repairs = repairs;
        sinceNanos = nowNanos;
        repairNanos = nowNanos;
    }

    /** Whether the engine is not to be had. */
    public boolean isDown() {
        return down;
    }

    /** How long it has not been to be had, nanoseconds; 0: it is. */
    synchronized long downNanos(long nowNanos) {
        return down ? Math.max(0, nowNanos - sinceNanos) : 0;
    }

    synchronized void succeeded() {
        failures = down ? failures : 0;
    }

    synchronized void failed(@Nullable String text) {
        failures++;
        why = cause(text);
    }

    private static String cause(@Nullable String text) {
        return text == null || text.equals(EngineException.NOT_CONNECTED) ? "" : text;
    }

    /**
     * Looks at it; while it is down it is repaired once a second.
     *
     * @return whether it has come back just now
     */
    boolean turn(long nowNanos) {
        if (down && !repairing && nowNanos - repairNanos >= 0) {
            repairing = true;
            repairNanos = nowNanos + REPAIR_NANOS;
            repairs.execute(this::repair);
        }
        boolean reachable = health.isReachable();
        synchronized (this) {
            boolean nowDown = !reachable || failures >= MOST_FAILURES;
            if (nowDown == down) {
                return false;
            }
            down = nowDown;
            long lastedNanos = nowNanos - sinceNanos;
            sinceNanos = nowNanos;
            repairNanos = nowNanos;
            tell(lastedNanos);
            return !nowDown;
        }
    }

    private void repair() {
        try {
            health.repair();
            synchronized (this) {
                failures = 0;
            }
        } catch (EngineException e) {
            boolean isNew;
            synchronized (this) {
                why = cause(e.getMessage());
                isNew = !why.isEmpty() && causes.size() < MOST_CAUSES && causes.add(why);
            }
            if (isNew) {
                LOG.warn("cluster: NATS is not to be had: {}; tries again once a second", e.getMessage());
            }
        } finally {
            repairing = false;
        }
    }

    private void tell(long lastedNanos) {
        if (down) {
            LOG.warn(
                    "cluster: NATS is not to be had{}; connections stay, ids are not looked up in the fleet",
                    why.isEmpty() ? "" : ": " + why);
        } else if (everUp) {
            LOG.info("cluster: NATS is back after {} s", TimeUnit.NANOSECONDS.toSeconds(lastedNanos));
        }
        everUp |= !down;
        causes.clear();
        if (down && !why.isEmpty()) {
            causes.add(why);
        }
        why = "";
    }
}
