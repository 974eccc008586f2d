package io.heartwheel.admin;

import io.heartwheel.push.PushSettings;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Time limits of an admin connection, phase by phase. First in the pipeline, it sees bytes before all others. One timer runs at a
 * time, so a request that drips in is as late as one that never ends.
 *
 * <pre>
 *   CONNECTED --+ first byte            whole request          answer written
 *        |      +-----------&gt; REQUEST ---------------&gt; ANSWER ---------------&gt; IDLE
 *      close    |                |                        |      or, the last: LINGER
 *   IDLE -------+      LATE, answered with 408,         close                    |
 *     |                    then LINGER                                         close
 *   close
 * </pre>
 *
 * <p>LINGER: nothing more is sent and what comes is dropped unread, because closing with bytes unread would reset the connection, and the
 * reset might overtake our last answer.
 *
 * <p>Over TLS it sees what was deciphered, and a handshake is a part of CONNECTED.
 *
 * <p>ANSWER: nothing is read, whoever asks for it. So what is sent ahead fills one read of ours, then the socket, then the sender.
 *
 * <p>Owner: the channel's event loop; {@link #phase}, {@link #sinceNanos} and {@link #giveUpPlace} are for {@link AdminSlots}, any thread.
 */
final class ConnectionClock extends ChannelDuplexHandler {
    /** Told to the handlers behind when a request took too long. */
    static final Object LATE = "a request took too long";

    /** Phase of a connection: the seconds it has, and how early it loses its place when another needs it: 0 first. */
    enum Phase {
        /** It was just accepted: who connects has something to ask. */
        CONNECTED(10, 0),
        /** Nothing has come of the next request. Longer than the commonest scrape interval. */
        IDLE(75, 2),
        /** Some of it has come. */
        REQUEST(10, 0),
        /** It is being answered, and the answer taken; one that waits for a device has longer ({@link #answering}). */
        ANSWER(30, 3),
        /** The last answer is out. */
        LINGER(1, 1);

        static final int RANKS = 4;

        private final int seconds;
        private final int rank;

        Phase(int seconds, int rank) {
            this.seconds = seconds;
            this.rank = rank;
        }

        int rank() {
            return rank;
        }

        int seconds() {
            return seconds;
        }
    }

    private final AdminSlots slots;
    private final Channel channel;

    private volatile Phase phase = Phase.CONNECTED;
    private volatile long sinceNanos;

    @SuppressWarnings("NullAway.Init") // set before anything comes
    private ChannelHandlerContext context;

    private @Nullable Future<?> timer;
    /** It lost its place just before its request was whole: it is answered, and ends. */
    private boolean placeless;

    ConnectionClock(AdminSlots slots, Channel channel) {
        this.slots = slots;
        this.channel = channel;
        sinceNanos = slots.nanoTime();
    }

    /** What the connection is at. */
    Phase phase() {
        return phase;
    }

    /** Since when, monotonic nanoseconds. */
    long sinceNanos() {
        return sinceNanos;
    }

    /**
     * Its place is another's: it ends, and is told so if nothing of an answer is out.
     *
     * @param answered whether it was being answered when it lost its place; otherwise a request that has become whole since is answered first
     */
    void giveUpPlace(boolean answered) {
        try {
            channel.eventLoop().execute(() -> turnAway(answered));
        } catch (RejectedExecutionException ended) {
            channel.close();
        }
    }

    private void turnAway(boolean answered) {
        if (!answered && phase == Phase.ANSWER) {
            placeless = true;
            return;
        }
        stop();
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        boolean canBeTold = tls == null || tls.handshakeFuture().isSuccess();
        if (canBeTold && (phase == Phase.CONNECTED || phase == Phase.REQUEST)) {
            context.writeAndFlush(Unpooled.wrappedBuffer(AdminSlots.FULL)).addListener(ChannelFutureListener.CLOSE);
        } else {
            channel.close();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        enter(Phase.CONNECTED);
        ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (phase == Phase.LINGER) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (phase == Phase.IDLE || phase == Phase.CONNECTED) {
            enter(Phase.REQUEST);
        }
        ctx.fireChannelRead(message);
    }

    /** A handler behind that was held back is not told later: the last one asks again when the answer is out. */
    @Override
    public void read(ChannelHandlerContext ctx) {
        if (phase != Phase.ANSWER) {
            ctx.read();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        stop();
        slots.leave(this);
        ctx.fireChannelInactive();
    }

    /** A whole request is there. Its answer may wait for a device for some minutes. */
    void answering() {
        enter(Phase.ANSWER, PushSettings.MAX_TIMEOUT.toSeconds() + Phase.ANSWER.seconds());
    }

    /** The answer is there, and is to be taken. */
    void answered() {
        enter(Phase.ANSWER);
    }

    /** Its answer is written; another request may come. */
    void awaiting() {
        if (placeless) {
            channel.close();
            return;
        }
        enter(Phase.IDLE);
    }

    /** The last answer is written. */
    void linger() {
        enter(Phase.LINGER);
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls != null) {
            tls.closeOutbound().addListener(told -> shutdownOutput());
        } else {
            shutdownOutput();
        }
        channel.config().setAutoRead(true);
        // past the handlers behind, one of which may hold a read back
        context.read();
    }

    private void shutdownOutput() {
        if (channel instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
        }
    }

    private void enter(Phase next) {
        enter(next, next.seconds());
    }

    private void enter(Phase next, long seconds) {
        stop();
        slots.move(this, next);
        if (channel.isActive()) {
            timer = context.executor().schedule(this::expired, seconds, TimeUnit.SECONDS);
        }
    }

    /** Under the lock of the places, so that a place is found where it is. */
    void now(Phase next) {
        phase = next;
        sinceNanos = slots.nanoTime();
    }

    private void expired() {
        if (phase == Phase.REQUEST) {
            context.fireUserEventTriggered(LATE);
        } else {
            context.close();
        }
    }

    private void stop() {
        Future<?> running = timer;
        timer = null;
        if (running != null) {
            running.cancel(false);
        }
    }
}
