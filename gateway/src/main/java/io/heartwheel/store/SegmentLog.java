package io.heartwheel.store;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Segments of a log, and the file that is appended to. A file is filled with zeros ahead of what is appended, so that a force seldom has to write how long it
 * is; after a failure it is cut to its last good batch, and another is begun: what the system could not write it may have forgotten.
 *
 * <p>Whoever commits appends; {@link #drop} is the keeper's; any thread asks for the segments. The list changes under the monitor.
 */
final class SegmentLog {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentLog.class);
    private static final long MOST_BYTES = 64L << 20;
    private static final long LEAST_BYTES = 64L << 10;
    private static final int SEGMENTS = 16;
    private static final int AHEAD_BYTES = 256 << 10;
    private static final long LEAST_AGE_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private final Disk disk;
    private final long segmentBytes;
    private final long ageMillis;
    private final boolean forces;

    private volatile Segment[] segments;
    private volatile long bytes;
    /** Dropped files that could not be deleted. */
    private final List<String> leftovers = new ArrayList<>();
    /** Segments that could not be cut to what was committed. */
    private final Queue<Segment> uncut = new ConcurrentLinkedQueue<>();

    // of whoever commits, and at the end of whoever closes
    private final ReentrantLock appending = new ReentrantLock();
    private final ByteBuffer zeros = ByteBuffer.allocateDirect(AHEAD_BYTES);
    private @Nullable Segment current;
    private Disk.@Nullable DiskFile file;

    /**
     * A log that goes on in a new segment.
     *
     * @param found what there is
     */
    SegmentLog(Disk disk, StoreSettings settings, List<Segment> found) {
        this.disk = disk;
        segmentBytes = Math.max(LEAST_BYTES, Math.min(MOST_BYTES, settings.maxBytes() / SEGMENTS));
        ageMillis = Math.max(LEAST_AGE_MILLIS, settings.keep().toMillis());
        forces = settings.sync() == StoreSettings.Sync.ALWAYS;
        segments = found.toArray(Segment[]::new);
        bytes = found.stream().mapToLong(segment -> segment.bytes).sum();
    }

    /** Those that are kept, in order; nobody changes the array. */
    Segment[] segments() {
        return segments;
    }

    /** Bytes on the disk. */
    long bytes() {
        return bytes;
    }

    /**
     * Appends a batch, and forces it if that is wanted.
     *
     * @param first number of its first record
     * @param last number of its last record
     * @return whether a segment was begun
     * @throws IOException if that fails; nothing of it is there then, as far as any reader can see, nor after an error
     */
    boolean append(ByteBuffer batch, long first, long last, long nowEpochMillis) throws IOException {
        appending.lock();
        try {
            return appendAlone(batch, first, last, nowEpochMillis);
        } finally {
            appending.unlock();
        }
    }

    private boolean appendAlone(ByteBuffer batch, long first, long last, long nowEpochMillis) throws IOException {
        Segment into = current;
        if (into != null && isFull(into, batch.remaining(), nowEpochMillis)) {
            end(into);
            into = null;
        }
        try {
            if (into == null) {
                into = begin(first, nowEpochMillis);
            }
            long end = into.end + batch.remaining();
            fillAhead(into, end);
            requireNonNull(file).write(batch, into.end);
            if (forces) {
                requireNonNull(file).force();
            }
            boolean begun = into.first == first;
            if (begun) {
                add(into);
            }
            into.last = last;
            into.end = end;
            return begun;
        } catch (IOException | RuntimeException | Error e) {
            if (into != null) {
                end(into);
            }
            throw e;
        }
    }

    private boolean isFull(Segment into, int more, long nowEpochMillis) {
        return into.end + more > segmentBytes || nowEpochMillis - into.atEpochMillis > ageMillis;
    }

    private Segment begin(long first, long nowEpochMillis) throws IOException {
        Segment begun = new Segment(first, nowEpochMillis, 0);
        Disk.DiskFile made = disk.create(begun.name());
        try {
            disk.forceNames();
        } catch (IOException e) {
            made.close();
            throw e;
        }
        begun.open = true;
        file = made;
        current = begun;
        return begun;
    }

    private void fillAhead(Segment into, long end) {
        if (end <= into.bytes) {
            return;
        }
        long to = Math.max(end, Math.min(end + Math.min(end, AHEAD_BYTES), segmentBytes)); // a short one stays short
        try {
            requireNonNull(file).write(zeros.clear().limit((int) (to - end)), end);
        } catch (IOException e) {
            // there may still be room for the batch
        }
        take(into, to);
    }

    private synchronized void take(Segment in, long allBytes) {
        bytes += allBytes - in.bytes;
        in.bytes = allBytes;
    }

    private synchronized void add(Segment begun) {
        Segment[] more = Arrays.copyOf(segments, segments.length + 1);
        more[segments.length] = begun;
        segments = more;
    }

    /** Writes no more to the open segment, which is cut to what was committed. If that is nothing, the next one has its name. */
    private void end(Segment ending) {
        current = null;
        ending.open = false;
        take(ending, ending.end);
        try (Disk.DiskFile open = requireNonNull(file)) {
            open.truncate(ending.end);
        } catch (IOException e) {
            if (ending.last >= ending.first) {
                uncut.add(ending);
            }
        }
        file = null;
    }

    /** The next batch begins a segment, so that all before it can be dropped; not if one is appended now. The keeper only. */
    void end() {
        if (appending.tryLock()) {
            try {
                if (current != null) {
                    end(current);
                }
            } finally {
                appending.unlock();
            }
        }
    }

    /**
     * Cuts what could not be cut. Its readers pass over what stands behind its end, but were the next segment lost, they would take that for its records. The
     * keeper only.
     */
    void cutAgain() {
        uncut.removeIf(this::isCut);
    }

    private boolean isCut(Segment ended) {
        try (Disk.DiskFile open = disk.open(ended.name())) {
            open.truncate(ended.end);
            return true;
        } catch (NoSuchFileException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends the open segment if its file was deleted by somebody: whatever is appended to that is not there at the next start. The keeper only. */
    void endIfGone() throws IOException {
        Segment[] all = segments;
        if (all.length > 0 && all[all.length - 1].open) {
            String name = all[all.length - 1].name();
            try {
                disk.size(name);
            } catch (NoSuchFileException e) {
                LOG.error(
                        "journal: {} was deleted while it was written; its events are lost with the next start", name);
                end();
            }
        }
    }

    private void delete(String name) {
        try {
            disk.delete(name);
        } catch (IOException e) {
            leftovers.add(name);
        }
    }

    /** Deletes the oldest segments. The keeper only. */
    void drop(int count) {
        List<String> names = new ArrayList<>(leftovers);
        leftovers.clear();
        synchronized (this) {
            for (int i = 0; i < count; i++) {
                names.add(segments[i].name());
                bytes -= segments[i].bytes;
            }
            segments = Arrays.copyOfRange(segments, count, segments.length);
        }
        names.forEach(this::delete);
    }

    /** Ends the open segment, forced; not if an append hangs in it, which is left alone. */
    void close() throws IOException {
        Segment open = current;
        if (open != null && appending.tryLock()) {
            try {
                requireNonNull(file).force();
                end(open);
            } finally {
                appending.unlock();
            }
        }
    }
}
