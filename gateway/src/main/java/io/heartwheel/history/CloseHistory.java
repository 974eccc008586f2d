package io.heartwheel.history;

import io.heartwheel.event.Evidence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The latest closes of one kind, bounded, and shared out between the sources they came from, so that no source pushes out what others left behind.
 *
 * <pre>
 *   newest                                          oldest
 *   [ the newest half, whoever they are ] --&gt; [ shared half: who takes most of it loses his oldest ]
 * </pre>
 *
 * The newest half is a plain queue. What falls out of it goes into the shared half; when that is full, the source that holds most of it gives up its
 * oldest close (longest queue drop, as routers share out a buffer; RFC 7567 section 4.2.1 has the idea). So a source may fill all of it while nobody else wants
 * room, as a fleet behind one address does, and it has to give way to others once they come. Of sources that hold the same, the one that has waited longest
 * loses: without a crowd it is a queue. A source is an IPv4 address, or the first 48 bits of an IPv6 address.
 *
 * <p>Closes are numbered as they come. The order is that of the numbers, whatever the wall clock did.
 *
 * <p>Concurrency. Callers: event loops add, any thread looks. Adding holds the lock of this object for some hundred nanoseconds, and no longer if much is
 * remembered. A reader takes no lock: it walks from the newest along {@link Entry#older} (volatile). An entry that is taken out while somebody stands on it
 * still leads to older ones, so a reader sees each close that is there from the beginning of its walk to the end, in order and once; what is taken out
 * meanwhile it may see or not. All other fields are guarded by the lock.
 */
final class CloseHistory {
    private static final int V6_GROUPS = 3;

    /** One close. */
    static final class Entry {
        final long number;
        final Evidence evidence;
        private volatile @Nullable Entry older;
        private @Nullable Entry newer;
        /** In the shared half: of the same source, the next newer one. */
        private @Nullable Entry nextOfSource;

        Entry(long number, Evidence evidence) {
            this.number = number;
            this.evidence = evidence;
        }
    }

    /** Holder of something in the shared half. */
    private static final class Source {
        final String name;
        int count;

        @Nullable
        Entry oldest;

        @Nullable
        Entry newest;
        /** Neighbours among those that hold as many. */
        @Nullable
        Source before;

        @Nullable
        Source behind;

        Source(String name) {
            this.name = name;
        }
    }

    private final int newestRoom;
    private final int sharedRoom;
    private volatile @Nullable Entry newest;

    // ---- under the lock
    private final Map<String, Source> sources = new HashMap<>();
    private long nextNumber;
    private int newestCount;
    private int sharedCount;
    /** The last of the newest half. */
    private @Nullable Entry border;
    /** By how many they hold: who has held as many for longest, and for shortest. */
    private @Nullable Source[] first = new @Nullable Source[2];

    private @Nullable Source[] last = new @Nullable Source[2];
    private int most;

    /** @param room closes remembered, 0 or more */
    CloseHistory(int room) {
        newestRoom = (room + 1) / 2;
        sharedRoom = room - newestRoom;
    }

    /** Remembers one more. Any thread. */
    void add(Evidence evidence) {
        if (newestRoom == 0) {
            return;
        }
        synchronized (this) {
            Entry entry = new Entry(nextNumber++, evidence);
            Entry before = newest;
            entry.older = before;
            if (before != null) {
                before.newer = entry;
            }
            newest = entry;
            newestCount++;
            if (border == null) {
                border = entry;
            }
            if (newestCount > newestRoom) {
                Entry falling = border;
                border = falling.newer;
                newestCount--;
                share(falling);
            }
        }
    }

    /**
     * The newest so many of which a predicate holds. Any thread.
     *
     * @param before only those of lower numbers
     */
    List<Entry> find(long before, int most, Predicate<Evidence> wanted) {
        List<Entry> found = new ArrayList<>();
        for (Entry at = newest; at != null && found.size() < most; at = at.older) {
            if (at.number < before && wanted.test(at.evidence)) {
                found.add(at);
            }
        }
        return found;
    }

    // ------------------------------------------------------------------ the shared half, under the lock

    private void share(Entry entry) {
        if (sharedRoom == 0) {
            unlink(entry);
            return;
        }
        Source source = sources.computeIfAbsent(source(entry.evidence.remote()), Source::new);
        if (source.newest == null) {
            source.oldest = entry;
        } else {
            source.newest.nextOfSource = entry;
        }
        source.newest = entry;
        recount(source, 1);
        sharedCount++;
        if (sharedCount > sharedRoom) {
            giveUp();
        }
    }

    private void giveUp() {
        Source loser = first[most];
        Entry oldest = loser == null ? null : loser.oldest;
        if (loser == null || oldest == null) {
            throw new AssertionError(most);
        }
        loser.oldest = oldest.nextOfSource;
        if (loser.oldest == null) {
            loser.newest = null;
        }
        recount(loser, -1);
        if (loser.count == 0) {
            sources.remove(loser.name);
        }
        sharedCount--;
        unlink(oldest);
    }

    private void unlink(Entry entry) {
        Entry newer = entry.newer;
        Entry older = entry.older;
        if (newer != null) {
            newer.older = older;
        } else {
            newest = older;
        }
        if (older != null) {
            older.newer = newer;
        }
    }

    /** Moves a source behind those that hold as many as it does now. */
    private void recount(Source source, int difference) {
        if (source.count > 0) {
            takeOut(source);
        }
        source.count += difference;
        if (source.count > 0) {
            putLast(source);
        }
        most = Math.max(most, source.count);
        while (most > 0 && first[most] == null) {
            most--;
        }
    }

    private void takeOut(Source source) {
        Source before = source.before;
        Source behind = source.behind;
        if (before == null) {
            first[source.count] = behind;
        } else {
            before.behind = behind;
        }
        if (behind == null) {
            last[source.count] = before;
        } else {
            behind.before = before;
        }
        source.before = null;
        source.behind = null;
    }

    private void putLast(Source source) {
        if (source.count == first.length) {
            int length = Math.min(2 * first.length, sharedRoom + 2);
            first = Arrays.copyOf(first, length);
            last = Arrays.copyOf(last, length);
        }
        Source before = last[source.count];
        source.before = before;
        if (before == null) {
            first[source.count] = source;
        } else {
            before.behind = source;
        }
        last[source.count] = source;
    }

    // ------------------------------------------------------------------ sources

    /**
     * Where a connection came from, so far as one holder of addresses is told from another.
     *
     * @param remote address and port, IPv6 in brackets; {@code unknown} is a source like any other
     */
    static String source(String remote) {
        if (!remote.startsWith("[")) {
            int port = remote.indexOf(':');
            return port < 0 ? remote : remote.substring(0, port);
        }
        int end = 0;
        for (int group = 0; group < V6_GROUPS && end >= 0; group++) {
            end = remote.indexOf(':', end + 1);
        }
        return end < 0 ? remote : remote.substring(1, end);
    }
}
