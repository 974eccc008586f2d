package io.heartwheel.admin;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long an operator's connection may take for what it is at. First in the pipeline, it sees bytes before anybody else does. One timer runs at a
 * time, so a request that drips in is as late as one that never ends.
 *
 * <pre>
 *   CONNECTED --+ first byte            whole request          answer written
 *        |      +-----------&gt; REQUEST ---------------&gt; ANSWER ---------------&gt; IDLE
 *      close    |                |                        |      or, the last: LINGER
 *   IDLE -------+      Late, answered with 408,         close                    |
 *     |                    then LINGER                                         close
 *   close
 * </pre>
 *
 * <p>LINGER: nothing more is sent and what comes is dropped unread, because closing with bytes unread would reset the connection, and the
 * reset might overtake our last answer.
 *
 * <p>ANSWER: nothing is read, whoever asks for it. So what is sent ahead fills one read of ours, then the socket, then the sender.
 *
 * <p>Owner: the channel's event loop.
 */
final class ConnectionClock extends ChannelDuplexHandler {
    /** Told to the handlers behind when a request took too long. */
    enum Late {
        REQUEST
    }

    /** What a connection is at, and the seconds it has. */
    enum Phase {
        /** It was just accepted: who connects has something to ask. */
        CONNECTED(10),
        /** Nothing has come of the next request. Longer than the commonest scrape interval. */
        IDLE(75),
        /** Some of it has come. */
        REQUEST(10),
        /** It is being answered, and the answer taken. */
        ANSWER(30),
        /** The last answer is out. */
        LINGER(1);

        private final int seconds;

        Phase(int seconds) {
            this.seconds = seconds;
        }

        int seconds() {
            return seconds;
        }
    }

    private Phase phase = Phase.CONNECTED;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Future<?> timer;

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
        ctx.fireChannelInactive();
    }

    /** A whole request is there. */
    void answering() {
        enter(Phase.ANSWER);
    }

    /** Its answer is written; another request may come. */
    void awaiting() {
        enter(Phase.IDLE);
    }

    /** The last answer is written. */
    void linger() {
        enter(Phase.LINGER);
        ChannelHandlerContext ctx = context();
        if (ctx.channel() instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
        }
        ctx.channel().config().setAutoRead(true);
        // past the handlers behind, one of which may hold a read back
        ctx.read();
    }

    private void enter(Phase next) {
        stop();
        phase = next;
        if (context().channel().isActive()) {
            timer = context().executor().schedule(this::expired, next.seconds(), TimeUnit.SECONDS);
        }
    }

    private void expired() {
        if (phase == Phase.REQUEST) {
            context().fireUserEventTriggered(Late.REQUEST);
        } else {
            context().close();
        }
    }

    private void stop() {
        Future<?> running = timer;
        timer = null;
        if (running != null) {
            running.cancel(false);
        }
    }

    private ChannelHandlerContext context() {
        ChannelHandlerContext ctx = context;
        if (ctx == null) {
            throw new IllegalStateException("not in a pipeline");
        }
        return ctx;
    }
}
