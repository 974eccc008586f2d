package io.heartwheel.wheel;

import java.util.Arrays;

/**
 * The memory behind the buckets: handles in blocks of {@link #CAPACITY}, each block of one bucket, the blocks of a bucket chained. A handle's
 * position is an int that stays valid until it is taken out or another one is moved into a gap.
 *
 * <pre>
 *   bucket --top--&gt;  [below | bucket | h h h . . . . ]      the last block, filled from the left
 *                        |
 *                        v
 *                    [below | bucket | h h h h h h h ]      full
 *                        |
 *                        v
 *                      none
 *   position = block x 64 + slot in it
 * </pre>
 *
 * <p>In place of lists through the cells: a bucket is read in a row, so that the misses of the cells it names overlap, and filing writes where
 * the handle before was written. 4.2 bytes a handle, and at most one block (256 bytes) a bucket that is not full. Blocks are kept for good.
 *
 * <p>Confined to the turning thread.
 */
final class Blocks {

    static final int NONE = -1;

    private static final int BLOCK_SHIFT = 6;
    private static final int BLOCK_INTS = 1 << BLOCK_SHIFT;
    private static final int SLOT_MASK = BLOCK_INTS - 1;
    private static final int BELOW = 0;
    private static final int BUCKET = 1;
    private static final int FIRST = 2;

    /** Handles a block. */
    static final int CAPACITY = BLOCK_INTS - FIRST;

    private static final int CHUNK_SHIFT = BLOCK_SHIFT + 6;
    private static final int CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;

    /** Runs of 64 blocks, made when first needed. */
    private int[][] chunks = new int[4][];
    /** Blocks ever used: the next fresh one. */
    private int fresh;
    /** The top of the stack of free blocks, linked by {@link #BELOW}. */
    private int free = NONE;

    private int get(int position) {
        return chunks[position >>> CHUNK_SHIFT][position & CHUNK_MASK];
    }

    private void set(int position, int value) {
        chunks[position >>> CHUNK_SHIFT][position & CHUNK_MASK] = value;
    }

    /** The handle at a position that was in use once; {@link #NONE} when it is no more. */
    int handle(int position) {
        return get(position);
    }

    /** The bucket that a position belongs to, as given to {@link #push}. */
    int bucket(int position) {
        return get((position & ~SLOT_MASK) | BUCKET);
    }

    /** The first handle's position in the block of this position. */
    private static int bottom(int position) {
        return (position & ~SLOT_MASK) | FIRST;
    }

    /**
     * Puts a handle on top of a bucket.
     *
     * @param top the bucket's top position, or {@link #NONE} when it is empty
     * @return the handle's position: the new top
     */
    int push(int bucket, int top, int handle) {
        int position = top == NONE || (top & SLOT_MASK) == SLOT_MASK ? newBlock(bucket, top) : top + 1;
        set(position, handle);
        return position;
    }

    /** Puts a handle in the place of another. */
    void replace(int position, int handle) {
        set(position, handle);
    }

    /**
     * Reads handles from the top of a bucket, all from one block.
     *
     * @param into takes {@link #CAPACITY} handles or more
     * @param most the most to read, 1 or more
     * @return how many were written
     */
    int read(int top, int[] into, int most) {
        int count = Math.min(top - bottom(top) + 1, most);
        System.arraycopy(chunks[top >>> CHUNK_SHIFT], (top & CHUNK_MASK) - count + 1, into, 0, count);
        return count;
    }

    /** Takes so many handles off the top block, which has them, and answers the new top. */
    int pop(int top, int count) {
        for (int position = top; position > top - count; position--) {
            set(position, NONE);
        }
        if (top - count >= bottom(top)) {
            return top - count;
        }
        int block = top >>> BLOCK_SHIFT;
        int below = below(bottom(top));
        set(block << BLOCK_SHIFT | BELOW, free);
        free = block;
        return below;
    }

    /** The position under this one in its bucket, or {@link #NONE}. */
    int below(int position) {
        if (position != bottom(position)) {
            return position - 1;
        }
        int below = get((position & ~SLOT_MASK) | BELOW);
        return below == NONE ? NONE : below << BLOCK_SHIFT | SLOT_MASK;
    }

    private int newBlock(int bucket, int top) {
        int block = free;
        if (block == NONE) {
            block = freshBlock();
        } else {
            free = get(block << BLOCK_SHIFT | BELOW);
        }
        int start = block << BLOCK_SHIFT;
        set(start | BELOW, top == NONE ? NONE : top >>> BLOCK_SHIFT);
        set(start | BUCKET, bucket);
        return start | FIRST;
    }

    private int freshBlock() {
        int chunk = fresh << BLOCK_SHIFT >>> CHUNK_SHIFT;
        if (chunk == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * chunk);
        }
        if (chunks[chunk] == null) {
            chunks[chunk] = new int[1 << CHUNK_SHIFT];
        }
        return fresh++;
    }

    /** Blocks in use; walks the free ones. For tests. */
    int used() {
        int used = fresh;
        for (int block = free; block != NONE; block = get(block << BLOCK_SHIFT | BELOW)) {
            used--;
        }
        return used;
    }
}
