package io.heartwheel.loadgen.fake;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.util.List;

/** Server side of a WebSocket at {@code /ws} and below that leaves pings, and its close, to the handler behind it. */
public final class PingPassingHandler extends WebSocketServerProtocolHandler {

    /** For one connection, behind HTTP's codec and aggregator. */
    public PingPassingHandler() {
        super(WebSocketServerProtocolConfig.newBuilder()
                .websocketPath("/ws")
                .checkStartsWith(true)
                .sendCloseFrame(null)
                .build());
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, WebSocketFrame frame, List<Object> out) throws Exception {
        if (frame instanceof PingWebSocketFrame) {
            out.add(frame.retain());
        } else {
            super.decode(ctx, frame, out);
        }
    }
}
