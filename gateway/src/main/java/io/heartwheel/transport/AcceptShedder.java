package io.heartwheel.transport;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Handler of a listener that turns away what comes faster than {@link AcceptLimit} allows: before a PROXY header and TLS, before a pipeline, before a session
 * and its number, and on the acceptor's thread, so that no loop with devices does anything for it. One system call says why ({@link RetryHint}), one ends our
 * side, one closes.
 *
 * <pre>
 *   accept --within the limit--&gt; a loop
 *      |
 *      +--beyond it--&gt; write hint, FIN --&gt; lingers up to 1 s --&gt; close
 * </pre>
 *
 * Whoever would be refused for where it comes from is turned away too, and takes no room of others: one address alone could otherwise use up the limit of all.
 *
 * <p>A socket that is closed with unread bytes in it, or gets some later, answers with a reset, which may overtake the hint. So those with a hint stay for a
 * second, unread and unheard; no more than {@value #MOST_LINGERING} of a listener, then the oldest goes, and all of them when descriptors have run out. Where
 * there is no hint, it is closed at once: the peer sees the end of the stream, or a reset if it has spoken.
 *
 * <p>Owner: the acceptor's loop.
 */
final class AcceptShedder extends ChannelInboundHandlerAdapter {
    static final int MOST_LINGERING = 256;
    static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ListenerSettings listener;
    private final AcceptLimit limit;
    private final Predicate<Channel> refusesOrigin;
    private final LongSupplier nanoClock;
    private final ArrayDeque<Lingering> lingering = new ArrayDeque<>();
    /** For which the hint was made. */
    private @Nullable AcceptLimitSettings hinted;

    private @Nullable RetryHint hint;
    private boolean sweeps;

    private record Lingering(Channel channel, long untilNanos) {}

    /**
     * Sheds for this listener.
     *
     * @param refusesOrigin whether a newcomer is refused for where it comes from, and was counted as that
     * @param nanoClock monotonic nanoseconds
     */
    AcceptShedder(
            ListenerSettings listener, AcceptLimit limit, Predicate<Channel> refusesOrigin, LongSupplier nanoClock) {
        this.listener = listener;
        this.limit = limit;
        this.refusesOrigin = refusesOrigin;
        this.nanoClock = nanoClock;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Channel newcomer = (Channel) message;
        AcceptLimitSettings now = limit.settings();
        boolean unwelcome = now != null && refusesOrigin.test(newcomer);
        if (now == null || (!unwelcome && limit.tryAccept(now))) {
            ctx.fireChannelRead(message);
            return;
        }
        limit.turnAway();
        // whoever is no balancer is told nothing where balancers alone may connect
        if (unwelcome && listener.balancers() != null) {
            newcomer.unsafe().closeForcibly();
        } else {
            shed(ctx, newcomer, hint(now));
        }
    }

    private RetryHint hint(AcceptLimitSettings now) {
        RetryHint known = hint;
        if (known == null || !now.equals(hinted)) {
            known = RetryHint.of(listener, now);
            hint = known;
            hinted = now;
        }
        return known;
    }

    private void shed(ChannelHandlerContext ctx, Channel newcomer, RetryHint why) {
        if (why.isSilent()) {
            newcomer.unsafe().closeForcibly();
        } else if (newcomer instanceof UnixChannel unix && unix.fd() instanceof Socket socket) {
            tell(ctx, newcomer, socket, why.next());
        } else {
            tellByLoop(ctx, newcomer, why.next());
        }
    }

    private void tell(ChannelHandlerContext ctx, Channel newcomer, Socket socket, ByteBuffer text) {
        try {
            socket.write(text, 0, text.limit());
            socket.shutdown(false, true);
            linger(ctx, newcomer);
        } catch (IOException gone) {
            newcomer.unsafe().closeForcibly();
        }
    }

    /** For an engine that does not let us at the socket: the acceptor's loop writes for it. */
    private void tellByLoop(ChannelHandlerContext ctx, Channel newcomer, ByteBuffer text) {
        newcomer.config().setAutoRead(false);
        ctx.channel().eventLoop().register(newcomer).addListener(registered -> {
            if (registered.isSuccess()) {
                newcomer.writeAndFlush(Unpooled.wrappedBuffer(text.duplicate()))
                        .addListener((ChannelFutureListener) written -> told(ctx, newcomer, written.isSuccess()));
            } else {
                newcomer.unsafe().closeForcibly();
            }
        });
    }

    private void told(ChannelHandlerContext ctx, Channel newcomer, boolean written) {
        if (written && newcomer instanceof DuplexChannel duplex && !ctx.isRemoved()) {
            duplex.shutdownOutput();
            linger(ctx, newcomer);
        } else {
            newcomer.close();
        }
    }

    // ------------------------------------------------------------------ until the peer has read why

    private void linger(ChannelHandlerContext ctx, Channel newcomer) {
        if (lingering.size() >= MOST_LINGERING) {
            close(lingering.removeFirst());
        }
        lingering.addLast(new Lingering(newcomer, nanoClock.getAsLong() + LINGER_NANOS));
        if (!sweeps) {
            sweepLater(ctx);
        }
    }

    private void sweepLater(ChannelHandlerContext ctx) {
        sweeps = true;
        ctx.executor().schedule(() -> sweep(ctx), LINGER_NANOS / 4, TimeUnit.NANOSECONDS);
    }

    private void sweep(ChannelHandlerContext ctx) {
        long nowNanos = nanoClock.getAsLong();
        for (Lingering first = lingering.peekFirst();
                first != null && first.untilNanos() - nowNanos <= 0;
                first = lingering.peekFirst()) {
            close(lingering.removeFirst());
        }
        sweeps = false;
        if (!lingering.isEmpty()) {
            sweepLater(ctx);
        }
    }

    /** Accepting failed: descriptors may have run out, and the established need them more. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        closeAll();
        ctx.fireExceptionCaught(cause);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        closeAll();
    }

    private void closeAll() {
        lingering.forEach(AcceptShedder::close);
        lingering.clear();
    }

    private static void close(Lingering each) {
        Channel channel = each.channel();
        if (channel.isRegistered()) {
            channel.close();
        } else {
            channel.unsafe().closeForcibly();
        }
    }
}
