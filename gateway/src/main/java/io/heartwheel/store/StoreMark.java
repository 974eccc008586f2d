package io.heartwheel.store;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Mark beside the database: which records a store has told its owner that it has. It is written after each commit and not forced, so that it costs a
 * microsecond. After a power failure it may be old; it is never ahead of what was acknowledged. A database that ends before its mark has lost records, and
 * which ones is known.
 *
 * <p>Two places are written in turn, so that one of them is whole whenever the process is killed. One thread at a time.
 */
final class StoreMark implements Closeable {
    static final String FILE = "journal.mark";

    private static final long MAGIC = 0x68_77_6d_61_72_6b_30_31L; // hwmark01
    private static final int PLACE_BYTES = 64;
    private static final int CRC_AT = 52;
    private static final int CLEAN = 4;
    private static final int SUSPECT = 8;
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private final RandomAccessFile file;
    private final ByteBuffer place = ByteBuffer.allocate(PLACE_BYTES);
    private final long boot;
    private final @Nullable State found;
    private long sequence;

    /**
     * Content of a mark.
     *
     * @param id the store's, as a number
     * @param dropped records up to this number were dropped
     * @param last number of the newest record
     * @param boot start of the machine that wrote it; 0 if unknown
     * @param sync how commits were forced
     * @param clean the store was closed
     * @param suspect damage was seen: the database is to be checked
     */
    record State(long id, long dropped, long last, long boot, SyncPolicy.Mode sync, boolean clean, boolean suspect) {}

    private StoreMark(RandomAccessFile file, long boot) throws IOException {
        this.file = file;
        this.boot = boot;
        byte[] both = new byte[2 * PLACE_BYTES];
        int bytes = Math.max(0, file.read(both));
        State newest = null;
        for (int at = 0; at + PLACE_BYTES <= bytes; at += PLACE_BYTES) {
            ByteBuffer in = ByteBuffer.wrap(both, at, PLACE_BYTES).slice();
            if (in.getLong(0) == MAGIC && in.getInt(CRC_AT) == crc(Arrays.copyOfRange(both, at, at + CRC_AT))) {
                long number = in.getLong(8);
                if (newest == null || number > sequence) {
                    sequence = number;
                    newest = state(in);
                }
            }
        }
        found = newest;
        if (bytes < both.length) {
            file.seek(0);
            file.write(Arrays.copyOf(both, both.length));
            file.getFD().sync();
        }
    }

    /**
     * Opens it, or makes an empty one.
     *
     * @param boot start of this machine, see {@link #boot}
     */
    static StoreMark open(Path directory, long boot) throws IOException {
        RandomAccessFile file = new RandomAccessFile(directory.resolve(FILE).toFile(), "rw");
        try {
            return new StoreMark(file, boot);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** What it said when it was opened; null if it is new, or damaged. */
    @Nullable
    State found() {
        return found;
    }

    /** Whether what was found was written since the machine was started. */
    boolean isOfThisBoot() {
        return found != null && boot != 0 && found.boot == boot;
    }

    /** Writes it. A failure is no reason to refuse what is committed: then a loss is not told, if there is one. */
    void write(long id, long dropped, long last, SyncPolicy.Mode sync, boolean clean, boolean suspect) {
        sequence++;
        int flags = sync.ordinal() | (clean ? CLEAN : 0) | (suspect ? SUSPECT : 0);
        place.clear();
        place.putLong(MAGIC)
                .putLong(sequence)
                .putLong(id)
                .putLong(dropped)
                .putLong(last)
                .putLong(boot)
                .putInt(flags);
        place.putInt(crc(Arrays.copyOf(place.array(), CRC_AT)));
        try {
            file.seek((sequence & 1) * PLACE_BYTES);
            file.write(place.array());
        } catch (IOException e) {
            // the next one
        }
    }

    private static State state(ByteBuffer in) {
        int flags = in.getInt(48);
        SyncPolicy.Mode sync = SyncPolicy.Mode.values()[Math.min(flags & 3, 2)];
        return new State(
                in.getLong(16),
                in.getLong(24),
                in.getLong(32),
                in.getLong(40),
                sync,
                (flags & CLEAN) != 0,
                (flags & SUSPECT) != 0);
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length);
        return (int) crc.getValue();
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
        try (file) {
            file.getFD().sync();
        }
    }
}
