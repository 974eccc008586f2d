package io.heartwheel.protocol.websocket;

import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.protocol.ReadPauses;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of a request whose head has not ended, as they came. A parsed header takes ten times the memory of its bytes, so the parser gets them when
 * they can be acted on: the first line at once, the rest with the empty line that ends it, or when there is more of it than there may be.
 *
 * <pre>
 *   LINE --first line feed--&gt; HEADERS --empty line, or too long--&gt; all handed on, this handler leaves
 *   handed on as it comes     held here, counted as unfinished
 * </pre>
 *
 * A whole head is taken apart, and with it the connection upgraded, when the loop has time for newcomers.
 *
 * <p>Owner: the channel's event loop.
 */
final class RequestHead extends ChannelInboundHandlerAdapter {
    private static final int LEAST_BYTES = 256;

    private final UpgradeConnection connection;
    private final int mostBytes;
    private @Nullable ByteBuf held;
    private boolean behindFirstLine;
    /** All of it is here or more than may be, and it is the loop's to go on. */
    private boolean ended;
    /** Of the line under way: all bytes of the first, of a later one those that are no line end. */
    private int lineBytes;

    /** @param mostBytes of a head; with more the parser is left to say that it is too long */
    RequestHead(UpgradeConnection connection, int mostBytes) {
        this.connection = connection;
        this.mostBytes = mostBytes;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (connection.state() == ConnectionState.CLOSED) {
            in.release();
        } else if (ended) {
            hold(ctx, in);
        } else if (held == null && lineBytes == 0 && !behindFirstLine && endsWithEmptyLine(in)) {
            whole(ctx, in); // the commonest: a whole request in one read
        } else if (!behindFirstLine) {
            firstLine(ctx, in);
        } else {
            headers(ctx, in);
        }
    }

    /** Handed on as it comes, so that what is no HTTP is refused as early as can be. */
    private void firstLine(ChannelHandlerContext ctx, ByteBuf in) {
        int feed = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
        if (feed < 0) {
            lineBytes += in.readableBytes();
            connection.heldMore(in.readableBytes());
            ctx.fireChannelRead(in);
            return;
        }
        // an empty line before the first is for the parser to forgive
        behindFirstLine = lineBytes + feed - in.readerIndex() > 1;
        connection.heldMore(-lineBytes);
        lineBytes = 0;
        ByteBuf line = in.readRetainedSlice(feed + 1 - in.readerIndex());
        ctx.fireChannelRead(line);
        if (in.isReadable()) {
            channelRead(ctx, in);
        } else {
            in.release();
        }
    }

    private void headers(ChannelHandlerContext ctx, ByteBuf in) {
        boolean whole = endsWithEmptyLine(in);
        hold(ctx, in);
        if (held != null && (whole || held.readableBytes() > mostBytes)) {
            ended = true;
            ReadPauses.takeInTurn(connection, () -> handOnHeld(ctx));
        }
    }

    private void whole(ChannelHandlerContext ctx, ByteBuf in) {
        ended = true;
        if (ReadPauses.hasTurn(connection)) {
            ReadPauses.takeInTurn(connection, () -> handOnAll(ctx, in));
            return;
        }
        hold(ctx, in);
        if (held != null) {
            ReadPauses.takeInTurn(connection, () -> handOnHeld(ctx));
        }
    }

    private void handOnHeld(ChannelHandlerContext ctx) {
        ByteBuf all = held;
        if (all != null) {
            held = null;
            connection.heldMore(-all.capacity());
            handOnAll(ctx, all);
        }
    }

    private static void handOnAll(ChannelHandlerContext ctx, ByteBuf bytes) {
        ctx.fireChannelRead(bytes);
        if (!ctx.isRemoved()) {
            ctx.pipeline().remove(ctx.handler());
        }
    }

    /** Whether an empty line is among these bytes or ends with them. */
    private boolean endsWithEmptyLine(ByteBuf in) {
        int line = behindFirstLine ? lineBytes : 0;
        boolean any = behindFirstLine;
        for (int i = in.readerIndex(); i < in.writerIndex(); i++) {
            byte octet = in.getByte(i);
            if (octet == '\n' && line == 0 && any) {
                return true;
            } else if (octet == '\n') {
                any |= line > 0;
                line = 0;
            } else if (octet != '\r') {
                line++;
            }
        }
        if (behindFirstLine) {
            lineBytes = line;
        }
        return false;
    }

    private void hold(ChannelHandlerContext ctx, ByteBuf in) {
        ByteBuf all = held;
        int before = all == null ? 0 : all.capacity();
        try {
            if (all == null) {
                all = ctx.alloc().buffer(Math.max(LEAST_BYTES, in.readableBytes()));
                held = all;
            }
            all.writeBytes(in);
        } finally {
            in.release();
        }
        connection.heldMore(all.capacity() - before);
    }

    /** What it takes, with what the parser holds of a first line. */
    int capacity() {
        int line = behindFirstLine ? 0 : lineBytes;
        return held == null ? line : line + held.capacity();
    }

    /** Lets go of it. */
    void drop() {
        lineBytes = 0;
        if (held != null) {
            held.release();
            held = null;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        ByteBuf all = held;
        held = null;
        if (all != null) {
            connection.heldMore(-all.capacity());
            if (ended) {
                all.release(); // nobody is there to be answered
            } else {
                ctx.fireChannelRead(all); // the parser is to see how far it came
            }
        }
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        connection.heldMore(-capacity());
        drop();
    }
}
