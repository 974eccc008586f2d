package io.heartwheel.process;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One device of a {@link Herd} and its report. The herd's loop only. */
final class HerdDevice extends ByteToMessageDecoder {
    private static final int HEADER_BYTES = 4;
    private static final ByteBuf PING = Unpooled.unreleasableBuffer(
            Unpooled.directBuffer().writeBytes(WireFrame.encode(WireFrame.PING, 0, (byte) 7)));

    private final Herd herd;
    private final String id;

    private Channel channel;
    private boolean welcome;
    private boolean silent;
    private boolean answersOnly;
    private long intervalNanos;
    private int graceHundredths;
    private long lastSentNanos;
    private long widestGapNanos;
    private long lastHeardNanos;
    private long endedNanos;
    private int code;
    private int pings;
    private int answered;
    private int pongs;

    HerdDevice(Herd herd, String id) {
        this.herd = herd;
        this.id = id;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        lastSentNanos = System.nanoTime();
        ctx.writeAndFlush(Unpooled.wrappedBuffer(WireFrame.hello(id)), ctx.voidPromise());
    }

    // ------------------------------------------------------------------ what it does

    /** Its promise, if it is one that beats. */
    void beat() {
        if (welcome && endedNanos == 0 && !silent && !answersOnly) {
            send(PING.duplicate());
        }
    }

    private void send(ByteBuf frame) {
        noteGap(System.nanoTime());
        channel.writeAndFlush(frame, channel.voidPromise());
    }

    private void noteGap(long nowNanos) {
        widestGapNanos = Math.max(widestGapNanos, nowNanos - lastSentNanos);
        lastSentNanos = nowNanos;
    }

    /** Not another byte, whatever comes. */
    void silence() {
        silent = true;
    }

    /** Says nothing unasked, as a browser's WebSocket. */
    void answerOnly() {
        answersOnly = true;
    }

    void leave() {
        if (channel != null) {
            channel.close();
        }
    }

    // ------------------------------------------------------------------ what it hears

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        lastHeardNanos = System.nanoTime();
        if (in.readableBytes() < HEADER_BYTES) {
            return;
        }
        int length = in.getUnsignedShort(in.readerIndex() + 2);
        if (in.readableBytes() < HEADER_BYTES + length) {
            return;
        }
        ByteBuf frame = in.readSlice(HEADER_BYTES + length);
        switch (frame.getUnsignedByte(0)) {
            case WireFrame.WELCOME -> welcome(frame);
            case WireFrame.PING -> ping(frame);
            case WireFrame.PONG -> pongs++;
            case WireFrame.CLOSE -> end(frame.getUnsignedShort(HEADER_BYTES));
            default -> {
                // nothing that the report counts
            }
        }
    }

    private void welcome(ByteBuf frame) {
        intervalNanos = TimeUnit.MILLISECONDS.toNanos(frame.getUnsignedInt(HEADER_BYTES + 2));
        graceHundredths = frame.getUnsignedShort(HEADER_BYTES + 6);
        welcome = true;
        herd.settled(true);
    }

    private void ping(ByteBuf frame) {
        pings++;
        if (!silent && endedNanos == 0) {
            answered++;
            send(frame.copy().setByte(0, WireFrame.PONG));
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        super.channelInactive(ctx);
        end(0);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable broken) {
        // a reset: a report without a code
        ctx.close();
    }

    private void end(int why) {
        if (endedNanos == 0) {
            endedNanos = System.nanoTime();
            code = why;
            widestGapNanos = Math.max(widestGapNanos, endedNanos - lastSentNanos);
            if (!welcome) {
                herd.settled(false);
            }
        }
    }

    // ------------------------------------------------------------------ the report

    boolean isOpen() {
        return welcome && endedNanos == 0;
    }

    boolean isSilent() {
        return silent;
    }

    DeviceReport report() {
        return new DeviceReport(
                id,
                silent,
                intervalNanos,
                graceHundredths,
                lastSentNanos,
                widestGapNanos,
                herd.stoodStillNanos(lastSentNanos),
                lastHeardNanos,
                endedNanos,
                code,
                pings,
                answered,
                pongs);
    }
}
