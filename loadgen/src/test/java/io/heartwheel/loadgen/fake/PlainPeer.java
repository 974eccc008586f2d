package io.heartwheel.loadgen.fake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.nio.charset.StandardCharsets;

/** One plain WebSocket connection of a {@link FakeGateway}: sends each message back, and closes who is silent. On its event loop. */
final class PlainPeer extends SimpleChannelInboundHandler<WebSocketFrame> {

    private final FakeGateway gateway;
    private final Fault fault;
    private final Deadline heartbeat = new Deadline();
    private ChannelHandlerContext context;
    private String id = "";
    private long intervalMillis;
    private int pings;
    private final MessageFaults messages;

    private PlainPeer(FakeGateway gateway, Fault fault) {
        this.gateway = gateway;
        this.fault = fault;
        this.messages = new MessageFaults(fault);
    }

    /** Makes a connection one. */
    static void install(ChannelPipeline pipeline, FakeGateway gateway, Fault fault) {
        pipeline.addLast(new HttpServerCodec())
                .addLast(new HttpObjectAggregator(8_192))
                .addLast(new PingPassingHandler())
                .addLast(new PlainPeer(gateway, fault));
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof WebSocketServerProtocolHandler.HandshakeComplete upgraded) {
            QueryStringDecoder uri = new QueryStringDecoder(upgraded.requestUri());
            intervalMillis = Long.parseLong(uri.parameters().get("heartbeat_ms").get(0));
            id = uri.path().substring(uri.path().lastIndexOf('/') + 1);
            gateway.plainById.put(id, this);
            if (fault == Fault.CHATTERS) {
                ctx.writeAndFlush(new TextWebSocketFrame("welcome"));
            }
            arm();
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, WebSocketFrame frame) {
        if (frame instanceof PingWebSocketFrame) {
            ping(frame);
        } else {
            for (ByteBuf back : messages.echoes(frame.content())) {
                ctx.writeAndFlush(new BinaryWebSocketFrame(back));
            }
        }
        arm();
    }

    private void ping(WebSocketFrame ping) {
        pings++;
        if (fault == Fault.MUTE || (fault == Fault.LEAVES_ANSWERS_OUT && (pings == 3 || pings == 4))) {
            return;
        }
        context.writeAndFlush(new PongWebSocketFrame(ping.content().copy()));
    }

    void push(byte[] message) {
        context.writeAndFlush(
                fault == Fault.WRAPS
                        ? new TextWebSocketFrame(
                                "{\"body\":\"" + new String(message, StandardCharsets.US_ASCII) + "\"}")
                        : new BinaryWebSocketFrame(Unpooled.wrappedBuffer(message)));
    }

    private void arm() {
        heartbeat.set(context.executor(), intervalMillis * 3 / 2, () -> end(4001));
    }

    private void end(int code) {
        heartbeat.clear();
        context.writeAndFlush(new CloseWebSocketFrame(code, "farewell")).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        gateway.plainById.remove(id, this);
        heartbeat.clear();
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
