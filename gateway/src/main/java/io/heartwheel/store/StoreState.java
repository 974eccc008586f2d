package io.heartwheel.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * State of a store beside its segments, numbers by name: how far it has come, and the cursors. It is overwritten in place, so that it never needs
 * room.
 *
 * <pre>
 *   0       two places   all numbers, forced; they are written in turn, and the turn passes on once the disk has it
 *   8 KiB   two marks    what was acknowledged, written after each commit in turn and not forced: a microsecond
 *
 *   each: checksum i32 | length i32 | sequence i64 | numbers: length of name u8 | name | i64
 * </pre>
 *
 * <p>A mark may be old after a power failure; it is never ahead of what was acknowledged. A log that ends before its mark has lost records, and which ones is
 * known. {@link #mark} by whoever commits; {@link #save} under the monitor, so that no commit waits for a force.
 */
final class StoreState implements Closeable {
    static final String FILE = "journal.state";

    /** Number of the latest start. */
    static final String INCARNATION = "incarnation";
    /** Of the start that ended in good order. */
    static final String ENDED = "ended";
    /** Records up to this number were dropped, or are lost. */
    static final String DROPPED = "dropped";
    /** Number of the newest record that was acknowledged. */
    static final String LAST = "last";
    /** Greatest epoch of a session that was committed. */
    static final String EPOCH = "epoch";
    /** Of an outlet whose name follows. */
    static final String CURSOR = "cursor.";

    private static final int PLACE_BYTES = 4096;
    private static final int MARK_BYTES = 512;
    private static final int MARKS_AT = 2 * PLACE_BYTES;
    private static final int ALL_BYTES = MARKS_AT + 2 * MARK_BYTES;
    private static final int SEQUENCE_AT = 2 * Integer.BYTES;
    private static final int NUMBERS_AT = SEQUENCE_AT + Long.BYTES;

    private final Disk.DiskFile file;
    private final Map<String, Long> found = new HashMap<>();
    private long saves;
    private long marks;

    private StoreState(Disk.DiskFile file) {
        this.file = file;
    }

    /** Opens it, or makes one. */
    static StoreState open(Disk disk) throws IOException {
        boolean isNew = !disk.names().contains(FILE);
        StoreState state = new StoreState(isNew ? disk.create(FILE) : disk.open(FILE));
        try {
            int missing = (int) Math.max(0, ALL_BYTES - disk.size(FILE));
            if (missing > 0) {
                state.file.write(ByteBuffer.allocate(missing), ALL_BYTES - missing);
            }
            disk.forceNames(); // whoever made it may have ended before that
            state.read();
            return state;
        } catch (IOException e) {
            state.file.close();
            throw e;
        }
    }

    private void read() throws IOException {
        ByteBuffer all = ByteBuffer.allocate(ALL_BYTES);
        file.read(all, 0);
        for (int at = 0; at < MARKS_AT; at += PLACE_BYTES) {
            Map<String, Long> place = new HashMap<>();
            long sequence = read(all.slice(at, PLACE_BYTES), place);
            if (sequence > saves) {
                saves = sequence;
                found.clear();
                found.putAll(place);
            }
        }
        for (int at = MARKS_AT; at < ALL_BYTES; at += MARK_BYTES) {
            Map<String, Long> mark = new HashMap<>();
            marks = Math.max(marks, read(all.slice(at, MARK_BYTES), mark));
            mark.forEach((name, number) -> found.merge(name, number, Math::max));
        }
    }

    /** Reads numbers; returns their sequence, 0 if they are not as they were written. */
    private static long read(ByteBuffer in, Map<String, Long> numbers) {
        int length = in.getInt(Integer.BYTES);
        if (length < NUMBERS_AT || length > in.limit() || in.getInt(0) != crc(in, length)) {
            return 0;
        }
        in.limit(length).position(NUMBERS_AT);
        while (in.hasRemaining()) {
            byte[] name = new byte[in.get() & 0xFF];
            in.get(name);
            numbers.put(new String(name, StandardCharsets.UTF_8), in.getLong());
        }
        return in.getLong(SEQUENCE_AT);
    }

    private static int crc(ByteBuffer of, int length) {
        return BatchHeader.crc(of.array(), of.arrayOffset() + Integer.BYTES, length - Integer.BYTES);
    }

    /** What it said when it was opened, the mark included; no incarnation if it is new, or damaged. */
    Map<String, Long> found() {
        return found;
    }

    /** Writes it, and blocks until the disk has it. What was there before is found if that fails. The last cursors go if there are too many. */
    synchronized void save(Map<String, Long> numbers) throws IOException {
        write(numbers, saves + 1, 0, PLACE_BYTES);
        file.force();
        saves++;
    }

    /** Notes what was acknowledged. A failure is no reason to refuse what is committed: then a loss is not told, if there is one. */
    void mark(long last, long epoch) {
        try {
            write(Map.of(LAST, last, EPOCH, epoch), ++marks, MARKS_AT, MARK_BYTES);
        } catch (IOException | OutOfMemoryError e) {
            // the next one
        }
    }

    private void write(Map<String, Long> numbers, long sequence, int from, int most) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(most).position(SEQUENCE_AT).putLong(sequence);
        numbers.forEach((name, number) -> {
            byte[] text = name.getBytes(StandardCharsets.UTF_8);
            if (out.remaining() > text.length + Long.BYTES) {
                out.put((byte) text.length).put(text).putLong(number);
            }
        });
        out.flip().putInt(Integer.BYTES, out.limit());
        out.putInt(0, crc(out, out.limit()));
        file.write(out, from + (sequence & 1) * most);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
