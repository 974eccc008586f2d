package io.heartwheel.liveness;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;
import static java.lang.invoke.MethodHandles.lookup;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.PauseCause;
import io.heartwheel.liveness.LivenessObserver.ShadowOutcome;
import io.heartwheel.liveness.LivenessObserver.SuspectOutcome;
import io.heartwheel.wheel.WheelEntry;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connection that the wheel monitors: timestamps, the frame and the backlog under way, open checks, and one entry for the earliest deadline. What is due
 * is judged by {@link Liveness} and done here; closing is the owner's.
 *
 * <p>Longer than other files on purpose: a million connections are one object each, so their fields cannot be spread over several.
 *
 * <p>Owner: the channel's event loop; every method is for the loop only unless it says otherwise. The wheel's thread reads
 * {@link #deadlineNanos()}. What it reads is stored opaque or released by the loop, and fields may be of different instants: then the entry is met
 * early, which costs one more look and nothing else (jcstress: {@code ActivityWhileMetKeepsTheEntryStress}), or it is met where it was armed, because
 * every change to an earlier deadline is followed by arming the wheel ({@link #rearm}; jcstress: {@code EarlierDeadlineIsMetInTimeStress}).
 *
 * <p>What is rare stands in objects of its own that exist only while it lasts ({@link OpenChecks}, {@link PartialFrame}, {@link Backlog}), so that a
 * connection at rest is small.
 */
@SuppressWarnings("UnusedVariable") // fields read and written through their handles
public abstract class MonitoredConnection extends WheelEntry {
    private static final int MAX_EXTRA_LOOKS = 8;
    /** In {@link #extraLooks}: reading went on a moment ago, so what was said meanwhile may lie unread. */
    private static final int RESUMED = 0x40;
    /** The kernel's clock of arrivals is as coarse as this. */
    private static final long HEARD_SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** While not all is said to a closed peer it counts as heard so far ahead: behind every end of lingering, credit included. */
    private static final long UNSAID_NANOS = TimeUnit.DAYS.toNanos(1);

    /** Whoever spoke less long ago is not probed before its time. */
    private static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long a closed connection waits for a peer that sends nothing to read the last frame and to end its side, while the loop turns. */
    static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long it waits at most for one that sends on, or has not taken what was written before the last frame. */
    protected static final long MOST_LINGER_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** In {@link #status}: it is watched by the reader-idle deadline instead of the heartbeat. */
    private static final int READER_IDLE = 0x40;

    private static final ConnectionState[] STATES = ConnectionState.values();

    private static final VarHandle LAST_FRAME_IN = field(lookup(), "lastFrameInNanos", long.class);
    private static final VarHandle LAST_FRAME_OUT = field(lookup(), "lastFrameOutNanos", long.class);
    private static final VarHandle PHASE = field(lookup(), "phaseDeadlineNanos", long.class);
    private static final VarHandle CHECKS = field(lookup(), "checks", OpenChecks.class);
    private static final VarHandle UNFINISHED = field(lookup(), "unfinished", PartialFrame.class);
    private static final VarHandle BACKLOG = field(lookup(), "backlog", Backlog.class);
    private static final VarHandle PROPOSED = field(lookup(), "proposed", boolean.class);

    // ---- written by the loop, read by the wheel's thread as well; a change to an earlier deadline is always followed
    // by arm
    /** Of a closed connection that waits for its peer: since when nothing came; later than now while not all is said. */
    private long lastFrameInNanos;
    /** Without a handshake deadline that of the answer whether it may come in; the end of a wait for its id; the age deadline, then the end of leaving, at last that of lingering. */
    private long phaseDeadlineNanos = NO_DEADLINE;

    private long openedNanos;

    private long lastFrameOutNanos;
    int intervalMillis;
    /** Ordinal of the {@link ConnectionState}, and {@link #READER_IDLE}: one byte, not a reference, in each connection. */
    private volatile byte status;
    /** Set while a check is open. */
    private @Nullable OpenChecks checks;
    /** Set while a frame is unfinished. */
    private @Nullable PartialFrame unfinished;
    /** Set while the peer does not drain or is not read. */
    private @Nullable Backlog backlog;

    // ---- set by the wheel's thread, cleared by the loop; see ExpiryQueue
    private boolean proposed;

    @Nullable
    MonitoredConnection nextProposed;

    // ---- the loop's alone
    private byte extraLooks;
    private byte lastTypeIn;
    private byte lastTypeOut;
    private @Nullable ProbeStats probeStats;

    // ------------------------------------------------------------------ what the owner provides

    /** What this connection shares with others. */
    protected abstract LivenessContext livenessContext();

    /** The IP address of the peer, 4 or 16 bytes; none if it is not known. Any thread. */
    public abstract byte[] remoteAddress();

    /** The device's name. */
    public abstract String deviceId();

    /** Asks the peer for a sign of life. */
    protected abstract void sendProbe();

    /** Sends a sign of life that asks nothing, or what {@link #pingNanos} wants, which is later by this. */
    protected abstract void sendKeepAlive();

    /**
     * When the peer is to be pinged also if it talks, monotonic nanoseconds; {@link io.heartwheel.wheel.Deadline#NO_DEADLINE} if it is not. Only moves later. Wheel
     * thread too.
     */
    protected long pingNanos() {
        return NO_DEADLINE;
    }

    /** It has waited for its device id, and claims it once more. */
    protected abstract void claimAgain();

    /** The connection is old: tells the peer to leave. The phase deadline is set by this. */
    protected abstract void sendAwayForAge(long nowNanos);

    /** What the peer was admitted with expires soon: tells it, and takes {@link #expiryWarningNanos} back. */
    protected void warnOfExpiry(long nowNanos) {}

    /**
     * When what the peer was admitted with expires, monotonic nanoseconds; {@link io.heartwheel.wheel.Deadline#NO_DEADLINE} if it does not. Wheel thread too. Our
     * stalls do not move it: no silence is judged by it. A change to an earlier time is followed by {@link #rearm}.
     */
    protected long expiryNanos() {
        return NO_DEADLINE;
    }

    /** When the peer is to be told of it; {@link io.heartwheel.wheel.Deadline#NO_DEADLINE} if it is not, or was. Wheel thread too. */
    protected long expiryWarningNanos() {
        return NO_DEADLINE;
    }

    /**
     * A deadline has passed: closes.
     *
     * @param verdict one that closes
     * @param text for the peer
     */
    protected abstract void closeByDeadline(Verdict verdict, String text);

    /** It became a suspect of the breaker. */
    protected void suspected() {}

    /**
     * It is a suspect no more, because it proved alive.
     *
     * @param heldNanos for so long it was one
     */
    protected void recovered(long heldNanos) {}

    /** Closes the transport at once, whatever is on its way. */
    protected abstract void cut();

    // ------------------------------------------------------------------ what the wire below provides

    /** Bytes that the channel holds and the socket has not taken, as the channel counts them. */
    public abstract long pendingBytes();

    /** Of the message the socket is taking now, the bytes taken. */
    protected abstract long currentProgressBytes();

    /**
     * Bytes of this connection that the peer's kernel has acknowledged. Asks the kernel.
     *
     * @return -1 if this transport cannot tell
     */
    protected abstract long acknowledgedBytes();

    /**
     * When the kernel last took in a byte of the peer, read by us or not.
     *
     * @return milliseconds ago, 0 or more; -1 if this transport cannot tell
     */
    protected abstract long lastHeardMillisAgo();

    /** Lets the loop read what waits in the socket, as much as one read brings, although reading is paused. Returns at once. */
    protected abstract void readOnce();

    /** Whether frames of the peer are here that have not been handled. */
    protected boolean framesWait() {
        return false;
    }

    // ------------------------------------------------------------------ what happens on the wire

    /** The connection is new: it counts as heard and as spoken to. */
    protected final void began(long nowNanos) {
        openedNanos = nowNanos;
        LAST_FRAME_IN.setOpaque(this, nowNanos);
        wrote(nowNanos);
    }

    /** A complete frame came in: one store. The wheel entry stays where it is and is moved when it is met. */
    protected final void activity(long nowNanos) {
        LAST_FRAME_IN.setOpaque(this, nowNanos);
        if (checks != null) {
            spoke(nowNanos);
        }
    }

    /** A complete frame of this type came in. */
    protected final void lastTypeIn(int type) {
        lastTypeIn = (byte) type;
    }

    /** A frame of this type is written. */
    protected final void lastTypeOut(int type) {
        lastTypeOut = (byte) type;
    }

    /** The type of the last complete frame in; 0 if none came. */
    public final int lastTypeIn() {
        return lastTypeIn;
    }

    /** The type of the last frame written; 0 if none was. */
    public final int lastTypeOut() {
        return lastTypeOut;
    }

    /** A flush has ended. */
    protected final void wrote(long nowNanos) {
        LAST_FRAME_OUT.setOpaque(this, nowNanos);
    }

    /**
     * What lies behind the last complete frame, told once a read.
     *
     * @param bytes of the frame begun, 0 if none is
     */
    protected final void partial(int bytes, long nowNanos) {
        PartialFrame begun = unfinished;
        if (bytes > 0) {
            incomplete(begun, bytes, nowNanos);
        } else if (begun != null) {
            UNFINISHED.setRelease(this, null);
            if (lastFrameInNanos() - begun.lastByteNanos < 0) {
                // it was no frame after all, so silence counts from before it again
                rearm();
            }
        }
    }

    /** A read brought as much as it can, so more waits unread. While reading is paused that is our delay and not the peer's. */
    protected final void moreWaits(long nowNanos) {
        if (!readingPaused() || backlog == null) {
            return;
        }
        unlistened();
        if (unfinished != null) {
            unfinished.excuse(nowNanos - unfinished.sinceNanos, nowNanos);
        }
    }

    /** So many more bytes have come of which nothing can be made yet. */
    protected final void partialUnread(int more, long nowNanos) {
        PartialFrame begun = unfinished;
        int before = begun == null || lastFrameInNanos() - begun.sinceNanos > 0 ? 0 : begun.bytes;
        incomplete(begun, before + more, nowNanos);
    }

    /** Whether a frame, or what may become one, is under way. */
    public final boolean isUnfinished() {
        return unfinished != null;
    }

    /** Without a call to the wheel while a frame goes on, or another follows: every deadline of theirs only moves later. */
    private void incomplete(@Nullable PartialFrame begun, int bytes, long nowNanos) {
        if (begun == null) {
            UNFINISHED.setRelease(this, new PartialFrame(nowNanos, bytes));
            rearm();
        } else if (lastFrameInNanos() - begun.sinceNanos > 0) {
            begun.begin(nowNanos, bytes);
        } else {
            LivenessPolicy shadow = livenessContext().shadowPolicy().policy();
            begun.grow(bytes, nowNanos, policy(), shadow == null ? policy() : shadow);
        }
        if (checks != null && policy().readProgressNanos != LivenessPolicy.OFF) {
            trickled(nowNanos);
        }
    }

    /** After a flush: if the socket did not take everything, the write deadline runs. */
    protected final void flushed(long nowNanos) {
        if (!hasBacklog() && pendingBytes() > 0) {
            beginBacklog(nowNanos);
        }
    }

    /** Bytes were handed to a channel that has a backlog. */
    protected final void enqueued(long bytes) {
        if (backlog != null) {
            backlog.enqueuedBytes += bytes;
        }
    }

    /** Up to when an unfinished frame has kept up with the least rate; the last frame, where none is. */
    public final long keptUpNanos() {
        PartialFrame begun = unfinished;
        return begun == null ? lastFrameInNanos() : begun.coveredNanos(true);
    }

    /** Whether {@link #enqueued} has to be told. */
    protected final boolean hasBacklog() {
        return backlog != null && backlog.undrained;
    }

    /** Reading from the peer stops or goes on, by the watermarks. Its silence counts on: {@link #readOnce} before it is judged finds what waits unread. */
    protected final void pauseReading(boolean pause, long nowNanos) {
        if (pauseReading(Backlog.PEER, pause, nowNanos) && pause) {
            livenessContext().observer().readingPaused();
        }
    }

    /** The sink has no room for this message: it is kept, and the peer is not read, for which it is not to blame. */
    protected final void hold(ConnectionEvent.Message message, EventSink.Reply reply, long nowNanos) {
        pauseReading(Backlog.SINK, true, nowNanos);
        if (backlog != null) {
            backlog.held = message;
            backlog.heldReply = reply;
        }
    }

    /** What is held, null if nothing is. */
    protected final ConnectionEvent.@Nullable Message held() {
        return backlog == null ? null : backlog.held;
    }

    /** The way back to its sender, null if nothing is held. */
    protected final EventSink.@Nullable Reply heldReply() {
        return backlog == null ? null : backlog.heldReply;
    }

    /** Nothing is held any more. */
    protected final void unhold(long nowNanos) {
        if (backlog != null) {
            backlog.held = null;
            backlog.heldReply = null;
            pauseReading(Backlog.SINK, false, nowNanos);
        }
    }

    /**
     * Reading rests because the peer sends too fast, or goes on.
     *
     * @return false if nothing changed
     */
    protected final boolean pauseForRate(boolean pause, long nowNanos) {
        return pauseReading(Backlog.RATE, pause, nowNanos);
    }

    /**
     * Reading rests for this cause, one of those of {@link Backlog}, or does not any more.
     *
     * @return false if nothing changed
     */
    private boolean pauseReading(int cause, boolean pause, long nowNanos) {
        int before = backlog == null ? 0 : backlog.pauseCauses;
        int causes = pause ? before | cause : before & ~cause;
        if (causes == before) {
            return false;
        }
        Backlog paused = backlog == null ? beginBacklog(nowNanos) : backlog;
        if (before != 0) {
            creditPause((before & ~Backlog.PEER) != 0, nowNanos - paused.pausedSinceNanos, nowNanos);
        }
        paused.pause(causes, nowNanos);
        if (causes == 0) {
            extraLooks = RESUMED;
            if (!paused.undrained) {
                BACKLOG.setRelease(this, null);
            }
        }
        rearm();
        return true;
    }

    /** What was not read at all is no silence of the peer; and of a frame it showed less than it might have, whatever the cause. */
    private void creditPause(boolean unheard, long pausedNanos, long nowNanos) {
        if (unheard) {
            LAST_FRAME_IN.setOpaque(this, lastFrameInNanos() + pausedNanos);
        }
        if (unheard && checks != null) {
            checks(checks.later(pausedNanos));
        }
        if (unheard && unfinished != null) {
            unfinished.later(pausedNanos);
        }
        if (unfinished != null) {
            unfinished.excuse(pausedNanos, nowNanos);
        }
    }

    private Backlog beginBacklog(long nowNanos) {
        Backlog begun = new Backlog(pendingBytes(), currentProgressBytes(), acknowledgedBytes(), nowNanos);
        if (backlog != null) {
            begun.succeed(backlog);
        }
        BACKLOG.setRelease(this, begun);
        rearm();
        return begun;
    }

    private void lookAtBacklog(long nowNanos) {
        Backlog slow = backlog;
        if (slow == null || !slow.undrained) {
            return;
        }
        long pending = pendingBytes();
        if (pending == 0 && (slow.pauseCauses & Backlog.PEER) == 0) {
            slow.undrained = false;
            if (slow.pauseCauses == 0) {
                BACKLOG.setRelease(this, null);
            }
        } else {
            slow.look(slow.enqueuedBytes - pending + currentProgressBytes(), acknowledgedBytes(), nowNanos);
        }
    }

    // ------------------------------------------------------------------ after the close

    /** The transport stays open for the peer to read the last frame: for as long at the most, and less if it is quiet once all is said. */
    protected final void linger(boolean saidAll, long nowNanos, long mostNanos) {
        phase(nowNanos + mostNanos);
        LAST_FRAME_IN.setOpaque(this, saidAll ? nowNanos : nowNanos + UNSAID_NANOS);
        rearm();
    }

    /** The peer of a closed connection, which has not read the last frame, goes on sending: one store. */
    protected final void cameAfterTheEnd(long nowNanos) {
        if (nowNanos - lastFrameInNanos() > 0) {
            LAST_FRAME_IN.setOpaque(this, nowNanos);
        }
    }

    /** The last frame of a closed connection is with the kernel. */
    public final void saidAll(long nowNanos) {
        LAST_FRAME_IN.setOpaque(this, nowNanos);
        rearm();
    }

    // ------------------------------------------------------------------ a check begins

    /** A probe is sent. One that follows an unanswered one gives no more time to answer: the first counts. */
    private void probed(long nowNanos) {
        OpenChecks before = checksOrNone();
        checks(before.isProbed() ? before : before.probedAt(nowNanos));
        if (probeStats == null) {
            probeStats = new ProbeStats();
        }
        probeStats.sent();
        livenessContext().observer().probed();
    }

    /**
     * Somebody wants what it holds: it is probed before its time, unless it spoke a moment ago, is never probed, or what it says may lie unread.
     *
     * @return whether a probe has had the time that it has for its answer, our stalls not counted. It closes nothing: that is for the deadlines
     */
    protected final boolean isSilentWhenProbed(long nowNanos) {
        if (!policy().probe || intervalMillis == 0 || !isEstablished() || mayWaitUnread()) {
            return false;
        }
        livenessContext().stalls().turned(nowNanos);
        if (!checksOrNone().isProbed() && nowNanos - heardNanos() >= MOMENT_NANOS) {
            probed(nowNanos);
            sendProbe();
            rearm();
        }
        return Liveness.isUnanswered(this, nowNanos);
    }

    /**
     * How long it has yet to answer a probe that somebody who wants what it holds has asked for, our stalls not counted, nanoseconds; the greatest value if it is not
     * probed. Any thread.
     */
    public final long answerLeftNanos(long nowNanos) {
        OpenChecks open = checks();
        if (open == null || open.probe() == null) {
            boolean comes = policy().probe && intervalMillis != 0 && isEstablished() && !readingPaused();
            boolean spoke = nowNanos - heardNanos() < MOMENT_NANOS;
            return comes && !spoke ? policy().rivalAnswerNanos(intervalMillis) : Long.MAX_VALUE;
        }
        return open.probe().sentNanos() + policy().rivalAnswerNanos(intervalMillis) - nowNanos;
    }

    /** Its time to speak is over; it is closed at its turn. */
    final void queueForClose(long turnNanos) {
        checks(checksOrNone().queuedUntil(turnNanos));
        rearm();
    }

    /** Notes whether the shadow policy would have closed it by now. */
    private void lookAtShadow(long nowNanos) {
        ShadowPolicy.Attempt attempt = livenessContext().shadowPolicy().attempt();
        LivenessPolicy shadow = attempt.policy();
        if (shadow == null
                || state() == ConnectionState.CLOSED
                || checksOrNone().mark() != null) {
            return;
        }
        DeadlineKind kind = Liveness.judgeShadow(this, shadow, nowNanos);
        if (kind != null) {
            long dueNanos = Liveness.shadowDeadlineNanos(this, shadow, kind);
            checks(checksOrNone().marked(new OpenChecks.ShadowMark(kind, dueNanos, attempt.number())));
            livenessContext().observer().shadowed(kind);
        }
    }

    // ------------------------------------------------------------------ and ends

    /** The peer has spoken while a check was open. */
    private void spoke(long nowNanos) {
        OpenChecks before = checksOrNone();
        if (before.probe() != null && probeStats != null) {
            probeStats.answered(Math.max(0, nowNanos - before.probe().sentNanos()));
        }
        alive(before, before.mark() != null && !before.isMarkedForNotDraining(), nowNanos);
    }

    /** Bytes of an unfinished frame have come while a check was open. They answer no probe, but the next one is a new one. */
    private void trickled(long nowNanos) {
        OpenChecks before = checksOrNone();
        boolean marked = before.isMarkedForSilence();
        if (before.isProbed() || marked || before.isSuspectOfSilence()) {
            alive(before, marked, nowNanos);
        }
    }

    private void alive(OpenChecks before, boolean marked, long nowNanos) {
        OpenChecks after = before.answered();
        if (before.isSuspectOfSilence()) {
            after = isStalled(policy(), nowNanos) ? blameBacklog(after) : clear(after, nowNanos);
        }
        if (marked) {
            after = unmark(after, ShadowOutcome.SPOKE, nowNanos);
        }
        checks(after);
        // with a large grace the next probe is due before the close that the entry waits for
        rearm();
    }

    /** It has spoken but does not drain, which was due meanwhile: a suspect still, with the time that it has for that. */
    private OpenChecks blameBacklog(OpenChecks open) {
        OpenChecks.Suspicion suspicion = open.suspicion();
        if (suspicion == null) {
            throw new AssertionError(open);
        }
        long dueNanos = Liveness.deadlineNanos(this, DeadlineKind.WRITE_PROGRESS);
        long fromNanos = dueNanos - suspicion.sinceNanos() > 0 ? dueNanos : suspicion.sinceNanos();
        return open.suspectedFor(
                DeadlineKind.WRITE_PROGRESS,
                suspicion.sinceNanos(),
                fromNanos + livenessContext().suspects().patienceNanos());
    }

    /** What the peer says does not settle whether it drains; what it takes does. */
    private void lookAtDraining(long nowNanos) {
        OpenChecks open = checks();
        if (open == null) {
            return;
        }
        if (open.isSuspectOfNotDraining() && !isStalled(policy(), nowNanos)) {
            open = clear(open, nowNanos);
        }
        LivenessPolicy shadow = livenessContext().shadowPolicy().policy();
        if (open.isMarkedForNotDraining() && (shadow == null || !isStalled(shadow, nowNanos))) {
            open = unmark(open, ShadowOutcome.SPOKE, nowNanos);
        }
        checks(open);
    }

    private boolean isStalled(LivenessPolicy policy, long nowNanos) {
        return Liveness.isPast(this, policy, DeadlineKind.WRITE_PROGRESS, nowNanos);
    }

    /** The connection ends: no check stays open. */
    protected final void settle(CloseReason reason, long nowNanos) {
        OpenChecks open = checksOrNone();
        boolean foundDead = reason.findsTheDead();
        if (open.suspicion() != null) {
            SuspectOutcome outcome = foundDead ? SuspectOutcome.CLOSED : SuspectOutcome.LEFT;
            livenessContext()
                    .suspects()
                    .settled(outcome, nowNanos - open.suspicion().sinceNanos());
        }
        if (open.mark() != null) {
            // a peer that says goodbye was alive
            ShadowOutcome otherwise = reason == CloseReason.PEER_CLOSED ? ShadowOutcome.SPOKE : ShadowOutcome.LEFT;
            unmark(open, foundDead ? ShadowOutcome.CLOSED : otherwise, nowNanos);
        }
        checks(OpenChecks.NONE);
    }

    private OpenChecks clear(OpenChecks open, long nowNanos) {
        if (open.suspicion() != null) {
            long heldNanos = nowNanos - open.suspicion().sinceNanos();
            livenessContext().suspects().settled(SuspectOutcome.CLEARED, heldNanos);
            recovered(heldNanos);
        }
        return open.cleared();
    }

    private OpenChecks unmark(OpenChecks open, ShadowOutcome outcome, long nowNanos) {
        OpenChecks.ShadowMark mark = open.mark();
        if (mark != null
                && mark.attempt() == livenessContext().shadowPolicy().attempt().number()) {
            livenessContext().observer().shadowSettled(mark.kind(), outcome, nowNanos - mark.dueNanos(), deviceId());
        }
        return open.marked(null);
    }

    /** Probes sent and answered so far. */
    public final Evidence.Probes probes(long nowNanos) {
        OpenChecks.ProbeState probe = checksOrNone().probe();
        long sentMillisAgo = probe == null
                ? Evidence.NEVER
                : TimeUnit.NANOSECONDS.toMillis(Math.max(0, nowNanos - probe.sentNanos()));
        return ProbeStats.evidence(probeStats, sentMillisAgo);
    }

    /** Whether it is a suspect of the breaker. */
    public final boolean isSuspect() {
        return checksOrNone().isSuspect();
    }

    /** When it is closed by this kind of deadline at the earliest: a suspect is not closed before its time. Monotonic nanoseconds. */
    public final long closeNanos(DeadlineKind kind) {
        long deadlineNanos = Liveness.deadlineNanos(this, kind);
        OpenChecks.Suspicion suspicion = checksOrNone().suspicion();
        if (suspicion == null || kind != suspicion.cause()) {
            return deadlineNanos;
        }
        return suspicion.heldUntilNanos() - deadlineNanos > 0 ? suspicion.heldUntilNanos() : deadlineNanos;
    }

    // ------------------------------------------------------------------ what is due

    /** What has drained by now, and which checks that settles. */
    final void lookAtWrites(long nowNanos) {
        lookAtBacklog(nowNanos);
        lookAtDraining(nowNanos);
    }

    /** Judges and acts until nothing is due, then arms the wheel for what comes next. */
    final void enforce(long nowNanos) {
        settled();
        lookAtWrites(nowNanos);
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
                probed(nowNanos);
                sendProbe();
            }
            case KEEP_ALIVE -> {
                wrote(nowNanos);
                livenessContext().observer().keptAlive();
                sendKeepAlive();
            }
            case CUT -> {
                unwatch();
                cut();
            }
            case CLAIM_AGAIN -> {
                phase(NO_DEADLINE);
                claimAgain();
            }
            case SEND_AWAY -> sendAwayForAge(nowNanos);
            case WARN_OF_EXPIRY -> warnOfExpiry(nowNanos);
            default -> closeByDeadline(verdict, CloseText.of(this, verdict, nowNanos));
        }
    }

    /** Found dead in a mass expiry: the breaker holds its close back. It is asked once more and has time to answer. */
    final void holdBack(Verdict verdict, long nowNanos) {
        DeadlineKind kind = verdict.deadline();
        if (kind == null) {
            throw new AssertionError(verdict);
        }
        Suspects suspects = livenessContext().suspects();
        checks(checksOrNone().suspectedFor(kind, nowNanos, nowNanos + suspects.patienceNanos()));
        suspects.suspected();
        suspected();
        if (backlog() == null) {
            probed(nowNanos);
            sendProbe();
        }
        rearm();
    }

    // ------------------------------------------------------------------ the wheel

    /** Takes an entry in the wheel. */
    protected final void watch() {
        livenessContext().wheel().register(this);
        livenessContext().stalls().exact(Liveness.exactness(this));
        rearm();
    }

    /** Nothing of what was under way matters any more. */
    protected final void forgetTroubles() {
        checks(OpenChecks.NONE);
        UNFINISHED.setRelease(this, null);
        BACKLOG.setRelease(this, null);
        phase(NO_DEADLINE);
    }

    /** Gives the entry back; a second call does nothing. */
    protected final void unwatch() {
        if (isRegistered()) {
            livenessContext().stalls().exact(-Liveness.exactness(this));
            livenessContext().wheel().release(this);
            phase(NO_DEADLINE);
        }
    }

    /** Wheel thread: where the entry belongs now. */
    @Override
    public final long deadlineNanos() {
        return Liveness.uncredited(this);
    }

    /** Works out the earliest deadline and tells the wheel. */
    protected final void rearm() {
        if (!isRegistered()) {
            return;
        }
        long deadlineNanos = Liveness.nextNanos(this);
        if (deadlineNanos == NO_DEADLINE) {
            livenessContext().wheel().disarm(this);
        } else {
            livenessContext().wheel().arm(this, deadlineNanos);
        }
    }

    /** Whether bytes of the peer seem to wait unread in the socket, true at most {@value #MAX_EXTRA_LOOKS} times in a row, or wait here for their turn. */
    final boolean hasUnreadBytes(long nowNanos) {
        if (framesWait() && !readingPaused()) {
            return true;
        }
        long heardMillisAgo = (extraLooks & ~RESUMED) < MAX_EXTRA_LOOKS ? lastHeardMillisAgo() : -1;
        if (heardMillisAgo < 0) {
            return false;
        }
        extraLooks++;
        long readNanosAgo = nowNanos - heardNanos();
        return readNanosAgo - TimeUnit.MILLISECONDS.toNanos(heardMillisAgo) > HEARD_SLACK_NANOS;
    }

    /** Whether the kernel says, without fail, that no byte of the peer waits in its socket; false where it cannot tell. */
    protected boolean nothingUnread() {
        return false;
    }

    /** The next look at its socket is the first one again. */
    private void settled() {
        extraLooks = 0;
    }

    // ------------------------------------------------------------------ fields

    /** The deadlines in force. */
    public final LivenessPolicy policy() {
        return livenessContext().policy();
    }

    /** Whether what it says is not to be had for a cause of ours, so that its silence proves nothing. */
    final boolean isUnheard() {
        Backlog paused = (Backlog) BACKLOG.getAcquire(this);
        return paused != null && (paused.pauseCauses & ~Backlog.PEER) != 0;
    }

    /** Lets the loop read once before it is judged again, if reading is paused because the peer does not drain. */
    final void listen() {
        if (readingPaused() && !isUnheard()) {
            if (backlog != null) {
                backlog.listened = true;
            }
            readOnce();
        }
    }

    /** What it said may wait unread, whatever was read before. */
    final void unlistened() {
        if (backlog != null) {
            backlog.listened = false;
        }
    }

    /** Whether what it said may wait unread: the pause began after it was looked at, or one read did not bring all. */
    final boolean isUnlistened() {
        return backlog != null && !backlog.listened && readingPaused() && !isUnheard();
    }

    /** Whether what it said may lie unread because it is not read, or was not until a moment ago. */
    final boolean mayWaitUnread() {
        return readingPaused() || (extraLooks & RESUMED) != 0;
    }

    /** Whether the peer is not read now, for whatever cause. */
    public final boolean readingPaused() {
        Backlog paused = (Backlog) BACKLOG.getAcquire(this);
        return paused != null && paused.pauseCauses != 0;
    }

    /** Why the peer is not read now; empty if it is. */
    public final List<PauseCause> pausedBy() {
        Backlog paused = (Backlog) BACKLOG.getAcquire(this);
        return paused == null ? List.of() : Backlog.named(paused.pauseCauses);
    }

    protected final boolean readerIdle() {
        return (status & READER_IDLE) != 0;
    }

    protected final long phaseDeadlineNanos() {
        return (long) PHASE.getOpaque(this);
    }

    protected final void phase(long deadlineNanos) {
        PHASE.setOpaque(this, deadlineNanos);
    }

    /** When the last flush ended, monotonic nanoseconds. */
    public final long lastFrameOutNanos() {
        return (long) LAST_FRAME_OUT.getOpaque(this);
    }

    final @Nullable OpenChecks checks() {
        return (OpenChecks) CHECKS.getAcquire(this);
    }

    /** {@link OpenChecks#NONE} if none is open. */
    final OpenChecks checksOrNone() {
        OpenChecks open = checks();
        return open == null ? OpenChecks.NONE : open;
    }

    private void checks(OpenChecks next) {
        CHECKS.setRelease(this, OpenChecks.NONE.equals(next) ? null : next);
    }

    final @Nullable PartialFrame unfinished() {
        return (PartialFrame) UNFINISHED.getAcquire(this);
    }

    /** What waits for the peer, null if nothing does. */
    final @Nullable Backlog backlog() {
        Backlog slow = (Backlog) BACKLOG.getAcquire(this);
        return slow != null && slow.undrained ? slow : null;
    }

    /**
     * Wheel thread.
     *
     * @return false if the connection already waits for its loop
     */
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

    /** Where it stands. */
    public final ConnectionState state() {
        return STATES[status & ~READER_IDLE];
    }

    protected final void state(ConnectionState next) {
        int before = Liveness.exactness(this);
        status = (byte) (next.ordinal() | (status & READER_IDLE));
        if (isRegistered()) {
            livenessContext().stalls().exact(Liveness.exactness(this) - before);
        }
    }

    /** Whether the device is there, leaving or not. */
    public final boolean isEstablished() {
        ConnectionState now = state();
        return now == ConnectionState.ESTABLISHED || now == ConnectionState.LEAVING;
    }

    protected final void readerIdle(boolean on) {
        status = (byte) (on ? status | READER_IDLE : status & ~READER_IDLE);
    }

    protected final void intervalMillis(int granted) {
        intervalMillis = granted;
    }

    /** When the last byte of the peer came in, of a complete frame or of one that is under way. Monotonic nanoseconds. */
    public final long lastByteNanos() {
        PartialFrame frame = unfinished();
        return frame == null ? lastFrameInNanos() : frame.lastByteNanos;
    }

    /** Bytes of a frame that is under way; 0 if none is. */
    public final int unfinishedBytes() {
        PartialFrame frame = unfinished();
        return frame == null ? 0 : frame.bytes;
    }

    /** When it was accepted, monotonic nanoseconds. */
    public final long openedNanos() {
        return openedNanos;
    }

    /** The granted heartbeat interval, milliseconds; 0 if there is none. */
    public final int intervalMillis() {
        return intervalMillis;
    }

    /** When silence began: with the last complete frame, or with the last byte of one that is under way. Monotonic nanoseconds. */
    public final long heardNanos() {
        long lastFrameNanos = lastFrameInNanos();
        PartialFrame frame = unfinished();
        if (frame == null || policy().readProgressNanos == LivenessPolicy.OFF) {
            return lastFrameNanos;
        }
        return lastFrameNanos - frame.lastByteNanos > 0 ? lastFrameNanos : frame.lastByteNanos;
    }

    /** When the last complete frame came in, monotonic nanoseconds. */
    public final long lastFrameInNanos() {
        return (long) LAST_FRAME_IN.getOpaque(this);
    }
}
