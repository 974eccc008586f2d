package io.heartwheel.wheel;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the buckets: entries in blocks of {@link #CAPACITY}, each block of one bucket, the blocks of a bucket chained. An entry's
 * position is an int that stays valid until it is taken out or another one is moved into a gap.
 *
 * <pre>
 *   bucket --top--&gt;  block  e e e . . . . .      the last block, filled from the left
 *                      |
 *                      v below
 *                    block  e e e e e e e e      full
 *                      |
 *                      v
 *                    none
 *   position = block x 64 + slot in it
 * </pre>
 *
 * <p>In place of lists through the entries: a bucket is read in a row, so that the misses of the entries it names overlap, and filing writes where
 * the entry before was written. 4.1 bytes an entry, and at most one block (264 bytes) a bucket that is not full. Blocks are kept for good.
 *
 * <p>Confined to the turning thread.
 */
final class Blocks {

    static final int NONE = -1;

    private static final int BLOCK_SHIFT = 6;

    /** Entries a block. */
    static final int CAPACITY = 1 << BLOCK_SHIFT;

    private static final int SLOT_MASK = CAPACITY - 1;

    private static final int CHUNK_BLOCKS = 64;
    private static final int CHUNK_SHIFT = BLOCK_SHIFT + 6;
    private static final int CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;

    /** Runs of 64 blocks, made when first needed. */
    private @Nullable WheelEntry[][] chunks = new WheelEntry[4][];
    /** Of each block, the one below it in its bucket or on the stack of free ones; {@link #NONE} under the last. */
    private int[] below = new int[4 * CHUNK_BLOCKS];
    /** Of each block, its bucket. */
    private int[] bucket = new int[4 * CHUNK_BLOCKS];
    /** Blocks ever used: the next fresh one. */
    private int fresh;
    /** The top of the stack of free blocks. */
    private int free = NONE;

    /** The entry at a position that was in use once; null when it is no more. */
    @Nullable
    WheelEntry entry(int position) {
        return chunks[position >>> CHUNK_SHIFT][position & CHUNK_MASK];
    }

    private void set(int position, @Nullable WheelEntry entry) {
        chunks[position >>> CHUNK_SHIFT][position & CHUNK_MASK] = entry;
    }

    /** The bucket that a position belongs to, as given to {@link #push}. */
    int bucket(int position) {
        return bucket[position >>> BLOCK_SHIFT];
    }

    /**
     * Puts an entry on top of a bucket.
     *
     * @param top the bucket's top position, or {@link #NONE} when it is empty
     * @return the entry's position: the new top
     */
    int push(int itsBucket, int top, WheelEntry entry) {
        int position = top == NONE || (top & SLOT_MASK) == SLOT_MASK ? newBlock(itsBucket, top) : top + 1;
        set(position, entry);
        return position;
    }

    /** Puts an entry in the place of another. */
    void replace(int position, WheelEntry entry) {
        set(position, entry);
    }

    /**
     * Reads entries from the top of a bucket, all from one block.
     *
     * @param into takes {@link #CAPACITY} entries or more
     * @param most the most to read, 1 or more
     * @return how many were written
     */
    int read(int top, @Nullable WheelEntry[] into, int most) {
        int count = Math.min((top & SLOT_MASK) + 1, most);
        System.arraycopy(chunks[top >>> CHUNK_SHIFT], (top & CHUNK_MASK) - count + 1, into, 0, count);
        return count;
    }

    /** Takes so many entries off the top block, which has them, and answers the new top. */
    int pop(int top, int count) {
        int start = (top & CHUNK_MASK) - count + 1;
        Arrays.fill(chunks[top >>> CHUNK_SHIFT], start, start + count, null);
        if (count <= (top & SLOT_MASK)) {
            return top - count;
        }
        int block = top >>> BLOCK_SHIFT;
        int under = below(block << BLOCK_SHIFT);
        below[block] = free;
        free = block;
        return under;
    }

    /** The position under this one in its bucket, or {@link #NONE}. */
    int below(int position) {
        if ((position & SLOT_MASK) != 0) {
            return position - 1;
        }
        int under = below[position >>> BLOCK_SHIFT];
        return under == NONE ? NONE : under << BLOCK_SHIFT | SLOT_MASK;
    }

    private int newBlock(int itsBucket, int top) {
        int block = free;
        if (block == NONE) {
            block = freshBlock();
        } else {
            free = below[block];
        }
        below[block] = top == NONE ? NONE : top >>> BLOCK_SHIFT;
        bucket[block] = itsBucket;
        return block << BLOCK_SHIFT;
    }

    private int freshBlock() {
        int chunk = fresh / CHUNK_BLOCKS;
        if (chunk == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * chunk);
            below = Arrays.copyOf(below, 2 * below.length);
            bucket = Arrays.copyOf(bucket, 2 * bucket.length);
        }
        if (chunks[chunk] == null) {
            chunks[chunk] = new WheelEntry[CHUNK_BLOCKS * CAPACITY];
        }
        return fresh++;
    }

    /** Blocks in use; walks the free ones. For tests. */
    int used() {
        int used = fresh;
        for (int block = free; block != NONE; block = below[block]) {
            used--;
        }
        return used;
    }
}
