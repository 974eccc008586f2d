package io.heartwheel.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The direct write is taken only where nothing can be overtaken and nobody is left out, on real sockets of this machine. */
class WriteQueueTest {
    private static final int BEAT_BYTES = 12;
    private static final int FLOOD_BYTES = 64 << 20;

    private final MultiThreadIoEventLoopGroup loops = loops();
    private final CompletableFuture<ChannelHandlerContext> accepted = new CompletableFuture<>();
    private Socket peer = new Socket();
    private ChannelHandlerContext ctx;

    private static MultiThreadIoEventLoopGroup loops() {
        Epoll.ensureAvailability();
        return new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    }

    @BeforeEach
    void connect() throws Exception {
        Channel listener = new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast("last", new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelActive(ChannelHandlerContext own) {
                                accepted.complete(own);
                            }
                        });
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        peer = new Socket(InetAddress.getLoopbackAddress(), ((InetSocketAddress) listener.localAddress()).getPort());
        peer.setSoTimeout(10_000);
        ctx = accepted.get(10, TimeUnit.SECONDS);
    }

    @AfterEach
    void end() throws Exception {
        peer.close();
        // releases what was never sent, which the end of the loop alone does not always do
        assertTrue(ctx.channel().close().await(10, TimeUnit.SECONDS));
        onLoop(() -> null);
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private <T> T onLoop(Callable<T> task) throws Exception {
        return ctx.executor().submit(task).get(10, TimeUnit.SECONDS);
    }

    private static ByteBuf beat() {
        return Unpooled.directBuffer(BEAT_BYTES).writeZero(BEAT_BYTES - 1).writeByte(7);
    }

    private int writePast(ByteBuf bytes) throws Exception {
        try {
            return onLoop(() -> WriteQueue.writePast(ctx, bytes));
        } finally {
            bytes.release();
        }
    }

    @Test
    void writePast_nothingWaits_isWithThePeerWithoutAFlush() throws Exception {
        assertEquals(BEAT_BYTES, writePast(beat()));
        assertEquals(7, peer.getInputStream().readNBytes(BEAT_BYTES)[BEAT_BYTES - 1]);
        assertEquals(0, onLoop(() -> WriteQueue.pendingBytes(ctx)));
    }

    /** Whatever was written before, flushed or not, is not overtaken. */
    @Test
    void writePast_somethingWaits_takesNothing() throws Exception {
        onLoop(() -> ctx.write(beat()));
        assertEquals(0, writePast(beat()));
        onLoop(() -> ctx.writeAndFlush(Unpooled.directBuffer(FLOOD_BYTES).writeZero(FLOOD_BYTES)));
        assertTrue(onLoop(() -> WriteQueue.pendingBytes(ctx)) > 0);
        assertEquals(0, writePast(beat()));
    }

    /** TLS, and whoever else may have to see what is written. */
    @Test
    void writePast_anotherHandlerStandsBefore_takesNothing() throws Exception {
        onLoop(() -> ctx.pipeline().addFirst("tls", new ChannelInboundHandlerAdapter()));
        assertEquals(0, writePast(beat()));
        onLoop(() -> ctx.pipeline().remove("tls"));
        assertEquals(BEAT_BYTES, writePast(beat()));
    }

    @Test
    void writePast_theSocketTakesAPart_tellsHowMuch() throws Exception {
        ByteBuf flood = Unpooled.directBuffer(FLOOD_BYTES).writeZero(FLOOD_BYTES);
        int taken = writePast(flood);
        assertTrue(taken > 0 && taken < FLOOD_BYTES, () -> "taken: " + taken);
        int more = 0;
        for (int last = writePast(beat()); last > 0; last = writePast(beat())) {
            more += last; // the kernel moves what it holds to the peer's buffer, until that is full too
        }
        assertEquals(taken + more, peer.getInputStream().readNBytes(taken + more).length);
    }

    /** The channel's own write finds it broken, so that there is one way in which a connection ends by that. */
    @Test
    void writePast_theSocketIsBroken_takesNothing() throws Exception {
        peer.setSoLinger(true, 0);
        peer.close();
        int taken = BEAT_BYTES;
        for (int i = 0; i < 100 && taken > 0; i++) {
            taken = writePast(beat());
        }
        assertEquals(0, taken);
    }

    @Test
    void writePast_outputIsShutDown_takesNothing() throws Exception {
        onLoop(() -> ((io.netty.channel.epoll.EpollSocketChannel) ctx.channel()).shutdownOutput())
                .await(10, TimeUnit.SECONDS);
        assertEquals(0, writePast(beat()));
    }

    @Test
    void writePast_bytesOnTheHeapOrNoSocket_takesNothing() throws Exception {
        assertEquals(0, writePast(Unpooled.wrappedBuffer(new byte[BEAT_BYTES])));
        EmbeddedChannel embedded = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
        ByteBuf bytes = beat();
        assertEquals(0, WriteQueue.writePast(embedded.pipeline().firstContext(), bytes));
        bytes.release();
        assertNull(embedded.readOutbound());
    }
}
