package io.heartwheel.protocol;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.TlsFailure;
import io.heartwheel.session.LoopScope;
import io.heartwheel.session.LoopStats;
import io.heartwheel.session.MemoryHolders;
import io.heartwheel.session.Session;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session on a Netty channel: the one handler of its pipeline (TLS and the HTTP of an upgrade aside), the session itself and the wheel's
 * entry, all in one object.
 *
 * <pre>
 *   socket --&gt; [TLS] --&gt; channelRead --&gt; decode(bytes) --&gt; frames --&gt; activity, answers
 *                            |  remainder kept                          |
 *                            +-- partial(...)          send(...) &lt;------+    flush once a read batch
 * </pre>
 *
 * <p>Owner: the channel's event loop. One clock reading serves a whole batch of bytes.
 */
public abstract class Connection extends Session implements ChannelInboundHandler, MemoryHolders.Holder {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** What a connection may hold of an unfinished frame however much the others hold: less than the connection itself. */
    private static final int NEVER_BLAMED_BYTES = 512;

    /** Frames that one connection takes before the others of its loop have their turn. */
    private static final int SHARE_FRAMES = 128;
    /** Shares that are taken of what a peer leaves behind. */
    private static final int LAST_SHARES = 64;

    /** A batch of reads is being handled. */
    private static final int READING = 1;
    /** Something was written and not flushed. */
    private static final int UNFLUSHED = 2;
    /** It stands among those that hold memory. */
    private static final int LISTED = 4;

    // ---- why nothing is read
    /** The device id is being claimed. */
    private static final int CLAIMING = 1;
    /** The peer does not drain. */
    private static final int UNWRITABLE = 2;
    /** Frames that are here wait for their turn. */
    private static final int SHARE_TAKEN = 4;
    /** There is nobody any more. */
    private static final int GONE = 8;
    /** The peer sends faster than it may. */
    private static final int TOO_FAST = 16;
    /** The sink is full, and the peer cannot be told. */
    private static final int SINK_FULL = 32;

    /** Silent peers of a loop that are waited for after their CLOSE, in case a beat is on its way: it would turn the CLOSE into a reset. */
    private static final int MOST_SILENT_LINGERING = 1_024;

    private @Nullable ChannelHandlerContext context;
    private @Nullable ByteBuf unread;
    /** Where a batch of reads stands: a sum of {@link #READING}, {@link #UNFLUSHED} and {@link #LISTED}, in one byte because a second one would be eight. */
    private byte batch;
    /** Why nothing is read now, one bit each. */
    private byte holds;

    /** A connection of this loop, not yet in a pipeline. */
    protected Connection(LoopScope scope) {
        super(scope);
    }

    // ------------------------------------------------------------------ what a protocol provides

    /**
     * Takes complete frames off the front of {@code in} and leaves the rest. Stops when the state is no longer {@code HANDSHAKE} or established, and
     * when this connection's {@link io.heartwheel.session.LoopStats#isShareTaken share} of the turn is taken.
     *
     * @param nowNanos when the bytes were taken in
     */
    protected abstract void decode(ByteBuf in, long nowNanos) throws ProtocolViolation;

    /** The bytes of the last frame; null if this protocol has none at this stage. Ownership goes to the caller. */
    protected abstract @Nullable ByteBuf encodeFarewell(CloseReason reason, String text);

    /** What answers the peer's own last frame; null if nothing does. Ownership goes to the caller. */
    protected @Nullable ByteBuf encodeReturn() {
        return null;
    }

    /** Takes a message that is not bytes, while HTTP handlers stand before this one. Must release it. */
    protected void receive(Object message, long nowNanos) throws ProtocolViolation {
        ReferenceCountUtil.release(message);
        throw new AssertionError("unexpected " + message.getClass());
    }

    /** Bytes that {@link #decode} took in and holds, because what they belong to has not ended or may not be handled yet. */
    protected int heldBytes() {
        return 0;
    }

    /** Memory that {@link #decode} holds beside the unread bytes, as told to {@link io.heartwheel.session.LoopStats#unfinished}. */
    protected int gatheredBytes() {
        return 0;
    }

    /** Lets go of it; the connection is closed. */
    protected void dropGathered() {}

    // ------------------------------------------------------------------ reading

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof ByteBuf in)) {
            receiveOther(message);
            return;
        }
        if (state() == State.CLOSED) {
            in.release();
            return;
        }
        batch |= (byte) READING;
        int bytes = in.readableBytes();
        scope().stats().bytesIn(bytes);
        long nowNanos = scope().nanoTime();
        scope().stalls().turned(nowNanos);
        long beforeNanos = lastFrameInNanos();
        if ((holds & (SHARE_TAKEN | TOO_FAST | SINK_FULL)) != 0) {
            hold(SHARE_TAKEN);
            unread(Remainder.waiting(ctx.alloc(), join(in)));
            holdsMore();
            count(0, bytes, beforeNanos, nowNanos);
        } else if (unread == null && !hasBacklog() && answeredInPlace(in, nowNanos)) {
            count(1, bytes, beforeNanos, nowNanos);
        } else {
            take(join(in), bytes, nowNanos);
        }
    }

    /**
     * The commonest frame of all, answered in its own buffer. Only for a peer that drains: else a few bytes would hold many read buffers.
     *
     * @return true if {@code in} was taken
     */
    protected boolean answeredInPlace(ByteBuf in, long nowNanos) {
        return false;
    }

    private void receiveOther(Object message) {
        if (state() == State.CLOSED) {
            ReferenceCountUtil.release(message);
            return;
        }
        batch |= (byte) READING;
        try {
            receive(message, scope().nanoTime());
        } catch (ProtocolViolation violation) {
            close(violation.reason(), violation.text());
        }
    }

    private ByteBuf join(ByteBuf in) {
        ByteBuf before = unread;
        if (before == null) {
            return in;
        }
        unread(null);
        return Remainder.append(before, in);
    }

    /** @param bytes of it that have just been read */
    private void take(ByteBuf in, int bytes, long nowNanos) {
        LoopStats stats = scope().stats();
        long beforeNanos = lastFrameInNanos();
        boolean established = isEstablished();
        stats.beginShare(mayTake(SHARE_FRAMES, nowNanos));
        try {
            decode(in, nowNanos);
        } catch (ProtocolViolation violation) {
            close(violation.reason(), violation.text());
        } finally {
            keep(in, nowNanos);
        }
        if (established) {
            count(stats.takenOfShare(), bytes + stats.inflatedOfShare(), beforeNanos, nowNanos);
        }
    }

    /** What an established peer sent counts against what it may send. */
    private void count(int frames, long bytes, long beforeNanos, long nowNanos) {
        if (sentTooFast(frames, bytes, beforeNanos, nowNanos) && isEstablished() && (holds & TOO_FAST) == 0) {
            restOrClose(nowNanos);
        }
    }

    private void restOrClose(long nowNanos) {
        if (isTooFastForLong(nowNanos)) {
            close(CloseReason.RATE_EXCEEDED, scope().policy().limits().text());
            return;
        }
        hold(TOO_FAST);
        rest(true, nowNanos);
        awaken(restNanos(nowNanos));
    }

    private void awaken(long inNanos) {
        context().channel().eventLoop().schedule(this::awake, inNanos, TimeUnit.NANOSECONDS);
    }

    private void awake() {
        if (state() == State.CLOSED) {
            return;
        }
        long nowNanos = scope().nanoTime();
        long restNanos = restNanos(nowNanos);
        if (restNanos > 0) {
            awaken(restNanos);
        } else {
            rest(false, nowNanos);
            release(TOO_FAST);
        }
    }

    private void keep(ByteBuf in, long nowNanos) {
        if (state() == State.CLOSED) {
            in.release();
            partial(0, nowNanos);
            return;
        }
        int unfinished = in.readableBytes() + heldBytes();
        boolean claiming = unfinished > 0 && state() == State.CLAIMING;
        boolean mayNot = scope().stats().isShareTaken() || (holds & SINK_FULL) != 0;
        boolean goesOn = unfinished > 0 && !claiming && mayNot;
        if (!in.isReadable()) {
            in.release();
        } else {
            ByteBufAllocator alloc = context().alloc();
            unread(goesOn ? Remainder.waiting(alloc, in) : Remainder.compact(alloc, in, in.readableBytes()));
        }
        if (claiming) {
            hold(CLAIMING);
        }
        // what waits for us is no frame that the peer owes us
        partial(claiming || goesOn ? 0 : unfinished, nowNanos);
        if (goesOn) {
            hold(SHARE_TAKEN);
            outliveStream(true);
            goOnInTurn();
        }
        holdsMore();
    }

    /**
     * TLS has taken in what a read brought, and {@link #channelRead} has had what of it could be deciphered: the rest is progress of the peer as well.
     *
     * @param bytes of this read that are of a record that has not ended; 0 if the latest one has
     */
    public final void undeciphered(int bytes) {
        if (!isEstablished()) {
            // until then the handshake has its time, whatever it sends; and a thousand of them are work for the loop,
            // not a stall
            scope().stalls().turned(scope().nanoTime());
            return;
        }
        if (bytes > 0) {
            partialUnread(bytes, scope().nanoTime());
        } else if (isUnfinished()) {
            int here = (unread == null ? 0 : unread.readableBytes()) + heldBytes();
            partial(framesWait() ? 0 : here, scope().nanoTime());
        }
    }

    /** It may hold more than before: when all together hold more than they may, those give up that have made the least progress for longest. */
    protected final void holdsMore() {
        LoopStats stats = scope().stats();
        if ((batch & LISTED) == 0 && heldMemoryBytes() > 0) {
            stats.holders().add(this);
        }
        boolean someGaveUp = true;
        while (stats.holdsTooMuch() && someGaveUp) {
            someGaveUp = stats.holders().giveUpFirst();
        }
    }

    @Override
    public final long heldMemoryBytes() {
        long bytes = gatheredBytes() + (unread == null ? 0L : unread.capacity());
        return bytes > NEVER_BLAMED_BYTES ? bytes : 0;
    }

    @Override
    public final void listed(boolean now) {
        batch = (byte) (now ? batch | LISTED : batch & ~LISTED);
    }

    @Override
    public final void giveUp() {
        close(
                CloseReason.OVERLOADED,
                "unfinished messages hold as much memory as they may, and this one came on least");
    }

    private void unread(@Nullable ByteBuf next) {
        ByteBuf before = unread;
        long more = (next == null ? 0L : next.capacity()) - (before == null ? 0L : before.capacity());
        unread = next;
        if (more != 0) {
            scope().stats().unfinished(more);
        }
    }

    /** After a claim that was answered later, or in another connection's place: goes on with what lay waiting. */
    protected final void resume() {
        release(CLAIMING);
        if ((batch & READING) == 0) {
            takeWaiting();
        }
    }

    private void takeWaiting() {
        ByteBuf waiting = unread;
        if (waiting == null && heldBytes() == 0) {
            return;
        }
        unread(null);
        take(waiting == null ? Unpooled.EMPTY_BUFFER : waiting, 0, scope().nanoTime());
    }

    // ------------------------------------------------------------------ reading rests

    private void hold(int cause) {
        holds |= (byte) cause;
        context().channel().config().setAutoRead(false);
    }

    private void release(int cause) {
        holds &= (byte) ~cause;
        if (holds == 0) {
            context().channel().config().setAutoRead(true);
        } else if (holds == SHARE_TAKEN) {
            goOnInTurn();
        }
    }

    /** Goes on with frames that are here when the other sockets have been served, unless something else holds reading up. */
    private void goOnInTurn() {
        if (holds != SHARE_TAKEN) {
            return; // whoever releases that comes here
        }
        EventLoop loop = context().channel().eventLoop();
        if (loop instanceof SingleThreadEventLoop turning) {
            turning.executeAfterEventLoopIteration(() -> loop.execute(this::goOn));
        } else {
            loop.execute(this::goOn);
        }
    }

    private void goOn() {
        if (state() == State.CLOSED || holds != SHARE_TAKEN) {
            return;
        }
        holds = 0;
        batch |= (byte) READING;
        takeWaiting();
        if (state() != State.CLOSED && holds == 0) {
            context().channel().config().setAutoRead(true);
        }
        batch &= (byte) ~READING;
        if (isUnflushed()) {
            flush();
        }
    }

    /**
     * The peer has gone while frames of its wait for their turn: so many of them count that no honest peer's are lost.
     *
     * @param hold {@link #GONE} if nobody is there to answer
     */
    private void takeLastShares(int hold) {
        for (int i = 0; i < LAST_SHARES && framesWait() && state() != State.CLOSED; i++) {
            publishHeld();
            holds = (byte) hold;
            takeWaiting();
        }
    }

    /** Whether frames of the peer are here and have not had their turn. */
    @Override
    protected final boolean framesWait() {
        return (holds & SHARE_TAKEN) != 0;
    }

    @Override
    public final void channelReadComplete(ChannelHandlerContext ctx) {
        batch &= (byte) ~READING;
        if (state() == State.CLOSED) {
            cameAfterTheEnd(scope().nanoTime());
        } else if (readingPaused()) {
            RecvByteBufAllocator.Handle read = ctx.channel().unsafe().recvBufAllocHandle();
            if (read.lastBytesRead() > 0 && read.lastBytesRead() == read.attemptedBytesRead()) {
                moreWaits(scope().nanoTime());
            }
        }
        if (isUnflushed()) {
            flush();
        }
    }

    // ------------------------------------------------------------------ writing

    /** Writes bytes; flushed at the end of the read batch, or at once outside of one. Takes ownership. Loop only. */
    protected final void send(ByteBuf bytes) {
        if ((holds & GONE) != 0) {
            bytes.release();
            return;
        }
        ChannelHandlerContext ctx = context();
        scope().stats().bytesOut(bytes.readableBytes());
        if (hasBacklog()) {
            long before = pendingBytes();
            ctx.write(bytes, ctx.voidPromise());
            enqueued(pendingBytes() - before);
        } else {
            ctx.write(bytes, ctx.voidPromise());
        }
        batch |= (byte) UNFLUSHED;
        if ((batch & READING) == 0) {
            flush();
        }
    }

    private boolean isUnflushed() {
        return (batch & UNFLUSHED) != 0;
    }

    private void flush() {
        batch &= (byte) ~UNFLUSHED;
        context().flush();
        long nowNanos = scope().nanoTime();
        scope().stalls().turned(nowNanos);
        wrote(nowNanos);
        flushed(nowNanos);
    }

    @Override
    public final void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (state() == State.CLOSED) {
            return;
        }
        boolean writable = ctx.channel().isWritable();
        pauseReading(!writable, scope().nanoTime());
        if (writable) {
            release(UNWRITABLE);
        } else {
            hold(UNWRITABLE);
        }
    }

    /** Whether a push may be written: the peer is there and drains. */
    protected final boolean takesData() {
        return isEstablished() && context().channel().isWritable();
    }

    @Override
    protected final long pendingBytes() {
        ChannelOutboundBuffer buffer = context().channel().unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }

    @Override
    protected final long currentProgressBytes() {
        ChannelOutboundBuffer buffer = context().channel().unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.currentProgress();
    }

    @Override
    protected final long acknowledgedBytes() {
        return KernelView.acknowledgedBytes(context().channel());
    }

    @Override
    protected final void readOnce() {
        if (framesWait()) {
            context().channel().eventLoop().execute(this::takeShare);
        } else {
            context().read();
        }
    }

    /** Of the frames that are here, whatever else holds reading up. */
    private void takeShare() {
        if (state() == State.CLOSED || !framesWait()) {
            return;
        }
        holds &= (byte) ~SHARE_TAKEN;
        batch |= (byte) READING;
        takeWaiting();
        batch &= (byte) ~READING;
        if (isUnflushed()) {
            flush();
        }
    }

    @Override
    protected final long lastHeardMillisAgo() {
        return KernelView.lastHeardMillisAgo(context().channel());
    }

    @Override
    protected final Evidence.@Nullable Path path() {
        return KernelView.path(context().channel());
    }

    // ------------------------------------------------------------------ a device's message

    /** A message of the peer, as it leaves the gateway. The payload belongs to it from now on. */
    protected final ConnectionEvent.Message message(byte[] payload, long messageId, boolean text) {
        return new ConnectionEvent.Message(identity(), scope().wallMillis().getAsLong(), messageId, text, payload);
    }

    /** The peer is not read until the sink has room for its message; which is kept. One that has gone cannot wait. */
    protected final void waitForSink(ConnectionEvent.Message message) {
        hold(message, scope().nanoTime());
        hold(SINK_FULL);
    }

    /** The message that was kept is settled: the peer is read again. */
    protected final void goOnAfterSink() {
        unhold(scope().nanoTime());
        release(SINK_FULL);
    }

    /** Whether the peer has ended its stream, and only what it left behind is taken. */
    protected final boolean isGone() {
        return (holds & GONE) != 0;
    }

    // ------------------------------------------------------------------ the end

    @Override
    protected final boolean farewell(CloseReason reason, String text) {
        dropUnread();
        dropGathered();
        Channel channel = context().channel();
        if (AlertLinger.isIn(channel.pipeline())) {
            return true;
        }
        if (reason == CloseReason.PEER_CLOSED && canSpeak(channel) && staysToAnswer(true)) {
            context().flush();
            return true;
        }
        ByteBuf last = canSpeak(channel) ? lastWords(reason, text) : null;
        if (last == null) {
            if (isUnflushed() && reason == CloseReason.PEER_CLOSED && canSpeak(channel)) {
                context().flush(); // what the peer is owed for what it said before its CLOSE
            }
            Linger.close(channel);
            return false;
        }
        scope().stats().bytesOut(last.readableBytes());
        if (isSilent(reason) && !answersFarewell()) {
            Linger.joinWithEnd(channel);
            if (scope().stats().lingering() >= MOST_SILENT_LINGERING) {
                // thousands are due: nothing of it lies unread, and of a dead peer nothing more is expected
                return Linger.unlessWritten(context().writeAndFlush(last));
            }
            scope().stats().lingers(1);
            channel.closeFuture().addListener(closed -> scope().stats().lingers(-1));
        }
        ChannelFuture written = context().writeAndFlush(last);
        Linger.begin(written);
        if (!written.isDone()) {
            written.addListener(done -> saidAll(scope().nanoTime()));
        }
        return true;
    }

    /**
     * Whether the peer has left and still waits for answers: the last of them ends the connection, {@link #cut} does so at the latest.
     *
     * @param leaves whether it leaves now
     */
    protected boolean staysToAnswer(boolean leaves) {
        return false;
    }

    private void dropUnread() {
        ByteBuf waiting = unread;
        if (waiting != null) {
            unread(null);
            waiting.release();
        }
    }

    @Override
    protected final void cut() {
        Linger.cut(context().channel());
    }

    private static boolean isSilent(CloseReason reason) {
        return reason == CloseReason.HEARTBEAT_TIMEOUT || reason == CloseReason.READ_IDLE;
    }

    /** Whether a peer of this protocol has something to say to our last frame. */
    protected boolean answersFarewell() {
        return true;
    }

    /** Before TLS is agreed on nothing can be said; a write would wait for the handshake to end, which may be never. */
    private static boolean canSpeak(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        return channel.isActive() && (tls == null || tls.handshakeFuture().isSuccess());
    }

    /** Whether the end of the peer's stream is not yet the end of ours: so while something is to be taken or answered. */
    protected final void outliveStream(boolean on) {
        if (context().channel().config() instanceof SocketChannelConfig config) {
            config.setAllowHalfClosure(on);
        }
    }

    /** The peer ended its stream, and ours outlives it. */
    private void streamEnded() {
        takeLastShares(0);
        close(CloseReason.PEER_CLOSED, "the peer ended its stream");
        if (!staysToAnswer(false)) {
            Linger.close(context().channel());
        }
    }

    private @Nullable ByteBuf lastWords(CloseReason reason, String text) {
        if (reason == CloseReason.PEER_CLOSED) {
            return encodeReturn();
        }
        try {
            return reason.onWire() && reason != CloseReason.WRITE_STALLED ? encodeFarewell(reason, text) : null;
        } catch (OutOfMemoryError none) {
            return null; // not even for these few bytes
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        takeLastShares(GONE);
        close(CloseReason.PEER_CLOSED, "the peer ended its stream");
        gone();
    }

    @Override
    @SuppressWarnings("deprecation") // in ChannelHandler, not in ChannelInboundHandler
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof SSLException) {
            tlsFailed(cause);
        } else if (cause instanceof IOException) {
            close(CloseReason.PEER_RESET, "the connection broke");
        } else if (cause instanceof DecoderException && cause.getCause() instanceof SSLException) {
            tlsFailed(cause.getCause());
        } else if (cause instanceof OutOfMemoryError) {
            close(CloseReason.OVERLOADED, "the gateway has no memory for it");
        } else {
            if (state() != State.CLOSED) {
                LOG.error("connection {} of {} failed", ctx.channel(), protocolName(), cause);
            }
            close(CloseReason.INTERNAL_ERROR, "a fault of the gateway");
        }
        if (ctx.channel().isOpen()
                && state() == State.CLOSED
                && !(cause instanceof ProtocolViolation)
                && !AlertLinger.isIn(ctx.pipeline())) {
            Linger.cut(ctx.channel());
        }
    }

    // ------------------------------------------------------------------ the pipeline

    /** Starts the clock of a connection that was accepted at this time and stands in a pipeline by now; the id is unique in the process. */
    public final void start(long sessionId, long acceptedNanos) {
        open(sessionId, acceptedNanos);
    }

    /**
     * Another connection goes on with this channel, now that its protocol is known: with this one's place in the pipeline, its id and time
     * of accept, and the bytes that lie unread, which the successor takes when it calls {@link #resume}.
     */
    protected final void giveWayTo(Connection successor) {
        giveWay();
        successor.unread = unread;
        unread = null;
        context().pipeline().replace(this, null, successor);
        successor.start(sessionId(), openedNanos());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        dropUnread();
    }

    @Override
    public void channelRegistered(ChannelHandlerContext ctx) {}

    @Override
    public void channelUnregistered(ChannelHandlerContext ctx) {}

    @Override
    public void channelActive(ChannelHandlerContext ctx) {}

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            streamEnded();
        }
        if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
            return;
        }
        if (handshake.isSuccess()) {
            secured(ctx.pipeline().get(SslHandler.class));
        } else if (!(handshake.cause() instanceof ClosedChannelException)) {
            tlsFailed(handshake.cause());
        }
    }

    private void secured(@Nullable SslHandler tls) {
        if (tls != null && state() != State.CLOSED) {
            long nowNanos = scope().nanoTime();
            scope().stalls().turned(nowNanos);
            long nanos = nowNanos - openedNanos();
            boolean resumed = TlsView.isResumed(tls, scope().wallMillis().getAsLong(), nanos);
            scope().observer().secured(TlsView.version(tls), resumed, nanos);
        }
    }

    private void tlsFailed(Throwable cause) {
        if (state() != State.CLOSED) {
            TlsFailure failure = TlsView.failureOf(cause);
            scope().observer().tlsFailed(failure);
            if (failure != TlsFailure.NOT_TLS && failure != TlsFailure.PEER_ALERT) {
                AlertLinger.install(context().pipeline());
            }
            CertificateRefused refused = CertificateRefused.in(cause);
            if (refused == null) {
                close(CloseReason.TLS_FAILED, failure.text());
            } else {
                Evidence.Certificate shown = refused.shown();
                certificateRefused(failure.text() + ": " + shown.problem().text(), shown);
            }
        }
    }

    /**
     * Where this handler stands.
     *
     * @throws IllegalStateException before it is in a pipeline
     */
    protected final ChannelHandlerContext context() {
        ChannelHandlerContext ctx = context;
        if (ctx == null) {
            throw new IllegalStateException("not in a pipeline");
        }
        return ctx;
    }

    @Override
    public final void onLoop(Runnable task) {
        var loop = context().channel().eventLoop();
        if (loop.inEventLoop()) {
            task.run();
        } else {
            loop.execute(task);
        }
    }

    @Override
    public final String remote() {
        return Origin.text(context().channel());
    }

    @Override
    public final String via() {
        return Origin.via(context().channel());
    }

    @Override
    public final byte[] remoteAddress() {
        return Origin.address(context().channel());
    }

    /** A protocol that counts frames names them. */
    @Override
    protected String frameName(int type) {
        return "";
    }
}
