package io.heartwheel.session;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Directory of one process: device id to session, about eight bytes a device beyond the session itself.
 *
 * <p>Striped open addressing: the high bits of a seeded 64-bit hash of the id choose one of {@value #STRIPES} stripes, each a table of
 * references with linear probing and backward-shift deletion, under its own lock.
 *
 * <p>Epochs of a device grow, and nothing is kept for one that is not here. The process issues each epoch larger than its last, than any that it knows of from
 * those before it, and than the clock in microseconds. What a device remembers raises its own epoch only, and by a day at most, never what others get: if the
 * clock was set back over a restart, the device does not fall behind, and if it lies, nobody else is moved. The few that ran ahead are kept apart ({@link
 * EpochsAhead}).
 *
 * <p>Any thread may call anything. A lock is held for one probe sequence, or for the copy of one stripe when listing; never while calling out.
 */
public final class SessionRegistry implements Directory<Session> {
    static final int STRIPES = 1024;

    /** How far ahead of what we issue a device's remembered epoch is believed, microseconds: one day. Beyond it is a lie or a broken clock. */
    static final long MAX_AHEAD_MICROS = 86_400_000_000L;

    /** These bits of a cursor say whose it is; the others are a place in the order of devices, which two ids have in common once in 2^48. */
    private static final long MARK = 0xFFFF;

    private final Stripe[] stripes = new Stripe[STRIPES];
    private final long seed;
    private final long mark;
    private final AtomicLong lastIssued;
    private final EpochsAhead ahead = new EpochsAhead();
    private final Takeovers takeovers = new Takeovers();
    private final GroupIndex groups = new GroupIndex();
    private final LongSupplier nanoClock;
    private final LongSupplier wallMicros;
    private volatile Runnable emptied = () -> {};
    private volatile UnaryOperator<Session> served = holder -> holder;

    /**
     * An empty one.
     *
     * @param nanoClock monotonic nanoseconds
     * @param wallMicros microseconds since 1970
     * @param greatestEpoch the greatest that any process before this one is known to have issued; 0: none is known
     */
    public SessionRegistry(LongSupplier nanoClock, LongSupplier wallMicros, long greatestEpoch) {
        this(nanoClock, wallMicros, greatestEpoch, ThreadLocalRandom.current().nextLong());
    }

    /** @param seed of the order of devices, which nobody outside may foresee */
    SessionRegistry(LongSupplier nanoClock, LongSupplier wallMicros, long greatestEpoch, long seed) {
        this.seed = seed;
        mark = hash(new byte[0]) & MARK;
        this.nanoClock = nanoClock;
        this.wallMicros = wallMicros;
        lastIssued = new AtomicLong(greatestEpoch);
        Arrays.setAll(stripes, index -> new Stripe());
    }

    @Override
    public void claim(Session session, long rememberedEpoch, Claimant<Session> claimant) {
        long hash = hash(session.deviceIdBytes());
        long nowMicros = wallMicros.getAsLong();
        Stripe stripe = stripe(hash);
        Session predecessor;
        Wait wait = null;
        long epoch = 0;
        synchronized (stripe) {
            predecessor = stripe.find(hash, session.deviceIdBytes());
            if (predecessor != null && predecessor != session) {
                wait = takeovers.claim(session.deviceId(), predecessor.sessionId(), nanoClock.getAsLong());
            }
            if (wait == null) {
                // together, so that of two rivals the one that stays has the later epoch
                predecessor = stripe.put(hash, session);
                epoch = nextEpoch(session, predecessor, rememberedEpoch, nowMicros);
            }
        }
        if (predecessor != null && wait != null) {
            claimant.later(wait, rememberedEpoch, predecessor);
        } else {
            claimant.granted(epoch, predecessor);
        }
    }

    @Override
    public void release(Session session) {
        long hash = hash(session.deviceIdBytes());
        Stripe stripe = stripe(hash);
        boolean wasLast;
        synchronized (stripe) {
            wasLast = stripe.remove(hash, session);
            long issued = lastIssued.get();
            if (session.epoch() > issued) {
                ahead.note(session.deviceId(), session.epoch(), issued);
            }
        }
        if (wasLast) {
            emptied.run();
        }
    }

    @Override
    public void unanswered(Session holder) {
        long hash = hash(holder.deviceIdBytes());
        Stripe stripe = stripe(hash);
        // together, so that what is forgotten is not of a newer holder
        synchronized (stripe) {
            if (stripe.find(hash, holder.deviceIdBytes()) == holder) {
                takeovers.forget(holder.deviceId());
            }
        }
    }

    /**
     * A session of this process wants the id of one at another gateway.
     *
     * @param epoch of that one
     * @return null if it takes the id over, which is counted; else how long it has to wait
     */
    public @Nullable Wait claimElsewhere(String deviceId, long epoch) {
        return takeovers.claim(deviceId, epoch, nanoClock.getAsLong());
    }

    /**
     * The id of a session of this process was taken over at another gateway.
     *
     * @param epoch of the one there
     * @param waitNanos what {@link #conflictNanos} is there
     */
    public void takenElsewhere(String deviceId, long epoch, long waitNanos) {
        takeovers.takenElsewhere(deviceId, epoch, waitNanos, nanoClock.getAsLong());
    }

    /** The connection at another gateway that had the id has ended: nobody waits for it, and what was before counts no more. */
    public void isGoneElsewhere(String deviceId) {
        takeovers.forget(deviceId);
    }

    /** How long somebody had to wait for this id the last time, nanoseconds; 0: connections do not take it from each other again and again. */
    public long conflictNanos(String deviceId) {
        return takeovers.waitNanos(deviceId);
    }

    @Override
    public void regrouped(Session session, List<String> before, List<String> after) {
        groups.change(session, before, after);
    }

    /** Ids of the devices whose grants have this group, as UTF-8; one that is being taken over may be there twice. */
    public List<byte[]> idsOf(String group) {
        return groups.members(group).stream().map(Session::deviceIdBytes).toList();
    }

    /** Ids of all devices, as UTF-8, each once; what comes or goes meanwhile may be missed. */
    public List<byte[]> ids() {
        List<byte[]> ids = new ArrayList<>();
        round().forEachRemaining(session -> ids.add(session.deviceIdBytes()));
        return ids;
    }

    /** The place of a device among the pages: without sign, the same while the process lives. */
    public long place(String deviceId) {
        return hash(deviceId.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * What is told when the last device of a stripe has gone, and so always when the last of all has; at most so often as devices go. Run on the
     * thread that released it; must be quick. Replaces the one before.
     */
    public void onStripeEmptied(Runnable listener) {
        emptied = listener;
    }

    /** The session that holds this device id now, or null. */
    public @Nullable Session find(String deviceId) {
        byte[] id = deviceId.getBytes(StandardCharsets.UTF_8);
        long hash = hash(id);
        return stripe(hash).find(hash, id);
    }

    /**
     * The session that serves this device now, or null: the one that holds its id, or, as long as that waits for its claim to be answered elsewhere, the one
     * before.
     */
    public @Nullable Session serving(String deviceId) {
        Session holder = find(deviceId);
        return holder == null || holder.isEstablished() ? holder : served.apply(holder);
    }

    /** What tells, of a holder that is not established, which session serves its device; any thread, at once. Replaces the one before. */
    public void servedBy(UnaryOperator<Session> others) {
        served = others;
    }

    /** Device ids that connections take from each other again and again, so that one of them has to wait. A hundred microseconds with very many. */
    public long idConflicts() {
        return takeovers.conflicts(nanoClock.getAsLong());
    }

    /** Devices registered now; exact when nothing moves. */
    public long size() {
        return Stream.of(stripes).mapToLong(Stripe::size).sum();
    }

    /**
     * One way through all devices, in pieces: what is held at a time is one stripe's share, a thousandth of them. A device that comes or goes meanwhile
     * may be missed. For one thread; others may change the registry as they like.
     */
    public Iterator<Session> round() {
        return Stream.of(stripes).flatMap(stripe -> stripe.copy().stream()).iterator();
    }

    /** Calls with each session registered now. A session that comes or goes meanwhile may be missed. */
    public void forEach(Consumer<Session> action) {
        round().forEachRemaining(action);
    }

    /**
     * One page of the devices that are wanted, in an order that does not change while the process lives: a device that stays is seen exactly once on the way
     * through. It ends early when many have been looked at, so that the work is bounded however few are wanted; then it may be short, or empty, and has a
     * cursor to go on with.
     *
     * @param after the cursor of the page before, null for the first
     * @param limit at most so many, 1 or more
     * @param mostLookedAt 1 or more
     */
    public Page page(@Nullable Long after, int limit, int mostLookedAt, Predicate<Session> wanted) {
        List<Session> found = new ArrayList<>();
        int looked = 0;
        for (int i = after == null ? 0 : index(after); i < STRIPES; i++) {
            List<Entry> here = behind(after, stripes[i].copy());
            for (int at = 0; at < here.size(); at++) {
                Entry entry = here.get(at);
                Session session = entry.session().isEstablished() ? entry.session() : served.apply(entry.session());
                looked++;
                if (wanted.test(session)) {
                    found.add(session);
                }
                if (found.size() == limit || looked == mostLookedAt) {
                    boolean more = at + 1 < here.size() || anyFrom(i + 1);
                    return new Page(found, more ? entry.place() : null);
                }
            }
        }
        return new Page(found, null);
    }

    private List<Entry> behind(@Nullable Long after, List<Session> sessions) {
        List<Entry> behind = new ArrayList<>(sessions.size());
        for (Session session : sessions) {
            long place = (hash(session.deviceIdBytes()) & ~MARK) | mark;
            if (after == null || Long.compareUnsigned(place, after) > 0) {
                behind.add(new Entry(place, session));
            }
        }
        behind.sort(Comparator.comparing(Entry::place, Long::compareUnsigned));
        return behind;
    }

    private boolean anyFrom(int stripe) {
        return Stream.of(stripes).skip(stripe).anyMatch(rest -> rest.size() > 0);
    }

    /**
     * Some of the devices.
     *
     * @param sessions at most as many as asked for
     * @param next the cursor of the next page, null if this was the last
     */
    public record Page(List<Session> sessions, @Nullable Long next) {}

    private record Entry(long place, Session session) {}

    /** Whether a page of this registry may have had this cursor; of those of others one in 65,536 passes. */
    public boolean isCursor(long cursor) {
        return (cursor & MARK) == mark;
    }

    /** Under the lock of the device's stripe. */
    private long nextEpoch(Session session, @Nullable Session predecessor, long remembered, long nowMicros) {
        long issued = lastIssued.accumulateAndGet(nowMicros, (last, now) -> Math.max(last + 1, now));
        long own = ahead.of(session);
        if (predecessor != null) {
            own = Math.max(own, predecessor.epoch());
        }
        if (remembered <= issued + MAX_AHEAD_MICROS) {
            own = Math.max(own, remembered);
        }
        if (own < issued) {
            return issued;
        }
        ahead.note(session.deviceId(), own + 1, issued);
        return own + 1;
    }

    /** Devices whose epoch ran ahead of what this process issues, as far as it remembers. */
    int devicesAhead() {
        return ahead.size();
    }

    private Stripe stripe(long hash) {
        return stripes[index(hash)];
    }

    private static int index(long hash) {
        return (int) (hash >>> 54);
    }

    private long hash(byte[] id) {
        long h = seed ^ id.length;
        for (byte b : id) {
            h = (h ^ b) * 0x9E3779B97F4A7C15L;
            h ^= h >>> 29;
        }
        h *= 0xBF58476D1CE4E5B9L;
        return h ^ (h >>> 32);
    }

    /** One table. Slot = low bits of the hash; load at most 3/4. */
    private final class Stripe {
        private @Nullable Session[] table = new Session[8];
        private int size;

        synchronized @Nullable Session put(long hash, Session session) {
            byte[] id = session.deviceIdBytes();
            int mask = table.length - 1;
            int at = (int) hash & mask;
            Session here = table[at];
            while (here != null) {
                if (Arrays.equals(here.deviceIdBytes(), id)) {
                    table[at] = session;
                    return here == session ? null : here;
                }
                at = (at + 1) & mask;
                here = table[at];
            }
            table[at] = session;
            if (++size * 4 > table.length * 3) {
                resize(table.length * 2);
            }
            return null;
        }

        synchronized @Nullable Session find(long hash, byte[] id) {
            int mask = table.length - 1;
            int at = (int) hash & mask;
            Session here = table[at];
            while (here != null && !Arrays.equals(here.deviceIdBytes(), id)) {
                at = (at + 1) & mask;
                here = table[at];
            }
            return here;
        }

        /** Whether this took the last one. */
        synchronized boolean remove(long hash, Session session) {
            int mask = table.length - 1;
            int at = (int) hash & mask;
            Session here = table[at];
            while (here != null && here != session) {
                at = (at + 1) & mask;
                here = table[at];
            }
            if (here == null) {
                return false;
            }
            closeGap(at, mask);
            size--;
            if (table.length > 8 && size * 8 < table.length) {
                resize(table.length / 2);
            }
            return size == 0;
        }

        synchronized int size() {
            return size;
        }

        synchronized List<Session> copy() {
            List<Session> all = new ArrayList<>(size);
            for (Session session : table) {
                if (session != null) {
                    all.add(session);
                }
            }
            return all;
        }

        private void closeGap(int gap, int mask) {
            int hole = gap;
            int at = (gap + 1) & mask;
            Session here = table[at];
            while (here != null) {
                int home = (int) hash(here.deviceIdBytes()) & mask;
                if (((at - home) & mask) >= ((at - hole) & mask)) {
                    table[hole] = here;
                    hole = at;
                }
                at = (at + 1) & mask;
                here = table[at];
            }
            table[hole] = null;
        }

        private void resize(int length) {
            @Nullable Session[] old = table;
            table = new Session[length];
            for (Session session : old) {
                if (session != null) {
                    int at = (int) hash(session.deviceIdBytes()) & (length - 1);
                    while (table[at] != null) {
                        at = (at + 1) & (length - 1);
                    }
                    table[at] = session;
                }
            }
        }
    }
}
