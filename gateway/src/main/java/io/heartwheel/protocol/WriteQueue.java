package io.heartwheel.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Socket;
import java.io.IOException;

/**
 * Write queue of a channel, and the way past it for the answer to a lone heartbeat.
 *
 * <pre>
 *   pipeline --&gt; queue: an entry for each write, and references of old objects to it, which the collector follows --&gt; send
 *       +------- nothing waits, nobody else stands in the pipeline ------------------------------------------------&gt; send
 * </pre>
 *
 * Event loop of the channel only.
 */
final class WriteQueue {
    private WriteQueue() {}

    /** Bytes that the socket has not taken, as the channel counts them; 0 of one that writes no more. */
    static long pendingBytes(ChannelHandlerContext ctx) {
        ChannelOutboundBuffer queue = ctx.channel().unsafe().outboundBuffer();
        return queue == null ? 0 : queue.totalPendingWriteBytes();
    }

    /** Of the first that waits, the bytes taken. */
    static long currentProgressBytes(ChannelHandlerContext ctx) {
        ChannelOutboundBuffer queue = ctx.channel().unsafe().outboundBuffer();
        return queue == null ? 0 : queue.currentProgress();
    }

    /**
     * Writes into the socket as much as it takes now, with epoll and in the clear; moves no index.
     *
     * @return bytes taken, 0 or more: the rest is for the queue, and so are all of them where something waits or the socket is broken
     */
    static int writePast(ChannelHandlerContext ctx, ByteBuf bytes) {
        if (!(ctx.channel() instanceof EpollSocketChannel channel)
                || !bytes.hasMemoryAddress()
                || ctx.pipeline().firstContext() != ctx) {
            return 0;
        }
        ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
        if (queue == null || queue.totalPendingWriteBytes() != 0) {
            return 0;
        }
        try {
            return ((Socket) channel.fd()).sendAddress(bytes.memoryAddress(), bytes.readerIndex(), bytes.writerIndex());
        } catch (IOException broken) {
            return 0; // the channel meets it with its own write, and ends by that
        }
    }
}
