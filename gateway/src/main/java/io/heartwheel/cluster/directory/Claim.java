package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.BusMessage;
import io.heartwheel.session.Directory;
import io.heartwheel.session.Session;
import org.jspecify.annotations.Nullable;

/**
 * One claim, from its place in the registry of this process to its answer. {@link #settles} and what goes with it: any thread, guarded by this, for some
 * nanoseconds.
 */
final class Claim {
    final Session session;
    final long epoch;
    /** What the device remembers. */
    final long lastEpoch;

    final @Nullable Session predecessor;
    final Directory.Claimant<Session> claimant;
    /** Of the turns' thread, once it waits. */
    long untilNanos;

    /** Who serves the device while this waits, if it is established; null: nobody did. */
    volatile @Nullable Session served;

    private boolean settled;
    private boolean refused;
    private @Nullable BusMessage kick;

    // ---- of the engine's answers, one at a time
    /** It may take the id from another node, and was counted. */
    boolean takesOver;
    /** It has to wait for the one that has the id there. */
    Directory.@Nullable Wait wait;

    /** Of the connection there that had the id and has ended; 0: none is known to have. */
    long goneEpoch;

    Claim(
            Session session,
            long epoch,
            long lastEpoch,
            @Nullable Session predecessor,
            Directory.Claimant<Session> claimant,
            long untilNanos) {
        this.session = session;
        this.epoch = epoch;
        this.lastEpoch = lastEpoch;
        this.predecessor = predecessor;
        this.claimant = claimant;
        this.untilNanos = untilNanos;
    }

    /** Whether this caller settles it. */
    synchronized boolean settles(boolean refuses) {
        boolean first = !settled;
        if (first) {
            settled = true;
            refused = refuses;
        }
        return first;
    }

    synchronized boolean isSettled() {
        return settled;
    }

    synchronized boolean isRefused() {
        return refused;
    }

    synchronized boolean isGranted() {
        return settled && !refused;
    }

    synchronized void kicked(BusMessage by) {
        if (kick == null || kick.epoch() < by.epoch()) {
            kick = by;
        }
    }

    /** What came before the session had its epoch; null: nothing did. */
    synchronized @Nullable BusMessage kick() {
        return kick;
    }
}
