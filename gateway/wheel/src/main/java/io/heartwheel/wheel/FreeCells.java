package io.heartwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Bitmap of the free cells: one bit a cell, and one for each 64 of those. Whoever clears a bit has the cell, so no cell is given out twice, however slow
 * a taker is.
 *
 * <h2>Concurrency</h2>
 *
 * Callers: {@link #put} and {@link #flush} by the turning thread alone; {@link #take} by any.
 *
 * <p>Fields: the elements of {@code groups} and of each of {@code words}, by atomic read-modify-write, written by all. {@code words} itself, {@code
 * pending} and {@code pendingWord}: the turning thread, which publishes the words of a group with the first bit of it in {@code groups}.
 *
 * <p>Order. The turning thread sets bits in a word and then the bit of the group. A taker that finds a word empty clears the group's bit, looks at the word
 * again, and sets the group's bit again when something came between: so no bit is left in a group that says it has none. Allowed race: a group's bit may
 * stand over words that are empty; the next taker clears it.
 *
 * <p>(jcstress: {@code ReleasedCellIsReusedOnceStress}.)
 */
final class FreeCells {

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] @Nullable [] words;
    private final long[] groups;

    /** What was put and is not on offer yet: bits of one word, so that a run of cells costs its takers one change of that line. */
    private long pending;

    private int pendingWord;

    FreeCells(int cells) {
        groups = new long[(cells + DirtyBitmap.GROUP_CELLS - 1) / DirtyBitmap.GROUP_CELLS];
        words = new long[groups.length][];
    }

    /** Turning thread: from the next {@link #flush} on the cell can be taken. */
    void put(int cell) {
        int word = cell >>> 6;
        if (word != pendingWord) {
            flush();
            pendingWord = word;
        }
        pending |= 1L << cell;
    }

    /** Turning thread: offers all that was put. */
    void flush() {
        if (pending == 0) {
            return;
        }
        int group = pendingWord >>> 6;
        long[] inGroup = words[group];
        if (inGroup == null) {
            inGroup = new long[Long.SIZE];
            words[group] = inGroup;
        }
        LONGS.getAndBitwiseOr(inGroup, pendingWord & 63, pending);
        pending = 0;
        markGroup(group, 1L << pendingWord);
    }

    private void markGroup(int group, long bit) {
        if (((long) LONGS.getVolatile(groups, group) & bit) == 0) {
            LONGS.getAndBitwiseOr(groups, group, bit);
        }
    }

    /** Takes any cell of the groups up to this one; {@link Cells#NONE} when there is none. Reads a long for every 4,096 cells up to the first it finds. */
    int take(int groupsInUse) {
        for (int group = 0; group < groupsInUse; group++) {
            for (long inGroup = (long) LONGS.getVolatile(groups, group);
                    inGroup != 0;
                    inGroup = (long) LONGS.getVolatile(groups, group)) {
                int cell = takeFrom(group, Long.numberOfTrailingZeros(inGroup));
                if (cell != Cells.NONE) {
                    return cell;
                }
            }
        }
        return Cells.NONE;
    }

    private int takeFrom(int group, int word) {
        // The bit of the group was read after the words were published.
        long[] inGroup = words[group];
        if (inGroup == null) {
            throw new AssertionError("group = " + group + ": a bit and no words");
        }
        for (; ; ) {
            long bits = (long) LONGS.getVolatile(inGroup, word);
            if (bits == 0) {
                LONGS.getAndBitwiseAnd(groups, group, ~(1L << word));
                if ((long) LONGS.getVolatile(inGroup, word) != 0) {
                    markGroup(group, 1L << word);
                }
                return Cells.NONE;
            }
            if (LONGS.compareAndSet(inGroup, word, bits, bits & bits - 1)) {
                return group << 12 | word << 6 | Long.numberOfTrailingZeros(bits);
            }
        }
    }
}
