package io.heartwheel.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * State of a store beside its segments: who it is, how far it has come, and the cursors. It is overwritten in place, so that it never needs room.
 *
 * <pre>
 *   0      first place   content, forced; the two places are written in turn, and the turn passes on once the disk has it
 *   4 KiB  second place
 *   8 KiB  two marks     the newest number that was acknowledged, written after each commit in turn and not forced: a microsecond
 *
 *   place: checksum i32 | length i32 | sequence i64 | the fields of Content; each cursor: length of name u8 | name | i64
 * </pre>
 *
 * <p>A mark may be old after a power failure; it is never ahead of what was acknowledged. A log that ends before its mark has lost records, and which ones is
 * known. {@link #mark} by whoever commits; all else under the monitor, so that no commit waits for a force.
 */
final class StoreState implements Closeable {
    static final String FILE = "journal.state";

    private static final int PLACE_BYTES = 4096;
    private static final int MARK_BYTES = 512;
    private static final long MARKS_AT = 2 * PLACE_BYTES;
    private static final int HEAD_BYTES = 2 * Integer.BYTES;
    /** Cursors of outlets that are gone for long may find no room. */
    private static final int LONGEST_CURSOR = 1 + 255 + Long.BYTES;

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private final Disk.DiskFile file;
    private @Nullable Content found;
    private long sequence;

    private final ByteBuffer mark = ByteBuffer.allocate(HEAD_BYTES + 4 * Long.BYTES);
    private long marks;

    /**
     * Content of a place.
     *
     * @param store number of the store's id
     * @param incarnation number of the latest start
     * @param ended whether that ended in good order
     * @param forced whether its commits were forced
     * @param boot start of the machine that wrote it; 0 if unknown
     * @param dropped records up to this number were dropped, or are lost
     * @param last number of the newest record that was acknowledged
     * @param greatestEpoch greatest epoch that was committed
     * @param cursors of the outlets
     */
    record Content(
            long store,
            long incarnation,
            boolean ended,
            boolean forced,
            long boot,
            long dropped,
            long last,
            long greatestEpoch,
            Map<String, Long> cursors) {
        private Content marked(ByteBuffer mark) {
            boolean own = mark.getLong(HEAD_BYTES + Long.BYTES) == store;
            return new Content(
                    store,
                    incarnation,
                    ended,
                    forced,
                    boot,
                    dropped,
                    own ? Math.max(last, mark.getLong(HEAD_BYTES + 2 * Long.BYTES)) : last,
                    own ? Math.max(greatestEpoch, mark.getLong(HEAD_BYTES + 3 * Long.BYTES)) : greatestEpoch,
                    cursors);
        }
    }

    private StoreState(Disk.DiskFile file) {
        this.file = file;
    }

    /** Opens it, or makes one; it does not change what is there. */
    static StoreState open(Disk disk) throws IOException {
        boolean isNew = !disk.names().contains(FILE);
        StoreState state = new StoreState(isNew ? disk.create(FILE) : disk.open(FILE));
        try {
            state.read();
            long size = MARKS_AT + 2 * MARK_BYTES;
            if (state.file.size() < size) {
                ByteBuffer rest = ByteBuffer.allocate((int) (size - state.file.size()));
                state.file.write(rest, size - rest.capacity());
                state.file.force();
                disk.forceNames();
            }
            return state;
        } catch (IOException e) {
            state.file.close();
            throw e;
        }
    }

    private void read() throws IOException {
        ByteBuffer all = ByteBuffer.allocate((int) MARKS_AT + 2 * MARK_BYTES);
        file.read(all, 0);
        for (int place = 0; place < 2; place++) {
            ByteBuffer in = valid(all, place * PLACE_BYTES, PLACE_BYTES);
            if (in != null && (found == null || in.getLong(HEAD_BYTES) > sequence)) {
                try {
                    found = content(in.position(HEAD_BYTES + Long.BYTES));
                    sequence = in.getLong(HEAD_BYTES);
                } catch (BufferUnderflowException e) {
                    // not by this version
                }
            }
        }
        for (int at = 0; at < 2 && found != null; at++) {
            ByteBuffer in = valid(all, (int) MARKS_AT + at * MARK_BYTES, MARK_BYTES);
            if (in != null) {
                marks = Math.max(marks, in.getLong(HEAD_BYTES));
                found = found.marked(in);
            }
        }
    }

    private static @Nullable ByteBuffer valid(ByteBuffer all, int at, int longest) {
        int length = all.getInt(at + Integer.BYTES);
        if (length <= HEAD_BYTES || length > longest || all.getInt(at) != crc(all.array(), at, length)) {
            return null;
        }
        return all.slice(at, length);
    }

    private static int crc(byte[] bytes, int at, int length) {
        return BatchHeader.crc(bytes, at + Integer.BYTES, length - Integer.BYTES);
    }

    private static Content content(ByteBuffer in) {
        long store = in.getLong();
        long incarnation = in.getLong();
        boolean ended = in.get() != 0;
        boolean forced = in.get() != 0;
        long boot = in.getLong();
        long dropped = in.getLong();
        long last = in.getLong();
        long greatestEpoch = in.getLong();
        Map<String, Long> cursors = new HashMap<>();
        while (in.hasRemaining()) {
            byte[] name = new byte[in.get() & 0xFF];
            in.get(name);
            cursors.put(new String(name, StandardCharsets.UTF_8), in.getLong());
        }
        return new Content(store, incarnation, ended, forced, boot, dropped, last, greatestEpoch, cursors);
    }

    /** What it said when it was opened; null if it is new, or damaged. */
    @Nullable
    Content found() {
        return found;
    }

    /** Writes it, and blocks until the disk has it. What was there before is found if that fails. */
    synchronized void save(Content content) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(PLACE_BYTES);
        out.position(HEAD_BYTES);
        out.putLong(sequence + 1)
                .putLong(content.store)
                .putLong(content.incarnation)
                .put((byte) (content.ended ? 1 : 0))
                .put((byte) (content.forced ? 1 : 0))
                .putLong(content.boot)
                .putLong(content.dropped)
                .putLong(content.last)
                .putLong(content.greatestEpoch);
        content.cursors.forEach((name, number) -> {
            if (out.remaining() >= LONGEST_CURSOR) {
                byte[] text = name.getBytes(StandardCharsets.UTF_8);
                out.put((byte) text.length).put(text).putLong(number);
            }
        });
        file.write(sealed(out), ((sequence + 1) & 1) * PLACE_BYTES);
        file.force();
        sequence++;
    }

    private static ByteBuffer sealed(ByteBuffer out) {
        out.flip();
        out.putInt(Integer.BYTES, out.limit());
        return out.putInt(0, crc(out.array(), 0, out.limit()));
    }

    /** Notes what was acknowledged. A failure is no reason to refuse what is committed: then a loss is not told, if there is one. */
    void mark(long store, long last, long greatestEpoch) {
        marks++;
        mark.clear().position(HEAD_BYTES);
        mark.putLong(marks).putLong(store).putLong(last).putLong(greatestEpoch);
        try {
            file.write(sealed(mark), MARKS_AT + (marks & 1) * MARK_BYTES);
        } catch (IOException e) {
            // the next one
        }
    }

    /** A number that is another one after each start of this machine; 0 if that cannot be known. */
    static long boot() {
        try {
            UUID id = UUID.fromString(
                    Files.readString(BOOT_ID, StandardCharsets.US_ASCII).strip());
            return id.getMostSignificantBits() ^ id.getLeastSignificantBits();
        } catch (IOException | IllegalArgumentException e) {
            return 0;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
