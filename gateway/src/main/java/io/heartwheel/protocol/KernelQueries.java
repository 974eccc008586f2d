package io.heartwheel.protocol;

import io.heartwheel.event.Evidence;
import io.heartwheel.net.TcpInfo;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.uring.IoUringSocketChannel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Questions to the kernel about the socket of a connection, on the transports that can ask. One system call each, about a microsecond. Event loop of the
 * channel only.
 */
final class KernelQueries {
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;

    private static final RawUnixChannelOption OPTION =
            new RawUnixChannelOption("TCP_INFO", IPPROTO_TCP, TCP_INFO, TcpInfo.LENGTH);

    private static final int SOL_SOCKET = 1;
    private static final int SO_MEMINFO = 55; // since Linux 4.12
    /** Of its nine numbers the first: memory of what came and was not read, out of order or not; 0 if nothing waits. */
    private static final RawUnixChannelOption MEMORY =
            new RawUnixChannelOption("SO_MEMINFO", SOL_SOCKET, SO_MEMINFO, 9 * Integer.BYTES);

    private KernelQueries() {}

    /**
     * Whether nothing of the peer lies unread in the socket. Never said of io_uring: there what was received may lie in the ring.
     */
    static boolean nothingUnread(Channel channel) {
        if (!(channel instanceof EpollSocketChannel) || !channel.isOpen()) {
            return false;
        }
        try {
            ByteBuffer memory = channel.config().getOption(MEMORY).order(ByteOrder.nativeOrder());
            return memory.remaining() >= Integer.BYTES && memory.getInt(0) == 0;
        } catch (ChannelException unknown) {
            return false; // an old kernel, or the socket ended between the look and the question
        }
    }

    /** When it last took in a byte of the peer, milliseconds ago; -1 if this transport cannot tell. */
    static long lastHeardMillisAgo(Channel channel) {
        TcpInfo info = ask(channel);
        return info == null ? -1 : info.lastDataMillisAgo();
    }

    /**
     * Bytes that the peer's kernel has acknowledged since the connection was made; -1 if this transport cannot tell. A kernel older than 4.1 says 0 for
     * ever, which is no progress.
     */
    static long acknowledgedBytes(Channel channel) {
        TcpInfo info = ask(channel);
        return info == null ? -1 : info.acknowledgedBytes();
    }

    /** What explains a close; null if this transport cannot tell or the socket is gone. */
    static Evidence.@Nullable Path path(Channel channel) {
        TcpInfo info = ask(channel);
        return info == null
                ? null
                : new Evidence.Path(
                        info.rttMicros(),
                        info.rttVarianceMicros(),
                        info.retransmits(),
                        info.totalRetransmits(),
                        info.unackedSegments(),
                        info.unsentBytes(),
                        info.lastDataMillisAgo(),
                        info.lastAckMillisAgo(),
                        info.acknowledgedBytes());
    }

    private static @Nullable TcpInfo ask(Channel channel) {
        boolean tells = channel instanceof EpollSocketChannel || channel instanceof IoUringSocketChannel;
        if (!tells || !channel.isOpen()) {
            return null;
        }
        try {
            return new TcpInfo(channel.config().getOption(OPTION));
        } catch (ChannelException gone) {
            return null; // the socket ended between the look and the question
        }
    }
}
