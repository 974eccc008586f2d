package io.heartwheel.loadgen.fake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.nio.charset.StandardCharsets;

/** Makes lines of the text messages of a WebSocket, and messages of lines; lets in who asks as it should. */
final class LinesOverWebSocket extends ChannelDuplexHandler {

    /** With which connections are closed. */
    static final int CODE = 4321;

    private final int code;

    private LinesOverWebSocket(int code) {
        this.code = code;
    }

    static void install(ChannelPipeline pipeline, FramedFault fault) {
        WebSocketServerProtocolConfig config = WebSocketServerProtocolConfig.newBuilder()
                .websocketPath("/devices")
                .checkStartsWith(true)
                .subprotocols("lines.v2")
                .sendCloseFrame(null)
                .build();
        pipeline.addLast(new HttpServerCodec())
                .addLast(new HttpObjectAggregator(8_192))
                .addLast(new DeviceCheck())
                .addLast(new WebSocketServerProtocolHandler(config))
                .addLast(new LinesOverWebSocket(fault == FramedFault.RST_FOR_FIN ? 1001 : CODE));
    }

    /** Refuses whose path and headers do not name the same device. */
    private static final class DeviceCheck extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof FullHttpRequest request) {
                String id = String.valueOf(request.headers().get("X-Device"));
                if (!request.uri().equals("/devices/" + id + "?key=k-" + id)) {
                    request.release();
                    ctx.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.FORBIDDEN))
                            .addListener(ChannelFutureListener.CLOSE);
                    return;
                }
            }
            ctx.fireChannelRead(message);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof TextWebSocketFrame text) {
            ctx.fireChannelRead(Unpooled.copiedBuffer(text.text() + "\n", StandardCharsets.US_ASCII));
            text.release();
        } else {
            ctx.close();
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof ByteBuf line) {
            ctx.write(
                    new TextWebSocketFrame(
                            line.toString(StandardCharsets.US_ASCII).strip()),
                    promise);
            line.release();
        } else {
            ctx.write(message, promise);
        }
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (ctx.pipeline().get(HttpServerCodec.class) != null) {
            ctx.close(promise);
            return;
        }
        ctx.writeAndFlush(new CloseWebSocketFrame(code, "")).addListener(done -> ctx.close(promise));
    }
}
