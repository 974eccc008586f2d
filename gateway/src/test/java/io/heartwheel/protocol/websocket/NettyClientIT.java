package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.app.Gateway;
import io.heartwheel.config.ConfigLoader;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakerFactory;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketClientExtensionHandler;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateClientExtensionHandshaker;
import java.net.URI;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Netty's own WebSocket client against a gateway that echoes, over loopback, with and without permessage-deflate. */
class NettyClientIT {
    private static final int LIMIT = 64 << 10;
    private static final int LONG_SECONDS = 40;
    private static MultiThreadIoEventLoopGroup group;
    private static Gateway gateway;

    /** What the client sees, in order, as short text. */
    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    @BeforeAll
    static void start() throws Exception {
        group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        gateway = Gateway.start(ConfigLoader.read(
                null,
                Map.of(
                        "heartwheel.listeners.tcp.enabled", "false",
                        "heartwheel.listeners.websocket.bind", "127.0.0.1:0",
                        "heartwheel.websocket.compression.enabled", "true",
                        "heartwheel.admin.enabled", "false",
                        "heartwheel.transport.write-watermark.high", "1MiB",
                        "heartwheel.sink.kind", "echo"),
                Map.of()));
    }

    @AfterAll
    static void stop() throws Exception {
        gateway.shutdown();
        gateway.awaitTermination();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void messages_ofAllSizes_comeBackTheSame(boolean deflates) throws Exception {
        Channel client = connect("/ws/netty-" + deflates, null, deflates);
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        int[] sizes = {0, 1, 63, 64, 125, 126, 1000, 65_535, LIMIT};
        for (int round = 0; round < 60; round++) {
            int size = round < sizes.length ? sizes[round] : random.nextInt(LIMIT);
            byte[] payload = new byte[size];
            int variety = 1 + random.nextInt(90);
            for (int i = 0; i < size; i++) {
                payload[i] = (byte) (' ' + random.nextInt(variety));
            }
            boolean text = random.nextBoolean();
            send(client, text, payload, size > 200 && random.nextInt(3) == 0 ? size / 3 : size);
            assertEquals(
                    (text ? "text " : "binary ") + ByteBufUtil.hashCode(Unpooled.wrappedBuffer(payload)) + "/" + size,
                    next(),
                    "seed " + seed);
        }
        client.writeAndFlush(new PingWebSocketFrame(Unpooled.wrappedBuffer(new byte[] {7})));
        assertEquals("pong 07", next());
        client.writeAndFlush(new CloseWebSocketFrame(3001, "bye"));
        assertTrue(next().startsWith("close 3001"));
        assertTrue(client.closeFuture().await(LONG_SECONDS, TimeUnit.SECONDS));
    }

    /** In one frame or two; Netty's encoder loses a first fragment that is too short to come out of its deflater. */
    private static void send(Channel client, boolean text, byte[] payload, int firstPart) {
        boolean last = firstPart == payload.length;
        var first = Unpooled.copiedBuffer(payload, 0, firstPart);
        client.write(text ? new TextWebSocketFrame(last, 0, first) : new BinaryWebSocketFrame(last, 0, first));
        if (!last) {
            client.write(new ContinuationWebSocketFrame(
                    true, 0, Unpooled.copiedBuffer(payload, firstPart, payload.length - firstPart)));
        }
        client.flush();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void heartwheel_overWebSocket_welcomesAndBeats(boolean deflates) throws Exception {
        Channel client = connect("/ws", "heartwheel.v1", deflates);
        client.writeAndFlush(new BinaryWebSocketFrame(Unpooled.wrappedBuffer(WebSocketBench.HELLO)));
        assertTrue(next().startsWith("binary "));
        client.writeAndFlush(
                new BinaryWebSocketFrame(Unpooled.wrappedBuffer(HexFormat.of().parseHex("03000000"))));
        assertEquals("binary " + ByteBufUtil.hashCode(Unpooled.wrappedBuffer(new byte[] {4, 0, 0, 0})) + "/4", next());
        client.writeAndFlush(new TextWebSocketFrame("no"));
        assertTrue(next().startsWith("close 1003"));
        assertTrue(client.closeFuture().await(LONG_SECONDS, TimeUnit.SECONDS));
    }

    @Tag("timed")
    @Test
    void close_byTheGateway_reachesAClientThatSends() throws Exception {
        Channel client = connect("/ws/taken", null, false);
        for (int i = 0; i < 20; i++) {
            client.writeAndFlush(new BinaryWebSocketFrame(Unpooled.wrappedBuffer(new byte[LIMIT + 1])));
        }
        // its loop may write for more than a second before it reads
        assertTrue(client.closeFuture().await(LONG_SECONDS, TimeUnit.SECONDS));
        String what = seen.poll();
        assertNotNull(what, "closed without a frame");
        assertTrue(what.startsWith("close 1009"), what);
    }

    private String next() throws InterruptedException {
        String what = seen.poll(LONG_SECONDS, TimeUnit.SECONDS);
        assertNotNull(what, "nothing came");
        return what;
    }

    private Channel connect(String path, @Nullable String protocol, boolean deflates) throws Exception {
        int port = gateway.ports().get("websocket").getPort();
        URI uri = URI.create("ws://127.0.0.1:" + port + path);
        var handshaker = WebSocketClientHandshakerFactory.newHandshaker(
                uri, WebSocketVersion.V13, protocol, deflates, new DefaultHttpHeaders(), LIMIT * 2);
        Channel channel = new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel ch) {
                        ch.pipeline().addLast(new HttpClientCodec(), new HttpObjectAggregator(8192));
                        if (deflates) {
                            // no context takeover either way, which Netty takes only if told to
                            ch.pipeline()
                                    .addLast(new WebSocketClientExtensionHandler(
                                            new PerMessageDeflateClientExtensionHandshaker(
                                                    6, true, 15, true, true, 2 * LIMIT)));
                        }
                        ch.pipeline()
                                .addLast(
                                        new WebSocketClientProtocolHandler(handshaker, false, false),
                                        new WebSocketFrameAggregator(2 * LIMIT),
                                        new Seen());
                    }
                })
                .connect("127.0.0.1", port)
                .sync()
                .channel();
        assertEquals("upgraded", next());
        return channel;
    }

    private final class Seen extends SimpleChannelInboundHandler<WebSocketFrame> {
        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
                seen.add("upgraded");
            }
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, WebSocketFrame frame) {
            if (frame instanceof CloseWebSocketFrame close) {
                seen.add("close " + close.statusCode() + " " + close.reasonText());
            } else if (frame instanceof PongWebSocketFrame) {
                seen.add("pong " + ByteBufUtil.hexDump(frame.content()));
            } else {
                String kind = frame instanceof TextWebSocketFrame ? "text " : "binary ";
                seen.add(kind + ByteBufUtil.hashCode(frame.content()) + "/"
                        + frame.content().readableBytes());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            seen.add(cause.toString());
        }
    }
}
