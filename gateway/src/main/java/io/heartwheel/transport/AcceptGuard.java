package io.heartwheel.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a listener alive when accepting fails: descriptors used up, no kernel memory. It rests, so that the ready listening socket does not spin the
 * acceptor, and then goes on; what waits in the backlog is accepted then.
 *
 * <p>Owner: the acceptor's loop.
 */
final class AcceptGuard extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptGuard.class);
    private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String listener;
    private final Admission admission;
    private final long pauseNanos;
    private boolean resting;
    private boolean warned;
    private long warnedNanos;

    AcceptGuard(String listener, Admission admission, long pauseNanos) {
        this.listener = listener;
        this.admission = admission;
        this.pauseNanos = pauseNanos;
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
        ctx.executor()
                .schedule(
                        () -> {
                            resting = false;
                            if (ctx.channel().isOpen()) {
                                ctx.channel().config().setAutoRead(true);
                            }
                        },
                        pauseNanos,
                        TimeUnit.NANOSECONDS);
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
