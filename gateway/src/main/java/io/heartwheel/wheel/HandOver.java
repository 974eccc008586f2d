package io.heartwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The way from the owners of entries to the turning thread: one bit a cell that says "look at me". In place of a queue: setting a bit twice is
 * setting it once, so it is bounded by nature and allocates nothing.
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
 * <p>Fields: {@code words} and {@code groups}, elements by volatile read-modify-write, written by all.
 *
 * <p>Order. A marker has stored its news in the cell before it calls {@link #mark}; it sets the bit in the word, then, unless it is set, the bit
 * in the group, and both accesses are sequentially consistent. The taker empties the group first and then the words, also sequentially
 * consistently, and reads the cell last. If the marker finds the group's bit set, no take of that group is ordered before its look, so the take
 * of the word that follows is ordered after its mark. If it finds the bit clear it sets it. Either way the mark is taken
 * (jcstress: {@code MarkIsNeverLostStress}). No marker relies on another one getting on: each sees to the group's bit itself.
 *
 * <p>Allowed race: a group's bit may be set over words that are already empty. The taker finds nothing there.
 */
final class HandOver {

    /** Cells a group. */
    static final int GROUP_CELLS = 4_096;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words;
    private final long[] groups;

    HandOver(int cells) {
        groups = new long[(cells + GROUP_CELLS - 1) / GROUP_CELLS];
        words = new long[groups.length * Long.SIZE];
    }

    /** Says that there is news of this cell. Any thread; one or two atomic operations, fewer when it was marked already. */
    void mark(int cell) {
        int word = cell >>> 6;
        long bit = 1L << cell;
        if (((long) LONGS.getVolatile(words, word) & bit) == 0) {
            LONGS.getAndBitwiseOr(words, word, bit);
        }
        markGroup(word >>> 6, 1L << word);
    }

    private void markGroup(int group, long bits) {
        if (((long) LONGS.getVolatile(groups, group) & bits) != bits) {
            LONGS.getAndBitwiseOr(groups, group, bits);
        }
    }

    boolean isMarked(int cell) {
        return ((long) LONGS.getVolatile(words, cell >>> 6) & 1L << cell) != 0
                && ((long) LONGS.getVolatile(groups, cell >>> 12) & 1L << (cell >>> 6)) != 0;
    }

    int groups() {
        return groups.length;
    }

    /** Whether there is anything to take. Reads one long for every 4,096 cells. */
    boolean pending() {
        for (int g = 0; g < groups.length; g++) {
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

    /** Takes a word: a bit for each of its 64 cells that was marked. */
    long takeWord(int word) {
        return (long) LONGS.getAndSet(words, word, 0L);
    }

    /** Gives back the words of a group that were not taken after all. */
    void putBack(int group, long bits) {
        markGroup(group, bits);
    }
}
