package io.heartwheel.transport.tls;

import io.heartwheel.protocol.Connection;
import io.heartwheel.protocol.ReadPauses;
import io.heartwheel.session.NewcomerQueue;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * Netty's TLS handler, which also tells the connection of bytes that came and cannot be deciphered yet, because their record has not ended: a record
 * may be 16 KB, which a slow peer sends for minutes, and the engine keeps to itself what it has of it.
 *
 * <pre>
 *   socket --&gt; counts along: 5 bytes of header, as many as it says, and again --&gt; TLS --&gt; connection, when a record has ended
 *                 |                                                                            ^
 *                 +----------- bytes of a record that has not ended -------------------------+
 * </pre>
 *
 * Loop only.
 */
final class RecordHandler extends SslHandler {
    private static final int HEADER_BYTES = 5;

    /** Of the header of the record under way, the bytes that are here. */
    private byte headerBytes;
    /** Of its content, the bytes that are not. While the header comes, what of that is known. */
    private int missingBytes;
    /** Bytes of the handshake came that have been looked at. */
    private boolean begun;
    /** Bytes of the handshake, for which the loop had no time yet. */
    private @Nullable ByteBuf waiting;

    RecordHandler(SSLEngine engine) {
        super(engine);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf in
                && !handshakeFuture().isDone()
                && ctx.pipeline().last() instanceof Connection connection) {
            NewcomerQueue newcomers = connection.sessionContext().stats().newcomers();
            if (newcomers != null) {
                shakeHands(ctx, in, connection, newcomers);
                return;
            }
        }
        take(ctx, message);
    }

    /** A handshake takes half a millisecond: in its turn, and in the loop's time for newcomers. */
    private void shakeHands(ChannelHandlerContext ctx, ByteBuf in, Connection connection, NewcomerQueue newcomers) {
        if (waiting == null && newcomers.hasTime()) {
            newcomers.add(() -> take(ctx, in));
            return;
        }
        ByteBuf before = waiting;
        waiting = before == null ? in : MERGE_CUMULATOR.cumulate(ctx.alloc(), before, in);
        ReadPauses.turn(connection, true);
        if (before == null) {
            newcomers.add(() -> turn(ctx));
        }
    }

    private void turn(ChannelHandlerContext ctx) {
        ByteBuf in = waiting;
        if (in == null) {
            return;
        }
        waiting = null;
        if (ctx.pipeline().last() instanceof Connection connection) {
            ReadPauses.turn(connection, false);
        }
        take(ctx, in);
        channelReadComplete(ctx);
    }

    private void take(ChannelHandlerContext ctx, Object message) {
        begun = true;
        boolean wasOpen = handshakeFuture().isDone();
        int unended = message instanceof ByteBuf in ? follow(in) : 0;
        try {
            super.channelRead(ctx, message);
        } catch (Exception failed) {
            ctx.fireExceptionCaught(failed);
        }
        if (!wasOpen && handshakeFuture().isSuccess()) {
            forgetOffers();
        }
        if (ctx.pipeline().last() instanceof Connection connection) {
            connection.undeciphered(unended);
        }
    }

    /** The versions that were on offer: there is no second handshake, and Netty would keep a node of a set for each. */
    private void forgetOffers() {
        if (engine() instanceof ReferenceCountedOpenSslEngine boring && boring.sslPointer() != 0) {
            boring.setEnabledProtocols(new String[0]);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (waiting != null) {
            return; // it would read on, as long as the handshake lasts
        }
        try {
            super.channelReadComplete(ctx);
        } catch (Exception failed) {
            ctx.fireExceptionCaught(failed);
        }
    }

    /** Who has begun, said its last and left is heard; who leaves before anything was computed for it costs nothing more. */
    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        ByteBuf left = waiting;
        waiting = null;
        if (left != null && begun) {
            take(ctx, left);
        } else if (left != null) {
            left.release();
        }
        super.channelInactive(ctx);
    }

    /** Follows the records; answers how many of these bytes are of one that does not end here. */
    private int follow(ByteBuf in) {
        int at = in.readerIndex();
        int end = in.writerIndex();
        int begun = at;
        while (at < end) {
            if (headerBytes < HEADER_BYTES) {
                header(in.getUnsignedByte(at++));
            } else {
                int here = Math.min(missingBytes, end - at);
                at += here;
                missingBytes -= here;
            }
            if (headerBytes == HEADER_BYTES && missingBytes == 0) {
                headerBytes = 0;
                begun = at;
            }
        }
        return end - begun;
    }

    /** One more byte of it: the type, two of the version, two of the length. */
    private void header(int next) {
        headerBytes++;
        missingBytes = headerBytes < HEADER_BYTES - 1 ? 0 : (missingBytes << 8) | next;
    }
}
