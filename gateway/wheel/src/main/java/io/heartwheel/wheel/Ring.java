package io.heartwheel.wheel;

import org.jspecify.annotations.Nullable;

/**
 * The hierarchical ring: where entries are filed by the tick at which they are to be met, and the cursor that meets them. It knows ticks, not time,
 * and asks nobody anything.
 *
 * <pre>
 *   level 2   |               |               |               |     a bucket = half a turn of level 1
 *   level 1   |   |   |   |   |   |   |   |                         a bucket = half a turn of level 0
 *   level 0   ||||||||                                              a bucket = a tick
 *             ^ cursor
 * </pre>
 *
 * <p>An entry lies on the lowest level that reaches its tick within less than a turn. When the cursor enters the stretch that a bucket of an upper
 * level stands for, the bucket's entries are met there, and filed again on a lower level or further off: each at most once a level.
 *
 * <p>Were that all, the entries of a whole stretch would be met in one tick. As a bucket is but half a turn of the level below, that level reaches
 * over the next stretch too, wherever in its own the cursor stands. So the next bucket is emptied ahead, a share with each tick, and little or
 * nothing is left when the cursor enters it.
 *
 * <p>Invariant: on level 0 the occupied buckets are those of the ticks {@code cursor .. cursor + buckets - 1}; on level {@code n > 0} those of
 * the next {@code buckets - 1} stretches after the cursor's own. Nothing is ever filed into the cursor's own bucket of an upper level or the next:
 * what falls there a lower level reaches. So emptying ends.
 *
 * <p>Ticks are compared by difference; 2^64 of them are as good as endless. Confined to the turning thread.
 */
final class Ring {

    /** The furthest ahead of the cursor that an entry can be filed, in ticks. */
    static final long MAX_TICKS = Deadline.MAX_DELAY_NANOS;

    /** The most entries taken at once. */
    static final int MOST_TAKEN = Blocks.CAPACITY;

    private static final int SLOT_BITS = 20;
    private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;

    private final Cells cells;
    private final Blocks blocks = new Blocks();
    /** log2 of how many buckets of a level one of the next level stands for: half a turn. */
    private final int shift;

    private final int mask;
    private final Level[] levels;
    /** Levels made so far. */
    private int height;
    /** The tick being worked off, or worked off already. */
    private long cursor;
    /** The highest level with a bucket to be emptied at the cursor; -1 when the tick is worked off. */
    private int emptying;

    private long filed;
    /** What {@link #nextTick()} answers, as long as {@link #nextKnown}. */
    private long next;

    private boolean nextKnown;
    /** Keeps what {@link #touch} reads from being optimised away. */
    private long unusedSum;

    Ring(Cells cells, int buckets) {
        this.cells = cells;
        shift = Integer.numberOfTrailingZeros(buckets) - 1;
        mask = buckets - 1;
        levels = new Level[(Long.SIZE - 1) / shift + 1];
        grow(0);
    }

    long cursor() {
        return cursor;
    }

    /** Entries in all buckets. */
    long filed() {
        return filed;
    }

    /** Buckets a level. */
    int buckets() {
        return mask + 1;
    }

    int height() {
        return height;
    }

    Level level(int index) {
        return levels[index];
    }

    Blocks blocks() {
        return blocks;
    }

    /** What names a bucket of any level. */
    static int bucket(int level, int slot) {
        return level << SLOT_BITS | slot;
    }

    /** Where the entry is filed, or {@link Blocks#NONE}. Entries that were met keep the place they had: what stands there tells. */
    int placeOf(WheelEntry entry) {
        int place = cells.place(entry);
        return place != Blocks.NONE && blocks.entry(place) == entry ? place : Blocks.NONE;
    }

    /** Reads of each entry what filing it anew will need; see {@link Level#take}. */
    void touch(@Nullable WheelEntry[] some, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            WheelEntry entry = some[i];
            sum += entry == null ? 0 : entry.wanted();
        }
        for (int i = 0; i < count; i++) {
            WheelEntry entry = some[i];
            int place = entry == null ? Blocks.NONE : cells.place(entry);
            if (place != Blocks.NONE) {
                sum += (blocks.entry(place) == entry ? 1 : 0) + blocks.bucket(place);
            }
        }
        unusedSum = sum;
    }

    int levelOf(int place) {
        return blocks.bucket(place) >>> SLOT_BITS;
    }

    int slotOf(int place) {
        return blocks.bucket(place) & SLOT_MASK;
    }

    // --- filing ---

    /**
     * Files an entry that is in no bucket. The tick is at or after the cursor and at most {@link #MAX_TICKS} after it.
     *
     * @return the level
     */
    int file(WheelEntry entry, long tick) {
        int level = 0;
        int up = 0;
        while (stretches(tick, up) > mask) {
            level++;
            up += shift;
        }
        if (level >= height) {
            grow(level);
        }
        levels[level].push((int) (tick >>> up) & mask, entry);
        filed++;
        long meets = tick >>> up << up;
        if (tick == cursor) {
            emptying = Math.max(emptying, 0);
        } else if (meets - next < 0) {
            next = meets;
        }
        return level;
    }

    /** How many stretches of 2^up ticks after the cursor's own the tick lies. */
    private long stretches(long tick, int up) {
        return (tick - (cursor >>> up << up)) >>> up;
    }

    private void grow(int level) {
        while (height <= level) {
            levels[height] = new Level(height, mask + 1, cells, blocks);
            height++;
        }
    }

    /** Takes a filed entry out of its bucket. */
    void unfile(WheelEntry entry) {
        int place = cells.place(entry);
        int bucket = blocks.bucket(place);
        nextKnown &= meets(place) != next;
        levels[bucket >>> SLOT_BITS].remove(bucket & SLOT_MASK, place, entry);
        filed--;
    }

    /** The tick at which the cursor will meet what is filed in this place. */
    long meets(int place) {
        int bucket = blocks.bucket(place);
        int up = (bucket >>> SLOT_BITS) * shift;
        long ahead = ((bucket & SLOT_MASK) - (cursor >>> up)) & mask;
        return ahead == 0 ? cursor : (cursor >>> up << up) + (ahead << up);
    }

    // --- turning ---

    /** The level whose bucket at the cursor is not worked off, or -1 when the cursor's tick is. */
    int emptying() {
        while (emptying >= 0 && levels[emptying].top(slotAtCursor(emptying)) == Blocks.NONE) {
            emptying--;
        }
        return emptying;
    }

    /**
     * Takes entries out of the bucket of {@link #emptying()}, which is not -1.
     *
     * @param into takes {@link #MOST_TAKEN}
     * @param most the most to take, 1 or more
     * @return how many, 1 or more
     */
    int take(@Nullable WheelEntry[] into, int most) {
        return take(levels[emptying], slotAtCursor(emptying), into, most);
    }

    private int take(Level level, int slot, @Nullable WheelEntry[] into, int most) {
        int count = level.take(slot, into, most);
        filed -= count;
        return count;
    }

    private int slotAtCursor(int level) {
        return (int) (cursor >>> (level * shift)) & mask;
    }

    /** The next tick after the cursor at which a bucket has to be emptied; {@link #MAX_TICKS} after it or more when there is none. */
    long nextTick() {
        if (!nextKnown) {
            next = findNextTick();
            nextKnown = true;
        }
        return next;
    }

    /** As {@link #nextTick()}, looked for anew. */
    long findNextTick() {
        long best = MAX_TICKS;
        int up = 0;
        for (int level = 0; level < height; level++, up += shift) {
            int distance = levels[level].distanceToNext((int) (cursor >>> up) & mask);
            if (distance != 0) {
                long within = cursor - (cursor >>> up << up);
                best = Math.min(best, ((long) distance << up) - within);
            }
        }
        return cursor + best;
    }

    /** Moves the cursor, whose tick is worked off, to a tick no later than {@link #nextTick()}. */
    void moveTo(long tick) {
        // A far away one for lack of any would come too near.
        nextKnown &= tick != next && filed != 0;
        cursor = tick;
        emptying = 0;
        int up = shift;
        for (int level = 1; level < height && (tick >>> up << up) == tick; level++, up += shift) {
            emptying = level;
        }
    }

    // --- emptying ahead ---

    /**
     * How many entries of the level's next bucket are to be met ahead now that the cursor has moved on by some ticks, so that it is empty when the
     * cursor gets there.
     *
     * @param level 1 or more
     */
    int shareAhead(int level, long ticksPassed) {
        int up = level * shift;
        int count = levels[level].count(slotAtCursor(level) + 1 & mask);
        long within = cursor - (cursor >>> up << up);
        long passed = Math.min(ticksPassed, within);
        if (count == 0 || passed == 0) {
            return 0;
        }
        long left = (1L << up) - 1 - within;
        return (int) Math.ceil((double) count * passed / (left + passed));
    }

    /** Takes entries out of the level's next bucket, which holds some, as {@link #take}. */
    int takeAhead(int level, @Nullable WheelEntry[] into, int most) {
        nextKnown = false;
        return take(levels[level], slotAtCursor(level) + 1 & mask, into, most);
    }
}
