package io.heartwheel.push;

import io.heartwheel.wheel.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Message that waits in a {@link DeviceQueue}: the future of its result, and the task of its deadline. 64 bytes, as a hundred thousand may wait.
 *
 * <pre>
 *                write              ACK, pong, answer
 *   WAITING -----------------&gt; SENT ------------------&gt; ENDED
 *      ^                       |  |  ACK, and an answer is waited for
 *      |  connection ended     |  +------------------&gt; SETTLED ---&gt; ENDED
 *      +-----------------------+
 *      |  pause over           |  ACK "not now"
 *      +-------- PAUSED &lt;------+         the deadline ends it in any state
 * </pre>
 *
 * <p>Owner: the loop of the queue.
 */
final class PendingMessage extends CompletableFuture<PushResult> implements Runnable {
    private static final int LONGEST_PAUSE_SECONDS = 30;
    /** Of a pause of 1 s, until it is longer than that. */
    private static final int MOST_DOUBLINGS = 5;

    enum State {
        /** To be written in its turn. */
        WAITING,
        /** Written to the connection that stands, or on the way to its loop. */
        SENT,
        /** The device does not want it now. */
        PAUSED,
        /** The device has acknowledged it, and its answer is to come. */
        SETTLED,
        /** It has its result, or is at rest on the disk again. */
        ENDED
    }

    final DeviceQueue queue;
    final Push push;
    /** Its place among the messages of the device. */
    final long number;
    /** Where it came from; null: it is in memory alone. */
    final @Nullable StoredRow row;

    State state = State.WAITING;
    /** It was written once: the device may have it. */
    boolean known;
    /** Number of the ping behind it on the connection that stands; only while SENT, with {@link Push.Ack#RECEIVED}. */
    long ping;
    /** Times that the device did not want it, as far as pauses grow with them. */
    private byte refusals;

    @Nullable
    Timer deadline;

    @Nullable
    Timer pause;

    PendingMessage(DeviceQueue queue, Push push, long number, @Nullable StoredRow row) {
        this.queue = queue;
        this.push = row == null ? push.to(queue.deviceId) : push; // the id once for all that wait
        this.number = number;
        this.row = row;
    }

    boolean wants(Push.Ack ack) {
        return push.ack() == ack;
    }

    /** The deadline has passed. */
    @Override
    public void run() {
        queue.expired(this);
    }

    /** Takes back what stands in the wheel. */
    void stopTimers() {
        endPause();
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }

    /**
     * As it is listed.
     *
     * @param atRest as its row is; null: it has none
     */
    Pushes.Waiting listed(Pushes.@Nullable Waiting atRest, long nowNanos) {
        boolean sent = state == State.SENT || state == State.SETTLED || state == State.PAUSED;
        if (atRest != null) {
            return new Pushes.Waiting(atRest.id(), atRest.bytes(), true, sent, atRest.ageMillis(), atRest.leftMillis());
        }
        long leftNanos = deadline == null ? 0 : Math.max(0, deadline.deadlineNanos() - nowNanos);
        long ageNanos = Math.max(0, push.timeoutNanos() - leftNanos);
        return new Pushes.Waiting(
                push.id(),
                push.payload().length,
                false,
                sent,
                TimeUnit.NANOSECONDS.toMillis(ageNanos),
                TimeUnit.NANOSECONDS.toMillis(leftNanos));
    }

    /** The device did not want it: how long to wait until it is sent again, twice as long each time. */
    long nextPauseSeconds() {
        long seconds = Math.min(LONGEST_PAUSE_SECONDS, 1L << refusals);
        refusals = (byte) Math.min(refusals + 1, MOST_DOUBLINGS);
        return seconds;
    }

    /** Whether its pause is over, and not one before that. */
    boolean isPauseOver() {
        return state == State.PAUSED && pause != null && pause.state() == Timer.State.FIRED;
    }

    void endPause() {
        if (pause != null) {
            pause.cancel();
            pause = null;
        }
    }
}
