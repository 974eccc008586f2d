package io.heartwheel.wheel;

import java.util.Arrays;

/**
 * One ring of buckets: the top of each one's {@link Blocks}, and a bit for each that is not empty, so that a run of empty buckets is passed at 64
 * a step. Confined to the turning thread.
 */
final class Level {

    private final int index;
    private final int mask;
    private final Cells cells;
    private final Blocks blocks;
    private final int[] tops;
    /** Cells a bucket. */
    private final int[] counts;

    private final long[] occupied;
    /** Cells in all buckets. */
    private int filed;
    /** Keeps what {@link #take} reads from being optimised away. */
    private long unusedSum;

    Level(int index, int buckets, Cells cells, Blocks blocks) {
        this.index = index;
        this.cells = cells;
        this.blocks = blocks;
        mask = buckets - 1;
        tops = new int[buckets];
        Arrays.fill(tops, Blocks.NONE);
        counts = new int[buckets];
        occupied = new long[(buckets + Long.SIZE - 1) / Long.SIZE];
    }

    /** The position of the last cell; {@link Blocks#NONE} when the bucket is empty. */
    int top(int slot) {
        return tops[slot];
    }

    int count(int slot) {
        return counts[slot];
    }

    int filed() {
        return filed;
    }

    boolean isOccupied(int slot) {
        return (occupied[slot >>> 6] & 1L << slot) != 0;
    }

    /** Puts the cell into the bucket and notes its place. */
    void push(int slot, int cell) {
        int top = tops[slot];
        if (top == Blocks.NONE) {
            occupied[slot >>> 6] |= 1L << slot;
        }
        int position = blocks.push(Ring.bucket(index, slot), top, cell);
        tops[slot] = position;
        cells.setPlace(cell, position);
        counts[slot]++;
        filed++;
    }

    /**
     * Takes cells out of the bucket, which holds one or more, and reads of each what meeting it will need. The reads do not depend on each other, so
     * the processor waits for many of them at once instead of for one after the other.
     *
     * @param into takes {@link Blocks#CAPACITY} or more
     * @param most the most to take, 1 or more
     * @return how many
     */
    int take(int slot, int[] into, int most) {
        int top = tops[slot];
        int count = blocks.read(top, into, most);
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += cells.touch(into[i]);
        }
        unusedSum = sum;
        drop(slot, top, count);
        return count;
    }

    /** Takes the cell at this position out of the bucket; the top fills the gap. */
    void remove(int slot, int position, int cell) {
        int top = tops[slot];
        if (position != top) {
            int moved = blocks.handle(top);
            blocks.replace(position, moved);
            cells.setPlace(moved, position);
        }
        cells.setPlace(cell, Cells.NONE);
        drop(slot, top, 1);
    }

    private void drop(int slot, int top, int count) {
        int below = blocks.pop(top, count);
        tops[slot] = below;
        if (below == Blocks.NONE) {
            occupied[slot >>> 6] &= ~(1L << slot);
        }
        counts[slot] -= count;
        filed -= count;
    }

    /** How many buckets after {@code slot}, going round, the next occupied one stands; 0 when there is none but perhaps the slot itself. */
    int distanceToNext(int slot) {
        if (filed == 0) {
            return 0;
        }
        int start = (slot + 1) & mask;
        int word = start >>> 6;
        long bits = occupied[word] & (-1L << start);
        for (int i = 0; i < occupied.length && bits == 0; i++) {
            word = word + 1 == occupied.length ? 0 : word + 1;
            bits = occupied[word];
        }
        return bits == 0 ? 0 : ((word << 6) + Long.numberOfTrailingZeros(bits) - slot) & mask;
    }
}
