package io.heartwheel.admin;

import io.heartwheel.metrics.AdminMetrics;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Places of the admin listener's connections. When all are taken, a newcomer gets that of the one who does least with it:
 *
 * <pre>
 *   1. the oldest that has not asked to the end         a whole request takes milliseconds
 *   2. the oldest that has its last answer
 *   3. the one that has been idle for longest           it may come again
 *   4. the oldest that is answered and does not read    not in its first second
 *   otherwise the newcomer is turned away
 * </pre>
 *
 * So requests that are never finished, however many, keep nobody from asking after the gateway's health.
 *
 * <p>Any thread: the listener's own are the only ones that wait for each other here, for some hundred nanoseconds.
 */
final class AdminSlots {
    /** For so long nobody loses its place while it is being answered. */
    static final long FAIR_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** For a connection that there is no place for. */
    static final byte[] FULL = full();

    private final AdminMetrics metrics;
    private final LongSupplier nanoClock;

    // ---- under the lock
    /** In the order in which they came to be at it. */
    private final List<Set<ConnectionClock>> ranks = Stream.generate(
                    () -> (Set<ConnectionClock>) new LinkedHashSet<ConnectionClock>())
            .limit(ConnectionClock.Phase.RANKS)
            .toList();

    private int open;

    private static byte[] full() {
        Response told = Response.error(503, "too_many_connections", "admin.max-connections is reached");
        String head = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: " + told.contentType() + "\r\nContent-Length: "
                + told.body().length + "\r\nRetry-After: 1\r\nConnection: close\r\n\r\n";
        return (head + new String(told.body(), StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
    }

    AdminSlots(AdminMetrics metrics, LongSupplier nanoClock) {
        this.metrics = metrics;
        this.nanoClock = nanoClock;
    }

    /**
     * Takes a place, if need be another's, which is closed then.
     *
     * @return false if there is none to be had; then it was counted as turned away
     */
    boolean enter(ConnectionClock newcomer, int most) {
        ConnectionClock least;
        boolean answered = false;
        synchronized (this) {
            least = open < most ? null : leastUseful();
            if (open >= most && least == null) {
                metrics.refused();
                return false;
            }
            if (least != null) {
                answered = least.phase() == ConnectionClock.Phase.ANSWER;
                leave(least);
            }
            of(newcomer.phase()).add(newcomer);
            open++;
            metrics.entered();
        }
        if (least != null) {
            metrics.refused();
            least.giveUpPlace(answered);
        }
        return true;
    }

    private @Nullable ConnectionClock leastUseful() {
        for (Set<ConnectionClock> rank : ranks) {
            if (!rank.isEmpty()) {
                ConnectionClock oldest = rank.iterator().next();
                boolean fair = oldest.phase() != ConnectionClock.Phase.ANSWER
                        || nanoTime() - oldest.sinceNanos() >= FAIR_NANOS;
                return fair ? oldest : null;
            }
        }
        return null;
    }

    /** A connection begins something else. */
    synchronized void move(ConnectionClock connection, ConnectionClock.Phase next) {
        Set<ConnectionClock> before = of(connection.phase());
        connection.now(next);
        Set<ConnectionClock> after = of(next);
        if (before != after && before.remove(connection)) {
            after.add(connection);
        }
    }

    /** A connection has ended; a second call does nothing. */
    synchronized void leave(ConnectionClock connection) {
        if (of(connection.phase()).remove(connection)) {
            open--;
            metrics.left();
        }
    }

    /** Monotonic time now, nanoseconds. */
    long nanoTime() {
        return nanoClock.getAsLong();
    }

    private Set<ConnectionClock> of(ConnectionClock.Phase phase) {
        return ranks.get(phase.rank());
    }
}
