package io.heartwheel.session;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Grant;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.DeadlineOrigin;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.Liveness;
import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.liveness.MonitoredConnection;
import io.heartwheel.liveness.RateLimits;
import io.heartwheel.liveness.Verdict;
import io.heartwheel.session.Lifecycle.Action;
import io.heartwheel.session.Lifecycle.Event;
import io.heartwheel.wheel.Deadline;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connection of a device: identity, state and the one way to its end; its deadlines are those of a {@link MonitoredConnection}.
 *
 * <p>A session is abstract so that the connection of a protocol can be one object with it: at a million connections an object header
 * and a reference are 20 MB. Longer than other files for the same reason: what works on its fields stands here.
 *
 * <pre>
 *   HANDSHAKE --hello--&gt; AUTHENTICATING --admitted--&gt; CLAIMING --granted--&gt; ESTABLISHED --sendAway--&gt; LEAVING
 *       |                       |                        |                      |                       |
 *       +-----------------------+------------------------+------ close(reason) -+-----------------------+--&gt; CLOSED
 * </pre>
 *
 * {@link Lifecycle} is the whole table.
 *
 * <p>Owner: the channel's event loop; every method is for the loop only unless it says otherwise. The wheel's thread calls
 * {@link #expire}. The wheel proposes, the loop decides ({@link MonitoredConnection}).
 */
public abstract class Session extends MonitoredConnection implements Directory.Claimant<Session> {
    // ---- identity: written once by the loop before the session is published in the directory; the epoch again if a
    // fleet took it for lost
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
    /** Set while it is not the ordinary; what is immutable in it is for any thread. */
    private @Nullable Allowance allowance;
    /** What waits for the device, if anything does. */
    private Outbox.@Nullable Queue<Session> queue;

    private static final byte[] NOBODY = new byte[0];
    /** Whoever has to wait for its id is kept for so long before it is told: a client that heeds nothing then costs one handshake in this time. */
    private static final long HELD_NANOS = TimeUnit.SECONDS.toNanos(4);

    private static final VarHandle ALLOWANCE;

    static {
        try {
            ALLOWANCE = MethodHandles.lookup().findVarHandle(Session.class, "allowance", Allowance.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

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

    /** {@code heartwheel}, {@code heartwheel.v1}, {@code heartwheel.json.v1} or {@code plain}. Any thread. */
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

    /** Sends a DATA that wants no ACK, as {@link #sendData(long, boolean, boolean, byte[])}. */
    public final boolean sendData(long messageId, boolean text, byte[] payload) {
        return sendData(messageId, false, text, payload);
    }

    /**
     * Sends a DATA.
     *
     * @param ackWanted only where the peer {@link #canAcknowledge}
     * @return false if the session is not established or the peer does not drain; then nothing was written
     */
    public abstract boolean sendData(long messageId, boolean ackWanted, boolean text, byte[] payload);

    /** Sends a ping with this number, which the peer's stack sends back ({@link #peerPonged}). */
    public abstract void sendPing(long number);

    /** Whether the peer's protocol has an ACK. Any thread. */
    public boolean canAcknowledge() {
        return true;
    }

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

    /** Chain that the peer proved to own in the TLS handshake, its own certificate first; none without. */
    protected List<X509Certificate> peerCertificates() {
        return List.of();
    }

    /**
     * Tells the peer how long what it was admitted with is good for.
     *
     * @param status one of {@link AuthStatus}
     * @param leftMillis 0 if it does not expire
     */
    protected void sendAuth(AuthStatus status, long leftMillis) {}

    /** The claim was granted: send WELCOME. */
    protected abstract void welcome();

    /** All that wait for the device know of it: go on with what came behind HELLO. */
    protected void resume() {}

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

    /** Who it may be, for its evidence if it never comes to {@link #hello}. */
    protected final void claims(byte[] nameOfDevice) {
        deviceId = nameOfDevice;
    }

    /**
     * A valid HELLO or upgrade: asks whether the device may come in, and then claims its id.
     *
     * @param token nobody changes it
     * @param understandsAuth whether the device can be told that its token expires
     */
    protected final void hello(
            byte[] deviceId,
            byte[] token,
            long wantedMillis,
            long lastEpoch,
            String clientName,
            boolean understandsAuth) {
        Lifecycle.Step step = Lifecycle.step(state(), Event.HELLO);
        if (step.action() != Action.AUTHENTICATE) {
            return;
        }
        this.deviceId = deviceId;
        this.clientName = clientName;
        state(step.next());
        sessionContext.stats().unanswered(1);
        boolean anyTime = policy().handshakeNanos() == LivenessPolicy.OFF;
        AuthCall call = newCall(
                anyTime ? sessionContext.nanoTime() : openedNanos(),
                new AuthCall.Hello(wantedMillis, lastEpoch, understandsAuth));
        if (anyTime) {
            phase(call.deadlineNanos());
            rearm();
        }
        ask(token, call);
    }

    /**
     * The device shows a newer token. Of those read after the end of the present one only the first is looked at: it may have been sent in time, while this
     * process stood still. Others could keep the session for ever. One of too many is not looked at either ({@link Allowance#mayRenew}).
     *
     * @return false if the one before is still being checked
     */
    protected final boolean renew(byte[] token) {
        long nowNanos = sessionContext.nanoTime();
        Allowance now = allowance;
        AuthCall check = now == null ? null : now.check();
        if (check != null && !check.isPast(nowNanos)) {
            return false;
        }
        boolean inVain = now != null && check != null && now.isOver(nowNanos);
        if (isEstablished() && !inVain && now != null && !now.mayRenew(nowNanos)) {
            sendAuth(AuthStatus.UNAVAILABLE, leftMillis());
        } else if (isEstablished() && !inVain) {
            AuthCall call = newCall(nowNanos, null);
            if (check == null) {
                sessionContext.stats().unanswered(1);
            }
            allowance(Allowance.renewing(now, call, nowNanos));
            rearm();
            ask(token, call);
        }
        return true;
    }

    /** @param sinceNanos an answer is waited for from then on */
    private AuthCall newCall(long sinceNanos, AuthCall.@Nullable Hello hello) {
        return new AuthCall(this::answeredSomewhere, hello, Deadline.after(sinceNanos, policy().authenticationNanos()));
    }

    private void ask(byte[] token, AuthCall call) {
        AuthCall.Hello hello = call.hello();
        AuthRequest request = new AuthRequest(
                deviceId,
                token,
                remoteAddress(),
                sessionContext.place().listenerName(),
                protocolName(),
                clientName,
                hello == null ? 0 : hello.wantedMillis(),
                peerCertificates(),
                hello == null,
                call.deadlineNanos());
        sessionContext.auth().authenticator().authenticate(request, call);
    }

    /** Any thread. */
    private void answeredSomewhere(AuthCall call, AuthResult result) {
        try {
            onLoop(() -> answered(call, result));
        } catch (RejectedExecutionException ended) {
            // the loop has ended, and the session with it
        }
    }

    /** The answer to such a question has come. */
    final void answered(AuthCall call, AuthResult result) {
        AuthCall.Hello hello = call.hello();
        if (hello == null) {
            renewed(call, result);
        } else if (result instanceof AuthResult.Admitted admitted) {
            admitted(hello, admitted);
        } else if (state() == ConnectionState.AUTHENTICATING) {
            close(sessionContext.auth().reasonOf(result), AuthPolicy.textOf(result));
        }
    }

    private void admitted(AuthCall.Hello hello, AuthResult.Admitted admitted) {
        Lifecycle.Step step = Lifecycle.step(state(), Event.ADMITTED);
        if (step.action() != Action.CLAIM_ID) {
            return;
        }
        sessionContext.stats().unanswered(-1);
        phase(NO_DEADLINE);
        allowance(allowanceOf(admitted, hello.understandsAuth()));
        DeadlineOrigin origin = policy().originOfInterval(hello.wantedMillis());
        int wantedMillis = policy().grantMillis(hello.wantedMillis());
        Grant grant = admitted.grant();
        int grantedMillis = grant == null ? wantedMillis : grant.clampMillis(wantedMillis);
        intervalOrigin = (byte) (grantedMillis == wantedMillis ? origin : DeadlineOrigin.GRANTED).ordinal();
        intervalMillis(policy().heartbeat() && !readerIdle() ? grantedMillis : 0);
        state(step.next());
        sessionContext.directory().claim(this, hello.lastEpoch(), this);
    }

    private @Nullable Allowance allowanceOf(AuthResult.Admitted admitted, boolean warns) {
        // read first: a stall in between ends it later, never sooner
        long nowMillis = sessionContext.wallMillis().getAsLong();
        return Allowance.of(
                admitted,
                warns,
                sessionContext.auth().warnBeforeNanos(),
                sessionContext.nanoTime(),
                nowMillis,
                allowance);
    }

    private void renewed(AuthCall call, AuthResult result) {
        Allowance before = allowance;
        if (before == null || before.check() != call || !isEstablished()) {
            return;
        }
        sessionContext.stats().unanswered(-1);
        if (result instanceof AuthResult.Admitted admitted) {
            sessionContext.quotas().change(before.grant(), admitted.grant());
            regroup(before.grant(), admitted.grant());
            allowance(allowanceOf(admitted, true));
            sendAuth(AuthStatus.ACCEPTED, leftMillis());
        } else {
            allowance(Allowance.withoutCheck(before, sessionContext.nanoTime()));
            boolean refused = result instanceof AuthResult.Refused;
            sendAuth(refused ? AuthStatus.REFUSED : AuthStatus.UNAVAILABLE, leftMillis());
        }
        rearm();
    }

    /** Whether a method was asked about the device and has not answered. */
    private boolean awaitsAnswer() {
        AuthCall check = allowance == null ? null : allowance.check();
        return state() == ConnectionState.AUTHENTICATING || (check != null && check.isAsked());
    }

    private long leftMillis() {
        return allowance == null ? 0 : allowance.leftMillis(sessionContext.nanoTime());
    }

    @Override
    protected final long expiryNanos() {
        Allowance now = allowance();
        return now == null ? NO_DEADLINE : now.expiryNanos();
    }

    @Override
    protected final long expiryWarningNanos() {
        Allowance now = allowance();
        return now == null ? NO_DEADLINE : now.warningNanos();
    }

    @Override
    protected final void warnOfExpiry(long nowNanos) {
        if (allowance != null) {
            allowance(allowance.warned());
            sendAuth(AuthStatus.EXPIRING, leftMillis());
        }
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

    @Override
    public final void later(Directory.Wait wait, long lastEpoch, Session holder) {
        onLoop(() -> waitForId(wait, lastEpoch, holder));
    }

    @Override
    public final void later(Directory.Wait wait, long lastEpoch, Directory.Elsewhere holder) {
        onLoop(() -> waitForId(wait, lastEpoch, holder));
    }

    private void waitForId(Directory.Wait wait, long lastEpoch, Session holder) {
        if (state() == ConnectionState.CLAIMING) {
            holder.onLoop(() -> holder.wantedBy(this, wait.begins()));
            waitForId(wait, lastEpoch, holder.answerLeftNanos(sessionContext.nanoTime()), holder.conflictWith(this));
        }
    }

    /** Nobody probes the one that has the id. */
    private void waitForId(Directory.Wait wait, long lastEpoch, Directory.Elsewhere holder) {
        if (state() == ConnectionState.CLAIMING) {
            ConnectionEvent.IdConflict conflict = new ConnectionEvent.IdConflict(
                    new ConnectionEvent.Identity(deviceId(), holder.sessionId(), holder.epoch()),
                    sessionContext.wallMillis().getAsLong(),
                    "node " + holder.node(),
                    remote());
            if (wait.begins()) {
                tell(conflict);
            }
            waitForId(wait, lastEpoch, wait.nanos(), conflict);
        }
    }

    private void waitForId(
            Directory.Wait wait, long lastEpoch, long answerLeftNanos, ConnectionEvent.IdConflict conflict) {
        long nowNanos = sessionContext.nanoTime();
        long untilNanos = Deadline.after(nowNanos, Math.min(wait.nanos(), HELD_NANOS));
        long handshakeNanos = Liveness.deadlineNanos(this, DeadlineKind.CLAIM);
        if (waitsForId() || (handshakeNanos != NO_DEADLINE && untilNanos - handshakeNanos >= 0)) {
            // the holder may be dead: then its id is free once a probe has waited long enough
            long answerNanos = Math.max(HELD_NANOS, answerLeftNanos);
            long millis = TimeUnit.NANOSECONDS.toMillis(Math.min(wait.nanos(), answerNanos)) + 1;
            sendGoAway(CloseReason.ID_CONFLICT, new GoAway(millis, millis + millis / 2, ""));
            close(CloseReason.ID_CONFLICT, conflict.text());
        } else {
            allowance(Allowance.withCheck(allowance, AuthCall.answered(lastEpoch)));
            phase(untilNanos);
            rearm();
        }
    }

    /** Another connection has to wait for its id. It keeps the id while it answers; and on its loop, where it is established or never will be, its epoch is known. */
    private void wantedBy(Session rival, boolean begins) {
        if (begins && epoch != 0) {
            tell(conflictWith(rival));
        }
        if (isSilentWhenProbed(sessionContext.nanoTime())) {
            sessionContext.directory().unanswered(this);
        }
    }

    private void tell(ConnectionEvent.IdConflict conflict) {
        sessionContext.sink().publish(conflict);
        sessionContext.observer().idConflict(conflict);
    }

    private ConnectionEvent.IdConflict conflictWith(Session rival) {
        return new ConnectionEvent.IdConflict(
                identity(), sessionContext.wallMillis().getAsLong(), remote(), rival.remote());
    }

    /** Whether it has waited, or waits, for an id that connections take from each other. */
    private boolean waitsForId() {
        return state() == ConnectionState.CLAIMING && allowance != null && allowance.check() != null;
    }

    @Override
    protected final void claimAgain() {
        AuthCall.Hello hello = allowance == null || allowance.check() == null
                ? null
                : allowance.check().hello();
        sessionContext.directory().claim(this, hello == null ? 0 : hello.lastEpoch(), this);
    }

    private void regroup(@Nullable Grant before, @Nullable Grant after) {
        if (before != null || after != null) {
            sessionContext.directory().regrouped(this, groups(before), groups(after));
        }
    }

    private static List<String> groups(@Nullable Grant grant) {
        return grant == null ? List.of() : grant.groups();
    }

    private void establish(long epoch, @Nullable Session predecessor) {
        Lifecycle.Step step = Lifecycle.step(state(), Event.GRANTED);
        if (step.action() == Action.BECOME_ESTABLISHED) {
            regroup(null, grant());
        }
        if (predecessor != null) {
            predecessor.takenOverBy(this);
            sessionContext.observer().tookOver();
        }
        if (step.action() == Action.RELEASE_ID) {
            sessionContext.directory().release(this);
        }
        if (step.action() != Action.BECOME_ESTABLISHED) {
            return;
        }
        if (waitsForId()) {
            allowance(Allowance.withCheck(allowance, null));
        }
        Grant grant = grant();
        // one that is not established was never counted, or has left
        String reached = sessionContext
                .quotas()
                .enter(
                        grant,
                        predecessor == null ? null : () -> predecessor.isEstablished() ? predecessor.grant() : null);
        if (reached != null) {
            close(CloseReason.CONNECTION_LIMIT, reached);
            return;
        }
        long nowNanos = sessionContext.nanoTime();
        this.epoch = epoch;
        state(step.next());
        sessionContext.stats().handshakeEnded();
        phase(policy().ageDeadlineNanos(openedNanos(), sessionId));
        activity(nowNanos);
        sessionContext.observer().established(protocolName());
        sessionContext.breaker().entered(this);
        publishConnected();
        welcome();
        if (isEstablished()) {
            // before what came behind HELLO, which may answer a message that waits
            sessionContext.outbox().established(this);
        }
        resume();
        rearm();
    }

    /** The first event under its epoch. */
    private void publishConnected() {
        Grant grant = grant();
        sequence = 1;
        sessionContext
                .sink()
                .publish(new ConnectionEvent.Connected(
                        identity(),
                        sessionContext.wallMillis().getAsLong(),
                        protocolName(),
                        remote(),
                        via(),
                        clientName,
                        intervalMillis(),
                        groups(grant),
                        grant == null ? Map.of() : grant.attributes()));
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

    /** A newer connection of this process has the device id, or had it. Any thread. */
    public final void takenOverBy(Session successor) {
        onLoop(() -> close(
                CloseReason.TAKEN_OVER,
                "a newer connection from " + successor.remote() + " has this device id",
                CloseContext.succeededBy(successor.sessionId, "")));
    }

    /**
     * A newer connection of another gateway has the device id. Any thread.
     *
     * @param greatestEpoch changes nothing if this session has a later one, or none yet
     * @param node that gateway's name
     * @param successorId the connection there
     */
    public final void takenOverElsewhere(long greatestEpoch, String node, long successorId) {
        onLoop(() -> {
            if (epoch != 0 && epoch <= greatestEpoch) {
                close(
                        CloseReason.TAKEN_OVER,
                        "a newer connection to node " + node + " has this device id",
                        CloseContext.succeededBy(successorId, node));
            }
        });
    }

    /**
     * A fleet had told this connection as lost; it is told as connected again. The device need not know. Any thread.
     *
     * @param laterEpoch changes nothing unless it is later, or if the connection has ended
     */
    public final void connectedAgain(long laterEpoch) {
        onLoop(() -> {
            if (isEstablished() && laterEpoch > epoch) {
                epoch = laterEpoch;
                publishConnected();
            }
        });
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
        boolean hadClaimed = state() != ConnectionState.HANDSHAKE && state() != ConnectionState.AUTHENTICATING;
        if (!evidence.established()) {
            sessionContext.stats().handshakeEnded();
        }
        if (awaitsAnswer()) {
            sessionContext.stats().unanswered(-1);
        }
        Grant grant = grant();
        if (evidence.established() && grant != null) {
            // together with the state, which a successor reads, and before the id: who comes back with it needs the
            // place
            sessionContext.quotas().leave(grant, () -> state(step.next()));
        } else {
            state(step.next());
        }
        settle(reason, nowNanos);
        publishHeld();
        forgetTroubles();
        if (hadClaimed) {
            sessionContext.directory().release(this);
            regroup(grant, null);
        }
        if (queue != null) {
            queue.closed(this);
            queue = null;
        }
        sessionContext.ended(evidence, evidence.established() ? nextSequence() : 0);
        if (evidence.established()) {
            sessionContext.breaker().left(this);
        }
        if (closeTransport(reason, AuthPolicy.told(reason, text))) {
            // who is taken for dead is not waited for
            boolean saidAll = pendingBytes() == 0 || reason.findsTheDead();
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
        Grant grant = grant();
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
                TimeUnit.NANOSECONDS.toMillis(openNanos),
                groups(grant),
                grant == null ? Map.of() : grant.attributes());
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

    // ------------------------------------------------------------------ messages that wait for the device

    /** Messages wait for the device. Loop only. */
    public final void awaits(Outbox.Queue<Session> waiting) {
        queue = waiting;
    }

    /** None of this queue waits any more. Loop only. */
    public final void awaitsNoMore(Outbox.Queue<Session> ended) {
        if (queue == ended) {
            queue = null;
        }
    }

    /** The peer takes data, after a time in which it did not. */
    protected final void takesDataAgain() {
        if (queue != null) {
            queue.writable(this);
        }
    }

    /** A message of the peer, which may be the answer to one of ours with that id. Nobody changes the payload. */
    protected final void peerAnswered(long messageId, boolean text, byte[] payload) {
        if (queue != null && messageId != 0) {
            queue.answered(this, messageId, text, payload);
        }
    }

    /** An ACK of the peer. */
    protected final void peerAcknowledged(long messageId, boolean accepted) {
        if (queue == null) {
            sessionContext.outbox().strayAck();
        } else {
            queue.acknowledged(this, messageId, accepted);
        }
    }

    /** A pong of the peer that has the form of an answer to {@link #sendPing}. */
    protected final void peerPonged(long number) {
        if (queue != null) {
            queue.received(this, number);
        }
    }

    // ------------------------------------------------------------------ how fast the peer sends

    /**
     * Frames that may be taken now.
     *
     * @param most 1 or more
     * @return 1..most
     */
    protected final int mayTake(int most, long nowNanos) {
        TokenBucket bucket = bucket();
        return bucket == null ? most : bucket.frames(limits(), most, nowNanos);
    }

    /**
     * Frames and bytes were taken in, told once a read.
     *
     * @param beforeNanos when the last frame came before these
     * @return whether the peer sends faster than it may: then nothing should be read for {@link #restNanos}
     */
    protected final boolean sentTooFast(int frames, long bytes, long beforeNanos, long nowNanos) {
        RateLimits limits = limits();
        if (!limits.enabled()) {
            return false;
        }
        TokenBucket bucket = bucket();
        TokenBucket tokens = TokenBucket.after(bucket, frames, bytes, nowNanos - beforeNanos, limits, nowNanos);
        if (tokens != bucket) {
            allowance(Allowance.withBucket(allowance, tokens));
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
        TokenBucket bucket = bucket();
        return bucket == null ? 0 : bucket.restNanos(limits(), nowNanos);
    }

    /** Whether it sends too fast for so long that it is to be closed. */
    protected final boolean isTooFastForLong(long nowNanos) {
        TokenBucket bucket = bucket();
        return bucket != null && bucket.isEmptyForLong(limits(), nowNanos);
    }

    private @Nullable TokenBucket bucket() {
        return allowance == null ? null : allowance.bucket;
    }

    /** How fast it may send. */
    protected final RateLimits limits() {
        Grant grant = allowance == null ? null : allowance.grant();
        return grant == null ? policy().limits() : policy().limits(grant.rateClass());
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

    private @Nullable Allowance allowance() {
        return (Allowance) ALLOWANCE.getAcquire(this);
    }

    private void allowance(@Nullable Allowance next) {
        ALLOWANCE.setRelease(this, next);
    }

    /** What the device was granted beside the ordinary; null if nothing. */
    public final @Nullable Grant grant() {
        Allowance now = allowance();
        return now == null ? null : now.grant();
    }

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

    /** Grows with each connection of the device, and in a fleet that took this one for lost; 0 before it is established. */
    public final long epoch() {
        return epoch;
    }

    /** Which connection of which device, for events. */
    public final ConnectionEvent.Identity identity() {
        return new ConnectionEvent.Identity(deviceId(), sessionId, epoch);
    }
}
