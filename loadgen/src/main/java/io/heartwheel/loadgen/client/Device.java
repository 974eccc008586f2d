package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.Cadence;
import io.heartwheel.loadgen.pace.SlotRing;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;

/**
 * One simulated device. Owner: the event loop of its channel; every method and field is for that thread alone. Times are
 * nanoseconds since the run began.
 *
 * <pre>
 *   CONNECTING --active--&gt; GREETING --WELCOME/101--&gt; OPEN --CLOSE, end, fault--&gt; CLOSING --inactive--&gt; GONE
 *        |                    |                       |
 *        +----refused---------+                       +-- falls silent: reads on, sends nothing more, not even answers
 * </pre>
 *
 * <p>When a frame was sent is taken just before it is handed to the socket. The gateway cannot have taken it in earlier,
 * so {@code lastSent + interval x grace} is never later than the gateway's own deadline, and a close seen before it is
 * proof of an early close however slow this generator is.
 */
public final class Device extends ChannelInboundHandlerAdapter {

    private enum State {
        CONNECTING,
        GREETING,
        OPEN,
        CLOSING,
        GONE
    }

    /** The fall-silent time of a device that never does. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final long MILLI = 1_000_000L;

    private final Crew crew;
    private final Dialect dialect;
    private final int index;
    private final long silentAfterNanos;

    private State state = State.CONNECTING;
    private boolean silent;
    private boolean leaving;
    private boolean upgraded;
    private @Nullable ChannelHandlerContext context;
    private @Nullable ByteBuf partial;

    private @Nullable Cadence cadence;
    private long grantedMillis;
    private int graceHundredths;

    private long lastSentNanos = -1;
    private long widestGapNanos;
    private long newestDueNanos;
    private long newestSentNanos;
    private int beats;
    private int answered;
    private int lastAnswered;
    private int probes;
    private long endedNanos;

    /**
     * A device that is not connected yet.
     *
     * @param index its number in the run; also decides its phase
     * @param silentAfterNanos the first beat due this long or longer after observation began is its last sign of life, or
     *     {@link #NEVER}
     */
    public Device(Crew crew, Dialect dialect, int index, long silentAfterNanos) {
        this.crew = crew;
        this.dialect = dialect;
        this.index = index;
        this.silentAfterNanos = silentAfterNanos;
    }

    // ---- what the pacing loop asks for

    /**
     * Sends the heartbeat due at this time.
     *
     * @return when the next is due, or {@link SlotRing#DONE} when there will be none
     */
    public long beat(long dueNanos) {
        Cadence own = cadence;
        if (state != State.OPEN || own == null || leaving) {
            return SlotRing.DONE;
        }
        beats++;
        newestDueNanos = dueNanos;
        newestSentNanos = crew.clock.nanos();
        dialect.beat(this, beats);
        crew.observer.beatSent(this, newestSentNanos - dueNanos);
        if (dueNanos - crew.observingFromNanos() >= silentAfterNanos) {
            silent = true;
            return SlotRing.DONE;
        }
        return dueNanos + own.periodNanos();
    }

    /** Sends a DATA that wants an ACK, if the device is open and not silent. */
    public void sendData(long id) {
        if (state == State.OPEN && !silent && !leaving) {
            dialect.data(this, id);
            crew.observer.data(this, false, false);
        }
    }

    /** Says goodbye. */
    public void leave() {
        leaving = true;
        if (state == State.OPEN && !silent) {
            dialect.leave(this);
        } else if (state != State.GONE) {
            hangUp();
        }
    }

    /** The connect of its channel failed. */
    public void connectFailed(Throwable cause) {
        if (state != State.GONE) {
            state = State.GONE;
            Ending ending = leaving ? Ending.LEFT : Ending.ofConnectFailure(cause);
            crew.observer.refused(this, ending, CloseCodes.NONE, String.valueOf(cause.getMessage()));
        }
    }

    /** TLS is agreed on, so long after the socket was connected; the channel is active next. */
    void secured(long handshakeNanos) {
        crew.observer.secured(this, handshakeNanos);
    }

    // ---- what dialects tell

    /** WELCOME or 101 came. */
    void opened(long interval, int grace) {
        state = State.OPEN;
        grantedMillis = interval;
        graceHundredths = grace;
        Cadence own = crew.cadence(interval);
        cadence = own;
        crew.observer.opened(this);
        crew.schedule.start(this, own.firstAfter(index, crew.clock.nanos()));
    }

    /** The heartbeat with this number was answered. */
    void answered(int sequence) {
        if (sequence <= lastAnswered || sequence > beats) {
            throw new WireException(
                    CloseCodes.MALFORMED, "PONG " + sequence + ": need over " + lastAnswered + ", at most " + beats);
        }
        Cadence own = cadence;
        if (own == null) {
            return;
        }
        long now = crew.clock.nanos();
        long due = newestDueNanos - (beats - sequence) * own.periodNanos();
        lastAnswered = sequence;
        answered++;
        crew.observer.beatAnswered(this, now - due, sequence == beats ? now - newestSentNanos : -1);
    }

    /** The oldest unanswered heartbeat was answered, by a server that does not say which it means. */
    void answeredNext() {
        if (lastAnswered < beats) {
            answered(lastAnswered + 1);
        }
    }

    void probed() {
        probes++;
        crew.observer.probed(this);
    }

    void acknowledged(boolean accepted) {
        crew.observer.data(this, true, accepted);
    }

    /** CLOSE or a close frame came. */
    void closed(int code, String text) {
        end(Ending.CLOSE, code, text);
        if (!silent && !leaving) {
            dialect.farewell(this, code);
        }
    }

    void markUpgraded() {
        upgraded = true;
    }

    boolean isUpgraded() {
        return upgraded;
    }

    /** Whether what comes in still counts. */
    boolean listening() {
        return state == State.GREETING || state == State.OPEN;
    }

    // ---- sending

    ByteBuf buffer(int bytes) {
        return context().alloc().directBuffer(bytes);
    }

    /** Sends what the gateway will take for a sign of life, and notes when. */
    void send(ByteBuf out) {
        ChannelHandlerContext to = context();
        long before = crew.clock.nanos();
        to.writeAndFlush(out, to.voidPromise());
        // The gap counts up to when the socket surely had it: a judge that was preempted in between was silent itself.
        if (lastSentNanos >= 0 && state == State.OPEN) {
            widestGapNanos = Math.max(widestGapNanos, crew.clock.nanos() - lastSentNanos);
        }
        lastSentNanos = before;
    }

    /** Sends and closes. */
    void sendLast(ByteBuf out) {
        context().writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
    }

    void hangUp() {
        ChannelHandlerContext to = context;
        if (to != null) {
            to.close();
        }
    }

    private ChannelHandlerContext context() {
        ChannelHandlerContext to = context;
        if (to == null) {
            throw new IllegalStateException("device " + index + " has no channel yet");
        }
        return to;
    }

    // ---- the channel

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        state = State.GREETING;
        dialect.greet(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = join(ctx, (ByteBuf) message);
        try {
            if (listening()) {
                dialect.read(this, in);
            } else if (state == State.CLOSING && in.isReadable() && !leaving) {
                crew.observer.violated(this, in.readableBytes() + " bytes after CLOSE");
                in.skipBytes(in.readableBytes());
            }
        } catch (WireException e) {
            crew.observer.violated(this, e.getMessage() + " (" + e.code() + ")");
            end(Ending.VIOLATION, e.code(), String.valueOf(e.getMessage()));
            hangUp();
        } finally {
            keep(ctx, in);
        }
    }

    private ByteBuf join(ChannelHandlerContext ctx, ByteBuf arrived) {
        ByteBuf before = partial;
        if (before == null) {
            return arrived;
        }
        partial = null;
        ByteBuf joined = ctx.alloc().buffer(before.readableBytes() + arrived.readableBytes());
        joined.writeBytes(before).writeBytes(arrived);
        before.release();
        arrived.release();
        return joined;
    }

    private void keep(ChannelHandlerContext ctx, ByteBuf in) {
        if (in.isReadable() && listening()) {
            partial = ctx.alloc().buffer(in.readableBytes()).writeBytes(in);
        }
        in.release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end(Ending.ofFailure(cause), CloseCodes.NONE, String.valueOf(cause.getMessage()));
        ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end(Ending.END_OF_STREAM, CloseCodes.NONE, "");
        ByteBuf rest = partial;
        partial = null;
        if (rest != null) {
            rest.release();
        }
        if (state == State.CLOSING) {
            crew.observer.gone(this);
        }
        state = State.GONE;
    }

    /** Notes the first sign of the end; later ones change nothing. */
    private void end(Ending seen, int code, String detail) {
        if (state == State.CLOSING || state == State.GONE) {
            return;
        }
        Ending ending = leaving ? Ending.LEFT : seen;
        boolean wasOpen = state == State.OPEN;
        endedNanos = crew.clock.nanos();
        if (wasOpen) {
            state = State.CLOSING;
            crew.observer.ended(this, ending, code, detail);
        } else {
            state = State.GONE;
            crew.observer.refused(this, ending, code, detail);
        }
    }

    // ---- what the judge reads

    Crew crew() {
        return crew;
    }

    Frame.Hello hello() {
        Habits habits = crew.habits;
        return new Frame.Hello(habits.wantedMillis(), 0, id(), habits.token(), Habits.CLIENT_NAME);
    }

    /** Its number in the run, from 0. */
    public int index() {
        return index;
    }

    /** Its device id. */
    public String id() {
        return crew.habits.idPrefix() + index;
    }

    /** Whether it was welcomed and nothing has ended it. */
    public boolean isOpen() {
        return state == State.OPEN;
    }

    /** Whether the gateway said farewell but its side of the socket is not closed. */
    public boolean isClosing() {
        return state == State.CLOSING;
    }

    /** Whether it was never welcomed and has not been refused either. */
    public boolean isWaiting() {
        return state == State.CONNECTING || state == State.GREETING;
    }

    /** Whether its socket is closed, or was never opened. */
    public boolean isGone() {
        return state == State.GONE;
    }

    /** Whether it has fallen silent. */
    public boolean silent() {
        return silent;
    }

    /** Whether it is to fall silent some time. */
    public boolean meantToFallSilent() {
        return silentAfterNanos != NEVER;
    }

    /** When its last frame was handed to the socket. */
    public long lastSentNanos() {
        return lastSentNanos;
    }

    /** The longest time between two of its frames since it was open. */
    public long widestGapNanos() {
        return widestGapNanos;
    }

    /** When the connection's end was first seen. */
    public long endedNanos() {
        return endedNanos;
    }

    /** Granted interval x grace: how long it may be silent. */
    public long allowedSilenceNanos() {
        return grantedMillis * MILLI * graceHundredths / 100;
    }

    /** Granted interval, milliseconds. */
    public long grantedMillis() {
        return grantedMillis;
    }

    /** Heartbeats sent. */
    public int beats() {
        return beats;
    }

    /** Heartbeats answered. */
    public int beatsAnswered() {
        return answered;
    }

    /** Probes received. */
    public int probes() {
        return probes;
    }

    /** Unanswered heartbeats that were due at or before this instant. */
    public int overdueAnswers(long instantNanos) {
        Cadence own = cadence;
        long young = own == null ? 0 : Math.min(beats, own.sentAfter(newestDueNanos, instantNanos));
        return (int) Math.max(0, beats - answered - young);
    }
}
