package io.heartwheel;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainDatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A service manager's end of {@code NOTIFY_SOCKET}: a real datagram socket, and what came in through it. */
public final class NotifyListener implements AutoCloseable {
    private static final long LONG_SECONDS = 40;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
    private final List<String> seen = new ArrayList<>();
    private final Channel channel;

    /**
     * Listens.
     *
     * @param name as {@code NOTIFY_SOCKET} has it: a path, or {@code @} and an abstract name
     */
    public NotifyListener(String name) throws InterruptedException {
        channel = new Bootstrap()
                .group(group)
                .channel(EpollDomainDatagramChannel.class)
                .handler(new SimpleChannelInboundHandler<DomainDatagramPacket>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, DomainDatagramPacket packet) {
                        arrived.add(packet.content().toString(StandardCharsets.UTF_8));
                    }
                })
                .bind(new DomainSocketAddress(name.startsWith("@") ? '\0' + name.substring(1) : name))
                .sync()
                .channel();
    }

    /**
     * The next datagram.
     *
     * @throws AssertionError if none comes
     */
    public String next() throws InterruptedException {
        String text = arrived.poll(LONG_SECONDS, TimeUnit.SECONDS);
        if (text == null) {
            throw new AssertionError("no datagram in " + LONG_SECONDS + " s; so far: " + seen);
        }
        seen.add(text);
        return text;
    }

    /** The next datagram that begins like this; the others on the way are passed over. */
    public String next(String beginning) throws InterruptedException {
        String text = next();
        while (!text.startsWith(beginning)) {
            text = next();
        }
        return text;
    }

    /** Whether one that begins like this comes within so long. */
    public boolean comes(String beginning, long millis) throws InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (true) {
            String text = arrived.poll(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (text == null) {
                return false;
            }
            seen.add(text);
            if (text.startsWith(beginning)) {
                return true;
            }
        }
    }

    /** Everything taken so far, in order. */
    public List<String> seen() {
        return List.copyOf(seen);
    }

    /** Reads no more, so that the kernel's queue fills up. */
    public void pause() throws InterruptedException {
        channel.config().setAutoRead(false);
        channel.eventLoop().submit(() -> {}).sync();
    }

    /** Reads again. */
    public void resume() {
        channel.config().setAutoRead(true);
    }

    @Override
    public void close() throws InterruptedException {
        channel.close().sync();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }
}
