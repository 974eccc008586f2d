package io.heartwheel.protocol;

import io.heartwheel.event.Evidence;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.channel.uring.IoUringTcpInfo;
import io.netty.util.concurrent.FastThreadLocal;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel knows of a connection (TCP_INFO), on the transports that can ask it. One system call each, about a microsecond. Event loop of the
 * channel only.
 */
final class KernelView {
    private static final FastThreadLocal<EpollTcpInfo> EPOLL = new FastThreadLocal<>() {
        @Override
        protected EpollTcpInfo initialValue() {
            return new EpollTcpInfo();
        }
    };

    private static final FastThreadLocal<IoUringTcpInfo> IO_URING = new FastThreadLocal<>() {
        @Override
        protected IoUringTcpInfo initialValue() {
            return new IoUringTcpInfo();
        }
    };

    private KernelView() {}

    /** When it last took in a byte of the peer, milliseconds ago; -1 if this transport cannot tell. */
    static long lastHeardMillisAgo(Channel channel) {
        Evidence.Path path = path(channel);
        return path == null ? -1 : path.lastDataInMillisAgo();
    }

    /** All of it; null if this transport cannot tell or the socket is gone. */
    static Evidence.@Nullable Path path(Channel channel) {
        if (!channel.isOpen()) {
            return null;
        }
        try {
            if (channel instanceof EpollSocketChannel epoll) {
                return of(epoll);
            }
            return channel instanceof IoUringSocketChannel uring ? of(uring) : null;
        } catch (ChannelException gone) {
            return null; // the socket ended between the look and the question
        }
    }

    private static Evidence.Path of(EpollSocketChannel channel) {
        EpollTcpInfo info = EPOLL.get();
        channel.tcpInfo(info);
        return new Evidence.Path(
                info.rtt(),
                info.rttvar(),
                info.retransmits(),
                info.totalRetrans(),
                info.unacked(),
                info.lastDataRecv(),
                info.lastAckRecv());
    }

    private static Evidence.Path of(IoUringSocketChannel channel) {
        IoUringTcpInfo info = IO_URING.get();
        channel.tcpInfo(info);
        return new Evidence.Path(
                info.rtt(),
                info.rttvar(),
                info.retransmits(),
                info.totalRetrans(),
                info.unacked(),
                info.lastDataRecv(),
                info.lastAckRecv());
    }
}
