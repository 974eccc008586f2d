package io.heartwheel.loadgen.fake;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;

/** Toy server over real loopback sockets with one event loop, which tells how long it stood still. */
public abstract class FakeServer implements AutoCloseable, PushApi.Devices {

    private static final long WATCH_NANOS = 10_000_000L;
    /** Small, so that a device that does not read is soon noticed. */
    private static final int BUFFER_BYTES = 8_192;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final AtomicInteger connections = new AtomicInteger();
    private volatile long stoodStillNanos;
    private long watchedNanos = System.nanoTime();

    FakeServer() {
        group.scheduleAtFixedRate(this::watch, WATCH_NANOS, WATCH_NANOS, TimeUnit.NANOSECONDS);
    }

    /** Listens on this loopback port, or a free one where it is 0, through TLS unless that is null; connections are numbered from 0. */
    final Channel listen(int port, SslContext tls, ObjIntConsumer<ChannelPipeline> connection)
            throws InterruptedException {
        return new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_RCVBUF, BUFFER_BYTES)
                .childOption(ChannelOption.SO_SNDBUF, BUFFER_BYTES)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (tls != null) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                        }
                        connection.accept(channel.pipeline(), connections.getAndIncrement());
                    }
                })
                .bind("127.0.0.1", port)
                .sync()
                .channel();
    }

    /** The fault of this connection: they take turns. */
    static <F> F turn(List<F> faults, int number) {
        return faults.get(number % faults.size());
    }

    final <T> CompletableFuture<T> onLoop(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, group.next());
    }

    private void watch() {
        long now = System.nanoTime();
        stoodStillNanos = Math.max(stoodStillNanos, now - watchedNanos - WATCH_NANOS);
        watchedNanos = now;
    }

    /** The longest time for which its event loop has done nothing. */
    public final long stoodStillNanos() {
        return stoodStillNanos;
    }

    /** Asks all devices to leave and to come back within this window, and closes them, where it can; goes on listening. */
    public void restart(int leastMillis, int mostMillis) {}

    @Override
    public CompletableFuture<Boolean> deliver(String id, byte[] message) {
        return CompletableFuture.completedFuture(false);
    }

    @Override
    public CompletableFuture<List<String>> ids() {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public final void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
    }
}
