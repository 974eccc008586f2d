package io.heartwheel.loadgen.conform;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Facts of one trial and their times: threads that read sockets and pipes report, the thread of the case waits and judges.
 *
 * <p>What came too early is sure: whatever stood still only makes the time that we see longer. What came too late is held
 * against the client only if it is still too late without the time in which this process, and perhaps the machine, stood
 * still; else nobody can tell.
 *
 * <pre>
 *   sent                         due     due + tolerance        seen
 *    |-----------------------------|------------|--------[stalls]--|
 *                                                 broken if seen - stalls is here
 * </pre>
 *
 * <p>All threads of a trial; everything that is reported is guarded by this object's monitor.
 */
final class Facts {

    private static final long MILLI = 1_000_000L;
    /** Stalls are noted a moment after they ended, and a process that ended is looked at this often. */
    private static final long STEP_MILLIS = 50;
    /** So long the wait for what does not come is extended at most, by time that stood still. */
    private static final int MOST_EXTENSION = 2;

    private final World world;
    // ---- guarded by this
    private @Nullable String violation;

    Facts(World world) {
        this.world = world;
    }

    long nanos() {
        return world.nanos();
    }

    /** Something was seen: who waits looks again. */
    synchronized void report(Runnable change) {
        change.run();
        notifyAll();
    }

    /** The client broke the wire document, in whatever rule it was seen; the first one counts. */
    void violation(String text) {
        report(() -> violation = violation == null ? text : violation);
    }

    /** Ends the case if the client broke the wire document. */
    synchronized void checkWire() {
        if (violation != null) {
            throw CaseEnd.broken("the client broke the protocol: " + violation);
        }
    }

    /** Reads what threads report. */
    synchronized <T extends @Nullable Object> T read(Supplier<T> facts) {
        return facts.get();
    }

    /** Lets time pass; no judgement. */
    synchronized void pause(long millis) {
        long until = nanos() + millis * MILLI;
        while (until - nanos() > 0) {
            sleep(Math.min((until - nanos()) / MILLI + 1, STEP_MILLIS));
        }
        checkWire();
    }

    /**
     * Waits for what a client must do in time.
     *
     * @param what for people: {@code "a PONG"}
     * @param fromNanos when the time begins
     * @param dueMillis how long it may take, without the tolerance
     * @param seen what was seen, or null as long as it was not
     * @param ended why it will never come, or null
     * @throws CaseEnd when it did not come, or nobody can tell
     */
    synchronized <T> T await(
            String what, long fromNanos, long dueMillis, Supplier<@Nullable T> seen, Supplier<@Nullable String> ended) {
        long limitNanos = (dueMillis + Limits.TOLERANCE) * MILLI;
        while (true) {
            checkWire();
            T found = seen.get();
            if (found != null) {
                return found;
            }
            String why = ended.get();
            if (why != null) {
                throw CaseEnd.broken(what + " did not come: " + why);
            }
            long waited = nanos() - fromNanos;
            if (waited > limitNanos) {
                long still = world.stillNanos(fromNanos, fromNanos + waited);
                if (waited - still > limitNanos) {
                    throw CaseEnd.broken(what + " did not come in " + millis(waited) + ": need " + dueMillis + " ms");
                } else if (waited > MOST_EXTENSION * limitNanos) {
                    throw stoodStill(what + " did not come in " + millis(waited), still);
                }
            }
            sleep(STEP_MILLIS);
        }
    }

    private void sleep(long millis) {
        try {
            world.await(this, millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CaseEnd.notJudged("the run was ended");
        }
    }

    /** Judges when something came, with the usual tolerance; gives the time between, milliseconds. */
    long between(String what, long fromNanos, long seenNanos, long leastMillis, long mostMillis) {
        return between(what, fromNanos, seenNanos, leastMillis, mostMillis, Limits.TOLERANCE);
    }

    /**
     * Judges when something came.
     *
     * @return the time between, milliseconds
     * @throws CaseEnd when it came too early or too late, or nobody can tell
     */
    long between(String what, long fromNanos, long seenNanos, long leastMillis, long mostMillis, long toleratedMillis) {
        long took = seenNanos - fromNanos;
        String came = what + " came after " + millis(took);
        if (took < (leastMillis - Limits.EARLY) * MILLI) {
            throw CaseEnd.broken(came + ": need at least " + leastMillis + " ms");
        }
        long limitNanos = (mostMillis + toleratedMillis) * MILLI;
        if (took > limitNanos) {
            long still = world.stillNanos(fromNanos, seenNanos);
            if (took - still > limitNanos) {
                throw CaseEnd.broken(came + ": need at most " + mostMillis + " ms");
            }
            throw stoodStill(came, still);
        }
        return took / MILLI;
    }

    private static CaseEnd stoodStill(String what, long stillNanos) {
        return CaseEnd.notJudged(what + ", but the machine stood still for " + millis(stillNanos) + " of it");
    }

    static String millis(long nanos) {
        return nanos / MILLI + " ms";
    }
}
