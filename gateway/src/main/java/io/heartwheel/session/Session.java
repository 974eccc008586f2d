package io.heartwheel.session;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.wheel.Timed;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection: identity, timestamps, state, and the one entry in the wheel that waits for the earliest of its deadlines.
 *
 * <p>A session is abstract so that the connection of a protocol can be one object with it: at a million connections an object header
 * and a reference are 20 MB.
 *
 * <pre>
 *   HANDSHAKE --hello--&gt; CLAIMING --granted--&gt; ESTABLISHED --sendAway--&gt; LEAVING
 *       |                   |                      |                       |
 *       +-------------------+------ close(reason) -+-----------------------+--&gt; CLOSED
 * </pre>
 *
 * <p>Owner: the channel's event loop; every method is for the loop only unless it says otherwise. The wheel's thread reads
 * {@link #deadlineNanos()} and calls {@link #expire}. What it reads is stored opaque by the loop; it may be a few frames old, and then the
 * entry is met early, which costs one more look and nothing else: the wheel proposes, the loop decides ({@link Liveness}).
 */
public abstract class Session implements Timed, Directory.Claimant {
    /** Where a connection stands in its life. */
    public enum State {
        /** Accepted, no valid HELLO or upgrade yet. */
        HANDSHAKE,
        /** The device id is being claimed. */
        CLAIMING,
        /** The device is there. */
        ESTABLISHED,
        /** GOAWAY was sent. */
        LEAVING,
        /** The end; nothing follows. */
        CLOSED
    }

    private static final int MAX_EXTRA_LOOKS = 8;
    /** The kernel's clock of arrivals is as coarse as this. */
    private static final long HEARD_SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final VarHandle LAST_FRAME_IN;
    private static final VarHandle PROBED_FRAME;
    private static final VarHandle STEADY;
    private static final VarHandle PROPOSED;

    static {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try {
            LAST_FRAME_IN = lookup.findVarHandle(Session.class, "lastFrameInNanos", long.class);
            PROBED_FRAME = lookup.findVarHandle(Session.class, "probedFrameNanos", long.class);
            STEADY = lookup.findVarHandle(Session.class, "steadyDeadlineNanos", long.class);
            PROPOSED = lookup.findVarHandle(Session.class, "proposed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // ---- written by the loop, read by the wheel's thread as well
    private long lastFrameInNanos;
    /** The value of lastFrameInNanos that was asked about; differs from it as soon as any frame has come in since. */
    private long probedFrameNanos;

    private long closeAtNanos;

    @SuppressWarnings("UnusedVariable") // through STEADY
    private long steadyDeadlineNanos = NO_DEADLINE;

    int intervalMillis;
    boolean partial;
    private boolean readerIdle;
    private volatile State state = State.HANDSHAKE;

    // ---- set by the wheel's thread, cleared by the loop; see ExpiryInbox
    @SuppressWarnings("UnusedVariable") // through PROPOSED
    private boolean proposed;

    @Nullable
    Session nextProposed;

    // ---- the loop's alone
    /** Handshake deadline, then the age deadline, then the end of leaving. */
    long phaseDeadlineNanos = NO_DEADLINE;

    long lastFrameOutNanos;
    long partialSinceNanos;
    int partialBytes;
    private int wheelHandle = -1;
    private byte extraLooks;
    private long openedNanos;

    @Nullable
    Backlog backlog;

    // ---- identity: written once by the loop before the session is published in the directory
    private byte[] deviceId = NOBODY;
    private String clientName = "";
    private long sessionId;
    private long epoch;

    private final LoopScope scope;

    private static final byte[] NOBODY = new byte[0];

    /** A connection just accepted; {@link #open} starts its clock. */
    protected Session(LoopScope scope) {
        this.scope = scope;
    }

    // ------------------------------------------------------------------ what the wire below provides

    /** {@code heartwheel}, {@code heartwheel.v1} or {@code plain}. Any thread. */
    public abstract String protocolName();

    /** Address and port of the peer, for people. Any thread. */
    public abstract String remote();

    /** Runs a task on this session's loop, at once if the caller is the loop. Any thread. */
    public abstract void onLoop(Runnable task);

    /** Sends a DATA. @return false if the session is not established or the peer does not drain */
    public abstract boolean sendData(long messageId, boolean text, byte[] payload);

    /** Asks the peer for a sign of life. */
    protected abstract void sendProbe();

    /** Sends a sign of life that asks nothing. */
    protected abstract void sendKeepAlive();

    /** Tells the peer to leave and when to come back. */
    protected abstract void sendGoAway(CloseReason reason, GoAway goAway);

    /** Sends the last frame, if the reason has a code, and closes the transport. Called once. */
    protected abstract void farewell(CloseReason reason, String text);

    /** The claim was granted: send WELCOME, go on reading. */
    protected abstract void welcome();

    /** Bytes that the channel holds and the socket has not taken, as the channel counts them. */
    protected abstract long pendingBytes();

    /** Of the message the socket is taking now, the bytes taken. */
    protected abstract long currentProgressBytes();

    /**
     * When the kernel last took in a byte of the peer, read by us or not.
     *
     * @return milliseconds ago, 0 or more; -1 if this transport cannot tell
     */
    protected abstract long lastHeardMillisAgo();

    // ------------------------------------------------------------------ life

    /** Starts the clock: the handshake deadline runs from now. */
    protected final void open(long sessionId, long nowNanos) {
        this.sessionId = sessionId;
        openedNanos = nowNanos;
        LAST_FRAME_IN.setOpaque(this, nowNanos);
        lastFrameOutNanos = nowNanos;
        probedFrameNanos = nowNanos - 1;
        long timeoutNanos = policy().handshakeNanos;
        phaseDeadlineNanos = timeoutNanos == LivenessPolicy.OFF ? NO_DEADLINE : nowNanos + timeoutNanos;
        wheelHandle = scope.wheel().register(this);
        rearm();
    }

    /**
     * Ends without a word because another session goes on with the same channel, once its protocol is known. It counts as no close; the
     * successor is opened with this session's id and time of accept, so the handshake deadline goes on.
     */
    protected final void giveWay() {
        state = State.CLOSED;
        if (wheelHandle >= 0) {
            scope.wheel().release(wheelHandle);
        }
    }

    /** A valid HELLO or upgrade: claims the id. @return false if the peer was closed instead */
    protected final boolean hello(byte[] deviceId, byte[] token, long wantedMillis, long lastEpoch, String clientName) {
        if (!scope.credentials().admits(deviceId, token)) {
            close(CloseReason.UNAUTHORIZED, "wrong token");
            return false;
        }
        this.deviceId = deviceId;
        this.clientName = clientName;
        intervalMillis = policy().heartbeat ? policy().grantMillis(wantedMillis) : 0;
        state = State.CLAIMING;
        scope.directory().claim(this, lastEpoch, this);
        return state != State.CLOSED;
    }

    /** Plain peers may be watched by the reader-idle deadline instead of the heartbeat. */
    protected final void preferReaderIdle() {
        if (policy().readerIdleNanos != LivenessPolicy.OFF) {
            intervalMillis = 0;
            readerIdle = true;
        }
    }

    @Override
    public final void granted(long epoch, @Nullable Session predecessor) {
        onLoop(() -> establish(epoch, predecessor));
    }

    @Override
    public final void refused(CloseReason reason) {
        onLoop(() -> close(reason, "the device id is not to be had"));
    }

    private void establish(long epoch, @Nullable Session predecessor) {
        if (predecessor != null) {
            predecessor.closeSoon(CloseReason.TAKEN_OVER, "a newer connection has this device id");
            scope.observer().tookOver();
        }
        if (state == State.CLOSED) {
            scope.directory().release(this);
            return;
        }
        long nowNanos = scope.nanoTime();
        this.epoch = epoch;
        state = State.ESTABLISHED;
        phaseDeadlineNanos =
                policy().ageNanos == LivenessPolicy.OFF ? NO_DEADLINE : openedNanos + policy().ageNanos(sessionId);
        activity(nowNanos);
        scope.observer().established(protocolName());
        scope.sink()
                .publish(new ConnectionEvent.Connected(
                        identity(),
                        scope.wallMillis().getAsLong(),
                        protocolName(),
                        remote(),
                        clientName,
                        intervalMillis));
        welcome();
        rearm();
    }

    /** A complete frame came in: one store. The wheel entry stays where it is and is moved when it is met. */
    protected final void activity(long nowNanos) {
        boolean wasAsked = probedFrameNanos == lastFrameInNanos;
        LAST_FRAME_IN.setOpaque(this, nowNanos);
        if (wasAsked) {
            // with a grace over 2 the next probe is due before the close that the entry waits for
            rearm();
        }
    }

    /** A frame went out. */
    protected final void wrote(long nowNanos) {
        lastFrameOutNanos = nowNanos;
    }

    /** What lies behind the last complete frame. @param bytes of the frame begun, 0 if none is */
    protected final void partial(int bytes, long nowNanos) {
        if (bytes == 0) {
            if (partial) {
                partial = false;
                partialBytes = 0;
                // silence counts again, and may be due before the frame would have been
                rearm();
            }
        } else if (partial) {
            partialBytes = bytes;
        } else {
            partial = true;
            partialSinceNanos = nowNanos;
            partialBytes = bytes;
            rearm();
        }
    }

    /** After a flush: if the socket did not take everything, the write deadline runs. @param handedOver bytes written before the flush */
    protected final void flushed(long nowNanos) {
        if (backlog == null && pendingBytes() > 0) {
            beginBacklog(nowNanos);
        }
    }

    /** Bytes were handed to a channel that has a backlog. */
    protected final void enqueued(long bytes) {
        if (backlog != null) {
            backlog.enqueuedBytes += bytes;
        }
    }

    /** Whether {@link #enqueued} has to be told. */
    protected final boolean hasBacklog() {
        return backlog != null;
    }

    /** Reading from the peer stops or goes on, by the watermarks. Its silence is not counted meanwhile. */
    protected final void pauseReading(boolean pause, long nowNanos) {
        if (pause == readingPaused()) {
            return;
        }
        if (pause) {
            Backlog slow = backlog == null ? beginBacklog(nowNanos) : backlog;
            slow.readingPaused = true;
            slow.pausedSinceNanos = nowNanos;
            scope.observer().readingPaused();
        } else if (backlog != null) {
            backlog.readingPaused = false;
            long pausedNanos = nowNanos - backlog.pausedSinceNanos;
            activity(lastFrameInNanos() + pausedNanos);
            partialSinceNanos += pausedNanos;
            rearm();
        }
    }

    private Backlog beginBacklog(long nowNanos) {
        Backlog begun = new Backlog(pendingBytes(), currentProgressBytes(), nowNanos);
        backlog = begun;
        rearm();
        return begun;
    }

    /** Leave, with a window to come back in; closed at the deadline if the peer has not gone by then. Established sessions only. */
    public final void sendAway(CloseReason reason, GoAway goAway, long closeAtNanos) {
        if (state == State.ESTABLISHED) {
            state = State.LEAVING;
            phaseDeadlineNanos = closeAtNanos;
            sendGoAway(reason, goAway);
            rearm();
        }
    }

    /** Closes from any thread. */
    public final void closeSoon(CloseReason reason, String text) {
        onLoop(() -> close(reason, text));
    }

    /** Ends the connection, once; a second call does nothing. The one way out for every reason. */
    protected final void close(CloseReason reason, String text) {
        close(reason, text, -1);
    }

    private void close(CloseReason reason, String text, long latenessNanos) {
        State before = state;
        if (before == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        boolean wasEstablished = before == State.ESTABLISHED || before == State.LEAVING;
        long nowNanos = scope.nanoTime();
        if (wheelHandle >= 0) {
            scope.wheel().release(wheelHandle);
        }
        if (before != State.HANDSHAKE) {
            scope.directory().release(this);
        }
        long silentNanos = nowNanos - lastFrameInNanos();
        scope.observer()
                .closed(
                        wasEstablished ? protocolName() : "handshake",
                        reason,
                        wasEstablished,
                        latenessNanos,
                        silentNanos);
        if (wasEstablished) {
            scope.sink()
                    .publish(new ConnectionEvent.Disconnected(
                            identity(),
                            scope.wallMillis().getAsLong(),
                            reason,
                            text,
                            TimeUnit.NANOSECONDS.toMillis(nowNanos - openedNanos),
                            TimeUnit.NANOSECONDS.toMillis(silentNanos),
                            Math.max(0, latenessNanos) / 1e6));
        }
        farewell(reason, text);
        backlog = null;
    }

    // ------------------------------------------------------------------ deadlines

    /** Wheel thread: where the entry belongs now. */
    @Override
    public final long deadlineNanos() {
        return Liveness.earlier((long) STEADY.getOpaque(this), Liveness.silenceDeadlineNanos(this));
    }

    /** Wheel thread: hands the session to its loop. */
    @Override
    public final void expire(long nowNanos) {
        scope.inbox().propose(this);
    }

    /** Whether bytes of the peer seem to wait unread in the socket; true at most {@value #MAX_EXTRA_LOOKS} times in a row. */
    final boolean hasUnreadBytes(long nowNanos) {
        long heardMillisAgo = extraLooks < MAX_EXTRA_LOOKS ? lastHeardMillisAgo() : -1;
        if (heardMillisAgo < 0) {
            return false;
        }
        extraLooks++;
        long readNanosAgo = nowNanos - lastFrameInNanos();
        return readNanosAgo - TimeUnit.MILLISECONDS.toNanos(heardMillisAgo) > HEARD_SLACK_NANOS;
    }

    /** Judges and acts until nothing is due, then arms the wheel for what comes next. */
    final void enforce(long nowNanos) {
        extraLooks = 0;
        lookAtBacklog(nowNanos);
        Verdict verdict = Liveness.judge(this, nowNanos);
        while (verdict != Verdict.KEEP) {
            act(verdict, nowNanos);
            verdict = Liveness.judge(this, nowNanos);
        }
        if (state != State.CLOSED) {
            rearm();
        }
    }

    private void act(Verdict verdict, long nowNanos) {
        switch (verdict) {
            case KEEP -> throw new AssertionError("nothing to do");
            case PROBE -> {
                closeAtNanos = Liveness.closeAtNanos(this, nowNanos);
                PROBED_FRAME.setRelease(this, lastFrameInNanos());
                scope.observer().probed();
                sendProbe();
            }
            case KEEP_ALIVE -> {
                lastFrameOutNanos = nowNanos;
                scope.observer().keptAlive();
                sendKeepAlive();
            }
            case SEND_AWAY -> sendAway(CloseReason.MAX_AGE, GoAway.AT_ONCE, nowNanos + policy().goawayLeadNanos);
            default -> closeByDeadline(verdict, nowNanos);
        }
    }

    private void closeByDeadline(Verdict verdict, long nowNanos) {
        CloseReason reason = verdict.reason();
        if (reason == null) {
            throw new AssertionError(verdict);
        }
        close(reason, explain(verdict, nowNanos), nowNanos - Liveness.deadlineNanos(this, verdict));
    }

    private String explain(Verdict verdict, long nowNanos) {
        double silentSeconds = (nowNanos - lastFrameInNanos()) / 1e9;
        return switch (verdict) {
            case CLOSE_HEARTBEAT ->
                String.format(
                        Locale.ROOT,
                        "silent for %.1f s: heartbeat %.1f s x %.2f",
                        silentSeconds,
                        intervalMillis / 1e3,
                        policy().graceHundredths / 1e2);
            case CLOSE_READ_IDLE -> String.format(Locale.ROOT, "silent for %.1f s", silentSeconds);
            case CLOSE_READ_STALLED ->
                String.format(
                        Locale.ROOT,
                        "%d bytes of a frame in %.1f s, then no end",
                        partialBytes,
                        (nowNanos - partialSinceNanos) / 1e9);
            case CLOSE_WRITE_STALLED ->
                String.format(
                        Locale.ROOT,
                        "took none of %d pending bytes for %.1f s",
                        pendingBytes(),
                        policy().writeProgressNanos / 1e9);
            case CLOSE_HANDSHAKE ->
                String.format(Locale.ROOT, "no HELLO or upgrade in %.1f s", (nowNanos - openedNanos) / 1e9);
            case CLOSE_CLAIM -> "the device id could not be claimed in time";
            default -> "the connection reached its age";
        };
    }

    private void lookAtBacklog(long nowNanos) {
        Backlog slow = backlog;
        if (slow == null) {
            return;
        }
        long pending = pendingBytes();
        if (pending == 0 && !slow.readingPaused) {
            backlog = null;
        } else {
            slow.look(slow.enqueuedBytes - pending + currentProgressBytes(), nowNanos);
        }
    }

    /** Works out the earliest deadline and tells the wheel. */
    private void rearm() {
        STEADY.setOpaque(this, Liveness.steadyDeadlineNanos(this));
        long deadlineNanos = deadlineNanos();
        if (wheelHandle < 0 || state == State.CLOSED) {
            return;
        }
        if (deadlineNanos == NO_DEADLINE) {
            scope.wheel().disarm(wheelHandle);
        } else {
            scope.wheel().arm(wheelHandle, deadlineNanos);
        }
    }

    // ------------------------------------------------------------------ fields for Liveness and ExpiryInbox

    final LivenessPolicy policy() {
        return scope.policy();
    }

    final boolean silenceHeld() {
        return !isEstablished() || readingPaused() || (partial && policy().readProgressNanos != LivenessPolicy.OFF);
    }

    final boolean readingPaused() {
        Backlog slow = backlog;
        return slow != null && slow.readingPaused;
    }

    final boolean readerIdle() {
        return readerIdle;
    }

    final boolean probedFor(long frameNanos) {
        return (long) PROBED_FRAME.getAcquire(this) == frameNanos;
    }

    final long closeAtNanos() {
        return closeAtNanos;
    }

    /** Wheel thread. @return false if the session already waits for its loop */
    final boolean markProposed() {
        if ((boolean) PROPOSED.getAcquire(this)) {
            return false;
        }
        PROPOSED.setRelease(this, true);
        return true;
    }

    final void clearProposed() {
        PROPOSED.setRelease(this, false);
    }

    // ------------------------------------------------------------------ facts, any thread

    /** What this session's loop shares. */
    protected final LoopScope scope() {
        return scope;
    }

    /** Where it stands. */
    public final State state() {
        return state;
    }

    /** Whether the device is there, leaving or not. */
    public final boolean isEstablished() {
        State now = state;
        return now == State.ESTABLISHED || now == State.LEAVING;
    }

    /** UTF-8 bytes of the device id; empty before HELLO. Not to be changed. */
    public final byte[] deviceIdBytes() {
        return deviceId;
    }

    /** The device's own name; empty before HELLO. */
    public final String deviceId() {
        return new String(deviceId, StandardCharsets.UTF_8);
    }

    /** What the device calls its software, may be empty. */
    public final String clientName() {
        return clientName;
    }

    /** This connection, unique in the process. */
    public final long sessionId() {
        return sessionId;
    }

    /** Grows with each connection of the device; 0 before it is established. */
    public final long epoch() {
        return epoch;
    }

    /** The granted heartbeat interval, milliseconds; 0 if there is none. */
    public final int intervalMillis() {
        return intervalMillis;
    }

    /** When the last complete frame came in, monotonic nanoseconds. */
    public final long lastFrameInNanos() {
        return (long) LAST_FRAME_IN.getOpaque(this);
    }

    /** When it was accepted, monotonic nanoseconds. */
    public final long openedNanos() {
        return openedNanos;
    }

    /** Which connection of which device, for events. */
    public final ConnectionEvent.Identity identity() {
        return new ConnectionEvent.Identity(deviceId(), sessionId, epoch);
    }
}
