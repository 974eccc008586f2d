package io.heartwheel.protocol;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.session.LoopStats;
import io.heartwheel.session.MemoryHolders;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
 * <p>Owner: the channel's event loop. One clock reading serves a whole batch of bytes. The file is longer than others because a connection is one object.
 */
public abstract class Connection extends Session
        implements ChannelInboundHandler, MemoryHolders.Holder, EventSink.Reply, EventSink.Waiter {
    /** What a connection may hold of an unfinished frame however much the others hold: less than the connection itself. */
    private static final int NEVER_BLAMED_BYTES = 512;
    /** Frames that one connection takes before the others of its loop have their turn. */
    private static final int SHARE_FRAMES = 128;
    /** A batch of reads is being handled. */
    private static final int READING = 1;
    /** Something was written and not flushed. */
    private static final int UNFLUSHED = 2;
    /** It stands among those that hold memory. */
    private static final int LISTED = 4;

    private @Nullable ChannelHandlerContext context;
    private @Nullable ByteBuf unread;
    /** Where a batch of reads stands: a sum of {@link #READING}, {@link #UNFLUSHED} and {@link #LISTED}, in one byte because a second one would be eight. */
    private byte batch;
    /** Why nothing is read now, a sum of the causes in {@link ReadPauses}. */
    byte holds;

    /** A connection of this loop, not yet in a pipeline. */
    protected Connection(SessionContext sessionContext) {
        super(sessionContext);
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
    protected abstract @Nullable ByteBuf encodeCloseFrame(CloseReason reason, String text);

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
        if (state() == ConnectionState.CLOSED) {
            in.release();
            return;
        }
        beginBatch();
        int bytes = in.readableBytes();
        sessionContext().stats().bytesIn(bytes);
        long nowNanos = sessionContext().nanoTime();
        sessionContext().stalls().turned(nowNanos);
        long beforeNanos = lastFrameInNanos();
        if ((holds & (ReadPauses.SHARE_TAKEN | ReadPauses.TOO_FAST | ReadPauses.SINK_FULL)) != 0) {
            ReadPauses.add(this, ReadPauses.SHARE_TAKEN);
            unread(Cumulator.waiting(ctx.alloc(), join(in)));
            holdsMore();
            count(0, bytes, beforeNanos, nowNanos);
        } else if (unread == null && !hasBacklog() && answeredInPlace(in, nowNanos)) {
            count(1, bytes, beforeNanos, nowNanos);
        } else if (state() == ConnectionState.HANDSHAKE) {
            unread(ReadPauses.hasTurn(this) ? join(in) : Cumulator.waiting(ctx.alloc(), join(in)));
            ReadPauses.takeInTurn(this);
        } else {
            take(join(in), bytes, nowNanos);
        }
    }

    /** Answers the commonest frame of all in its own buffer: true if {@code in} was taken. Only for a peer that drains, else a few bytes would hold many buffers. */
    protected boolean answeredInPlace(ByteBuf in, long nowNanos) {
        return false;
    }

    private void receiveOther(Object message) {
        if (state() == ConnectionState.CLOSED) {
            ReferenceCountUtil.release(message);
            return;
        }
        beginBatch();
        try {
            receive(message, sessionContext().nanoTime());
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
        return Cumulator.append(before, in);
    }

    /** @param bytes of it that have just been read */
    private void take(ByteBuf in, int bytes, long nowNanos) {
        LoopStats stats = sessionContext().stats();
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
        if (sentTooFast(frames, bytes, beforeNanos, nowNanos)
                && isEstablished()
                && (holds & ReadPauses.TOO_FAST) == 0) {
            if (isTooFastForLong(nowNanos)) {
                close(CloseReason.RATE_EXCEEDED, limits().text());
            } else {
                ReadPauses.rest(this, nowNanos);
            }
        }
    }

    private void keep(ByteBuf in, long nowNanos) {
        if (state() == ConnectionState.CLOSED) {
            in.release();
            partial(0, nowNanos);
            return;
        }
        int unfinished = in.readableBytes() + heldBytes();
        boolean claiming =
                unfinished > 0 && (state() == ConnectionState.AUTHENTICATING || state() == ConnectionState.CLAIMING);
        boolean mayNot = sessionContext().stats().isShareTaken() || (holds & ReadPauses.SINK_FULL) != 0;
        boolean goesOn = unfinished > 0 && !claiming && mayNot;
        if (!in.isReadable()) {
            in.release();
        } else {
            ByteBufAllocator alloc = context().alloc();
            unread(goesOn ? Cumulator.waiting(alloc, in) : Cumulator.compact(alloc, in, in.readableBytes()));
        }
        if (claiming) {
            ReadPauses.add(this, ReadPauses.CLAIMING);
        }
        // what waits for us is no frame that the peer owes us
        partial(claiming || goesOn ? 0 : unfinished, nowNanos);
        if (goesOn) {
            ReadPauses.add(this, ReadPauses.SHARE_TAKEN);
            outliveStream(true);
            ReadPauses.goOnInTurn(this);
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
            // until then the handshake has its time; a thousand of them are work for the loop, not a stall
            sessionContext().stalls().turned(sessionContext().nanoTime());
            return;
        }
        if (bytes > 0) {
            partialUnread(bytes, sessionContext().nanoTime());
        } else if (isUnfinished()) {
            int here = (unread == null ? 0 : unread.readableBytes()) + heldBytes();
            partial(framesWait() ? 0 : here, sessionContext().nanoTime());
        }
    }

    /** It may hold more than before: when all together hold more than they may, those give up that have made the least progress for longest. */
    protected final void holdsMore() {
        LoopStats stats = sessionContext().stats();
        if ((batch & LISTED) == 0 && heldMemoryBytes() > 0) {
            stats.holders().add(this);
        }
        while (stats.holdsTooMuch() && stats.holders().giveUpFirst()) {
            // and the next, until it is enough
        }
    }

    @Override
    public final long heldMemoryBytes() {
        ConnectionEvent.Message kept = held();
        long bytes = gatheredBytes()
                + (unread == null ? 0L : unread.capacity())
                + (kept == null ? 0 : kept.payload().length);
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
            sessionContext().stats().unfinished(more);
        }
    }

    /** After a claim that was answered later, or in another connection's place: goes on with what lay waiting. */
    @Override
    protected final void resume() {
        ReadPauses.end(this, ReadPauses.CLAIMING);
        if ((batch & READING) == 0) {
            takeWaiting();
        }
    }

    /** Takes what lies unread. */
    final void takeWaiting() {
        ByteBuf waiting = unread;
        if (waiting == null && heldBytes() == 0) {
            return;
        }
        unread(null);
        take(
                waiting == null ? Unpooled.EMPTY_BUFFER : waiting,
                0,
                sessionContext().nanoTime());
    }

    /** Whether frames of the peer are here and have not had their turn. */
    @Override
    protected final boolean framesWait() {
        return (holds & ReadPauses.SHARE_TAKEN) != 0;
    }

    @Override
    public final void channelReadComplete(ChannelHandlerContext ctx) {
        if (state() == ConnectionState.CLOSED) {
            cameAfterTheEnd(sessionContext().nanoTime());
        } else if (readingPaused()) {
            var read = ctx.channel().unsafe().recvBufAllocHandle();
            if (read.lastBytesRead() > 0 && read.lastBytesRead() == read.attemptedBytesRead()) {
                moreWaits(sessionContext().nanoTime());
            }
        }
        endBatch();
        sessionContext().expiryQueue().betweenReads();
    }

    // ------------------------------------------------------------------ writing

    /** Writes bytes; flushed at the end of the read batch, or at once outside of one. Takes ownership. Loop only. */
    protected final void send(ByteBuf bytes) {
        if ((holds & ReadPauses.GONE) != 0) {
            bytes.release();
            return;
        }
        ChannelHandlerContext ctx = context();
        sessionContext().stats().bytesOut(bytes.readableBytes());
        boolean slow = hasBacklog();
        long before = slow ? pendingBytes() : 0;
        ctx.write(bytes, ctx.voidPromise());
        if (slow) {
            enqueued(pendingBytes() - before);
        }
        batch |= (byte) UNFLUSHED;
        if ((batch & READING) == 0) {
            flush();
        }
    }

    /** Sends the answer to the one frame that a read brought: at once if it can be ({@link WriteQueue#writePast}), else as {@link #send}. Loop only. */
    protected final void answer(ByteBuf bytes, long nowNanos) {
        int taken = WriteQueue.writePast(context(), bytes);
        sessionContext().stats().bytesOut(taken);
        wrote(nowNanos);
        if (bytes.skipBytes(taken).isReadable()) {
            send(bytes);
        } else {
            bytes.release();
        }
    }

    /** Whether something was written that is not flushed. */
    final boolean isUnflushed() {
        return (batch & UNFLUSHED) != 0;
    }

    /** What is sent from now on is flushed at the end of the batch. */
    protected final void beginBatch() {
        batch |= (byte) READING;
    }

    /** All of it is taken. */
    protected final void endBatch() {
        batch &= (byte) ~READING;
        if (isUnflushed()) {
            flush();
        }
    }

    private void flush() {
        batch &= (byte) ~UNFLUSHED;
        context().flush();
        long nowNanos = sessionContext().nanoTime();
        sessionContext().stalls().turned(nowNanos);
        wrote(nowNanos);
        flushed(nowNanos);
    }

    @Override
    public final void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (state() == ConnectionState.CLOSED) {
            return;
        }
        boolean writable = ctx.channel().isWritable();
        pauseReading(!writable, sessionContext().nanoTime());
        if (writable) {
            ReadPauses.end(this, ReadPauses.UNWRITABLE);
            takesDataAgain();
        } else {
            ReadPauses.add(this, ReadPauses.UNWRITABLE);
        }
    }

    /** Whether a push may be written: the peer is there and drains. */
    protected final boolean takesData() {
        return isEstablished() && context().channel().isWritable();
    }

    @Override
    public final long pendingBytes() {
        return WriteQueue.pendingBytes(context());
    }

    @Override
    protected final long currentProgressBytes() {
        return WriteQueue.currentProgressBytes(context());
    }

    @Override
    protected final long acknowledgedBytes() {
        return KernelQueries.acknowledgedBytes(context().channel());
    }

    @Override
    protected final void readOnce() {
        if (framesWait()) {
            context().channel().eventLoop().execute(() -> ReadPauses.takeShare(this));
        } else {
            context().read();
        }
    }

    @Override
    protected final long lastHeardMillisAgo() {
        return KernelQueries.lastHeardMillisAgo(context().channel());
    }

    @Override
    protected final boolean nothingUnread() {
        return KernelQueries.nothingUnread(context().channel());
    }

    @Override
    protected final Evidence.@Nullable Path path() {
        return KernelQueries.path(context().channel());
    }

    /** A message of the peer, as it leaves the gateway. The payload belongs to it from now on. */
    protected final ConnectionEvent.Message message(byte[] payload, long messageId, boolean text) {
        return new ConnectionEvent.Message(
                identity(), nextSequence(), sessionContext().wallMillis().getAsLong(), messageId, text, payload);
    }

    // ---- the sink's reply to a message whose sender hears nothing of it

    @Override
    public final void accepted() {}

    @Override
    public final void refused() {}

    @Override
    public final boolean isTold() {
        return false;
    }

    @Override
    public final void send(long messageId, boolean text, byte[] payload) {
        onLoop(() -> sendData(messageId, text, payload));
    }

    // ------------------------------------------------------------------ messages for the sink

    /**
     * Offers a message of the peer to the sink. If that has no room now, the message is kept, nothing behind it is taken and the peer is not read until there
     * is. One that has gone cannot wait.
     */
    protected final void publish(ConnectionEvent.Message message, EventSink.Reply reply) {
        EventSink sink = sessionContext().sink();
        if ((holds & ReadPauses.GONE) != 0) {
            sink.publish(message, reply);
        } else if (!sink.publishOrWait(message, reply, this)) {
            takeBackSequence();
            sessionContext().stats().unfinished(message.payload().length);
            outliveStream(true);
            hold(message, reply, sessionContext().nanoTime());
            ReadPauses.add(this, ReadPauses.SINK_FULL);
        }
    }

    @Override
    public final void roomForMore() {
        context().channel().eventLoop().execute(this::publishAgain);
    }

    private void publishAgain() {
        ConnectionEvent.Message message = held();
        EventSink.Reply reply = heldReply();
        if (message == null || reply == null) {
            return;
        }
        // others may have been published meanwhile
        if (!sessionContext().sink().publishOrWait(message.numbered(identity(), nextSequence()), reply, this)) {
            takeBackSequence();
            return;
        }
        sessionContext().stats().unfinished(-message.payload().length);
        unhold(sessionContext().nanoTime());
        ReadPauses.end(this, ReadPauses.SINK_FULL);
        if ((holds & ReadPauses.ENDED) != 0) {
            streamEnded();
        }
    }

    @Override
    public final void publishHeld() {
        ConnectionEvent.Message message = held();
        EventSink.Reply reply = heldReply();
        if (message != null && reply != null) {
            sessionContext().sink().forget(this);
            sessionContext().stats().unfinished(-message.payload().length);
            unhold(sessionContext().nanoTime());
            sessionContext().sink().publish(message.numbered(identity(), nextSequence()), reply);
        }
    }

    // ------------------------------------------------------------------ the end

    @Override
    protected final boolean closeTransport(CloseReason reason, String text) {
        dropUnread();
        dropGathered();
        return CloseFrame.say(this, context().channel(), reason, text);
    }

    /**
     * The connection is closed for this reason: whether messages of the peer are answered first. The last answer then says what was to be said and ends the
     * connection; {@link #cut} does so at the latest.
     */
    protected boolean answersFirst(CloseReason reason, String text) {
        return false;
    }

    /** The peer of a connection that {@link #owesAnswers} has ended its stream. */
    protected void streamEndedBeforeAnswers() {}

    /**
     * The last answer is written: says what the close was to say, and ends our side of the stream.
     *
     * @param answered the last answer's
     * @param says whether there is anything to say
     * @param peerLeft whether the peer says no more, so that it need not be waited for
     */
    protected final void endBehindAnswers(
            ChannelFuture answered, CloseReason reason, String text, boolean says, boolean peerLeft) {
        CloseFrame.sayBehindAnswers(this, answered, says ? CloseFrame.lastFrame(this, reason, text) : null, peerLeft);
    }

    private void dropUnread() {
        ByteBuf waiting = unread;
        unread(null);
        ReferenceCountUtil.release(waiting);
    }

    @Override
    protected final void cut() {
        Linger.cut(context().channel());
    }

    /** Whether a peer of this protocol has something to say to our last frame. */
    protected boolean answersCloseFrame() {
        return true;
    }

    /** Whether the end of the peer's stream is not yet the end of ours: so while something is to be taken or answered. */
    protected final void outliveStream(boolean on) {
        if (context().channel().config() instanceof SocketChannelConfig config) {
            config.setAllowHalfClosure(on);
        }
    }

    /** The peer ended its stream, and ours outlives it. */
    private void streamEnded() {
        if (!ReadPauses.takeLastShares(this, 0)) {
            ReadPauses.endLater(this);
            return;
        }
        endWithStream();
    }

    private void endWithStream() {
        close(CloseReason.PEER_CLOSED, "the peer ended its stream");
        if (owesAnswers()) {
            streamEndedBeforeAnswers();
        } else {
            Linger.close(context().channel());
        }
    }

    /** The sink had no room for what the peer left behind, for as long as that is waited for. */
    final void endAtLast() {
        if (state() != ConnectionState.CLOSED) {
            ReadPauses.takeLastShares(this, ReadPauses.GONE);
            endWithStream();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        ReadPauses.takeLastShares(this, ReadPauses.GONE);
        close(CloseReason.PEER_CLOSED, "the peer ended its stream");
        gone();
        ctx.fireChannelInactive(); // to whom it may have given way just now
    }

    @Override
    @SuppressWarnings("deprecation") // in ChannelHandler, not in ChannelInboundHandler
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        PipelineEvents.caught(this, ctx.channel(), cause);
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
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            PipelineEvents.happened(this, ctx.pipeline(), handshake);
        }
    }

    /** Where this handler stands; {@link IllegalStateException} before it is in a pipeline. */
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
        return ClientAddress.text(context().channel());
    }

    @Override
    public final String via() {
        return ClientAddress.via(context().channel());
    }

    @Override
    protected final List<X509Certificate> peerCertificates() {
        return PipelineEvents.peerCertificates(context().pipeline());
    }

    @Override
    public final byte[] remoteAddress() {
        return ClientAddress.address(context().channel());
    }

    /** A protocol that counts frames names them. */
    @Override
    protected String frameName(int type) {
        return "";
    }
}
