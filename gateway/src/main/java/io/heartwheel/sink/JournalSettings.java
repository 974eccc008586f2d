package io.heartwheel.sink;

import io.heartwheel.store.StoreSettings;
import java.time.Duration;

/**
 * Settings of the journal. Immutable; any thread.
 *
 * @param store where it is, and when it is forced to the disk
 * @param maxBytes most bytes of events that are kept; beyond it the journal is full
 * @param whenFull what happens to messages then, and while the store cannot write
 * @param keep events that all outlets have are kept so long, as far as there is room, so that an outlet can be rewound
 * @param dedupe memory of messages that devices may send again
 */
public record JournalSettings(
        StoreSettings store, long maxBytes, WhenFull whenFull, Duration keep, DedupeSettings dedupe) {
    /** Treatment of messages that the journal cannot take. */
    public enum WhenFull {
        /** Their senders are not read until it can. */
        SLOW,
        /** They are refused: ACK status 1. */
        REFUSE
    }
}
