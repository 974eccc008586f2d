package io.heartwheel.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handler that pauses accepting. When accepted connections wait for their loops in thousands, or more than thousands a second are turned away ({@link
 * AcceptLimit}), the others stay in the kernel's backlog for a moment. It also keeps the listener alive when accepting fails: descriptors used up, no kernel memory. It rests, so that the ready listening socket does not spin the
 * acceptor, and then goes on; what waits in the backlog is accepted then.
 *
 * <p>Owner: the acceptor's loop.
 */
final class AcceptGuard extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptGuard.class);
    /** Connections that may wait for their loops. */
    private static final int MOST_WAITING = 8_192;

    private static final long LOOK_AGAIN_MILLIS = 2;
    private static final long HOLD_MILLIS = 20;
    private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String listener;
    private final Admission admission;
    private final long pauseNanos;
    private final IntSupplier waiting;
    /** Accepting failed. */
    private boolean resting;
    /** As many as may wait for their loops. */
    private boolean full;
    /** As many were turned away as may be. */
    private boolean held;

    private boolean warned;
    private long warnedNanos;

    /** @param waiting connections that were accepted and that their loops have not taken in yet */
    AcceptGuard(String listener, Admission admission, long pauseNanos, IntSupplier waiting) {
        this.listener = listener;
        this.admission = admission;
        this.pauseNanos = pauseNanos;
        this.waiting = waiting;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.fireChannelReadComplete();
        if (!full && waiting.getAsInt() >= MOST_WAITING) {
            full = true;
            ctx.channel().config().setAutoRead(false);
            lookAgain(ctx);
        }
        if (!held && admission.acceptLimit().takeTooMany()) {
            held = true;
            ctx.channel().config().setAutoRead(false);
            ctx.executor().schedule(() -> release(ctx), HOLD_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void release(ChannelHandlerContext ctx) {
        held = false;
        goOn(ctx);
    }

    private void lookAgain(ChannelHandlerContext ctx) {
        ctx.executor().schedule(() -> look(ctx), LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look(ChannelHandlerContext ctx) {
        full = waiting.getAsInt() > MOST_WAITING / 2;
        if (full) {
            lookAgain(ctx);
        } else {
            goOn(ctx);
        }
    }

    private void rested(ChannelHandlerContext ctx) {
        resting = false;
        goOn(ctx);
    }

    private void goOn(ChannelHandlerContext ctx) {
        if (!resting && !full && !held && ctx.channel().isOpen()) {
            ctx.channel().config().setAutoRead(true);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (resting) {
            return;
        }
        resting = true;
        admission.acceptPaused();
        warn(cause);
        ctx.channel().config().setAutoRead(false);
        ctx.executor().schedule(() -> rested(ctx), pauseNanos, TimeUnit.NANOSECONDS);
    }

    private void warn(Throwable cause) {
        long nowNanos = System.nanoTime();
        if (!warned || nowNanos - warnedNanos >= WARN_EVERY_NANOS) {
            warned = true;
            warnedNanos = nowNanos;
            LOG.warn(
                    "listener {} cannot accept ({}), {} connections open; it rests {} ms and tries again",
                    listener,
                    cause.getMessage(),
                    admission.open(),
                    TimeUnit.NANOSECONDS.toMillis(pauseNanos));
        }
    }
}
