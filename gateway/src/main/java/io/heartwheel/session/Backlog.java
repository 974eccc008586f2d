package io.heartwheel.session;

/**
 * What a session remembers while its peer does not drain: exists only then. Loop only.
 *
 * <p>Progress is told by {@code drained}, a count that grows with every byte the socket takes and with nothing else, so that new writes never
 * look like progress.
 */
final class Backlog {
    /** Bytes handed to the channel since this backlog began, as the channel counts them. */
    long enqueuedBytes;
    /** The largest drained count seen. */
    long drainedBytes;
    /** When it was seen: the latest instant at which no progress is proven since, nanoseconds. */
    long progressNanos;
    /** When it was last looked at, nanoseconds. */
    long lookedNanos;
    /** Whether reading from the peer is paused, since when. */
    boolean readingPaused;

    long pausedSinceNanos;

    Backlog(long enqueuedBytes, long drainedBytes, long nowNanos) {
        this.enqueuedBytes = enqueuedBytes;
        this.drainedBytes = drainedBytes;
        progressNanos = nowNanos;
        lookedNanos = nowNanos;
    }

    void look(long drainedNow, long nowNanos) {
        lookedNanos = nowNanos;
        if (drainedNow != drainedBytes) {
            drainedBytes = drainedNow;
            progressNanos = nowNanos;
        }
    }
}
