package io.heartwheel.liveness;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.PauseCause;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a connection whose peer does not drain or is not read: exists only then. Written by the loop.
 *
 * <p>Progress is told by two counts, either of them. {@code drained} grows with every byte the socket takes and with nothing else, so that new writes
 * never look like progress. It stands still for long although the peer reads on, because a socket takes more only when a third of its buffer is free.
 * {@code acknowledged} grows with every byte that arrived at the peer's kernel, and a kernel lets none arrive for which its program has made no room.
 * Answers to the probes of a closed window acknowledge nothing new.
 */
final class Backlog {
    /** Reading is paused because the peer does not drain. */
    static final int PEER = 1;
    /** Reading is paused because the sink has no room for a message of the peer. */
    static final int SINK = 2;
    /** Reading is paused because the peer sends faster than it may. */
    static final int RATE = 4;

    /** Bytes handed to the channel since this backlog began, as the channel counts them. */
    long enqueuedBytes;
    /** The largest drained count seen. */
    long drainedBytes;
    /** What the peer's kernel had acknowledged then; -1 if this transport cannot tell. */
    long acknowledgedBytes;
    /** When either grew: the latest instant at which no progress is proven since, nanoseconds. */
    long progressNanos;
    /** When it was last looked at, nanoseconds. */
    long lookedNanos;
    /** Whether bytes wait for the peer. */
    boolean undrained;
    /** Why reading from the peer is paused, a sum of {@link #PEER}, {@link #SINK} and {@link #RATE}; 0 if it is not. */
    int pauseCauses;
    /** Since when for just these causes, nanoseconds. */
    long pausedSinceNanos;
    /** Whether the peer was read since, and nothing was left to read. */
    boolean listened;
    /** A message of the peer that the sink has no room for. */
    ConnectionEvent.@Nullable Message held;
    /** The way back to its sender. */
    EventSink.@Nullable Reply heldReply;

    Backlog(long enqueuedBytes, long drainedBytes, long acknowledgedBytes, long nowNanos) {
        this.enqueuedBytes = enqueuedBytes;
        this.drainedBytes = drainedBytes;
        this.acknowledgedBytes = acknowledgedBytes;
        undrained = enqueuedBytes > 0;
        progressNanos = nowNanos;
        lookedNanos = nowNanos;
    }

    /** Goes on in the place of another. */
    void succeed(Backlog before) {
        pauseCauses = before.pauseCauses;
        pausedSinceNanos = before.pausedSinceNanos;
        held = before.held;
        heldReply = before.heldReply;
    }

    /** Why reading from the peer is paused, for people and consumers; empty if it is not. */
    static List<PauseCause> named(int causes) {
        List<PauseCause> named = new ArrayList<>(3);
        if ((causes & SINK) != 0) {
            named.add(PauseCause.SINK);
        }
        if ((causes & RATE) != 0) {
            named.add(PauseCause.RATE);
        }
        if ((causes & PEER) != 0) {
            named.add(PauseCause.SEND_QUEUE);
        }
        return List.copyOf(named);
    }

    /** Reading from the peer is paused for these causes from now on, or for none. */
    void pause(int causes, long nowNanos) {
        pauseCauses = causes;
        pausedSinceNanos = nowNanos;
        listened = false;
    }

    void look(long drainedNow, long acknowledgedNow, long nowNanos) {
        lookedNanos = nowNanos;
        if (drainedNow != drainedBytes || acknowledgedNow > acknowledgedBytes) {
            drainedBytes = drainedNow;
            acknowledgedBytes = acknowledgedNow;
            progressNanos = nowNanos;
        }
    }
}
