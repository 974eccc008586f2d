package io.heartwheel.session;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.DeadlineOrigin;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.MonitoredConnection;
import io.heartwheel.liveness.RateLimits;
import io.heartwheel.liveness.Verdict;
import io.heartwheel.session.Lifecycle.Action;
import io.heartwheel.session.Lifecycle.Event;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connection of a device: identity, state and the one way to its end; its deadlines are those of a {@link MonitoredConnection}.
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
 * {@link Lifecycle} is the whole table.
 *
 * <p>Owner: the channel's event loop; every method is for the loop only unless it says otherwise. The wheel's thread calls
 * {@link #expire}. The wheel proposes, the loop decides ({@link MonitoredConnection}).
 */
public abstract class Session extends MonitoredConnection implements Directory.Claimant<Session> {
    // ---- identity: written once by the loop before the session is published in the directory
    private byte[] deviceId = NOBODY;
    private String clientName = "";
    private long sessionId;
    private long epoch;
    /** Ordinal of a {@link DeadlineOrigin}: one byte, not a reference, in each connection. */
    private byte intervalOrigin;

    private final SessionContext sessionContext;

    // ---- the loop's alone
    /** Of the latest event of this session; 32 bits without sign. */
    private int sequence;
    /** Set while the peer sends quickly. */
    private @Nullable TokenBucket bucket;

    private static final byte[] NOBODY = new byte[0];
    private static final DeadlineOrigin[] ORIGINS = DeadlineOrigin.values();

    /** A connection just accepted; {@link #open} starts its clock. */
    protected Session(SessionContext sessionContext) {
        this.sessionContext = sessionContext;
    }

    /** What all sessions of this loop and listener share. */
    public final SessionContext sessionContext() {
        return sessionContext;
    }

    @Override
    protected final SessionContext livenessContext() {
        return sessionContext;
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

    /** The connection ends: what the sink had no room for is offered a last time. */
    public void publishHeld() {}

    /** Whether messages of the peer are to be answered before the last frame of a connection that is closed. */
    protected boolean owesAnswers() {
        return false;
    }

    /** The claim was granted: send WELCOME, go on reading. */
    protected abstract void welcome();

    // ------------------------------------------------------------------ life

    /** Starts the clock: the handshake deadline runs from now. */
    protected final void open(long sessionId, long nowNanos) {
        this.sessionId = sessionId;
        sessionContext.stats().handshakeBegun();
        began(nowNanos);
        watch();
    }

    /**
     * Ends without a word because another session goes on with the same channel, once its protocol is known. It counts as no close; the
     * successor is opened with this session's id and time of accept, so the handshake deadline goes on.
     */
    protected final void giveWay() {
        Lifecycle.Step step = Lifecycle.step(state(), Event.REPLACED);
        if (step.action() == Action.STOP_WATCHING) {
            sessionContext.stats().handshakeEnded();
            state(step.next());
            unwatch();
        }
    }

    /**
     * A valid HELLO or upgrade: claims the id.
     *
     * @return false if the peer was closed instead
     */
    protected final boolean hello(byte[] deviceId, byte[] token, long wantedMillis, long lastEpoch, String clientName) {
        Lifecycle.Step step = Lifecycle.step(state(), Event.HELLO);
        if (step.action() != Action.CLAIM_ID) {
            return state() != ConnectionState.CLOSED;
        }
        this.deviceId = deviceId;
        this.clientName = clientName;
        if (!sessionContext.credentials().admits(deviceId, token)) {
            close(CloseReason.UNAUTHORIZED, "wrong token");
            return false;
        }
        intervalOrigin = (byte) policy().originOfInterval(wantedMillis).ordinal();
        intervalMillis(policy().heartbeat() && !readerIdle() ? policy().grantMillis(wantedMillis) : 0);
        state(step.next());
        sessionContext.directory().claim(this, lastEpoch, this);
        return state() != ConnectionState.CLOSED;
    }

    /** Plain peers are watched by the reader-idle deadline instead of the heartbeat where the operator sets it. Before {@link #hello}. */
    protected final void preferReaderIdle() {
        readerIdle(policy().readerIdle());
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
            sessionContext.observer().tookOver();
        }
        Lifecycle.Step step = Lifecycle.step(state(), Event.GRANTED);
        if (step.action() == Action.RELEASE_ID) {
            sessionContext.directory().release(this);
        }
        if (step.action() != Action.BECOME_ESTABLISHED) {
            return;
        }
        long nowNanos = sessionContext.nanoTime();
        this.epoch = epoch;
        state(step.next());
        sessionContext.stats().handshakeEnded();
        phase(policy().ageDeadlineNanos(openedNanos(), sessionId));
        activity(nowNanos);
        welcomed();
        sessionContext.observer().established(protocolName());
        sessionContext.breaker().entered(this);
        sequence = 1;
        sessionContext()
                .sink()
                .publish(new ConnectionEvent.Connected(
                        identity(),
                        sessionContext.wallMillis().getAsLong(),
                        protocolName(),
                        remote(),
                        via(),
                        clientName,
                        intervalMillis()));
        welcome();
        rearm();
    }

    /**
     * Leave, with a window to come back in; closed at the deadline if the peer has not gone by then. Established sessions only.
     *
     * @return false if it is not established, or leaving already: then nothing was done
     */
    public final boolean sendAway(CloseReason reason, GoAway goAway, long closeAtNanos) {
        Lifecycle.Step step = Lifecycle.step(state(), Event.SENT_AWAY);
        if (step.action() != Action.SEND_GOAWAY) {
            return false;
        }
        state(step.next());
        phase(closeAtNanos);
        sendGoAway(reason, goAway);
        rearm();
        return true;
    }

    /** Sent away without a deadline, and now it may stay. The peer was told to leave and may do so nevertheless. */
    public final void stayAfterAll() {
        Lifecycle.Step step = Lifecycle.step(state(), Event.RECALLED);
        if (step.action() == Action.STAY && phaseDeadlineNanos() == NO_DEADLINE) {
            state(step.next());
            phase(policy().ageDeadlineNanos(openedNanos(), sessionId));
            rearm();
        }
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
        Lifecycle.Step step = Lifecycle.step(state(), Event.CLOSE);
        if (step.action() != Action.END) {
            return;
        }
        long nowNanos = sessionContext.nanoTime();
        Evidence evidence = new EvidenceCollector(this, nowNanos).atClose(reason, text, closeContext);
        boolean hadClaimed = state() != ConnectionState.HANDSHAKE;
        if (!evidence.established()) {
            sessionContext.stats().handshakeEnded();
        }
        state(step.next());
        settle(reason, nowNanos);
        publishHeld();
        forgetTroubles();
        if (hadClaimed) {
            sessionContext.directory().release(this);
        }
        sessionContext.ended(evidence, evidence.established() ? nextSequence() : 0);
        if (evidence.established()) {
            sessionContext.breaker().left(this);
        }
        if (closeTransport(reason, text)) {
            // who is taken for dead is not waited for
            boolean saidAll = pendingBytes() == 0 || (reason.isDeadline() && reason != CloseReason.MAX_AGE);
            saidAll = saidAll && !owesAnswers();
            linger(saidAll, nowNanos, MOST_LINGER_NANOS);
        } else {
            unwatch();
        }
    }

    /** All that is known of it now: what would close it, and when. Loop only; some microseconds. */
    public final Evidence evidence() {
        return new EvidenceCollector(this, sessionContext.nanoTime()).asItStands();
    }

    /** The transport is closed: nothing is left to watch. */
    protected final void gone() {
        unwatch();
    }

    // ------------------------------------------------------------------ events

    /** The place of an event that is published now. */
    protected final long nextSequence() {
        sequence++;
        return sequence();
    }

    /** The event that was to have the latest place is not published, not yet at least. */
    protected final void takeBackSequence() {
        sequence--;
    }

    /** The place of the latest event of this session; 0 before it is established. Loop only. */
    public final long sequence() {
        return Integer.toUnsignedLong(sequence);
    }

    /** The device is there, for a snapshot of this number. Loop only, and only while it is established. */
    public final ConnectionEvent.Present present(long snapshot) {
        long openNanos = Math.max(0, sessionContext.nanoTime() - openedNanos());
        return new ConnectionEvent.Present(
                identity(),
                sequence(),
                sessionContext.wallMillis().getAsLong(),
                snapshot,
                protocolName(),
                remote(),
                via(),
                clientName,
                intervalMillis(),
                TimeUnit.NANOSECONDS.toMillis(openNanos));
    }

    @Override
    protected final void suspected() {
        if (isEstablished()) {
            long atEpochMillis = sessionContext.wallMillis().getAsLong();
            sessionContext.sink().publish(new ConnectionEvent.Suspect(identity(), nextSequence(), atEpochMillis));
        }
    }

    @Override
    protected final void recovered(long heldNanos) {
        if (isEstablished()) {
            sessionContext
                    .sink()
                    .publish(new ConnectionEvent.Recovered(
                            identity(),
                            nextSequence(),
                            sessionContext.wallMillis().getAsLong(),
                            TimeUnit.NANOSECONDS.toMillis(heldNanos)));
        }
    }

    // ------------------------------------------------------------------ frames

    /** A complete frame of this type came in: counts it. */
    protected final void frameIn(int type) {
        lastTypeIn(type);
        sessionContext.stats().frameIn(type);
    }

    /** A frame of this type is written: counts it. */
    protected final void frameOut(int type) {
        lastTypeOut(type);
        sessionContext.stats().frameOut(type);
    }

    // ------------------------------------------------------------------ how fast the peer sends

    /**
     * Frames that may be taken now.
     *
     * @param most 1 or more
     * @return 1..most
     */
    protected final int mayTake(int most, long nowNanos) {
        return bucket == null ? most : bucket.frames(policy().limits(), most, nowNanos);
    }

    /**
     * Frames and bytes were taken in, told once a read.
     *
     * @param beforeNanos when the last frame came before these
     * @return whether the peer sends faster than it may: then nothing should be read for {@link #restNanos}
     */
    protected final boolean sentTooFast(int frames, long bytes, long beforeNanos, long nowNanos) {
        RateLimits limits = policy().limits();
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
        if (pauseForRate(on, nowNanos) && on) {
            sessionContext.observer().rateLimited();
        }
    }

    /** For so long nothing should be read of a peer that sends too fast, nanoseconds; 0 or less: it may be read. */
    public final long restNanos(long nowNanos) {
        return bucket == null ? 0 : bucket.restNanos(policy().limits(), nowNanos);
    }

    /** Whether it sends too fast for so long that it is to be closed. */
    protected final boolean isTooFastForLong(long nowNanos) {
        return bucket != null && bucket.isEmptyForLong(policy().limits(), nowNanos);
    }

    // ------------------------------------------------------------------ deadlines

    /** Wheel thread: hands the session to its loop. */
    @Override
    public final void expire(long nowNanos) {
        sessionContext.expiryQueue().propose(this, nowNanos);
    }

    @Override
    protected final void sendAwayForAge(long nowNanos) {
        sendAway(CloseReason.MAX_AGE, GoAway.AT_ONCE, nowNanos + policy().goawayLeadNanos());
    }

    @Override
    protected final void closeByDeadline(Verdict verdict, String text) {
        CloseReason reason = verdict.reason();
        if (reason == null) {
            throw new AssertionError(verdict);
        }
        close(reason, text, CloseContext.of(verdict));
    }

    // ------------------------------------------------------------------ facts, any thread

    /** UTF-8 bytes of the device id; empty before HELLO, a mere claim before it is established. Not to be changed. */
    public final byte[] deviceIdBytes() {
        return deviceId;
    }

    /** The device's own name; empty before HELLO, a mere claim before it is established. */
    @Override
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
