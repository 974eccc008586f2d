package io.heartwheel.session;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.DeadlineOrigin;
import io.heartwheel.event.Evidence;
import java.nio.charset.StandardCharsets;
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
public abstract class Session extends Questioned implements Directory.Claimant {
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

    /** How long a closed connection whose peer sends nothing more waits, while its loop turns, for it to read the last frame and to end its side. */
    static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long it waits at the most for one that sends on, or has not taken what was written before the last frame. */
    static final long MOST_LINGER_NANOS = TimeUnit.SECONDS.toNanos(30);

    // ---- identity: written once by the loop before the session is published in the directory
    private byte[] deviceId = NOBODY;
    private String clientName = "";
    private long sessionId;
    private long epoch;
    /** Ordinal of a {@link DeadlineOrigin}: one byte, not a reference, in each connection. */
    private byte intervalOrigin;

    // ---- the loop's alone
    /** Set while the peer sends quickly. */
    private @Nullable TokenBucket bucket;

    private static final byte[] NOBODY = new byte[0];
    private static final DeadlineOrigin[] ORIGINS = DeadlineOrigin.values();

    /** A connection just accepted; {@link #open} starts its clock. */
    protected Session(SessionContext sessionContext) {
        super(sessionContext);
    }

    // ------------------------------------------------------------------ what the wire below provides

    /** {@code heartwheel}, {@code heartwheel.v1} or {@code plain}. Any thread. */
    public abstract String protocolName();

    /** Address and port of the peer, for people; of the device itself where a trusted balancer stands before it. Any thread. */
    public abstract String remote();

    /** Address and port of that balancer; empty if the peer came directly. Any thread. */
    public String via() {
        return "";
    }

    /** The IP address of {@link #remote}, 4 or 16 bytes; none if it is not known. Any thread. */
    public abstract byte[] remoteAddress();

    /** The name of a frame type of this protocol, never 0. Any thread. */
    protected abstract String frameName(int type);

    /** What the kernel knows of this connection; null where the platform does not tell. */
    protected abstract Evidence.@Nullable Path path();

    /** Runs a task on this session's loop, at once if the caller is the loop. Any thread. */
    public abstract void onLoop(Runnable task);

    /**
     * Sends a DATA.
     *
     * @return false if the session is not established or the peer does not drain
     */
    public abstract boolean sendData(long messageId, boolean text, byte[] payload);

    /** Asks the peer for a sign of life. */
    protected abstract void sendProbe();

    /** Sends a sign of life that asks nothing. */
    protected abstract void sendKeepAlive();

    /** Whether the peer's protocol has a word for leaving; whoever has none can only be closed. Any thread. */
    public boolean takesGoAway() {
        return true;
    }

    /** Tells the peer to leave and when to come back. */
    protected abstract void sendGoAway(CloseReason reason, GoAway goAway);

    /**
     * Sends the last frame, if the reason has a code, and closes the transport. Called once.
     *
     * @return true if the transport is left open for a moment, so that the peer can read the last frame and end its own side; {@link #cut} ends it
     */
    protected abstract boolean closeTransport(CloseReason reason, String text);

    /** Closes the transport at once, whatever is on its way. */
    protected abstract void cut();

    /** The connection ends: what the sink had no room for is offered a last time. */
    public void publishHeld() {}

    /** The claim was granted: send WELCOME, go on reading. */
    protected abstract void welcome();

    // ------------------------------------------------------------------ life

    /** Starts the clock: the handshake deadline runs from now. */
    protected final void open(long sessionId, long nowNanos) {
        this.sessionId = sessionId;
        sessionContext().stats().handshakeBegun();
        began(nowNanos);
        watch();
    }

    /**
     * Ends without a word because another session goes on with the same channel, once its protocol is known. It counts as no close; the
     * successor is opened with this session's id and time of accept, so the handshake deadline goes on.
     */
    protected final void giveWay() {
        sessionContext().stats().handshakeEnded();
        state(State.CLOSED);
        unwatch();
    }

    /**
     * A valid HELLO or upgrade: claims the id.
     *
     * @return false if the peer was closed instead
     */
    protected final boolean hello(byte[] deviceId, byte[] token, long wantedMillis, long lastEpoch, String clientName) {
        this.deviceId = deviceId;
        this.clientName = clientName;
        if (!sessionContext().credentials().admits(deviceId, token)) {
            close(CloseReason.UNAUTHORIZED, "wrong token");
            return false;
        }
        intervalOrigin = (byte) policy().originOfInterval(wantedMillis).ordinal();
        intervalMillis = policy().heartbeat && !readerIdle() ? policy().grantMillis(wantedMillis) : 0;
        state(State.CLAIMING);
        sessionContext().directory().claim(this, lastEpoch, this);
        return state() != State.CLOSED;
    }

    /** Plain peers are watched by the reader-idle deadline instead of the heartbeat where the operator sets it. Before {@link #hello}. */
    protected final void preferReaderIdle() {
        readerIdle(policy().readerIdleNanos != LivenessPolicy.OFF);
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
            predecessor.onLoop(() -> predecessor.supersededBy(this));
            sessionContext().observer().tookOver();
        }
        if (state() == State.CLOSED) {
            sessionContext().directory().release(this);
            return;
        }
        long nowNanos = sessionContext().nanoTime();
        this.epoch = epoch;
        state(State.ESTABLISHED);
        sessionContext().stats().handshakeEnded();
        phase(ageDeadlineNanos());
        activity(nowNanos);
        welcomed();
        sessionContext().observer().established(protocolName());
        sessionContext().breaker().entered(this);
        sessionContext()
                .sink()
                .publish(new ConnectionEvent.Connected(
                        identity(),
                        sessionContext().wallMillis().getAsLong(),
                        protocolName(),
                        remote(),
                        via(),
                        clientName,
                        intervalMillis));
        welcome();
        rearm();
    }

    /**
     * Leave, with a window to come back in; closed at the deadline if the peer has not gone by then. Established sessions only.
     *
     * @return false if it is not established, or leaving already: then nothing was done
     */
    public final boolean sendAway(CloseReason reason, GoAway goAway, long closeAtNanos) {
        if (state() != State.ESTABLISHED) {
            return false;
        }
        state(State.LEAVING);
        phase(closeAtNanos);
        sendGoAway(reason, goAway);
        rearm();
        return true;
    }

    /** Sent away without a deadline, and now it may stay. The peer was told to leave and may do so nevertheless. */
    public final void stayAfterAll() {
        if (state() == State.LEAVING && phaseDeadlineNanos() == NO_DEADLINE) {
            state(State.ESTABLISHED);
            phase(ageDeadlineNanos());
            rearm();
        }
    }

    private long ageDeadlineNanos() {
        return policy().ageNanos == LivenessPolicy.OFF ? NO_DEADLINE : openedNanos() + policy().ageNanos(sessionId);
    }

    /** Closes from any thread. */
    public final void closeSoon(CloseReason reason, String text) {
        onLoop(() -> close(reason, text));
    }

    private void supersededBy(Session successor) {
        close(
                CloseReason.TAKEN_OVER,
                "a newer connection has this device id",
                CloseContext.succeededBy(successor.sessionId));
    }

    /** Ends the connection, once; a second call does nothing. The one way out for every reason. */
    public final void close(CloseReason reason, String text) {
        close(reason, text, CloseContext.NONE);
    }

    /** The peer says that it leaves. */
    protected final void peerLeaves(String text, Evidence.PeerClose said) {
        close(CloseReason.PEER_CLOSED, text, CloseContext.said(said));
    }

    /** The peer's certificate was not accepted. */
    public final void certificateRefused(String text, Evidence.Certificate shown) {
        close(CloseReason.TLS_FAILED, text, CloseContext.showed(shown));
    }

    private void close(CloseReason reason, String text, CloseContext closeContext) {
        if (state() == State.CLOSED) {
            return;
        }
        long nowNanos = sessionContext().nanoTime();
        Evidence evidence = new EvidenceCollector(this, nowNanos).atClose(reason, text, closeContext);
        boolean hadClaimed = state() != State.HANDSHAKE;
        if (!evidence.established()) {
            sessionContext().stats().handshakeEnded();
        }
        state(State.CLOSED);
        settle(reason, nowNanos);
        publishHeld();
        forgetTroubles();
        if (hadClaimed) {
            sessionContext().directory().release(this);
        }
        sessionContext().ended(evidence);
        if (evidence.established()) {
            sessionContext().breaker().left(this);
        }
        if (closeTransport(reason, text)) {
            // who is taken for dead is not waited for
            boolean saidAll = pendingBytes() == 0 || (reason.isDeadline() && reason != CloseReason.MAX_AGE);
            linger(saidAll, nowNanos, MOST_LINGER_NANOS);
        } else {
            unwatch();
        }
    }

    /** All that is known of it now: what would close it, and when. Loop only; some microseconds. */
    public final Evidence evidence() {
        return new EvidenceCollector(this, sessionContext().nanoTime()).asItStands();
    }

    /** The transport is closed: nothing is left to watch. */
    protected final void gone() {
        unwatch();
    }

    // ------------------------------------------------------------------ how fast the peer sends

    /**
     * Frames that may be taken now.
     *
     * @param most 1 or more
     * @return 1..most
     */
    protected final int mayTake(int most, long nowNanos) {
        return bucket == null ? most : bucket.frames(policy().limits, most, nowNanos);
    }

    /**
     * Frames and bytes were taken in, told once a read.
     *
     * @param beforeNanos when the last frame came before these
     * @return whether the peer sends faster than it may: then nothing should be read for {@link #restNanos}
     */
    protected final boolean sentTooFast(int frames, long bytes, long beforeNanos, long nowNanos) {
        RateLimits limits = policy().limits;
        if (!limits.enabled()) {
            return false;
        }
        TokenBucket tokens = TokenBucket.after(bucket, frames, bytes, nowNanos - beforeNanos, limits, nowNanos);
        if (tokens != bucket) {
            bucket = tokens;
        }
        return tokens != null && tokens.owedNanos(limits, nowNanos) > 0;
    }

    /** Reading from a peer that sends too fast rests, or goes on. */
    public final void rest(boolean on, long nowNanos) {
        if (pauseReading(Backlog.RATE, on, nowNanos) && on) {
            sessionContext().observer().rateLimited();
        }
    }

    /** For so long nothing should be read of a peer that sends too fast, nanoseconds; 0 or less: it may be read. */
    public final long restNanos(long nowNanos) {
        return bucket == null ? 0 : bucket.restNanos(policy().limits, nowNanos);
    }

    /** Whether it sends too fast for so long that it is to be closed. */
    protected final boolean isTooFastForLong(long nowNanos) {
        return bucket != null && bucket.isEmptyForLong(policy().limits, nowNanos);
    }

    // ------------------------------------------------------------------ deadlines

    /** Wheel thread: hands the session to its loop. */
    @Override
    public final void expire(long nowNanos) {
        sessionContext().expiryQueue().propose(this, nowNanos);
    }

    /** Judges and acts until nothing is due, then arms the wheel for what comes next. */
    final void enforce(long nowNanos) {
        settled();
        lookAtBacklog(nowNanos);
        lookAtDraining(nowNanos);
        lookAtShadow(nowNanos);
        Verdict verdict = Liveness.judge(this, nowNanos);
        while (verdict != Verdict.KEEP) {
            act(verdict, nowNanos);
            verdict = Liveness.judge(this, nowNanos);
        }
        rearm();
    }

    private void act(Verdict verdict, long nowNanos) {
        switch (verdict) {
            case KEEP -> throw new AssertionError("nothing to do");
            case PROBE -> {
                asked(nowNanos);
                sendProbe();
            }
            case KEEP_ALIVE -> {
                wrote(nowNanos);
                sessionContext().observer().keptAlive();
                sendKeepAlive();
            }
            case CUT -> {
                unwatch();
                cut();
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
        close(reason, CloseText.of(this, verdict, nowNanos), CloseContext.of(verdict));
    }

    /** Found dead in a mass expiry: it is asked once more and has the breaker's patience to answer. */
    final void heldBack(Verdict verdict, long nowNanos) {
        DeadlineKind kind = verdict.deadline();
        if (kind == null) {
            throw new AssertionError(verdict);
        }
        suspect(kind, nowNanos);
        if (backlog() == null) {
            asked(nowNanos);
            sendProbe();
        }
        rearm();
    }

    // ------------------------------------------------------------------ facts, any thread

    /** UTF-8 bytes of the device id; empty before HELLO, a mere claim before it is established. Not to be changed. */
    public final byte[] deviceIdBytes() {
        return deviceId;
    }

    /** The device's own name; empty before HELLO, a mere claim before it is established. */
    public final String deviceId() {
        return new String(deviceId, StandardCharsets.UTF_8);
    }

    /** What the device calls its software, may be empty. */
    public final String clientName() {
        return clientName;
    }

    final DeadlineOrigin intervalOrigin() {
        return ORIGINS[intervalOrigin];
    }

    /** This connection, unique in the process. */
    public final long sessionId() {
        return sessionId;
    }

    /** Grows with each connection of the device; 0 before it is established. */
    public final long epoch() {
        return epoch;
    }

    /** Which connection of which device, for events. */
    public final ConnectionEvent.Identity identity() {
        return new ConnectionEvent.Identity(deviceId(), sessionId, epoch);
    }
}
