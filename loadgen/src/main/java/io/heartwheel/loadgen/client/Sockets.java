package io.heartwheel.loadgen.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sockets of the devices: epoll where there is one, else nio. */
public final class Sockets {

    private static final RecvByteBufAllocator READS = new FixedRecvByteBufAllocator(2_048);
    private static final int CONNECT_TIMEOUT_MILLIS = 15_000;

    /** Steps of the slowest clock that a kernel stamps data with. */
    private static final int KERNEL_STEP_MILLIS = 10;

    private final boolean epoll = Epoll.isAvailable();

    /** Event loops. The caller shuts the group down. */
    public MultiThreadIoEventLoopGroup loops(String name, int count) {
        IoHandlerFactory factory = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        return new MultiThreadIoEventLoopGroup(count, new DefaultThreadFactory(name, true), factory);
    }

    /** A beginning for connections on such loops that are no device's. */
    public Bootstrap bootstrap() {
        return new Bootstrap().channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class);
    }

    /**
     * How long ago data last came in on this socket, by the kernel's clock and at the least: a step of that clock is taken off. One system
     * call; {@link LoopContext#UNTOLD} where it does not tell.
     */
    public static long lastDataNanos(Channel channel) {
        if (channel instanceof EpollSocketChannel socket && socket.isOpen()) {
            return TimeUnit.MILLISECONDS.toNanos(Math.max(0, socket.tcpInfo().lastDataRecv() - KERNEL_STEP_MILLIS));
        }
        return LoopContext.UNTOLD;
    }

    /**
     * Connects a device; it hears of success and failure. On the loop's thread.
     *
     * @param local source address to bind, or null to leave it to the kernel
     * @param tls towards this target, or null for none
     */
    public void connect(
            EventLoop loop,
            Device device,
            InetSocketAddress remote,
            @Nullable InetSocketAddress local,
            @Nullable TlsFront tls) {
        Channel channel;
        try {
            channel = epoll ? new EpollSocketChannel() : new NioSocketChannel();
        } catch (ChannelException e) {
            device.connectFailed(e);
            return;
        }
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
        channel.config().setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS);
        channel.config().setOption(ChannelOption.RECVBUF_ALLOCATOR, READS);
        int bufferBytes = device.behaviour().bufferBytes();
        if (bufferBytes > 0) {
            channel.config().setOption(ChannelOption.SO_RCVBUF, bufferBytes);
            channel.config().setOption(ChannelOption.SO_SNDBUF, bufferBytes);
        }
        if (epoll && local != null) {
            channel.config().setOption(EpollChannelOption.IP_BIND_ADDRESS_NO_PORT, true);
        }
        loop.register(channel).addListener(registered -> {
            if (!registered.isSuccess()) {
                device.connectFailed(registered.cause());
                return;
            }
            // not before: what a channel that no loop takes holds is never given back
            if (tls != null) {
                tls.install(channel, device, remote, CONNECT_TIMEOUT_MILLIS);
            }
            channel.pipeline().addLast(device);
            channel.connect(remote, local).addListener(connected -> {
                if (!connected.isSuccess()) {
                    device.connectFailed(connected.cause());
                    channel.close();
                }
            });
        });
    }
}
