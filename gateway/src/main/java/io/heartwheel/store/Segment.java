package io.heartwheel.store;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Segment of the log: a file of batches, named by the number of its first record. It has the numbers up to the first one of the next segment. Written by
 * whoever commits, read by any thread.
 */
final class Segment {
    private static final Pattern NAME = Pattern.compile("0\\d{19}\\.log");

    private final long first;
    private final long atEpochMillis;
    private volatile long last;
    private volatile long end;
    private volatile long bytes;
    private volatile boolean open;

    /**
     * A segment.
     *
     * @param first number of its first record
     * @param atEpochMillis when that was committed
     * @param last number of its last record, as far as it is known
     * @param bytes it takes on the disk
     */
    Segment(long first, long last, long atEpochMillis, long bytes) {
        this.first = first;
        this.last = last;
        this.atEpochMillis = atEpochMillis;
        this.bytes = bytes;
        end = bytes;
    }

    static boolean isName(String file) {
        return NAME.matcher(file).matches();
    }

    static long firstOf(String name) {
        return Long.parseLong(name.substring(0, name.length() - ".log".length()));
    }

    /** The last one in this order that begins at this number or before; 0: none does. */
    static int indexOf(Segment[] all, long number) {
        int from = 0;
        int to = all.length - 1;
        while (from < to) {
            int middle = (from + to + 1) >>> 1;
            if (all[middle].first <= number) {
                from = middle;
            } else {
                to = middle - 1;
            }
        }
        return from;
    }

    static String name(long first) {
        return String.format(Locale.ROOT, "%020d.log", first);
    }

    String name() {
        return name(first);
    }

    long first() {
        return first;
    }

    long atEpochMillis() {
        return atEpochMillis;
    }

    /** Where what may be read ends. */
    long end() {
        return end;
    }

    /** Number of its last record, unless another segment follows: then it ends where that begins. */
    long last() {
        return last;
    }

    void endsAt(long offset, long number) {
        last = number;
        end = offset;
    }

    /** Bytes that it takes on the disk. */
    long bytes() {
        return bytes;
    }

    void takes(long allBytes) {
        bytes = allBytes;
    }

    /** Whether more is written to it. */
    boolean isOpen() {
        return open;
    }

    void open(boolean more) {
        open = more;
    }
}
