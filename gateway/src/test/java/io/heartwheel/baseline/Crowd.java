package io.heartwheel.baseline;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Many clients on one event loop: they connect, keep quiet, and beat when told to, each in its turn, at a rate that does not depend on the server.
 * All state belongs to the loop; the methods may be called by any one thread and wait.
 */
final class Crowd implements AutoCloseable {
    private static final int MOST_UNDER_WAY = 256;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** The longest without progress. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final Wire wire;
    private final int intervalMillis;
    private final InetSocketAddress server;
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private final Bootstrap bootstrap;
    private final ByteBuf beatBytes;
    private final ByteBuf beat;

    private final List<Channel> open = new ArrayList<>();
    private int begun;
    private int failed;
    private int lost;
    private long bytesIn;

    /**
     * What became of a round of heartbeats.
     *
     * @param lateMicros the most that sending lagged behind its plan
     * @param lost connections that ended meanwhile
     */
    record Round(long sent, long answered, long lateMicros, long nanos, int lost) {}

    /**
     * Nobody yet.
     *
     * @param intervalMillis the heartbeat that each client asks for, where the wire has it
     * @param tls what the clients speak; null: in the clear
     */
    Crowd(Wire wire, int intervalMillis, InetSocketAddress server, SslContext tls) {
        this.wire = wire;
        this.intervalMillis = intervalMillis;
        this.server = server;
        beatBytes = Unpooled.directBuffer().writeBytes(wire.beat());
        beat = Unpooled.unreleasableBuffer(beatBytes);
        bootstrap = new Bootstrap()
                .group(group)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                // reset at the end: no port waits
                .option(ChannelOption.SO_LINGER, 0)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (tls != null) {
                            SslHandler handler = tls.newHandler(channel.alloc());
                            handler.setHandshakeTimeoutMillis(0); // the server's deadline rules
                            channel.pipeline().addLast(handler);
                        }
                        channel.pipeline().addLast(new Member("device-" + (1_000_000 + begun++)));
                    }
                });
    }

    /**
     * Connects and says hello.
     *
     * @return how many are there then
     */
    int gather(int count, int perSecond) throws Exception {
        int before = settled();
        long startNanos = System.nanoTime();
        long progressNanos = startNanos;
        int asked = 0;
        int done = 0;
        while (done < count && System.nanoTime() - progressNanos < PATIENCE_NANOS) {
            long due = Math.min(count, (System.nanoTime() - startNanos) * perSecond / 1_000_000_000L);
            for (; asked < due && asked - done < MOST_UNDER_WAY; asked++) {
                bootstrap.connect(server).addListener(connected -> failed += connected.isSuccess() ? 0 : 1);
            }
            TimeUnit.NANOSECONDS.sleep(STEP_NANOS);
            int doneBefore = done;
            done = settled() - before;
            progressNanos = done > doneBefore ? System.nanoTime() : progressNanos;
        }
        return loop.submit(open::size).get();
    }

    private int settled() throws Exception {
        return loop.submit(() -> open.size() + failed).get();
    }

    /** Sends so many heartbeats a second for so many seconds, spread evenly over the clients, and waits for the answers. */
    Round beat(int perSecond, double seconds) throws Exception {
        CompletableFuture<Round> done = new CompletableFuture<>();
        loop.execute(() -> new Beating(perSecond, seconds, done).start());
        return done.get((long) (seconds * 1e9) + PATIENCE_NANOS, TimeUnit.NANOSECONDS);
    }

    private final class Beating implements Runnable {
        private final long count;
        private final double nanosEach;
        private final CompletableFuture<Round> done;
        private final long startNanos = System.nanoTime();
        private final long bytesBefore = bytesIn;
        private final int lostBefore = lost;
        private long sent;
        private long lateNanos;
        private long sentNanos;
        private Future<?> timer = CompletableFuture.completedFuture(null);

        Beating(int perSecond, double seconds, CompletableFuture<Round> done) {
            count = (long) (perSecond * seconds);
            nanosEach = 1e9 / perSecond;
            this.done = done;
        }

        void start() {
            timer = loop.scheduleAtFixedRate(this, 0, STEP_NANOS, TimeUnit.NANOSECONDS);
        }

        @Override
        public void run() {
            long nowNanos = System.nanoTime() - startNanos;
            if (sent < count && !open.isEmpty()) {
                lateNanos = Math.max(lateNanos, nowNanos - (long) (sent * nanosEach));
                long due = Math.min(count, (long) (nowNanos / nanosEach) + 1);
                for (; sent < due; sent++) {
                    Channel channel = open.get((int) (sent % open.size()));
                    channel.writeAndFlush(beat.duplicate(), channel.voidPromise());
                }
                sentNanos = nowNanos;
                return;
            }
            long answered = (bytesIn - bytesBefore) / wire.beatReplyBytes();
            if (answered >= sent || nowNanos - sentNanos > PATIENCE_NANOS / 4) {
                timer.cancel(false);
                done.complete(new Round(sent, answered, lateNanos / 1_000, sentNanos, lost - lostBefore));
            }
        }
    }

    /** All leave at once. */
    void scatter() throws Exception {
        loop.submit(() -> {
                    List<Channel> leaving = List.copyOf(open);
                    open.clear();
                    leaving.forEach(Channel::close);
                })
                .get();
    }

    /** Connections that could not be made or ended by themselves. */
    int lost() throws Exception {
        return loop.submit(() -> lost + failed).get();
    }

    @Override
    public void close() throws Exception {
        scatter();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        beatBytes.release();
    }

    /** One client; it is open once the last byte of its welcome has come. */
    private final class Member extends ChannelInboundHandlerAdapter {
        private static final int END_OF_HEAD = 0x0d0a0d0a;

        private final String deviceId;
        private boolean upgrading = wire.upgrades();
        private int headTail;
        private int welcomeLeft;
        private boolean welcome;

        Member(String deviceId) {
            this.deviceId = deviceId;
            welcomeLeft = wire.helloReplyBytes(deviceId);
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            if (upgrading) {
                ctx.writeAndFlush(Unpooled.wrappedBuffer(wire.upgradeRequest(deviceId, intervalMillis)));
            } else {
                sayHello(ctx);
            }
        }

        private void sayHello(ChannelHandlerContext ctx) {
            byte[] hello = wire.hello(deviceId, intervalMillis);
            if (hello.length > 0) {
                ctx.writeAndFlush(Unpooled.wrappedBuffer(hello));
            }
            takeWelcome(ctx, 0);
        }

        private void takeWelcome(ChannelHandlerContext ctx, int bytes) {
            welcomeLeft -= bytes;
            if (welcomeLeft <= 0) {
                welcome = true;
                open.add(ctx.channel());
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf in = (ByteBuf) message;
            while (upgrading && in.isReadable()) {
                headTail = headTail << 8 | in.readUnsignedByte();
                if (headTail == END_OF_HEAD) {
                    upgrading = false;
                    sayHello(ctx);
                }
            }
            if (welcome) {
                bytesIn += in.readableBytes();
            } else if (!upgrading && in.isReadable()) {
                takeWelcome(ctx, in.readableBytes());
            }
            in.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (!welcome) {
                failed++;
            } else if (open.remove(ctx.channel())) {
                lost++;
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
