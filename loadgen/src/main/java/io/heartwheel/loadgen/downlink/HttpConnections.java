package io.heartwheel.loadgen.downlink;

import io.heartwheel.loadgen.client.Sockets;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Client of HTTP/1.1 over connections that are kept, each with one request at a time: so there are no more of them than requests were ever
 * under way at once. What fails is not tried again, because nobody knows what the server has made of it.
 *
 * <p>{@link #ask} and {@link #close}: any thread. All else belongs to the one event loop, on which answers are completed too, but for those
 * that come too late.
 */
final class HttpConnections implements AutoCloseable {

    private static final int MOST_ANSWER_BYTES = 1 << 20;

    private final Duration limit;
    private final MultiThreadIoEventLoopGroup loops;
    private final EventLoop loop;
    private final Bootstrap bootstrap;
    /** By scheme, host and port; the latest at the end. */
    private final Map<String, Deque<Connection>> idle = new HashMap<>();

    private @Nullable SslContext tls;

    /** @param limit of a request, to the end of its answer */
    HttpConnections(Duration limit) {
        this.limit = limit;
        Sockets sockets = new Sockets();
        this.loops = sockets.loops("push-http", 1);
        this.loop = loops.next();
        this.bootstrap = sockets.bootstrap()
                .group(loop)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) limit.toMillis());
    }

    /** @param body as UTF-8 */
    record Answer(int status, String body) {}

    /** Asks an {@code http} or {@code https} URI. The future fails when there is no answer. */
    CompletableFuture<Answer> ask(URI uri, String method, Map<String, String> headers, byte[] body) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        try {
            loop.execute(() -> begin(uri, request(uri, method, headers, body), answer));
        } catch (RejectedExecutionException ended) {
            answer.completeExceptionally(ended);
        }
        return answer.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static FullHttpRequest request(URI uri, String method, Map<String, String> headers, byte[] body) {
        String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        FullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1,
                HttpMethod.valueOf(method),
                uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery(),
                Unpooled.wrappedBuffer(body));
        request.headers().set(HttpHeaderNames.HOST, uri.getRawAuthority());
        request.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
        headers.forEach(request.headers()::set);
        return request;
    }

    private void begin(URI uri, FullHttpRequest request, CompletableFuture<Answer> answer) {
        boolean secure = "https".equalsIgnoreCase(uri.getScheme());
        int port = uri.getPort() >= 0 ? uri.getPort() : secure ? 443 : 80;
        Deque<Connection> free =
                idle.computeIfAbsent(secure + " " + uri.getHost() + " " + port, origin -> new ArrayDeque<>());
        Connection latest = free.pollLast();
        if (latest != null) {
            latest.send(request, answer);
            return;
        }
        Connection made = new Connection(free);
        bootstrap
                .clone()
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) throws SSLException {
                        if (secure) {
                            channel.pipeline().addLast(tls().newHandler(channel.alloc(), uri.getHost(), port));
                        }
                        channel.pipeline().addLast(new HttpClientCodec(), made);
                    }
                })
                .connect(uri.getHost(), port)
                .addListener(connected -> {
                    if (connected.isSuccess()) {
                        made.send(request, answer);
                    } else {
                        request.release();
                        answer.completeExceptionally(connected.cause());
                    }
                });
    }

    private SslContext tls() throws SSLException {
        SslContext known = tls;
        if (known == null) {
            known = SslContextBuilder.forClient()
                    .endpointIdentificationAlgorithm("HTTPS")
                    .build();
            tls = known;
        }
        return known;
    }

    /** What is under way fails. */
    @Override
    public void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** One connection, and the request on it. */
    private static final class Connection extends SimpleChannelInboundHandler<HttpObject> {
        private final Deque<Connection> free;
        private final ByteBuf body = Unpooled.buffer(0);
        private @Nullable ChannelHandlerContext context;
        private @Nullable CompletableFuture<Answer> answer;
        private int status;
        private boolean kept;

        /** @param free where it goes while it is idle */
        Connection(Deque<Connection> free) {
            this.free = free;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
        }

        void send(FullHttpRequest request, CompletableFuture<Answer> asked) {
            ChannelHandlerContext to = context;
            if (to == null || asked.isDone()) {
                request.release();
                free.addLast(this);
                return;
            }
            answer = asked;
            status = 0;
            body.clear();
            to.writeAndFlush(request, to.voidPromise());
            // who waits no longer: what comes now would be taken for the answer to the next
            asked.whenComplete((told, failure) -> {
                if (failure != null) {
                    to.close();
                }
            });
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, HttpObject part) {
            if (part.decoderResult().isFailure()) {
                fail(ctx, new IOException("the answer is no HTTP"));
                return;
            }
            if (part instanceof HttpResponse head) {
                status = head.status().code();
                kept = HttpUtil.isKeepAlive(head);
            }
            if (part instanceof HttpContent content) {
                body.writeBytes(content.content());
                if (body.readableBytes() > MOST_ANSWER_BYTES) {
                    fail(ctx, new IOException("the answer has more than " + MOST_ANSWER_BYTES + " bytes"));
                    return;
                }
            }
            CompletableFuture<Answer> asked = answer;
            if (asked == null) {
                ctx.close(); // nothing was asked
            } else if (part instanceof LastHttpContent && status >= 200) {
                // below 200 the answer is still to come
                answer = null;
                if (kept) {
                    free.addLast(this);
                } else {
                    ctx.close();
                }
                asked.complete(new Answer(status, body.toString(StandardCharsets.UTF_8)));
            }
        }

        private void fail(ChannelHandlerContext ctx, Throwable cause) {
            CompletableFuture<Answer> asked = answer;
            answer = null;
            free.remove(this);
            if (asked != null) {
                asked.completeExceptionally(cause);
            }
            ctx.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            fail(ctx, new IOException("the server closed the connection before its answer was whole"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            fail(ctx, cause);
        }
    }
}
