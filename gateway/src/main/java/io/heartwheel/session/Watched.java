package io.heartwheel.session;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.session.Session.State;
import io.heartwheel.wheel.WheelEntry;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The half of a session that the wheel watches: timestamps, what is under way, and the one entry that waits for the earliest deadline.
 *
 * <p>Owner: the channel's event loop; every method is for the loop only unless it says otherwise. The wheel's thread reads
 * {@link #deadlineNanos()}. What it reads is stored opaque or released by the loop, and fields may be of different instants: then the entry is met
 * early, which costs one more look and nothing else, or it is met where it was armed, because every change to an earlier deadline is followed by
 * arming the wheel ({@link #rearm}).
 *
 * <p>What is rare stands in objects of its own that exist only while it lasts ({@link Doubt}, {@link PartialFrame}, {@link Backlog}), so that a
 * session at rest is small.
 */
@SuppressWarnings("UnusedVariable") // fields read and written through their handles
abstract class Watched extends WheelEntry {
    private static final int MAX_EXTRA_LOOKS = 8;
    /** In {@link #extraLooks}: reading went on a moment ago, so what was said meanwhile may lie unread. */
    private static final int RESUMED = 0x40;
    /** The kernel's clock of arrivals is as coarse as this. */
    private static final long HEARD_SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** While not all is said to a closed peer it counts as heard so far ahead: behind every end of lingering, credit included. */
    private static final long UNSAID_NANOS = TimeUnit.DAYS.toNanos(1);

    /** No type of a frame has this bit. */
    private static final int UNHEARD = 0x80;

    private static final VarHandle LAST_FRAME_IN;
    private static final VarHandle LAST_FRAME_OUT;
    private static final VarHandle PHASE;
    private static final VarHandle DOUBT;
    private static final VarHandle UNFINISHED;
    private static final VarHandle BACKLOG;
    private static final VarHandle PROPOSED;

    static {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try {
            LAST_FRAME_IN = lookup.findVarHandle(Watched.class, "lastFrameInNanos", long.class);
            LAST_FRAME_OUT = lookup.findVarHandle(Watched.class, "lastFrameOutNanos", long.class);
            PHASE = lookup.findVarHandle(Watched.class, "phaseDeadlineNanos", long.class);
            DOUBT = lookup.findVarHandle(Watched.class, "doubt", Doubt.class);
            UNFINISHED = lookup.findVarHandle(Watched.class, "unfinished", PartialFrame.class);
            BACKLOG = lookup.findVarHandle(Watched.class, "backlog", Backlog.class);
            PROPOSED = lookup.findVarHandle(Watched.class, "proposed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // ---- written by the loop, read by the wheel's thread as well; a change to an earlier deadline is always followed
    // by arm
    /** Of a closed connection that waits for its peer: since when nothing came; later than now while not all is said. */
    private long lastFrameInNanos;
    /** The age deadline, then the end of leaving, at last the end of lingering at the latest. */
    private long phaseDeadlineNanos = NO_DEADLINE;

    private long openedNanos;

    private long lastFrameOutNanos;
    int intervalMillis;
    private volatile State state = State.HANDSHAKE;
    private boolean readerIdle;
    /** Set while the peer is asked, suspect or marked by the shadow policy. */
    private @Nullable Doubt doubt;
    /** Set while a frame is unfinished. */
    private @Nullable PartialFrame unfinished;
    /** Set while the peer does not drain or is not read. */
    private @Nullable Backlog backlog;

    // ---- set by the wheel's thread, cleared by the loop; see ExpiryQueue
    private boolean proposed;

    @Nullable
    Session nextProposed;

    // ---- the loop's alone
    private byte extraLooks;
    /** With {@link #UNHEARD} until the first frame since the welcome. */
    private byte lastTypeIn;

    private byte lastTypeOut;

    private final SessionContext sessionContext;

    Watched(SessionContext sessionContext) {
        this.sessionContext = sessionContext;
    }

    // ------------------------------------------------------------------ what the wire below provides

    /** Bytes that the channel holds and the socket has not taken, as the channel counts them. */
    protected abstract long pendingBytes();

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
    final void began(long nowNanos) {
        openedNanos = nowNanos;
        LAST_FRAME_IN.setOpaque(this, nowNanos);
        wrote(nowNanos);
    }

    /** A complete frame came in: one store. The wheel entry stays where it is and is moved when it is met. */
    protected final void activity(long nowNanos) {
        LAST_FRAME_IN.setOpaque(this, nowNanos);
        if (doubt != null) {
            spoke(nowNanos);
        }
    }

    /** The peer has spoken while something hung over it. */
    abstract void spoke(long nowNanos);

    /** Bytes of an unfinished frame have come while something hung over the peer. */
    abstract void trickled(long nowNanos);

    /** A complete frame of this type came in: counts it. */
    protected final void frameIn(int type) {
        lastTypeIn = (byte) type;
        sessionContext.stats().frameIn(type);
    }

    /** A frame of this type is written: counts it. */
    protected final void frameOut(int type) {
        lastTypeOut = (byte) type;
        sessionContext.stats().frameOut(type);
    }

    /** The type of the last complete frame in; 0 if none came. */
    protected final int lastTypeIn() {
        return lastTypeIn & (UNHEARD - 1);
    }

    /** It is welcome: what came so far was no sign of life of an established device. */
    final void welcomed() {
        lastTypeIn = (byte) (lastTypeIn | UNHEARD);
    }

    /**
     * Whether it was heard since it was welcomed, and for an interval at least: it did once what it promised. Who never did proves nothing about others by
     * falling silent.
     */
    final boolean hasKeptItsPromise() {
        boolean heard = (lastTypeIn & UNHEARD) == 0;
        return heard && lastFrameInNanos() - openedNanos >= TimeUnit.MILLISECONDS.toNanos(intervalMillis);
    }

    /** The type of the last frame written; 0 if none was. */
    final int lastTypeOut() {
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
    protected final boolean isUnfinished() {
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
            LivenessPolicy shadow = sessionContext.shadowPolicy().policy();
            begun.grow(bytes, nowNanos, policy(), shadow == null ? policy() : shadow);
        }
        if (doubt != null && policy().readProgressNanos != LivenessPolicy.OFF) {
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
            sessionContext.observer().readingPaused();
        }
    }

    /** The sink has no room for this message: it is kept, and the peer is not read, for which it is not to blame. */
    protected final void hold(ConnectionEvent.Message message, long nowNanos) {
        pauseReading(Backlog.SINK, true, nowNanos);
        if (backlog != null) {
            backlog.held = message;
        }
    }

    /** What is held, null if nothing is. */
    protected final ConnectionEvent.@Nullable Message held() {
        return backlog == null ? null : backlog.held;
    }

    /** Nothing is held any more. */
    protected final void unhold(long nowNanos) {
        if (backlog != null) {
            backlog.held = null;
            pauseReading(Backlog.SINK, false, nowNanos);
        }
    }

    /**
     * Reading rests for this cause, one of those of {@link Backlog}, or does not any more.
     *
     * @return false if nothing changed
     */
    final boolean pauseReading(int cause, boolean pause, long nowNanos) {
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
        if (unheard && doubt != null) {
            doubt(doubt.later(pausedNanos));
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

    final void lookAtBacklog(long nowNanos) {
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
    final void linger(boolean saidAll, long nowNanos, long mostNanos) {
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

    // ------------------------------------------------------------------ the wheel

    /** Takes an entry in the wheel. */
    final void watch() {
        sessionContext.wheel().register(this);
        sessionContext.stalls().exact(Liveness.exactness(this));
        rearm();
    }

    /** Nothing of what was under way matters any more. */
    final void forgetTroubles() {
        DOUBT.setRelease(this, null);
        UNFINISHED.setRelease(this, null);
        BACKLOG.setRelease(this, null);
        phase(NO_DEADLINE);
    }

    /** Gives the entry back; a second call does nothing. */
    final void unwatch() {
        if (isRegistered()) {
            sessionContext.stalls().exact(-Liveness.exactness(this));
            sessionContext.wheel().release(this);
            phase(NO_DEADLINE);
        }
    }

    /** Wheel thread: where the entry belongs now. */
    @Override
    public final long deadlineNanos() {
        return Liveness.uncredited(this);
    }

    /** Works out the earliest deadline and tells the wheel. */
    final void rearm() {
        if (!isRegistered()) {
            return;
        }
        long deadlineNanos = Liveness.nextNanos(this);
        if (deadlineNanos == NO_DEADLINE) {
            sessionContext.wheel().disarm(this);
        } else {
            sessionContext.wheel().arm(this, deadlineNanos);
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

    /** The next doubt begins anew. */
    final void settled() {
        extraLooks = 0;
    }

    // ------------------------------------------------------------------ fields

    /** What this session's loop shares. */
    public final SessionContext sessionContext() {
        return sessionContext;
    }

    final LivenessPolicy policy() {
        return sessionContext.policy();
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
    protected final boolean readingPaused() {
        Backlog paused = (Backlog) BACKLOG.getAcquire(this);
        return paused != null && paused.pauseCauses != 0;
    }

    final boolean readerIdle() {
        return readerIdle;
    }

    final long phaseDeadlineNanos() {
        return (long) PHASE.getOpaque(this);
    }

    final void phase(long deadlineNanos) {
        PHASE.setOpaque(this, deadlineNanos);
    }

    final long lastFrameOutNanos() {
        return (long) LAST_FRAME_OUT.getOpaque(this);
    }

    final @Nullable Doubt doubt() {
        return (Doubt) DOUBT.getAcquire(this);
    }

    final void doubt(@Nullable Doubt next) {
        DOUBT.setRelease(this, Doubt.NONE.equals(next) ? null : next);
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
     * @return false if the session already waits for its loop
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
    public final State state() {
        return state;
    }

    final void state(State next) {
        int before = Liveness.exactness(this);
        state = next;
        if (isRegistered()) {
            sessionContext.stalls().exact(Liveness.exactness(this) - before);
        }
    }

    /** Whether the device is there, leaving or not. */
    public final boolean isEstablished() {
        State now = state;
        return now == State.ESTABLISHED || now == State.LEAVING;
    }

    final void readerIdle(boolean on) {
        readerIdle = on;
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
    final long heardNanos() {
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
