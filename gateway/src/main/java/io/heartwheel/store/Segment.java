package io.heartwheel.store;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Segment of the log: a file of batches, named by the number of its first record. It has the numbers up to the first one of the next segment. The fields are
 * written by whoever commits, and read by any thread.
 */
final class Segment {
    private static final Pattern NAME = Pattern.compile("0\\d{19}\\.log");

    /** Number of its first record. */
    final long first;
    /** When that was committed. */
    final long atEpochMillis;

    /** Number of its last record, unless another segment follows: then it ends where that begins. */
    volatile long last;
    /** Where what may be read ends. */
    volatile long end;
    /** Bytes that it takes on the disk. */
    volatile long bytes;
    /** Whether more is written to it. */
    volatile boolean open;

    /** A segment of which nothing is known yet but the bytes that it takes on the disk. */
    Segment(long first, long atEpochMillis, long bytes) {
        this.first = first;
        this.atEpochMillis = atEpochMillis;
        this.bytes = bytes;
        last = first - 1;
        end = bytes;
    }

    static String name(long first) {
        return String.format(Locale.ROOT, "%020d.log", first);
    }

    static boolean isName(String file) {
        return NAME.matcher(file).matches();
    }

    static long firstOf(String name) {
        return Long.parseLong(name.substring(0, name.length() - ".log".length()));
    }

    /** The last one of these that begins at this number or before; 0: none does. */
    static int indexOf(Segment[] all, long number) {
        int at = 0;
        int behind = all.length;
        while (behind - at > 1) {
            int middle = (at + behind) >>> 1;
            if (all[middle].first > number) {
                behind = middle;
            } else {
                at = middle;
            }
        }
        return at;
    }

    String name() {
        return name(first);
    }
}
