package io.heartwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The memory behind the handles: cells in flat arrays, in chunks of 4,096 that are made when first needed, so that growing never copies. 16
 * bytes a cell with compressed references: wanted deadline 8, place 4, entry 4; with 4.2 in {@link Blocks} for a cell that is filed. Chunks are
 * kept for good.
 *
 * <p>A cell's {@code wanted} is also its state:
 *
 * <pre>
 *           register            arm                 release             (wheel)
 *   FREE --------------&gt; NO_DEADLINE &lt;------&gt; deadline --------&gt; RELEASED --------&gt; FREE
 *                                     disarm, expiry
 * </pre>
 *
 * While the turning thread asks the entry, ASKED stands in the place of the deadline.
 *
 * <h2>Concurrency</h2>
 *
 * <p>{@code wanted}: sequentially consistent exchange by the owner; compare-and-set by the turning thread, which puts ASKED there before it asks the
 * entry, and then what follows from the answer: the deadline taken back (expiry) or moved later. No owner ever stores ASKED, so the answer is void
 * whatever the owner did meanwhile, be it that the same deadline was armed again (jcstress: {@code ArmEqualIsNeverLostStress}, {@code
 * DisarmAndArmEqualIsNeverLostStress}). {@code entry}: written by the owner at register and release,
 * published by the mark in {@link HandOver} that follows; the turning thread may read {@code null} of a cell that is being released and then
 * lets it be. {@code place}: the turning thread alone, of a cell in use; it links the free cells, in opaque mode, and is {@link #NONE} again before
 * the taker publishes the cell with its {@code wanted}, which the turning thread reads first.
 *
 * <p>Free cells are a stack whose head carries a count of its changes, so that a slow {@link #take} cannot mistake a cell that went and came
 * back (jcstress: {@code ReleasedCellIsReusedOnceStress}). Only the turning thread frees, and only once for each release: it turns RELEASED into FREE,
 * so that a second, belated mark finds nothing to do.
 */
final class Cells {

    static final int NONE = -1;

    /** Marks in {@code wanted}; all below {@link Deadline#FIRST}. */
    static final long NO_DEADLINE = Deadline.NO_DEADLINE;

    static final long RELEASED = NO_DEADLINE + 1;
    static final long FREE = NO_DEADLINE + 2;
    /** Armed, and the turning thread asks the entry. */
    static final long ASKED = NO_DEADLINE + 3;

    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK_CELLS = 1 << CHUNK_SHIFT;
    private static final int CHUNK_MASK = CHUNK_CELLS - 1;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle ENTRIES = MethodHandles.arrayElementVarHandle(Timed[].class);
    private static final VarHandle CHUNKS = MethodHandles.arrayElementVarHandle(Chunk[].class);

    /** One run of cells. Each method takes any handle that falls into it, so that a caller who needs several looks the chunk up once. */
    static final class Chunk {
        private final long[] wanted;
        private final int[] place;
        private final @Nullable Timed[] entries;

        Chunk(int cells) {
            wanted = new long[cells];
            place = new int[cells];
            entries = new Timed[cells];
            Arrays.fill(wanted, FREE);
            Arrays.fill(place, NONE);
        }

        long wanted(int cell) {
            return (long) LONGS.getVolatile(wanted, cell & CHUNK_MASK);
        }

        /** Owner: stores what is wanted and tells what was. */
        long exchangeWanted(int cell, long newWanted) {
            return (long) LONGS.getAndSet(wanted, cell & CHUNK_MASK, newWanted);
        }

        /** Turning thread: stores what is wanted unless the owner was quicker. */
        boolean replaceWanted(int cell, long expected, long newWanted) {
            return LONGS.compareAndSet(wanted, cell & CHUNK_MASK, expected, newWanted);
        }

        /** Null when the cell is being released. */
        @Nullable
        Timed entry(int cell) {
            return (Timed) ENTRIES.getAcquire(entries, cell & CHUNK_MASK);
        }
    }

    private final int limit;
    private final @Nullable Chunk[] chunks;
    /** Cells ever used: the next fresh one. */
    private final AtomicInteger fresh = new AtomicInteger();
    /** Changes in the upper half, the top free cell + 1 in the lower. */
    private final AtomicLong freeHead = new AtomicLong();

    private final AtomicInteger used = new AtomicInteger();
    /** The turning thread's: cells freed and not given back, linked as on the stack. */
    private int freed;

    private int firstFreed = NONE;
    private int lastFreed = NONE;
    /** The class of no entry. Not final, lest the compiler see through {@link #touch}. */
    private Class<?> nobody = Void.class;

    Cells(int limit) {
        this.limit = limit;
        this.chunks = new Chunk[(limit + CHUNK_CELLS - 1) >>> CHUNK_SHIFT];
    }

    int limit() {
        return limit;
    }

    /** Cells ever used; any thread. */
    int fresh() {
        return fresh.get();
    }

    /** Cells in use; any thread. */
    int used() {
        return used.get();
    }

    /** The chunk a handle falls into. */
    Chunk chunk(int cell) {
        Chunk chunk = cell >= 0 && cell < limit ? (Chunk) CHUNKS.getAcquire(chunks, cell >>> CHUNK_SHIFT) : null;
        if (chunk == null) {
            throw noSuchHandle(cell);
        }
        return chunk;
    }

    private static IllegalArgumentException noSuchHandle(int cell) {
        return new IllegalArgumentException("handle = " + cell + ": need one that register gave out");
    }

    // --- taking and freeing ---

    /** Takes a cell for the entry, without deadline. Any thread; lock-free but for the first use of a chunk. {@link #NONE} when all are used. */
    int take(Timed timed) {
        int cell = popFree();
        if (cell < 0) {
            cell = takeFresh();
            if (cell < 0) {
                return NONE;
            }
        }
        used.getAndIncrement();
        Chunk chunk = chunk(cell);
        INTS.setOpaque(chunk.place, cell & CHUNK_MASK, NONE);
        ENTRIES.setRelease(chunk.entries, cell & CHUNK_MASK, timed);
        LONGS.setRelease(chunk.wanted, cell & CHUNK_MASK, NO_DEADLINE);
        return cell;
    }

    private int popFree() {
        for (; ; ) {
            long head = freeHead.get();
            int cell = (int) head - 1;
            if (cell < 0) {
                return NONE;
            }
            int below = (int) INTS.getOpaque(chunk(cell).place, cell & CHUNK_MASK);
            if (freeHead.compareAndSet(head, stamped(head, below))) {
                return cell;
            }
        }
    }

    private int takeFresh() {
        for (; ; ) {
            int cell = fresh.get();
            if (cell >= limit) {
                return NONE;
            }
            if (CHUNKS.getAcquire(chunks, cell >>> CHUNK_SHIFT) == null) {
                makeChunk(cell >>> CHUNK_SHIFT);
            }
            if (fresh.compareAndSet(cell, cell + 1)) {
                return cell;
            }
        }
    }

    private synchronized void makeChunk(int index) {
        if (CHUNKS.getAcquire(chunks, index) == null) {
            int cells = Math.min(CHUNK_CELLS, limit - (index << CHUNK_SHIFT));
            CHUNKS.setRelease(chunks, index, new Chunk(cells));
        }
    }

    /** Turning thread: frees a cell that was released and is in no bucket; it can be taken after {@link #giveBackFreed}. */
    void free(int cell) {
        Chunk chunk = chunk(cell);
        LONGS.setRelease(chunk.wanted, cell & CHUNK_MASK, FREE);
        INTS.setOpaque(chunk.place, cell & CHUNK_MASK, firstFreed);
        if (freed++ == 0) {
            lastFreed = cell;
        }
        firstFreed = cell;
    }

    /**
     * Turning thread: puts all cells freed since the last time on the stack, in one go, lest each of them meet the takers there.
     *
     * @return how many
     */
    int giveBackFreed() {
        int count = freed;
        if (count == 0) {
            return 0;
        }
        Chunk chunk = chunk(lastFreed);
        for (; ; ) {
            long head = freeHead.get();
            INTS.setOpaque(chunk.place, lastFreed & CHUNK_MASK, (int) head - 1);
            if (freeHead.compareAndSet(head, stamped(head, firstFreed))) {
                break;
            }
        }
        used.getAndAdd(-count);
        freed = 0;
        firstFreed = NONE;
        return count;
    }

    private static long stamped(long before, int cell) {
        return ((before >>> 32) + 1) << 32 | (cell + 1);
    }

    /** Whether this {@code wanted} is that of an entry with a deadline. */
    static boolean isArmed(long wanted) {
        return wanted >= ASKED;
    }

    // --- owner ---

    long wanted(int cell) {
        return chunk(cell).wanted(cell);
    }

    /** Null when the cell is free or being released. */
    @Nullable
    Timed entry(int cell) {
        return chunk(cell).entry(cell);
    }

    /** Owner: lets the entry go, so that a cell that waits to be freed keeps nothing alive. */
    void dropEntry(int cell) {
        ENTRIES.setRelease(chunk(cell).entries, cell & CHUNK_MASK, null);
    }

    /** Calls with every entry that has a cell now; any thread. */
    void forEach(Consumer<Timed> action) {
        int end = fresh.get();
        for (int cell = 0; cell < end; cell++) {
            Timed entry = entry(cell);
            if (entry != null) {
                action.accept(entry);
            }
        }
    }

    // --- turning thread ---

    /** Where the cell was last filed, a position in {@link Blocks} that may have another cell by now or none; {@link #NONE} at first. Of a cell in use. */
    int place(int cell) {
        return chunk(cell).place[cell & CHUNK_MASK];
    }

    void setPlace(int cell, int place) {
        chunk(cell).place[cell & CHUNK_MASK] = place;
    }

    /**
     * Reads what meeting the cell will read, down to its entry, for the sake of the reading.
     *
     * @return something that depends on all that was read
     */
    long touch(int cell) {
        Chunk chunk = chunk(cell);
        int index = cell & CHUNK_MASK;
        Timed entry = chunk.entries[index];
        return entry != null && entry.getClass() == nobody ? 0 : chunk.wanted[index];
    }
}
