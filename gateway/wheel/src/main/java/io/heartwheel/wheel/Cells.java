package io.heartwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Table from handle to entry and its place in the ring: a cell for each, in chunks of 4,096 that are made when first needed, so that growing never
 * copies. 8 bytes a cell with compressed references, and a bit for one that is free ({@link FreeCells}). Chunks are kept for good.
 *
 * <h2>Concurrency</h2>
 *
 * <p>A cell: released by who registers, once it has made the entry ready; emptied by the turning thread alone, which frees the cell once for each
 * release: it turns RELEASED into FREE, so that a second, belated mark finds nothing to do (jcstress: {@code ReleaseFreesOnceStress}). A belated mark may
 * lead it to a cell that is empty, or has another entry by now, at which it then looks for nothing. A place: written by who registers before it releases the
 * cell, and then by the turning thread alone.
 */
final class Cells {

    static final int NONE = WheelEntry.NO_HANDLE;

    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK_CELLS = 1 << CHUNK_SHIFT;
    private static final int CHUNK_MASK = CHUNK_CELLS - 1;

    private static final VarHandle ENTRIES = MethodHandles.arrayElementVarHandle(WheelEntry[].class);
    private static final VarHandle CHUNKS = MethodHandles.arrayElementVarHandle(Chunk[].class);

    /** One run of cells. */
    private static final class Chunk {
        final @Nullable WheelEntry[] entries;
        final int[] places;

        Chunk(int cells) {
            entries = new WheelEntry[cells];
            places = new int[cells];
        }
    }

    private final int limit;
    private final @Nullable Chunk[] chunks;
    /** Cells ever used: the next fresh one. */
    private final AtomicInteger fresh = new AtomicInteger();

    private final AtomicInteger used = new AtomicInteger();
    private final FreeCells free;
    /** The turning thread's: cells freed and not given back. */
    private int freed;

    Cells(int limit) {
        this.limit = limit;
        this.chunks = new Chunk[(limit + CHUNK_CELLS - 1) >>> CHUNK_SHIFT];
        this.free = new FreeCells(limit);
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

    private Chunk chunk(int cell) {
        Chunk chunk = cell >= 0 && cell < limit ? (Chunk) CHUNKS.getAcquire(chunks, cell >>> CHUNK_SHIFT) : null;
        if (chunk == null) {
            throw new IllegalArgumentException("handle = " + cell + ": need one that register gave out");
        }
        return chunk;
    }

    /** The entry with this handle; null when the cell is free. Any thread. */
    @Nullable
    WheelEntry entry(int cell) {
        return (WheelEntry) ENTRIES.getAcquire(chunk(cell).entries, cell & CHUNK_MASK);
    }

    // --- taking and freeing ---

    /** Takes a cell for the entry, without deadline. Any thread; lock-free but for the first use of a chunk. {@link #NONE} when all are used. */
    int take(WheelEntry entry) {
        if (!entry.enter()) {
            throw new IllegalStateException(
                    entry + ": registered already, or released and not seen by the wheel since");
        }
        int all = fresh.get();
        int cell = all > used.get() ? free.take((all + CHUNK_MASK) >>> CHUNK_SHIFT) : NONE;
        if (cell < 0) {
            cell = takeFresh();
            if (cell < 0) {
                entry.leave();
                return NONE;
            }
        }
        used.getAndIncrement();
        entry.at(cell);
        Chunk chunk = chunk(cell);
        chunk.places[cell & CHUNK_MASK] = Blocks.NONE;
        ENTRIES.setRelease(chunk.entries, cell & CHUNK_MASK, entry);
        return cell;
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

    /** Turning thread: frees the cell of an entry that was released and is in no bucket; it can be taken after {@link #giveBackFreed}. */
    void free(WheelEntry entry) {
        int cell = entry.handle();
        ENTRIES.setRelease(chunk(cell).entries, cell & CHUNK_MASK, null);
        entry.leave();
        free.put(cell);
        freed++;
    }

    /**
     * Turning thread: offers all cells freed since the last time.
     *
     * @return how many
     */
    int giveBackFreed() {
        int count = freed;
        if (count > 0) {
            free.flush();
            used.getAndAdd(-count);
            freed = 0;
        }
        return count;
    }

    /** Calls with every entry that has a cell now and was not released; any thread. */
    void forEach(Consumer<WheelEntry> action) {
        int end = fresh.get();
        for (int cell = 0; cell < end; cell++) {
            WheelEntry entry = entry(cell);
            if (entry != null && entry.wanted() != WheelEntry.RELEASED) {
                action.accept(entry);
            }
        }
    }

    // --- turning thread ---

    /** Where the entry was last filed, a position in {@link Blocks} that may have another one by now or none; {@link Blocks#NONE} at first. */
    int place(WheelEntry entry) {
        int cell = entry.handle();
        return chunk(cell).places[cell & CHUNK_MASK];
    }

    void setPlace(WheelEntry entry, int place) {
        int cell = entry.handle();
        chunk(cell).places[cell & CHUNK_MASK] = place;
    }
}
