package io.heartwheel.loadgen.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A device's socket and its peer's, connected over loopback; all on one event loop, which is also who looks at conditions. */
final class Wires implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 20;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final End peerEnd = new End();
    private final End deviceEnd = new End();
    private final EpollSocketChannel peer;
    private final EpollSocketChannel device;

    /** Keeps what it hears. Its fields are the loop's. */
    private static final class End extends SimpleChannelInboundHandler<ByteBuf> {
        private final StringBuilder heard = new StringBuilder();
        private final CompletableFuture<Channel> active = new CompletableFuture<>();
        private Throwable failure;

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            active.complete(ctx.channel());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            heard.append(message.toString(StandardCharsets.US_ASCII));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failure = cause;
            ctx.close();
        }
    }

    Wires() throws Exception {
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(EpollServerSocketChannel.class)
                .childHandler(initial(peerEnd))
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
        device = (EpollSocketChannel) new Bootstrap()
                .group(group)
                .channel(EpollSocketChannel.class)
                .handler(initial(deviceEnd))
                .connect(listener.localAddress())
                .sync()
                .channel();
        peer = (EpollSocketChannel) peerEnd.active.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static ChannelInitializer<Channel> initial(End end) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(end);
            }
        };
    }

    EpollSocketChannel device() {
        return device;
    }

    EpollSocketChannel peer() {
        return peer;
    }

    <T> T onLoop(Callable<T> task) throws Exception {
        return device.eventLoop().submit(task).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    void peerWrites(String text) throws Exception {
        peer.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII))
                .sync();
    }

    void deviceWrites(String text) throws Exception {
        device.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII))
                .sync();
    }

    String heard() throws Exception {
        return onLoop(deviceEnd.heard::toString);
    }

    Throwable failure() throws Exception {
        return onLoop(() -> deviceEnd.failure);
    }

    Throwable peerFailure() throws Exception {
        return onLoop(() -> peerEnd.failure);
    }

    EpollTcpInfo peerInfo() throws Exception {
        return onLoop(peer::tcpInfo);
    }

    void awaitHeard(String text) throws Exception {
        await("the device hears " + text, () -> deviceEnd.heard.toString().equals(text));
    }

    void awaitPeerHeard(String text) throws Exception {
        await("the peer hears " + text, () -> peerEnd.heard.toString().equals(text));
    }

    void awaitPeer(String what, Predicate<EpollTcpInfo> condition) throws Exception {
        await(what, () -> condition.test(peer.tcpInfo()));
    }

    void awaitDeviceGone() throws Exception {
        await("the device's socket is closed", () -> !device.isOpen());
    }

    void awaitPeerGone() throws Exception {
        await("the peer's socket is closed", () -> !peer.isOpen());
    }

    private void await(String what, Callable<Boolean> condition) throws Exception {
        CompletableFuture<Void> met = new CompletableFuture<>();
        var snapshot = device.eventLoop()
                .scheduleAtFixedRate(
                        () -> {
                            try {
                                if (condition.call()) {
                                    met.complete(null);
                                }
                            } catch (Exception e) {
                                met.completeExceptionally(e);
                            }
                        },
                        0,
                        1,
                        TimeUnit.MILLISECONDS);
        try {
            met.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).get();
        } catch (java.util.concurrent.ExecutionException e) {
            throw new AssertionError("not in " + PATIENCE_SECONDS + " s: " + what, e);
        } finally {
            snapshot.cancel(false);
        }
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
    }
}
