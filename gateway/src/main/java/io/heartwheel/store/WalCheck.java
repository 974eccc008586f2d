package io.heartwheel.store;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Check of a write-ahead log, before SQLite opens it. SQLite reads the log up to the first frame that is not as it was written and forgets what is behind,
 * without a word: right after a power failure, a silent loss if bytes were flipped. The check counts the commits behind that frame.
 *
 * <pre>
 *   log:    magic | version | page bytes | checkpoint | salt 1 | salt 2 | sum 1 | sum 2        then frames
 *   frame:  page | pages of the database if this commits, else 0 | salt 1 | salt 2 | sum 1 | sum 2 | the page
 * </pre>
 *
 * <p>The log is written from its beginning again and again, with other salts each time (a generation), so that frames of an older one may follow. The sums run
 * from the header through all frames. The format: sqlite.org/fileformat2.html, section 4.
 *
 * <p>If the header itself is not as it was written, SQLite ignores the log. That is right if the power failed while it was written, because then the old
 * frames are all in the database; whether they are is compared.
 *
 * @param commits commits that SQLite will read
 * @param lostCommits commits of the same generation behind a frame that is damaged, or that never came to the disk
 * @param headerLost whether the header is damaged and there are frames behind it that are not in the database
 */
record WalCheck(int commits, int lostCommits, boolean headerLost) {
    private static final WalCheck EMPTY = new WalCheck(0, 0, false);
    private static final int HEADER_BYTES = 32;
    private static final int FRAME_HEADER_BYTES = 24;
    private static final int MAGIC = 0x377f0682;
    private static final int VERSION = 3_007_000;
    private static final int SECTOR_BYTES = 512;
    private static final int MIN_PAGE_BYTES = 512;
    private static final int MAX_PAGE_BYTES = 65_536;

    /**
     * Reads it all.
     *
     * @param database nobody in this process may have it open: closing it here would let go of SQLite's locks
     */
    static WalCheck of(Path wal, Path database) throws IOException {
        if (!Files.exists(wal) || Files.size(wal) < HEADER_BYTES + FRAME_HEADER_BYTES + MIN_PAGE_BYTES) {
            return EMPTY;
        }
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(wal), 1 << 16))) {
            byte[] header = in.readNBytes(HEADER_BYTES);
            ByteBuffer fields = ByteBuffer.wrap(header);
            int magic = fields.getInt(0);
            Sums sums = new Sums((magic & 1) != 0);
            sums.add(header, 24);
            int pageBytes = fields.getInt(8);
            boolean valid = (magic & ~1) == MAGIC && fields.getInt(4) == VERSION && isPageSize(pageBytes);
            if (valid && sums.are(fields.getInt(24), fields.getInt(28))) {
                return frames(in, sums, pageBytes, fields.getLong(16));
            }
            return new WalCheck(0, 0, isNotIn(database, in, pageBytes));
        }
    }

    private static boolean isPageSize(int bytes) {
        return bytes >= MIN_PAGE_BYTES && bytes <= MAX_PAGE_BYTES && Integer.bitCount(bytes) == 1;
    }

    private static WalCheck frames(InputStream in, Sums sums, int pageBytes, long salts) throws IOException {
        byte[] frame = new byte[FRAME_HEADER_BYTES + pageBytes];
        ByteBuffer fields = ByteBuffer.wrap(frame);
        boolean valid = true;
        int commits = 0;
        int lost = 0;
        for (long at = HEADER_BYTES; in.readNBytes(frame, 0, frame.length) == frame.length; at += frame.length) {
            boolean ofGeneration = fields.getLong(8) == salts;
            sums.add(frame, 8);
            sums.addFrom(frame, FRAME_HEADER_BYTES, pageBytes);
            boolean follows = sums.are(fields.getInt(16), fields.getInt(20));
            valid = valid && ofGeneration && follows && fields.getInt(0) != 0;
            if (ofGeneration && fields.getInt(4) != 0) {
                if (valid) {
                    commits++;
                } else if (follows || isInOneSector(at)) {
                    lost++;
                }
            }
            sums.goOnFrom(fields.getInt(16), fields.getInt(20)); // as its writer did
        }
        return new WalCheck(commits, lost, false);
    }

    /** Whether a power failure leaves all or nothing of what says that a frame commits, and in which generation. */
    private static boolean isInOneSector(long frameAt) {
        return (frameAt + 4) / SECTOR_BYTES == (frameAt + 15) / SECTOR_BYTES;
    }

    /** Whether a page of the first frames' generation is not in the database as it was committed last. */
    private static boolean isNotIn(Path database, InputStream in, int claimedPageBytes) throws IOException {
        if (!Files.exists(database)) {
            return true;
        }
        try (RandomAccessFile pages = new RandomAccessFile(database.toFile(), "r")) {
            int pageBytes = isPageSize(claimedPageBytes) ? claimedPageBytes : Sqlite.PAGE_BYTES;
            byte[] frame = new byte[FRAME_HEADER_BYTES + pageBytes];
            ByteBuffer fields = ByteBuffer.wrap(frame);
            Map<Integer, byte[]> committed = new HashMap<>();
            Map<Integer, byte[]> open = new HashMap<>();
            long salts = 0;
            while (in.readNBytes(frame, 0, frame.length) == frame.length && fields.getInt(0) != 0) {
                salts = salts == 0 ? fields.getLong(8) : salts;
                if (fields.getLong(8) != salts) {
                    break;
                }
                open.put(fields.getInt(0), Arrays.copyOfRange(frame, FRAME_HEADER_BYTES, frame.length));
                if (fields.getInt(4) != 0) {
                    committed.putAll(open);
                    open.clear();
                }
            }
            for (Map.Entry<Integer, byte[]> page : committed.entrySet()) {
                if (!isAt(pages, Integer.toUnsignedLong(page.getKey() - 1) * pageBytes, page.getValue())) {
                    return true;
                }
            }
            return false;
        }
    }

    private static boolean isAt(RandomAccessFile pages, long at, byte[] page) throws IOException {
        if (at + page.length > pages.length()) {
            return false;
        }
        byte[] there = new byte[page.length];
        pages.seek(at);
        pages.readFully(there);
        return Arrays.equals(there, page);
    }

    /** The running sums, over words of four bytes. */
    private static final class Sums {
        private final ByteOrder order;
        private int first;
        private int second;

        Sums(boolean bigEndian) {
            order = bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        }

        void add(byte[] bytes, int length) {
            addFrom(bytes, 0, length);
        }

        void addFrom(byte[] bytes, int from, int length) {
            ByteBuffer words = ByteBuffer.wrap(bytes, from, length).order(order);
            while (words.hasRemaining()) {
                first += words.getInt() + second;
                second += words.getInt() + first;
            }
        }

        void goOnFrom(int first, int second) {
            this.first = first;
            this.second = second;
        }

        boolean are(int first, int second) {
            return this.first == first && this.second == second;
        }
    }
}
