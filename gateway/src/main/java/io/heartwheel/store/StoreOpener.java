package io.heartwheel.store;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Opener of a store: looks at the first batch of each segment, reads the last segment, and finds out by the state which records are lost. It changes nothing
 * but for what was to be deleted already. Used once.
 */
final class StoreOpener {
    /** Of the layout before segments, which no version can read that has them. */
    private static final String FORMER = "journal.db";
    /** In a row: a start does not wait, and what it takes for lost is delivered if it can be read later. */
    private static final int TRIES = 3;

    private final StoreSettings settings;
    private final Disk disk;
    private final Map<String, Long> found;

    private @Nullable BatchHeader newest;

    // what is found out
    final List<Segment> segments = new ArrayList<>();
    /** First to last number of each range that is told as lost. */
    final NavigableMap<Long, Long> lost = new TreeMap<>();

    Store.Damage damage = Store.Damage.NONE;
    /** Most records that may be in what cannot be read of the last segment. */
    private long unread;

    long dropped;
    /** Number of the newest record that was acknowledged, or is there. */
    long last;

    StoreOpener(StoreSettings settings, Disk disk, Map<String, Long> found) throws IOException {
        this.settings = settings;
        this.disk = disk;
        this.found = found;
        Set<String> names = disk.names();
        List<Long> firsts = names.stream()
                .filter(Segment::isName)
                .map(Segment::firstOf)
                .sorted()
                .toList();
        dropped = of(StoreState.DROPPED, firsts.isEmpty() ? 0 : firsts.get(0) - 1);
        for (int i = 0; i < firsts.size(); i++) {
            long first = firsts.get(i);
            if (i + 1 < firsts.size() && firsts.get(i + 1) - 1 <= dropped) {
                delete(first);
            } else {
                segments.add(look(first));
            }
        }
        if (found.isEmpty() && names.contains(FORMER)) {
            tell(
                    0,
                    FORMER
                            + " is of an earlier version, whose events this one cannot read: start that once more to deliver them");
        }
        readEnd();
        compare();
    }

    private void tell(long records, String text) {
        damage = damage.and(records, settings.directory() + ": " + text);
    }

    /** What should have been deleted already. */
    private void delete(long first) {
        try {
            disk.delete(Segment.name(first));
        } catch (IOException e) {
            // the next start
        }
    }

    /** A segment; one whose head cannot be read is taken for as old as the one before. */
    private Segment look(long first) throws IOException {
        long atEpochMillis = segments.isEmpty() ? 0 : lastSegment().atEpochMillis;
        ByteBuffer head = ByteBuffer.allocate(BatchHeader.BYTES);
        try (Disk.DiskFile file = disk.openToRead(Segment.name(first))) {
            file.read(head, 0);
        } catch (IOException e) {
            // whoever reads it will tell
        }
        BatchHeader header = BatchHeader.read(head.array(), 0);
        long at = header == null ? atEpochMillis : header.atEpochMillis();
        return new Segment(first, at, disk.size(Segment.name(first)));
    }

    private Segment lastSegment() {
        return segments.get(segments.size() - 1);
    }

    /** Reads the segments from the last one back, until there is a batch. */
    private void readEnd() throws IOException {
        last = dropped;
        for (int i = segments.size() - 1; i >= 0 && newest == null; i--) {
            Segment segment = segments.get(i);
            boolean isLast = i == segments.size() - 1;
            long to = isLast ? Long.MAX_VALUE : segments.get(i + 1).first - 1;
            try (LogReader reader = new LogReader(new Only(disk, to, new Segment[] {segment}), false)) {
                long after = segment.first - 1;
                while (after < to) {
                    after = next(reader, after);
                }
                newest = reader.taken();
                if (isLast) {
                    last = Math.max(last, newest == null ? segment.first - 1 : newest.last());
                    force(segment);
                    if (reader.unreadFrom() >= 0) {
                        tell(0, segment.name() + " cannot be read to its end");
                        unread = (segment.bytes - reader.unreadFrom()) / RecordBatch.HEADER_BYTES;
                    }
                }
            }
        }
    }

    private static long next(LogReader reader, long after) throws StoreException {
        StoreException failure = null;
        for (int i = 0; i < TRIES; i++) {
            try {
                RecordBatch batch = reader.next(after);
                return batch == null ? Long.MAX_VALUE : batch.lastNumber();
            } catch (StoreException e) {
                failure = e;
            }
        }
        throw requireNonNull(failure);
    }

    /** One of them alone. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    private record Only(Disk disk, long lastNumber, Segment[] segments) implements LogReader.Source {
        @Override
        public int tries() {
            return TRIES;
        }
    }

    /** All in it counts as committed from now on; its last batch may have been on its way to the disk when the process ended. */
    private void force(Segment segment) {
        try (Disk.DiskFile file = disk.openToRead(segment.name())) {
            file.force();
        } catch (IOException e) {
            // nothing of it was acknowledged that was not forced
        }
    }

    /** Finds out what is missing at both ends. */
    private void compare() {
        if (!found.containsKey(StoreState.INCARNATION) && !segments.isEmpty()) {
            tell(0, StoreState.FILE + " is missing or damaged: how far the outlets had come is not known");
        }
        if (!segments.isEmpty()) {
            lose(dropped + 1, segments.get(0).first - 1);
        }
        long acknowledged = of(StoreState.LAST, 0);
        if (!hasEnded()) { // what was written down may be older than what cannot be read
            acknowledged = Math.max(acknowledged, last + unread);
        }
        lose(last + 1, acknowledged);
        last = Math.max(last, acknowledged);
        if (!segments.isEmpty() && lastSegment().first > last) {
            segments.remove(lastSegment()); // empty: the next one has its name
        }
        if (segments.isEmpty()) {
            dropped = last;
        } else {
            dropped = Math.max(dropped, segments.get(0).first - 1);
            lastSegment().last = last;
        }
    }

    /** Whether the state was saved by an end in good order. */
    private boolean hasEnded() {
        return of(StoreState.ENDED, 0) > 0 && of(StoreState.ENDED, 0) == of(StoreState.INCARNATION, 0);
    }

    private long of(String name, long otherwise) {
        return found.getOrDefault(name, otherwise);
    }

    private void lose(long from, long to) {
        if (from <= to) {
            lost.put(from, to);
            tell(to - from + 1, "records " + from + ".." + to + " are lost");
        }
    }

    Map<String, Long> cursors() {
        return found.entrySet().stream()
                .filter(each -> each.getKey().startsWith(StoreState.CURSOR))
                .collect(Collectors.toMap(
                        each -> each.getKey().substring(StoreState.CURSOR.length()), Map.Entry::getValue));
    }

    /** The start that begins now. */
    Store.Start start(long nowEpochMillis) {
        BatchHeader batch = newest;
        long previous = Math.max(of(StoreState.INCARNATION, 0), batch == null ? 0 : batch.incarnation());
        long epoch = Math.max(of(StoreState.EPOCH, 0), batch == null ? 0 : batch.greatestEpoch());
        long incarnation = Math.max(previous + 1, TimeUnit.MILLISECONDS.toSeconds(nowEpochMillis));
        return new Store.Start(
                incarnation,
                previous,
                hasEnded() && of(StoreState.ENDED, 0) == previous,
                epoch,
                batch == null ? 0 : batch.atEpochMillis());
    }
}
