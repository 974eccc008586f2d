package io.heartwheel.baseline;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** One client of a {@link MassCrowd}. Its loop only. */
final class MassMember extends ChannelInboundHandlerAdapter {
    /** Heartbeats under way, a power of two: a minute of four a second. */
    private static final int UNDER_WAY = 256;

    private final Wire wire;
    private final String deviceId;
    private final int intervalMillis;
    private final LongConsumer answered;
    private final long[] intendedNanos = new long[UNDER_WAY];

    private @Nullable ChannelHandlerContext context;
    private int welcomeLeft;
    private long lastSentNanos;
    private long endedNanos;
    private long sent;
    private long bytesIn;
    private long answers;

    /** @param answered hears of each answer when its heartbeat was meant to go out; of members that are silenced nothing is of use */
    MassMember(Wire wire, String deviceId, int intervalMillis, LongConsumer answered) {
        this.wire = wire;
        this.deviceId = deviceId;
        this.intervalMillis = intervalMillis;
        this.answered = answered;
        welcomeLeft = wire.helloReplyBytes(deviceId);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        ctx.writeAndFlush(Unpooled.wrappedBuffer(wire.hello(deviceId, intervalMillis)));
    }

    boolean isWelcome() {
        return welcomeLeft <= 0;
    }

    /** @param planNanos when it was meant to go out */
    void beat(ByteBuf frame, long planNanos) {
        if (context != null && endedNanos == 0) {
            intendedNanos[(int) (sent++ & (UNDER_WAY - 1))] = planNanos;
            lastSentNanos = System.nanoTime();
            context.writeAndFlush(frame, context.voidPromise());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        int bytes = in.readableBytes();
        in.release();
        int ofWelcome = Math.min(bytes, welcomeLeft);
        welcomeLeft -= ofWelcome;
        bytesIn += bytes - ofWelcome;
        for (; answers < sent && (answers + 1) * wire.beatReplyBytes() <= bytesIn; answers++) {
            answered.accept(intendedNanos[(int) (answers & (UNDER_WAY - 1))]);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        endedNanos = System.nanoTime();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }

    long lastSentNanos() {
        return lastSentNanos;
    }

    /** When it saw the end of its stream; 0 before. */
    long endedNanos() {
        return endedNanos;
    }
}
