package io.heartwheel.baseline;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.File;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Server that the gateway is compared with: the one that most teams write with the same Netty, and written well.
 *
 * <pre>
 *   tcp:        [SslHandler]  IdleStateHandler  LengthFieldBasedFrameDecoder  BeatHandler
 *   websocket:  IdleStateHandler  HttpServerCodec  HttpObjectAggregator  WebSocketServerProtocolHandler  BeatHandler
 * </pre>
 *
 * Its frames have the gateway's header (protocol.md), so the same clients measure both: HELLO goes back as WELCOME, PING as PONG, DATA as ACK, with the
 * bytes they came with. A WebSocket message goes back as it came. Who says nothing for the idle time is closed. Netty's default allocator, TCP_NODELAY, one answer
 * object for a message, one flush for a batch, everything shared that may be, BoringSSL: what is measured against is no straw man. It knows no device.
 */
public final class BaselineServer implements AutoCloseable {
    private static final int MAX_FRAME_BYTES = 64 << 10;
    private static final int LENGTH_AT = 2;
    private static final int LENGTH_BYTES = 2;
    private static final int LOOPS = 2;

    private static final WebSocketServerProtocolConfig WEB_SOCKET = WebSocketServerProtocolConfig.newBuilder()
            .websocketPath("/ws")
            .checkStartsWith(true)
            .build();

    private final MultiThreadIoEventLoopGroup acceptor =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(LOOPS, EpollIoHandler.newFactory());
    private final BeatHandler beats = new BeatHandler();
    private final Channel tcp;
    private final Channel webSocket;

    /**
     * Starts listening on two free ports of the loopback address.
     *
     * @param idleMillis silence after which a connection is closed
     * @param tls what the TCP listener speaks; null: in the clear
     */
    BaselineServer(long idleMillis, @Nullable SslContext tls) {
        tcp = listen(pipeline -> {
            if (tls != null) {
                pipeline.addLast(tls.newHandler(pipeline.channel().alloc()));
            }
            pipeline.addLast(idleState(idleMillis))
                    .addLast(new LengthFieldBasedFrameDecoder(MAX_FRAME_BYTES, LENGTH_AT, LENGTH_BYTES))
                    .addLast(beats);
        });
        webSocket = listen(pipeline -> pipeline.addLast(idleState(idleMillis))
                .addLast(new HttpServerCodec())
                .addLast(new HttpObjectAggregator(MAX_FRAME_BYTES))
                .addLast(new WebSocketServerProtocolHandler(WEB_SOCKET))
                .addLast(beats));
    }

    private Channel listen(Consumer<ChannelPipeline> handlers) {
        return new ServerBootstrap()
                .group(acceptor, loops)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 4096)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        handlers.accept(channel.pipeline());
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    private static IdleStateHandler idleState(long millis) {
        return new IdleStateHandler(millis, millis, millis, TimeUnit.MILLISECONDS);
    }

    InetSocketAddress tcp() {
        return (InetSocketAddress) tcp.localAddress();
    }

    InetSocketAddress webSocket() {
        return (InetSocketAddress) webSocket.localAddress();
    }

    @Override
    public void close() {
        tcp.close();
        webSocket.close();
        acceptor.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }

    /** Answers each frame or message in its own buffer, flushes once a batch, and closes who fell silent. */
    @Sharable
    private static final class BeatHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof ByteBuf frame) {
                // the answer's type follows the question's: HELLO 1, WELCOME 2, PING 3, PONG 4, DATA 5, ACK 6
                frame.setByte(frame.readerIndex(), frame.getByte(frame.readerIndex()) + 1);
            }
            ctx.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof IdleStateEvent idle && idle.state() == IdleState.READER_IDLE) {
                ctx.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    /**
     * The server as a process; it ends with its standard input.
     *
     * @param args milliseconds of silence after which it closes, a file that gets the ports as name=host:port, and for TLS a certificate's and a key's
     */
    public static void main(String[] args) throws Exception {
        SslContext tls = args.length < 4
                ? null
                : SslContextBuilder.forServer(new File(args[2]), new File(args[3]))
                        .sslProvider(SslProvider.OPENSSL_REFCNT)
                        .build();
        try (BaselineServer server = new BaselineServer(Long.parseLong(args[0]), tls)) {
            Path file = Path.of(args[1]);
            Path whole = Path.of(args[1] + ".part");
            Files.writeString(whole, line("tcp", server.tcp()) + line("websocket", server.webSocket()));
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private static String line(String name, InetSocketAddress address) {
        return name + '=' + address.getAddress().getHostAddress() + ':' + address.getPort() + '\n';
    }
}
