package io.heartwheel.sink;

import io.heartwheel.store.StoreSettings;

/**
 * Settings of the journal. Immutable; any thread.
 *
 * @param store where it is, when it is forced to the disk, and how much is kept
 * @param whenFull what happens to messages when it holds its most bytes, and while the store cannot write
 * @param dedupe memory of messages that devices may send again
 */
public record JournalSettings(StoreSettings store, WhenFull whenFull, DedupeSettings dedupe) {
    /** Treatment of messages that the journal cannot take. */
    public enum WhenFull {
        /** Their senders are not read until it can. */
        SLOW,
        /** They are refused: ACK status 1. */
        REFUSE
    }
}
