package io.heartwheel.outlet;

/**
 * Status of an outlet at one moment; its parts may be from moments apart. Immutable; any thread.
 *
 * @param kind the word for it in the configuration
 * @param place where its events go, for people
 * @param cursor number of the newest record that it needs no more
 * @param lagEvents records behind the cursor, of all kinds
 * @param oldestEpochMillis when the oldest event happened that waits to be delivered; 0: none waits
 * @param delivered events delivered since the start
 * @param skipped records left out since the start because a later version wrote them
 * @param oversized events since it was opened that are larger than the receiver takes, delivered as gaps
 * @param failures failed attempts since the start
 * @param lastError what the latest failure was; empty: there was none
 * @param lastErrorEpochMillis when that was; 0: never
 * @param nextAttemptMillis how long until it is tried again; 0: now, or there is nothing to try again
 */
public record OutletStatus(
        String name,
        String kind,
        String place,
        OutletState state,
        long cursor,
        long lagEvents,
        long oldestEpochMillis,
        long delivered,
        long skipped,
        long oversized,
        long failures,
        String lastError,
        long lastErrorEpochMillis,
        long nextAttemptMillis) {

    /** Age of the oldest event that waits, milliseconds; 0: none waits. */
    public long oldestAgeMillis(long nowEpochMillis) {
        return oldestEpochMillis == 0 ? 0 : Math.max(0, nowEpochMillis - oldestEpochMillis);
    }
}
