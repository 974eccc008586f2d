package io.heartwheel.process;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Peers that send the same bytes again and again, as fast as their socket takes them, on one thread. What each ended with is kept. */
final class Flooders implements AutoCloseable {
    /** Written at once. */
    private static final int CHUNK_BYTES = 16 << 10;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final List<Channel> channels = new ArrayList<>();
    private final AtomicInteger begun = new AtomicInteger();
    /** The code in the last frame of each that has ended; 0 if it had none. */
    final ConcurrentLinkedQueue<Integer> endedWith = new ConcurrentLinkedQueue<>();

    /**
     * Kind of flood.
     *
     * @param hello what is said first, before the flood
     * @param flood whole frames
     * @param hears whether it reads what it is told
     */
    record Kind(byte[] hello, byte[] flood, boolean hears) {}

    /** Connects one more. */
    void connect(InetSocketAddress gateway, Kind kind) throws Exception {
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.ALLOCATOR, new UnpooledByteBufAllocator(true, true))
                .option(ChannelOption.SO_LINGER, 0)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Flooder(kind));
                    }
                });
        channels.add(bootstrap.connect(gateway).sync().channel());
    }

    /** How many have had an answer to what they said first, and flood. */
    int begun() {
        return begun.get();
    }

    @Override
    public void close() {
        channels.forEach(Channel::close);
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }

    private final class Flooder extends ChannelInboundHandlerAdapter {
        private final Kind kind;
        private final ByteBuf chunk;
        private boolean welcome;
        private long last;
        private int code;

        Flooder(Kind kind) {
            this.kind = kind;
            int times = Math.max(1, CHUNK_BYTES / kind.flood().length);
            chunk = Unpooled.directBuffer(times * kind.flood().length);
            for (int i = 0; i < times; i++) {
                chunk.writeBytes(kind.flood());
            }
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.writeAndFlush(Unpooled.wrappedBuffer(kind.hello()));
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf in = (ByteBuf) message;
            while (in.isReadable()) {
                last = last << 8 | in.readUnsignedByte();
                if (isClose()) {
                    code = (int) (last & 0xFFFF);
                }
            }
            in.release();
            if (!welcome) {
                welcome = true;
                begun.incrementAndGet();
                ctx.channel().config().setAutoRead(kind.hears());
                flood(ctx);
            }
        }

        /** CLOSE, flags 0, a length below 126, a code of our range; or a close frame of WebSocket with such a length and code. */
        private boolean isClose() {
            int code = (int) (last & 0xFFFF);
            boolean frame = (last >>> 16 & 0xFFFFFF80L) == 0x08000000L;
            boolean close = (last >>> 16 & 0xFF80L) == 0x8800L;
            return code >= 4000 && code < 4600 && (frame || close);
        }

        private void flood(ChannelHandlerContext ctx) {
            while (ctx.channel().isActive() && ctx.channel().isWritable()) {
                ctx.writeAndFlush(chunk.retainedDuplicate(), ctx.voidPromise());
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (welcome) {
                flood(ctx);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            endedWith.add(code);
            chunk.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable broken) {
            ctx.close();
        }
    }
}
