package io.heartwheel.store;

import java.io.Closeable;

/**
 * Durable store: records with consecutive numbers, and a view of them, the rows of who is present. What {@link #commit} has returned for is on the disk as
 * surely as {@link StoreSettings#sync} asks.
 *
 * <p>Threads: one commits; any number read, each with a {@link StoreReader} of its own. Any thread may ask for the numbers and sizes.
 */
public interface Store extends Closeable {
    /**
     * Makes everything in the transaction durable, or nothing of it. Its records get the numbers that follow {@link #lastNumber}, in order. Blocks on
     * the disk. The transaction is left as it is: {@link Transaction#clear} it after success, or commit it again after a failure. From the first call on
     * records that are needed no more are dropped, so cursors are opened before.
     *
     * @throws StoreException if the disk is full or fails; nothing is changed then
     * @throws IllegalArgumentException if it has no record
     */
    void commit(Transaction transaction) throws StoreException;

    /** Whoever commits keeps to a limit, and the next transaction is too large for it: all that nobody needs is dropped, some each time this is called. */
    void lacksRoom();

    /** Another reader, to be closed before the store. */
    StoreReader reader() throws StoreException;

    /** Id of the records that are committed from this start on: 16 hexadecimal digits, chosen at random. With it a record's number is unique everywhere. */
    String id();

    /** Number of the oldest record that is kept; {@code lastNumber() + 1} if there is none. */
    long firstNumber();

    /** Number of the newest record ever committed; 0 if there was none. */
    long lastNumber();

    /** Bytes on the disk that the kept records take. */
    long recordBytes();

    /** What was found damaged when the store was opened, or is found since. */
    Damage damage();

    /** Is run for all damage: for what the start has found at once, later by the thread that finds it. Quick; set once. */
    void onDamage(Runnable listener);

    /**
     * Is told by the thread that keeps it, each second: that there is something to do, or a part of it is done, and that nothing is left. Quick; set once,
     * before the first commit.
     */
    void onKeeping(Runnable works, Runnable rests);

    /** How far the outlets have come. */
    Cursors cursors();

    /** How this start of the gateway began. */
    Start start();

    /** What goes on inside, for the metrics. */
    Figures figures();

    /** The row of this key is needed no more: it is deleted in a second or so, or after the next start. Any thread, quick. */
    void forget(byte[] presenceKey);

    /** This start of the gateway ends in good order: to be called before {@link #close}, else the next one is told the contrary. */
    void ended();

    /** Ends the store. All readers are closed by now. */
    @Override
    void close() throws StoreException;

    /**
     * Damage that a store was found with.
     *
     * @param lostRecords records whose numbers are known to have been given and that cannot be read
     * @param text what was found and done, for people; empty: nothing was damaged
     */
    record Damage(long lostRecords, String text) {
        /** Nothing is damaged. */
        public static final Damage NONE = new Damage(0, "");

        /** What is found when the text has so many characters is counted and no more. */
        private static final int MOST_TEXT = 4_000;

        /** Whether anything was found. */
        public boolean any() {
            return !text.isEmpty();
        }

        /** This, and what was found besides. */
        Damage and(long records, String found) {
            String all = any() ? text + ". " + found : found;
            return new Damage(lostRecords + records, text.length() < MOST_TEXT ? all : text);
        }
    }

    /**
     * Start of a gateway with this store.
     *
     * @param incarnation its number: above all before, and at least the seconds since 1970, so also above those of a store that was lost
     * @param previous number of the start before; 0: there was none
     * @param previousEnded whether that one ended in good order
     * @param greatestEpoch greatest epoch of a session that was ever committed; 0: none was
     * @param lastEpochMillis when the newest record was committed before it; 0: there is none
     */
    record Start(long incarnation, long previous, boolean previousEnded, long greatestEpoch, long lastEpochMillis) {}

    /**
     * Figures of a store.
     *
     * @param segments files that are kept
     * @param oldestEpochMillis when the oldest record that is kept was committed; 0: there is none
     * @param keeperLag records that the view of present devices does not show yet
     * @param failures commits that failed to write or to force
     * @param keptNanos when the keeper was through with its latest round, {@link System#nanoTime}
     */
    record Figures(int segments, long oldestEpochMillis, long keeperLag, long failures, long keptNanos) {}
}
