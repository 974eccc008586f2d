package io.heartwheel.wheel;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
    /** Entries a bucket. */
    private final int[] counts;

    private final long[] occupied;
    /** Entries in all buckets. */
    private int filed;
    /** The class of no entry. Not final, lest the compiler see through {@link #take}. */
    private Class<?> nobody = Void.class;
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

    /** The position of the last entry; {@link Blocks#NONE} when the bucket is empty. */
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

    /** Puts the entry into the bucket and notes its place. */
    void push(int slot, WheelEntry entry) {
        int top = tops[slot];
        if (top == Blocks.NONE) {
            occupied[slot >>> 6] |= 1L << slot;
        }
        int position = blocks.push(Ring.bucket(index, slot), top, entry);
        tops[slot] = position;
        cells.setPlace(entry, position);
        counts[slot]++;
        filed++;
    }

    /**
     * Takes entries out of the bucket, which holds one or more, and reads of each what meeting it will need. The reads do not depend on each other, so
     * the processor waits for many of them at once instead of for one after the other. (They must depend on something that is not known when compiling,
     * and their sum must go somewhere, or the compiler takes them out.)
     *
     * @param into takes {@link Blocks#CAPACITY} or more
     * @param most the most to take, 1 or more
     * @return how many
     */
    int take(int slot, @Nullable WheelEntry[] into, int most) {
        int top = tops[slot];
        int count = blocks.read(top, into, most);
        long sum = 0;
        for (int i = 0; i < count; i++) {
            WheelEntry entry = into[i];
            sum += Objects.requireNonNull(entry).getClass() == nobody ? 0 : entry.wanted();
        }
        if (index > 0) {
            // What is met here mostly lives and is filed again; on level 0 it mostly expires.
            for (int i = 0; i < count; i++) {
                sum += cells.place(Objects.requireNonNull(into[i]));
            }
        }
        unusedSum = sum;
        drop(slot, top, count);
        return count;
    }

    /** Takes the entry at this position out of the bucket; the top fills the gap. */
    void remove(int slot, int position, WheelEntry entry) {
        int top = tops[slot];
        if (position != top) {
            WheelEntry moved = Objects.requireNonNull(blocks.entry(top));
            blocks.replace(position, moved);
            cells.setPlace(moved, position);
        }
        cells.setPlace(entry, Blocks.NONE);
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
