package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.pace.Chance;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a device: how it is opened, read, written and ended. What that means its subclasses decide. Owner: the event loop of
 * its channel; every method and field is for that thread alone. Times are nanoseconds since the run began.
 *
 * <pre>
 *   APART --connecting--&gt; CONNECTING --active, TLS--&gt; GREETING --WELCOME/101--&gt; OPEN --CLOSE, end, fault--&gt; CLOSING --inactive--&gt; GONE
 *                             |                          |
 *                             +--------refused-----------+---&gt; GONE
 * </pre>
 *
 * <p>When a frame was sent is taken just before it is handed to the socket. The gateway cannot have taken it in earlier,
 * so {@code lastSent + interval x grace} is never later than the gateway's own deadline, and a close seen before it is
 * proof of an early close however slow this generator is.
 */
public abstract class DeviceConnection extends ChannelInboundHandlerAdapter {

    /** State of a connection. */
    private enum State {
        APART,
        CONNECTING,
        GREETING,
        OPEN,
        CLOSING,
        GONE
    }

    /** The id of a message that the server does not name. */
    static final long UNNAMED = Long.MIN_VALUE;

    private Dialect dialect;
    private State state = State.APART;
    private boolean secured;
    private boolean upgraded;
    private @Nullable ChannelHandlerContext context;
    private @Nullable ByteBuf partial;
    private @Nullable Object dialectState;

    private long lastSentNanos = -1;
    private long widestGapNanos;
    private long stageNanos;
    private long endedNanos;

    /** A connection that is not made yet. */
    DeviceConnection(Dialect dialect) {
        this.dialect = dialect;
    }

    /** Takes over the channel of another connection in its present state, with the part of a frame that has come. */
    DeviceConnection(DeviceConnection other) {
        this(other.dialect);
        partial = other.partial;
        dialectState = other.dialectState;
        other.partial = null;
        state = other.state;
        upgraded = other.upgraded;
        lastSentNanos = other.lastSentNanos;
        widestGapNanos = other.widestGapNanos;
    }

    // ---- what it tells its owner; a connection that was superseded cares only for its end

    /** The connection is made and may be spoken on. */
    void connected() {}

    /** WELCOME or 101 came. */
    void opened(long intervalMillis, int graceHundredths) {}

    /** The heartbeat with this number was answered. */
    void answered(int sequence) {}

    /** The oldest unanswered heartbeat was answered, by a server that does not say which it means. */
    void answeredNext() {}

    /** Bytes came back that no heartbeat carries. */
    void answeredOddly(int payloadBytes) {}

    /** The gateway asks for a sign of life. */
    void probed() {}

    /** The messages that it carries. */
    Messages messages() {
        return Messages.NONE;
    }

    /** The heartbeat whose answer is awaited for the longest time; far above all of them where answers do not name theirs. */
    long oldestBeat() {
        return Long.MAX_VALUE;
    }

    /** Writes the content of a message of ours: the same bytes each time. */
    void content(ByteBuf out, long id, int bytes) {
        Content.write(out, loopContext().seed, index(), id, bytes);
    }

    /** The id that a message of ours has for the gateway, where each connection may have ids of 64 bits. */
    long wireId(long id) {
        return firstWireId() + id;
    }

    /** The same back; none of ours for what was not made by {@link #wireId}. */
    long ownId(long wireId) {
        return wireId - firstWireId();
    }

    /** Ids of a device are far from those of others, and from the small numbers that an operator takes for pushes. */
    private long firstWireId() {
        return (Chance.bits(loopContext().seed, index(), -1) >>> 33 | 1L << 30) << 32;
    }

    /** As {@link PushSink#received}. */
    abstract boolean pushed(long id, boolean ackWanted, ByteBuf in, int at, int length);

    /** The same in a protocol without ids and acknowledgements. */
    final boolean pushed(ByteBuf in, int at, int length) {
        return pushed(0, false, in, at, length);
    }

    /** The gateway told the epoch of this connection; before {@link #opened}. */
    void toldEpoch(long epoch) {}

    /** The gateway asks to leave. */
    void goaway(Frame.Goaway frame) {}

    /** The gateway says something of its token. */
    void authAnswered(Frame.AuthAnswer answer) {}

    /** Whether the device says nothing, not even answers. */
    abstract boolean quiet();

    /** Whether its own goodbye is under way. */
    abstract boolean leaving();

    /** The gateway broke the wire document. */
    abstract void violated(String detail);

    /** The first sign that the connection is over. */
    abstract void over(ConnectionEnd ending, int code, String detail, boolean wasOpen);

    /** The socket is closed, after {@link #over}. */
    void apart() {}

    /** Its number in the run, from 0. */
    public abstract int index();

    /** Its device id. */
    public String id() {
        return loopContext().deviceDefaults.id(index());
    }

    /** What the server knows it as. */
    public String wireId() {
        return dialect.wireId(index(), loopContext().deviceDefaults);
    }

    // ---- the way up

    /** A new channel is being made for it. */
    void connecting(Dialect speaks) {
        dialect = speaks;
        state = State.CONNECTING;
        secured = false;
        upgraded = false;
        context = null;
        dialectState = null;
        lastSentNanos = -1;
        widestGapNanos = 0;
        stageNanos = loopContext().clock.nanos();
    }

    /** The connect of its channel failed. */
    public void connectFailed(Throwable cause) {
        if (state == State.CONNECTING) {
            end(ConnectionEnd.ofConnectFailure(cause), CloseCodes.NONE, String.valueOf(cause.getMessage()));
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /** TLS is agreed on, so long after the socket was connected; the channel is active next. */
    void secured(long handshakeNanos) {
        long now = loopContext().clock.nanos();
        loopContext().observer.timed(Timing.CONNECT_TCP, now - stageNanos - handshakeNanos);
        loopContext().observer.timed(Timing.CONNECT_TLS, handshakeNanos);
        stageNanos = now;
        secured = true;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (!secured) {
            connectStep(Timing.CONNECT_TCP);
        }
        greet();
    }

    private void greet() {
        if (state == State.CONNECTING) {
            state = State.GREETING;
            connected();
        }
    }

    private void connectStep(Timing timing) {
        long now = loopContext().clock.nanos();
        loopContext().observer.timed(timing, now - stageNanos);
        stageNanos = now;
    }

    void markUpgraded() {
        upgraded = true;
        connectStep(Timing.CONNECT_UPGRADE);
    }

    boolean isUpgraded() {
        return upgraded;
    }

    /** From here on it is open; notes how long the greeting took, if it was one. */
    void markOpen() {
        state = State.OPEN;
        if (dialect.has(Dialect.Trait.GREETS)) {
            connectStep(Timing.CONNECT_HELLO);
        }
    }

    // ---- sending

    ByteBuf buffer(int bytes) {
        return context().alloc().directBuffer(bytes);
    }

    /** Sends what the gateway will take for a sign of life, and notes when. */
    void send(ByteBuf out) {
        long before = loopContext().clock.nanos();
        sendUnnoted(out);
        // The gap counts up to when the socket surely had it: a judge that was preempted in between was silent itself.
        if (lastSentNanos >= 0 && state == State.OPEN) {
            widestGapNanos = Math.max(widestGapNanos, loopContext().clock.nanos() - lastSentNanos);
        }
        lastSentNanos = before;
    }

    /** Sends what is no sign of life: a part of something. */
    void sendUnnoted(ByteBuf out) {
        ChannelHandlerContext to = context();
        to.writeAndFlush(out, to.voidPromise());
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

    /**
     * Ends a connection with a reset (RST): what was not sent is thrown away, and neither TLS nor the device says goodbye.
     * On the loop's thread.
     */
    static void abort(Channel channel) {
        if (channel.isOpen()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            channel.unsafe().close(channel.unsafe().voidPromise());
        }
    }

    ChannelHandlerContext context() {
        ChannelHandlerContext to = context;
        if (to == null) {
            throw new IllegalStateException("device " + index() + " has no channel yet");
        }
        return to;
    }

    Channel channel() {
        return context().channel();
    }

    // ---- receiving

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (ctx != context) {
            ReferenceCountUtil.release(message);
            return;
        }
        ByteBuf in = join(ctx, (ByteBuf) message);
        try {
            if (listening()) {
                dialect.read(this, in);
            } else if (state == State.CLOSING && in.isReadable() && !leaving()) {
                violated(in.readableBytes() + " bytes after CLOSE");
                in.skipBytes(in.readableBytes());
            }
        } catch (WireException e) {
            violated(e.getMessage() + " (" + e.code() + ")");
            end(ConnectionEnd.VIOLATION, e.code(), String.valueOf(e.getMessage()));
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

    /** CLOSE or a close frame came. */
    void closed(int code, String text) {
        end(ConnectionEnd.CLOSE, code, text);
        if (!quiet() && !leaving()) {
            dialect.farewell(this, code);
        }
    }

    // ---- the end

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (ctx == context) {
            end(ConnectionEnd.ofFailure(cause), CloseCodes.NONE, String.valueOf(cause.getMessage()));
        }
        ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (ctx != context) {
            return;
        }
        end(ConnectionEnd.END_OF_STREAM, CloseCodes.NONE, "");
        ByteBuf rest = partial;
        partial = null;
        if (rest != null) {
            rest.release();
        }
        if (state != State.GONE) {
            state = State.GONE;
            apart();
        }
    }

    /** Notes the first sign of the end; later ones change nothing. */
    void end(ConnectionEnd seen, int code, String detail) {
        if (state == State.CLOSING || state == State.GONE || state == State.APART) {
            return;
        }
        boolean wasOpen = state == State.OPEN;
        // A connect that failed leaves a channel that never was active: nothing more will be heard of it.
        boolean hasChannel = context != null && context.channel().isActive();
        endedNanos = loopContext().clock.nanos();
        state = hasChannel ? State.CLOSING : State.GONE;
        over(seen, code, detail, wasOpen);
        if (!hasChannel) {
            apart();
        }
    }

    // ---- read by the recorder

    /**
     * By when its end had come in at the latest, as the kernel tells it of a farewell, however late that was read; {@link LoopContext#UNTOLD} of
     * another end, as a FIN is no data, or where the kernel does not tell. While the end is being told.
     */
    public long arrivedNanos(ConnectionEnd ending) {
        long age = ending == ConnectionEnd.CLOSE ? loopContext().lastData.applyAsLong(channel()) : LoopContext.UNTOLD;
        // the clock is read last: a thread that is interrupted here makes the end later, never earlier
        return age < 0
                ? LoopContext.UNTOLD
                : Math.min(endedNanos, loopContext().clock.nanos() - age);
    }

    /** Heartbeat interval it asks for, milliseconds. */
    abstract long wantedMillis();

    /** What it shares with the other connections of its event loop. */
    abstract LoopContext<?> loopContext();

    /** How it speaks. */
    public Dialect dialect() {
        return dialect;
    }

    /** What the dialect remembers of this connection; null: nothing yet. */
    @Nullable
    Object state() {
        return dialectState;
    }

    /** Remembers something for the dialect, for as long as this connection lasts. */
    void state(Object remembered) {
        dialectState = remembered;
    }

    Frame.Hello hello() {
        return new Frame.Hello(features(), wantedMillis(), 0, id(), token(), DeviceDefaults.CLIENT_NAME);
    }

    /** What it shows to be admitted; the same for as long as this connection lasts. */
    String token() {
        return loopContext().deviceDefaults.token();
    }

    /** What it says in HELLO that it understands. */
    int features() {
        return 0;
    }

    /** Whether what comes in still counts. */
    boolean listening() {
        return state == State.GREETING || state == State.OPEN;
    }

    /** Whether it was welcomed and nothing has ended it. */
    public boolean isOpen() {
        return state == State.OPEN;
    }

    /** Whether the gateway said farewell but its side of the socket is not closed. */
    public boolean isClosing() {
        return state == State.CLOSING;
    }

    /** Whether it is neither welcomed nor refused. */
    public boolean isWaiting() {
        return state == State.CONNECTING || state == State.GREETING;
    }

    /** Whether its connection was accepted, and no more than that so far. */
    public boolean isGreeting() {
        return state == State.GREETING;
    }

    /** Whether it has no socket. */
    public boolean isGone() {
        return state == State.GONE || state == State.APART;
    }

    /** When its last sign of life was handed to the socket; below 0 before the first. */
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
}
