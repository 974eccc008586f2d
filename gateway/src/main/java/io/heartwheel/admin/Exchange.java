package io.heartwheel.admin;

import io.heartwheel.net.HttpError;
import io.heartwheel.net.IpAddress;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.CodecException;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpContentException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.util.Date;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Last handler of the pipeline: one request, its answer, then the next. Pipelined requests wait in the handler before this one, and what does not fit there
 * waits in the socket.
 *
 * <p>Owner: the channel's event loop; an answer may come from any thread.
 */
final class Exchange extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    static final int MAX_LINE_BYTES = 4 << 10;
    static final int MAX_HEADER_BYTES = 8 << 10;

    /**
     * Server behind the exchanges of all connections.
     *
     * @param hosts the names it answers to
     * @param access who may ask
     * @param answered is told the status of each answer
     */
    record Served(Routes routes, Supplier<AdminHosts> hosts, Supplier<AdminAccess> access, IntConsumer answered) {}

    private final Served served;
    private final ConnectionClock clock;
    /** From a whole request to its answer; for ever, if that was the last. */
    private boolean answering;

    Exchange(Served served, ConnectionClock clock) {
        this.served = served;
        this.clock = clock;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.read();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
        if (answering) {
            return; // sent ahead, behind a request that ended the connection
        }
        answering = true;
        clock.answering();
        HttpVersion version = request.protocolVersion();
        boolean broken = request.decoderResult().isFailure();
        boolean keepAlive = !broken && HttpUtil.isKeepAlive(request);
        CompletionStage<Response> answer =
                broken ? undecodable(request.decoderResult().cause()).now() : answer(ctx.channel(), request);
        answer.whenComplete((ready, fault) -> {
            Response told = fault == null ? ready : fault(fault);
            try {
                ctx.executor().execute(() -> {
                    clock.answered();
                    write(ctx, told, version, keepAlive);
                });
            } catch (RejectedExecutionException ended) {
                LOG.debug("no loop to answer on", ended);
            }
        });
    }

    /** The bytes read made no whole request: ask for more, as the handler before this one forgets what it was asked for. */
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (!answering) {
            ctx.read();
        }
    }

    private CompletionStage<Response> answer(Channel channel, FullHttpRequest request) {
        try {
            Request call = Request.of(request, channel.pipeline().get(SslHandler.class) != null);
            served.hosts().get().require(call, IpAddress.of(channel.localAddress()));
            Caller caller = served.access().get().caller(call, channel);
            return served.routes().answer(call, caller, IpAddress.text(IpAddress.of(channel.remoteAddress())));
        } catch (HttpError refusal) {
            return Response.of(refusal).now();
        } catch (RuntimeException fault) {
            return fault(fault).now();
        }
    }

    private static Response fault(Throwable fault) {
        Throwable cause = fault instanceof CompletionException ? fault.getCause() : fault;
        if (cause instanceof HttpError refusal) {
            return Response.of(refusal);
        }
        LOG.error("an admin request failed", fault);
        return Response.error(500, "internal_error", "a fault of the gateway, see its log");
    }

    private static Response undecodable(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return Response.error(414, "uri_too_long", "request line: need at most " + MAX_LINE_BYTES + " bytes");
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return Response.error(431, "headers_too_large", "headers: need at most " + MAX_HEADER_BYTES + " bytes");
        }
        return cause instanceof TooLongHttpContentException
                ? Response.error(413, "too_large", String.valueOf(cause.getMessage()))
                : Response.error(400, "bad_request", "this is not HTTP/1.1");
    }

    private void write(ChannelHandlerContext ctx, Response answer, HttpVersion version, boolean keepAlive) {
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(answer.status()),
                Unpooled.wrappedBuffer(answer.body()));
        served.answered().accept(answer.status());
        HttpHeaders headers = response.headers();
        if (!answer.contentType().isEmpty()) {
            headers.set(HttpHeaderNames.CONTENT_TYPE, answer.contentType());
        }
        answer.headers().forEach(headers::set);
        headers.set(HttpHeaderNames.DATE, DateFormatter.format(new Date()))
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .set(HttpHeaderNames.CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'")
                .set("referrer-policy", "no-referrer")
                .set("x-content-type-options", "nosniff")
                .setInt(HttpHeaderNames.CONTENT_LENGTH, answer.body().length);
        if (!keepAlive) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (!version.isKeepAliveDefault()) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
        ctx.writeAndFlush(response).addListener((ChannelFuture written) -> written(ctx, written, keepAlive));
    }

    private void written(ChannelHandlerContext ctx, ChannelFuture written, boolean keepAlive) {
        if (!written.isSuccess()) {
            ctx.close();
        } else if (keepAlive) {
            answering = false;
            clock.awaiting();
            ctx.read();
        } else {
            clock.linger();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ConnectionClock.LATE && !answering) {
            answering = true;
            String message = "need a whole request in " + ConnectionClock.Phase.REQUEST.seconds() + " s";
            Response late = Response.error(408, "request_timeout", message);
            // past the compressor, which has seen no request that this could answer
            write(ctx.pipeline().context(FlowControlHandler.class), late, HttpVersion.HTTP_1_1, false);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException || cause instanceof CodecException) {
            LOG.debug("admin connection {} broke: {}", ctx.channel(), cause.getMessage());
        } else {
            LOG.error("admin connection {} failed", ctx.channel(), cause);
        }
        ctx.close();
    }
}
