package io.heartwheel.transport.tls;

import io.heartwheel.protocol.Connection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLEngine;

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

    RecordHandler(SSLEngine engine) {
        super(engine);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        int unended = message instanceof ByteBuf in ? follow(in) : 0;
        super.channelRead(ctx, message);
        if (ctx.pipeline().last() instanceof Connection connection) {
            connection.undeciphered(unended);
        }
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
