package io.heartwheel.store;

import java.io.Closeable;

/**
 * Durable store: records with consecutive numbers, and rows by key. What {@link #commit} has returned for is on the disk as surely as
 * {@link StoreSettings#sync} asks.
 *
 * <p>Threads: one commits; any number read, each with a {@link StoreReader} of its own. Any thread may ask for the numbers and sizes.
 */
public interface Store extends Closeable {
    /**
     * Makes everything in the transaction durable, or nothing of it. Its records get the numbers that follow {@link #lastNumber}, in order. Blocks on
     * the disk. The transaction is left as it is: {@link Transaction#clear} it after success, or commit it again after a failure.
     *
     * @throws StoreException if the disk is full or fails, or the file is damaged; nothing is changed then
     */
    void commit(Transaction transaction) throws StoreException;

    /** Another reader, to be closed before the store. */
    StoreReader reader() throws StoreException;

    /** Name of this store, the same as long as its files live: 16 hexadecimal digits, chosen at random. With it a record's number is unique everywhere. */
    String id();

    /** Number of the oldest record that is kept; {@code lastNumber() + 1} if there is none. */
    long firstNumber();

    /** Number of the newest record ever committed; 0 if there was none. */
    long lastNumber();

    /** Bytes of the records that are kept. Rows do not count. */
    long recordBytes();

    /** What was found damaged when the store was opened, or is found since. */
    Damage damage();

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

        /** Whether anything was found. */
        public boolean any() {
            return !text.isEmpty();
        }
    }
}
