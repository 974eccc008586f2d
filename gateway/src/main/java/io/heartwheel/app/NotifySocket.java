package io.heartwheel.app;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A datagram socket of the Unix domain, connected to a supervisor's. Java 17 has none of its own; Netty's epoll has. One thread, whatever the
 * devices are served with: an io_uring or nio loop cannot carry an epoll channel.
 *
 * <p>Connected, not addressed datagram by datagram: only then does the kernel tell a full queue at the other end from our own, and an unsent text
 * wait for room instead of spinning. What waits is bounded by Netty's write watermark (64 KiB); beyond it texts are dropped and counted.
 *
 * <p>Any thread. A text that cannot be sent is counted; the first is logged, the rest at DEBUG: nothing depends on them here.
 */
final class NotifySocket implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NotifySocket.class);
    /** sun_path of unix(7). */
    private static final int MAX_ADDRESS_BYTES = 108;

    private static final long CONNECT_MILLIS = 5_000;
    private static final long CLOSE_MILLIS = 2_000;

    private final MultiThreadIoEventLoopGroup group;
    private final Channel channel;
    private final AtomicLong failures = new AtomicLong();

    private NotifySocket(MultiThreadIoEventLoopGroup group, Channel channel) {
        this.group = group;
        this.channel = channel;
    }

    /**
     * Connects.
     *
     * @param name as in sd_notify(3): an absolute path, or {@code @} and the rest of an abstract name
     * @throws IOException saying why it cannot be done
     */
    static NotifySocket open(String name) throws IOException {
        DomainSocketAddress address = address(name);
        Throwable noEpoll = Epoll.unavailabilityCause();
        if (noEpoll != null) {
            throw new IOException("needs epoll, which does not work here: " + noEpoll, noEpoll);
        }
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("supervisor", true), EpollIoHandler.newFactory());
        ChannelFuture connected = new Bootstrap()
                .group(group)
                .channel(EpollDomainDatagramChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(address);
        if (connected.awaitUninterruptibly(CONNECT_MILLIS) && connected.isSuccess()) {
            return new NotifySocket(group, connected.channel());
        }
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        throw new IOException("cannot connect", connected.cause());
    }

    /** An abstract name begins with a NUL byte in the kernel's address, which Netty hands through as it is. */
    private static DomainSocketAddress address(String name) throws IOException {
        boolean isAbstract = name.startsWith("@");
        if (!isAbstract && !name.startsWith("/")) {
            throw new IOException("need an absolute path or @ and an abstract name");
        }
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 2 || bytes > MAX_ADDRESS_BYTES) {
            throw new IOException("need 2.." + MAX_ADDRESS_BYTES + " bytes, not " + bytes);
        }
        return new DomainSocketAddress(isAbstract ? '\0' + name.substring(1) : name);
    }

    /** Sends one datagram, in the order of calls by one thread. Returns at once. */
    void send(String text) {
        if (!channel.isWritable()) {
            failed(new IOException("too much waits to be sent"));
            return;
        }
        channel.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8))
                .addListener(sent -> {
                    if (!sent.isSuccess()) {
                        failed(sent.cause());
                    }
                });
    }

    private void failed(Throwable cause) {
        if (failures.getAndIncrement() == 0) {
            LOG.warn("the supervisor cannot be told: {}; said once", cause.toString());
        } else {
            LOG.debug("the supervisor cannot be told: {}", cause.toString());
        }
    }

    /** Runs a task on this socket's thread again and again, until it is closed. */
    void every(Runnable task, long periodNanos) {
        group.scheduleAtFixedRate(task, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
    }

    /** Texts that were not sent. */
    long failures() {
        return failures.get();
    }

    /** Sends what is still waiting, for {@value #CLOSE_MILLIS} ms at most, and ends the thread. Idempotent. */
    @Override
    public void close() {
        channel.eventLoop().submit(() -> {}).awaitUninterruptibly(CLOSE_MILLIS);
        group.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly(CLOSE_MILLIS);
    }
}
