package io.heartwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Bitmap of the cells that the turning thread must look at: one bit a cell, set by the owners of entries. It takes the place of a queue: setting a
 * bit twice is setting it once, so it is bounded and allocates nothing.
 *
 * <pre>
 *   groups   1 . . 1 ...            one bit a word; one long for 64 words = 4,096 cells
 *            |     |
 *   words    v     v
 *           [..1.][....][....][1..1] one bit a cell
 * </pre>
 *
 * <h2>Concurrency</h2>
 *
 * Callers: {@link #mark} by any thread; the other methods by the turning thread alone.
 *
 * <p>Fields: the elements of {@code groups} and of each of {@code words}, by volatile read-modify-write, written by all. {@code words} itself, where
 * the 64 words of a group are made at its first mark, and {@code made}, the groups up to the last that has any: under the lock of this, before the
 * first of those marks.
 *
 * <p>Order. A marker has stored its news in the cell before it calls {@link #mark}; it sets the bit in the word, then, unless it is set, the bit
 * in the group, and both accesses are sequentially consistent. The taker empties the group first and then the words, also sequentially
 * consistently, and reads the cell last. If the marker finds the group's bit set, no take of that group is ordered before its look, so the take
 * of the word that follows is ordered after its mark. If it finds the bit clear it sets it. Either way the mark is taken
 * (jcstress: {@code MarkIsNeverLostStress}). No marker relies on another one getting on: each sees to the group's bit itself.
 *
 * <p>Allowed race: a group's bit may be set over words that are already empty. The taker finds nothing there.
 */
final class DirtyBitmap {

    /** Cells a group. */
    static final int GROUP_CELLS = 4_096;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[][].class);

    private final long[] @Nullable [] words;
    private final long[] groups;
    private volatile int made;

    DirtyBitmap(int cells) {
        groups = new long[(cells + GROUP_CELLS - 1) / GROUP_CELLS];
        words = new long[groups.length][];
    }

    /** Says that there is news of this cell. Any thread; one or two atomic operations, fewer when it was marked already. */
    void mark(int cell) {
        int group = cell >>> 12;
        long[] inGroup = (long[]) WORDS.getAcquire(words, group);
        if (inGroup == null) {
            inGroup = make(group);
        }
        int word = cell >>> 6 & 63;
        long bit = 1L << cell;
        if (((long) LONGS.getVolatile(inGroup, word) & bit) == 0) {
            LONGS.getAndBitwiseOr(inGroup, word, bit);
        }
        markGroup(group, 1L << word);
    }

    private synchronized long[] make(int group) {
        long[] inGroup = words[group];
        if (inGroup == null) {
            inGroup = new long[Long.SIZE];
            WORDS.setRelease(words, group, inGroup);
            made = Math.max(made, group + 1);
        }
        return inGroup;
    }

    private void markGroup(int group, long bits) {
        if (((long) LONGS.getVolatile(groups, group) & bits) != bits) {
            LONGS.getAndBitwiseOr(groups, group, bits);
        }
    }

    boolean isMarked(int cell) {
        long[] inGroup = (long[]) WORDS.getAcquire(words, cell >>> 12);
        return inGroup != null
                && ((long) LONGS.getVolatile(inGroup, cell >>> 6 & 63) & 1L << cell) != 0
                && ((long) LONGS.getVolatile(groups, cell >>> 12) & 1L << (cell >>> 6)) != 0;
    }

    /** Groups up to the last one that was ever marked. */
    int groups() {
        return made;
    }

    /** Whether there is anything to take. Reads one long for every 4,096 cells up to the last that was ever marked. */
    boolean pending() {
        int end = made;
        for (int g = 0; g < end; g++) {
            if ((long) LONGS.getVolatile(groups, g) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Takes a group: a bit for each of its 64 words that may hold marks. */
    long takeGroup(int group) {
        return (long) LONGS.getVolatile(groups, group) == 0 ? 0 : (long) LONGS.getAndSet(groups, group, 0L);
    }

    /** Takes a word of a group that {@link #takeGroup} named: a bit for each of its 64 cells that was marked. */
    long takeWord(int group, int word) {
        long[] inGroup = (long[]) WORDS.getAcquire(words, group);
        return inGroup == null ? 0 : (long) LONGS.getAndSet(inGroup, word, 0L);
    }

    /** Gives back the words of a group that were not taken after all. */
    void putBack(int group, long bits) {
        markGroup(group, bits);
    }
}
