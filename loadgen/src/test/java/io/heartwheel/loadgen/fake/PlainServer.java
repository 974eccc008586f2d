package io.heartwheel.loadgen.fake;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler.HandshakeComplete;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A WebSocket server of nobody's make: devices by the last part of their path, Netty answers their pings, nobody is closed. */
public final class PlainServer implements AutoCloseable, PushApi.Devices {

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Map<String, Channel> byId = new HashMap<>(); // the loop's
    private final boolean wraps;
    private final Channel listener;

    /**
     * Listens on a free loopback port.
     *
     * @param wraps whether messages go out as text in a JSON object
     */
    public PlainServer(boolean wraps) throws InterruptedException {
        this.wraps = wraps;
        WebSocketServerProtocolConfig config = WebSocketServerProtocolConfig.newBuilder()
                .websocketPath("/ws")
                .checkStartsWith(true)
                .build();
        listener = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpObjectAggregator(8_192))
                                .addLast(new WebSocketServerProtocolHandler(config))
                                .addLast(new Session());
                    }
                })
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
    }

    private final class Session extends SimpleChannelInboundHandler<WebSocketFrame> {
        private String id = "";

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, WebSocketFrame frame) {
            // Nothing a device says matters here.
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof HandshakeComplete done) {
                String path = done.requestUri().replaceFirst("\\?.*", "");
                id = path.substring(path.lastIndexOf('/') + 1);
                byId.put(id, ctx.channel());
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            byId.remove(id, ctx.channel());
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    @Override
    public CompletableFuture<Boolean> deliver(String id, byte[] message) {
        return CompletableFuture.supplyAsync(
                () -> {
                    Channel channel = byId.get(id);
                    if (channel != null) {
                        channel.writeAndFlush(
                                wraps
                                        ? new TextWebSocketFrame("{\"body\":\""
                                                + new String(message, java.nio.charset.StandardCharsets.US_ASCII)
                                                + "\"}")
                                        : new BinaryWebSocketFrame(Unpooled.wrappedBuffer(message)));
                    }
                    return channel != null;
                },
                group.next());
    }

    @Override
    public CompletableFuture<List<String>> ids() {
        return CompletableFuture.supplyAsync(() -> List.copyOf(byId.keySet()), group.next());
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
    }
}
