package io.heartwheel.auth;

import io.heartwheel.net.IpAddress;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Failed authentications by source: an IPv4 address, or all IPv6 addresses with the same first 64 bits. Who has failed too often is not looked at for a
 * while. Memory is taken once, when the first device is asked about, and never grows: a table of {@value #WAYS}-fold associative sets, 36 bytes a place, two
 * places for each source that is to be tracked.
 *
 * <pre>
 *   address --seeded hash--&gt; set:  | source | earliest time of the next failure, were all evenly spaced | unanswered, until when |   x 16
 * </pre>
 *
 * The rate is the generic cell rate algorithm (ITU-T I.371): one time for each source instead of a bucket. A success pays no debt, so nobody can buy guesses
 * with a token of his own. A source that finds its set full takes the place of the one with the least debt.
 *
 * <p>Failures are known when they are answered, which may be after many more were asked about. So those of one source that wait for an answer are bounded
 * too, by the burst and {@value #MOST_UNANSWERED}, and all of them count: whoever guesses in parallel has a volley of that size, and then waits for as long
 * as the rate says. An answer that never comes is waited for until its deadline; so a method that forgets a device shuts out no source for good. An answer counts down
 * only what was counted: a device asked about before its source was counted, or before the count began anew, makes no room.
 *
 * <p>Any thread: a set is read and written under one of {@value #LOCKS} locks, for the look at its places. Times are handed in, on one monotonic clock.
 */
public final class AuthFailures {
    private static final int WAYS = 16;
    private static final int LOCKS = 64;
    private static final int V6_PREFIX_BITS = 64;
    /** Devices of one source that may wait for an answer, beyond its burst: a site behind one address comes back at once. */
    static final int MOST_UNANSWERED = 100;

    private static final long NANOS_PER_MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final long startNanos;
    private final long seed = ThreadLocalRandom.current().nextLong();
    private final int tracked;
    private final int setMask;
    private volatile AuthSettings.Failures settings;

    /** Null until a source has a place; guarded by this when it is made. */
    private volatile @Nullable Places made;

    private final Object[] locks = new Object[LOCKS];

    /** Places of the table; each is read and written under the lock of its set. */
    private static final class Places {
        final long[] keys;
        /** Nanoseconds since start; 0 in a place never used. */
        final long[] nextNanos;
        /** Asked about and not answered. */
        final int[] unanswered;
        /** Nanoseconds since start: the latest deadline of those. */
        final long[] unansweredUntilNanos;
        /** Nanoseconds since start: when the earliest of those that may be counted was asked about. */
        final long[] unansweredSinceNanos;

        Places(int count) {
            keys = new long[count];
            nextNanos = new long[count];
            unanswered = new int[count];
            unansweredUntilNanos = new long[count];
            unansweredSinceNanos = new long[count];
        }

        /** The source's own place; -1 without one. */
        int of(int set, long key) {
            for (int at = set * WAYS; at < (set + 1) * WAYS; at++) {
                if (keys[at] == key && nextNanos[at] != 0) {
                    return at;
                }
            }
            return -1;
        }

        int leastInDebt(int set) {
            int least = set * WAYS;
            for (int at = least + 1; at < (set + 1) * WAYS; at++) {
                if (nextNanos[at] < nextNanos[least]) {
                    least = at;
                }
            }
            return least;
        }

        void take(int at, long key, long sinceStartNanos) {
            keys[at] = key;
            nextNanos[at] = sinceStartNanos;
            unanswered[at] = 0;
            unansweredUntilNanos[at] = sinceStartNanos;
            unansweredSinceNanos[at] = sinceStartNanos;
        }

        boolean awaits(int at, long sinceStartNanos) {
            return unanswered[at] > 0 && unansweredUntilNanos[at] >= sinceStartNanos;
        }
    }

    /** Nobody has failed yet. */
    public AuthFailures(AuthSettings.Failures settings, long nowNanos) {
        this.settings = settings;
        startNanos = nowNanos - 1;
        tracked = settings.tracked();
        int sets = settings.enabled() ? Integer.highestOneBit(Math.max(1, (2 * tracked - 1) / WAYS)) << 1 : 1;
        setMask = sets - 1;
        Arrays.setAll(locks, index -> new Object());
    }

    /**
     * Goes by other limits from now on.
     *
     * @return whether it can: not with another size, or after it was off
     */
    boolean reconfigure(AuthSettings.Failures fresh) {
        boolean can = fresh.tracked() == tracked && fresh.enabled() == settings.enabled();
        if (can) {
            settings = fresh;
        }
        return can;
    }

    /** Whether this source has failed so often that it is not looked at now. */
    public boolean isLimited(byte[] address, long nowNanos) {
        AuthSettings.Failures now = settings;
        Places places = made;
        if (places == null || isLeftOut(now, address)) {
            return false;
        }
        long key = IpAddress.source(address, V6_PREFIX_BITS);
        int set = set(key);
        long intervalNanos = NANOS_PER_MINUTE / now.perMinute();
        synchronized (lock(set)) {
            int at = places.of(set, key);
            return at >= 0 && places.nextNanos[at] - (nowNanos - startNanos) > (now.burst() - 1) * intervalNanos;
        }
    }

    /**
     * A device of this source is to be asked about; {@link #answered} is told of the end.
     *
     * @param deadlineNanos no answer is waited for after this
     * @return false if as many of them wait as may: then it was not counted
     */
    boolean begins(byte[] address, long nowNanos, long deadlineNanos) {
        AuthSettings.Failures now = settings;
        if (isLeftOut(now, address)) {
            return true;
        }
        Places places = places();
        long key = IpAddress.source(address, V6_PREFIX_BITS);
        int set = set(key);
        long sinceStartNanos = nowNanos - startNanos;
        synchronized (lock(set)) {
            int at = places.of(set, key);
            if (at < 0) {
                at = places.leastInDebt(set);
                if (places.nextNanos[at] > sinceStartNanos || places.awaits(at, sinceStartNanos)) {
                    return true; // uncounted: a source that has not failed takes no other's place
                }
                places.take(at, key, sinceStartNanos);
            }
            if (!places.awaits(at, sinceStartNanos)) {
                places.unanswered[at] = 0;
                places.unansweredSinceNanos[at] = sinceStartNanos;
            }
            if (places.unanswered[at] >= now.burst() + MOST_UNANSWERED) {
                return false;
            }
            places.unanswered[at]++;
            // another loop's clock may have been read a little before
            places.unansweredSinceNanos[at] = Math.min(places.unansweredSinceNanos[at], sinceStartNanos);
            places.unansweredUntilNanos[at] = Math.max(places.unansweredUntilNanos[at], deadlineNanos - startNanos);
            return true;
        }
    }

    /**
     * One that {@link #begins} was told of has its answer, whatever it is.
     *
     * @param begunNanos the time that {@link #begins} was told
     */
    void answered(byte[] address, long begunNanos) {
        Places places = made;
        if (places == null || isLeftOut(settings, address)) {
            return;
        }
        long key = IpAddress.source(address, V6_PREFIX_BITS);
        int set = set(key);
        synchronized (lock(set)) {
            int at = places.of(set, key);
            if (at >= 0 && places.unanswered[at] > 0 && begunNanos - startNanos >= places.unansweredSinceNanos[at]) {
                places.unanswered[at]--;
            }
        }
    }

    /** This source has failed. */
    public void failed(byte[] address, long nowNanos) {
        AuthSettings.Failures now = settings;
        if (isLeftOut(now, address)) {
            return;
        }
        Places places = places();
        long key = IpAddress.source(address, V6_PREFIX_BITS);
        int set = set(key);
        long intervalNanos = NANOS_PER_MINUTE / now.perMinute();
        long sinceStartNanos = nowNanos - startNanos;
        synchronized (lock(set)) {
            int at = places.of(set, key);
            if (at < 0) {
                at = places.leastInDebt(set);
                places.take(at, key, sinceStartNanos);
            }
            // all that waited when the limit was reached; more can only be renewals, and they make the wait no longer
            long nextAtMost = sinceStartNanos + (2L * now.burst() + MOST_UNANSWERED) * intervalNanos;
            places.nextNanos[at] =
                    Math.min(nextAtMost, Math.max(places.nextNanos[at], sinceStartNanos) + intervalNanos);
        }
    }

    private static boolean isLeftOut(AuthSettings.Failures now, byte[] address) {
        return !now.enabled() || address.length == 0 || now.exempt().contains(address);
    }

    private Places places() {
        Places known = made;
        return known == null ? make() : known;
    }

    private synchronized Places make() {
        Places known = made;
        if (known == null) {
            known = new Places((setMask + 1) * WAYS);
            made = known;
        }
        return known;
    }

    private int set(long key) {
        return IpAddress.hash(key, seed) & setMask;
    }

    private Object lock(int set) {
        return locks[set & (LOCKS - 1)];
    }
}
