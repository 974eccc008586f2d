package io.heartwheel.admin;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reserve of file descriptors that keeps the admin listener answering when the devices have used up all others.
 *
 * <pre>
 *   accept fails --&gt; gives one away --&gt; the caller that waits takes its place, is answered, leaves --&gt; held back again
 *        |
 *        +-- there is none: rests a moment, so that the ready socket does not spin
 * </pre>
 *
 * <p>They are several because a device may be quicker to take the place of a caller that leaves. Owner: the listener's loop; {@link #left} may be
 * called by any.
 */
final class AdminAccept extends ChannelInboundHandlerAdapter implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminAccept.class);
    private static final Path NOWHERE = Path.of("/dev/null");
    private static final int HELD_BACK = 8;
    private static final long REST_MILLIS = 20;
    private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    // ---- under the lock
    private final Deque<Closeable> held = new ArrayDeque<>();
    private @Nullable ChannelHandlerContext context;
    private boolean trying;
    private boolean closed;

    // ---- the loop's
    private boolean resting;
    private long warnedNanos = System.nanoTime() - WARN_EVERY_NANOS;

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        synchronized (this) {
            context = ctx;
        }
        left();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        warn(cause);
        if (resting || giveAway()) {
            return; // the socket is still ready, and is met at once
        }
        resting = true;
        ctx.channel().config().setAutoRead(false);
        ctx.executor().schedule(() -> goOn(ctx), REST_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void goOn(ChannelHandlerContext ctx) {
        resting = false;
        ctx.channel().config().setAutoRead(true);
    }

    private synchronized boolean giveAway() {
        Closeable given = held.poll();
        boolean gave = given != null && closes(given);
        if (gave) {
            tryAgainSoon();
        }
        return gave;
    }

    /** A connection has ended: what it had is kept for the next. */
    synchronized void left() {
        while (held.size() < HELD_BACK && !closed) {
            try {
                held.add(FileChannel.open(NOWHERE));
            } catch (IOException noneLeft) {
                tryAgainSoon();
                return;
            }
        }
    }

    /** The descriptor of a closed connection is free only when its selector has come round. */
    private void tryAgainSoon() {
        ChannelHandlerContext ctx = context;
        if (trying || closed || ctx == null) {
            return;
        }
        trying = true;
        ctx.executor().schedule(this::tryAgain, REST_MILLIS, TimeUnit.MILLISECONDS);
    }

    private synchronized void tryAgain() {
        trying = false;
        left();
    }

    private static boolean closes(Closeable each) {
        try {
            each.close();
            return true;
        } catch (IOException impossible) {
            return false;
        }
    }

    private void warn(Throwable cause) {
        long nowNanos = System.nanoTime();
        if (nowNanos - warnedNanos >= WARN_EVERY_NANOS) {
            warnedNanos = nowNanos;
            LOG.warn("admin cannot accept ({}); a few descriptors are kept for it", cause.getMessage());
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        held.forEach(AdminAccept::closes);
        held.clear();
    }
}
