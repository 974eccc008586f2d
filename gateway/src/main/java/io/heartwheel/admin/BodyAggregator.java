package io.heartwheel.admin;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.TooLongHttpContentException;
import org.jspecify.annotations.Nullable;

/**
 * Aggregator of whole requests. One that is too large goes on in its turn as a request that could not be decoded, so that it is answered behind the ones
 * before it and in our own words.
 *
 * <p>Owner: the channel's event loop.
 */
final class BodyAggregator extends HttpObjectAggregator {
    BodyAggregator(int maxBodyBytes) {
        super(maxBodyBytes);
    }

    @Override
    protected @Nullable Object newContinueResponse(HttpMessage start, int maxBytes, ChannelPipeline pipeline) {
        boolean sensible = HttpUtil.is100ContinueExpected(start) && !isContentLengthInvalid(start, maxBytes);
        return sensible ? super.newContinueResponse(start, maxBytes, pipeline) : null;
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage oversized) {
        HttpRequest request = (HttpRequest) oversized;
        DefaultFullHttpRequest whole = new DefaultFullHttpRequest(
                request.protocolVersion(), request.method(), request.uri(), Unpooled.EMPTY_BUFFER);
        whole.setDecoderResult(DecoderResult.failure(
                new TooLongHttpContentException("body: need at most " + maxContentLength() + " bytes")));
        ctx.fireChannelRead(whole);
    }
}
