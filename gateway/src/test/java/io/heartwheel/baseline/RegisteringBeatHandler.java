package io.heartwheel.baseline;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler.HandshakeComplete;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** As {@link BeatHandler}, and knows whose connection it is. One for each channel. */
final class RegisteringBeatHandler extends BeatHandler {
    private static final int LENGTH_BYTES = 2;

    private final Map<String, Channel> registry;
    private @Nullable String deviceId;

    RegisteringBeatHandler(Map<String, Channel> registry) {
        this.registry = registry;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (deviceId == null && message instanceof ByteBuf frame) {
            int start = frame.readerIndex() + LENGTH_BYTES;
            register(ctx, frame.toString(start, frame.readableBytes() - LENGTH_BYTES, StandardCharsets.UTF_8));
        }
        super.channelRead(ctx, message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof HandshakeComplete handshake) {
            List<String> device =
                    new QueryStringDecoder(handshake.requestUri()).parameters().getOrDefault("device", List.of(""));
            register(ctx, device.get(0));
        }
        super.userEventTriggered(ctx, event);
    }

    private void register(ChannelHandlerContext ctx, String id) {
        deviceId = id;
        Channel before = registry.put(id, ctx.channel());
        if (before != null) {
            before.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (deviceId != null) {
            registry.remove(deviceId, ctx.channel());
        }
        ctx.fireChannelInactive();
    }

    @Override
    public boolean isSharable() {
        return false;
    }
}
