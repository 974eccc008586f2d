package io.heartwheel.store;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the segments, over damage. Numbers are consecutive, so that whatever is missing between two batches that are as they were written, or before the
 * next segment begins, is lost; it is told as one damaged batch. It looks at a segment only up to what is committed, through one buffer; a number inside of it
 * is sought by the headers alone. A place that cannot be read is tried {@value #TRIES} times, which takes an outlet most of a minute, so that what is away for a
 * moment is no loss; then it counts as damaged, and what follows is tried in steps that grow, so that a large area takes a few reads. So does a file that is not
 * there, or cannot be opened while others can. One thread.
 */
final class LogReader implements StoreReader {
    private static final int BUFFER_BYTES = 128 << 10;
    private static final int BLOCK_BYTES = 4096;
    static final int TRIES = 10;

    /** Log that is read. */
    interface Source {
        /** Number of the newest record that is committed. */
        long lastNumber();

        /** Those that are kept, in order. */
        Segment[] segments();

        /** Where their files are. */
        Disk disk();

        /** Times that a place is tried. */
        default int tries() {
            return TRIES;
        }

        /** The records of these numbers cannot be read. */
        default void foundDamaged(Segment in, long first, long last) {}

        /** As {@link StoreReader#await}. */
        default boolean await(long after, long millis) throws InterruptedException {
            return false;
        }

        /** As {@link StoreReader#rows}. */
        default List<Row> rows(byte[] after, int limit) throws StoreException {
            return List.of();
        }
    }

    private final Source source;
    /** Whether only the changes of rows are wanted: batches without any have no body then. */
    private final boolean onlyRows;

    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).limit(0);
    private long bufferedFrom;
    /** An area that cannot be read ends here or later, and is taken for so long. */
    private long unreadableTo = -BUFFER_BYTES;

    private long unreadableBytes;

    private @Nullable Segment segment;
    private Disk.@Nullable DiskFile file;
    /** Where the batch is that follows the record {@code position}. */
    private long offset;

    private long position;
    /** Where what is committed ends. */
    private long end;

    private byte[] body = {};
    private @Nullable BatchHeader taken;
    /** Failures in a row of each place, by the number that was sought: also of one that is read again and again behind others that can be read. */
    private final Map<Long, Integer> failures = new HashMap<>();
    /** Of the place that is sought. */
    private int failed;

    /** Whether some of what follows the batch that was read last could not be read. */
    private boolean unread;

    LogReader(Source source, boolean onlyRows) {
        this.source = source;
        this.onlyRows = onlyRows;
    }

    @Override
    public @Nullable RecordBatch next(long after) throws StoreException {
        long newest = source.lastNumber(); // before the segments are looked at
        Segment[] all = source.segments();
        if (after >= newest) {
            return null;
        }
        long from = Math.max(after + 1, all.length == 0 ? newest + 1 : all[0].first);
        if (from > newest) {
            return RecordBatch.damaged(after + 1, newest, 0); // all were dropped
        }
        int at = Segment.indexOf(all, from);
        long last = at + 1 < all.length ? all[at + 1].first - 1 : newest;
        Segment wanted = all[at];
        failed = failures.isEmpty() ? 0 : failures.getOrDefault(from, 0);
        try {
            BatchHeader header = seek(wanted, from, last);
            if (failed > 0 && header != null && header.first() <= from) {
                failures.remove(from);
            }
            return header == null ? damaged(wanted, from, last) : taken(wanted, header, from);
        } catch (IOException e) {
            boolean notOpened = file == null;
            failures.put(from, ++failed);
            closeFile();
            Segment[] now = source.segments();
            if (now.length == 0 || now[0].first > wanted.first) {
                return next(after); // it was dropped
            }
            if (notOpened && failed >= source.tries() && isItsOwnFault(e)) {
                unread = true;
                return damaged(wanted, from, last);
            }
            throw StoreException.of(Path.of(wanted.name()), e);
        }
    }

    /** Whether a file is not there, or cannot be opened though others can; without descriptors that is different from one moment to the next. */
    private boolean isItsOwnFault(IOException notOpened) {
        if (notOpened instanceof NoSuchFileException) {
            return true;
        }
        if (String.valueOf(notOpened.getMessage()).contains("Too many open files")) {
            return false;
        }
        try {
            source.disk().openToRead(StoreState.FILE).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Header of the batch that was read last; null: none was. */
    @Nullable
    BatchHeader taken() {
        return taken;
    }

    /** Where what follows that one begins, if some of it could not be read; -1 if that is not so. */
    long unreadFrom() {
        return unread ? offset : -1;
    }

    private RecordBatch taken(Segment in, BatchHeader header, long from) {
        if (header.first() > from) {
            return damaged(in, from, header.first() - 1);
        }
        taken = header;
        unread = false;
        offset += header.bytes();
        position = header.last();
        int recordBytes = isWanted(header) ? header.recordBytes() : 0;
        byte[] all = isWanted(header) ? body : new byte[0];
        return new RecordBatch(
                header.store(),
                header.first(),
                header.last(),
                header.atEpochMillis(),
                all,
                recordBytes,
                from - header.first());
    }

    private RecordBatch damaged(Segment in, long first, long last) {
        source.foundDamaged(in, first, last);
        return RecordBatch.damaged(first, last, in.atEpochMillis);
    }

    /** Goes to the first batch that reaches this number and is as it was written; null: there is none in this segment. */
    private @Nullable BatchHeader seek(Segment wanted, long number, long last) throws IOException {
        if (wanted != segment || position >= number) {
            closeFile();
            file = source.disk().openToRead(wanted.name());
            segment = wanted;
            offset = 0;
            position = wanted.first - 1;
        }
        end = wanted.end;
        long at = offset;
        while (at >= 0 && at + BatchHeader.BYTES <= end) {
            BatchHeader header = headerAt(at, last);
            if (header == null) {
                at = nextMagic(at + 1);
            } else if (header.last() >= number && isWanted(header) && !hasBody(header, at)) {
                at += header.bytes();
            } else {
                offset = at;
                if (header.last() >= number) {
                    return header;
                }
                at += header.bytes();
                offset = at;
                position = header.last();
            }
        }
        return null;
    }

    private boolean isWanted(BatchHeader header) {
        return !onlyRows || header.rowBytes() > 0;
    }

    private @Nullable BatchHeader headerAt(long at, long last) throws IOException {
        BatchHeader header = BatchHeader.read(buffer.array(), load(at, BatchHeader.BYTES));
        boolean fits = header != null
                && header.first() > position
                && header.last() >= header.first()
                && header.last() <= last
                && at + header.bytes() <= end;
        return fits ? header : null;
    }

    private boolean hasBody(BatchHeader header, long at) throws IOException {
        int length = (int) header.bytes() - BatchHeader.BYTES;
        body = new byte[length];
        if (length > BUFFER_BYTES) {
            read(ByteBuffer.wrap(body), at + BatchHeader.BYTES);
        } else {
            System.arraycopy(buffer.array(), load(at + BatchHeader.BYTES, length), body, 0, length);
        }
        return BatchHeader.crc(body, 0, length) == header.bodyCrc();
    }

    /** The next place that may begin a batch; -1: there is none. */
    private long nextMagic(long from) throws IOException {
        long at = from;
        while (at + BatchHeader.BYTES <= end) {
            load(at, BatchHeader.BYTES);
            int last = (int) (Math.min(bufferedFrom + buffer.limit(), end) - Integer.BYTES - bufferedFrom);
            for (int i = (int) (at - bufferedFrom); i <= last; i++) {
                if (buffer.getInt(i) == BatchHeader.MAGIC) {
                    return bufferedFrom + i;
                }
            }
            at = Math.max(bufferedFrom + last + 1, unreadableTo);
        }
        return -1;
    }

    /** Makes sure that these bytes are in the buffer, zeros where the file has none; returns where. */
    private int load(long at, int length) throws IOException {
        if (at < bufferedFrom || at + length > bufferedFrom + buffer.limit()) {
            bufferedFrom = at;
            buffer.clear().limit((int) Math.min(BUFFER_BYTES, end - at));
            if (!read(buffer, at)) {
                if (buffer.position() == 0) {
                    boolean goesOn = at <= unreadableTo + BatchHeader.BYTES;
                    unreadableBytes = goesOn ? 4 * unreadableBytes : BLOCK_BYTES;
                    unreadableTo = at + unreadableBytes;
                }
                int known = buffer.position() == 0 ? BLOCK_BYTES : buffer.position();
                buffer.limit(Math.min(buffer.limit(), Math.max(length, known)));
            }
            Arrays.fill(buffer.array(), buffer.position(), buffer.limit(), (byte) 0);
            buffer.position(0);
        }
        return (int) (at - bufferedFrom);
    }

    /** Whether all can be read, or fails so seldom yet that it throws; what could be read is in the buffer. */
    private boolean read(ByteBuffer into, long at) throws IOException {
        try {
            requireNonNull(file).read(into, at);
            return true;
        } catch (IOException e) {
            if (failed < source.tries() - 1 || e instanceof ClosedChannelException) { // that is an interrupt
                throw e;
            }
            unread = true;
            return false;
        }
    }

    private void closeFile() {
        segment = null;
        buffer.limit(0);
        unreadableTo = -BUFFER_BYTES;
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            // nothing was written through it
        }
        file = null;
    }

    @Override
    public long firstSince(long epochMillis) throws StoreException {
        Segment[] all = source.segments();
        long newest = source.lastNumber();
        int at = 0;
        while (at + 1 < all.length && all[at + 1].atEpochMillis < epochMillis) {
            at++;
        }
        long from = all.length == 0 ? newest : all[at].first - 1;
        RecordBatch batch = next(from);
        while (batch != null && (batch.isDamaged() || batch.atEpochMillis() < epochMillis)) {
            batch = next(batch.lastNumber());
        }
        return batch == null ? newest + 1 : batch.firstNumber();
    }

    @Override
    public boolean await(long after, long millis) throws InterruptedException {
        return source.await(after, millis);
    }

    @Override
    public List<Row> rows(byte[] after, int limit) throws StoreException {
        return source.rows(after, limit);
    }

    @Override
    public void close() {
        closeFile();
    }
}
