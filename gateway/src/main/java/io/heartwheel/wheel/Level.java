package io.heartwheel.wheel;

import java.util.Arrays;

/**
 * One ring of buckets: the heads of their lists, and a bit for each that is not empty, so that a run of empty buckets is passed at 64 a step.
 * Confined to the turning thread.
 */
final class Level {

    private final int mask;
    private final int[] heads;
    /** Cells a bucket. */
    private final int[] counts;

    private final long[] occupied;
    /** Cells in all buckets. */
    private int filed;

    Level(int buckets) {
        mask = buckets - 1;
        heads = new int[buckets];
        Arrays.fill(heads, Cells.NONE);
        counts = new int[buckets];
        occupied = new long[(buckets + Long.SIZE - 1) / Long.SIZE];
    }

    int head(int slot) {
        return heads[slot];
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

    /** Puts the cell in front of the bucket. */
    void push(Cells cells, int slot, int cell) {
        int head = heads[slot];
        cells.setNext(cell, head);
        cells.setPrevious(cell, Cells.NONE);
        if (head == Cells.NONE) {
            occupied[slot >>> 6] |= 1L << slot;
        } else {
            cells.setPrevious(head, cell);
        }
        heads[slot] = cell;
        counts[slot]++;
        filed++;
    }

    /** Takes the cell out of its bucket, wherever it stands in it. */
    void remove(Cells cells, int slot, int cell) {
        int next = cells.next(cell);
        int previous = cells.previous(cell);
        if (next != Cells.NONE) {
            cells.setPrevious(next, previous);
        }
        if (previous != Cells.NONE) {
            cells.setNext(previous, next);
        } else {
            heads[slot] = next;
            if (next == Cells.NONE) {
                occupied[slot >>> 6] &= ~(1L << slot);
            }
        }
        counts[slot]--;
        filed--;
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
