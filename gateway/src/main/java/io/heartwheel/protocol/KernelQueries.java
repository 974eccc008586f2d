package io.heartwheel.protocol;

import io.heartwheel.event.Evidence;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.Socket;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.FastThreadLocal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Questions to the kernel about the socket of a connection, on the transports that can ask. One system call each, about a microsecond. Event loop of the
 * channel only.
 *
 * <p>{@code struct tcp_info} of linux/tcp.h is read as it lies in memory, because Netty's own views of it end before the bytes acknowledged.
 */
final class KernelQueries {
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;

    // ---- where the fields of tcp_info lie; the kernel only ever adds behind them
    private static final int RETRANSMITS = 2; // u8
    private static final int UNACKED = 24; // u32 from here on
    private static final int LAST_DATA_RECV = 52;
    private static final int LAST_ACK_RECV = 56;
    private static final int RTT = 68;
    private static final int RTTVAR = 72;
    private static final int TOTAL_RETRANS = 100;
    private static final int BYTES_ACKED = 120; // u64; since Linux 4.1
    private static final int NOTSENT_BYTES = 144; // u32; since Linux 4.6

    private static final RawUnixChannelOption INFO =
            new RawUnixChannelOption("TCP_INFO", IPPROTO_TCP, TCP_INFO, NOTSENT_BYTES + Integer.BYTES);

    private static final int SOL_SOCKET = 1;
    private static final int SO_MEMINFO = 55; // since Linux 4.12

    /** Of its nine numbers the first: memory of what came and was not read, out of order or not; 0 if nothing waits. */
    private static final RawUnixChannelOption MEMORY =
            new RawUnixChannelOption("SO_MEMINFO", SOL_SOCKET, SO_MEMINFO, 9 * Integer.BYTES);

    private static final FastThreadLocal<ByteBuffer> ANSWER = new FastThreadLocal<>() {
        @Override
        protected ByteBuffer initialValue() {
            return ByteBuffer.allocateDirect(INFO.length()).order(ByteOrder.nativeOrder());
        }
    };

    private KernelQueries() {}

    /**
     * Whether nothing of the peer lies unread in the socket. Never said of io_uring: there what was received may lie in the ring.
     */
    static boolean nothingUnread(Channel channel) {
        ByteBuffer memory = channel instanceof EpollSocketChannel ? ask(channel, MEMORY) : null;
        return memory != null && memory.remaining() >= Integer.BYTES && memory.getInt(0) == 0;
    }

    /** When it last took in a byte of the peer, milliseconds ago; -1 if this transport cannot tell. */
    static long lastHeardMillisAgo(Channel channel) {
        ByteBuffer info = ask(channel, INFO);
        return info == null ? -1 : unsigned(info, LAST_DATA_RECV);
    }

    /**
     * Bytes that the peer's kernel has acknowledged since the connection was made; -1 if this transport cannot tell. A kernel older than 4.1 says 0 for
     * ever, which is no progress.
     */
    static long acknowledgedBytes(Channel channel) {
        ByteBuffer info = ask(channel, INFO);
        return info == null ? -1 : info.getLong(BYTES_ACKED);
    }

    /** What explains a close; null if this transport cannot tell or the socket is gone. */
    static Evidence.@Nullable Path path(Channel channel) {
        ByteBuffer info = ask(channel, INFO);
        return info == null
                ? null
                : new Evidence.Path(
                        unsigned(info, RTT),
                        unsigned(info, RTTVAR),
                        info.get(RETRANSMITS) & 0xFF,
                        unsigned(info, TOTAL_RETRANS),
                        unsigned(info, UNACKED),
                        unsigned(info, NOTSENT_BYTES),
                        unsigned(info, LAST_DATA_RECV),
                        unsigned(info, LAST_ACK_RECV),
                        info.getLong(BYTES_ACKED));
    }

    /** The answer is good until the next question of this thread. */
    private static @Nullable ByteBuffer ask(Channel channel, RawUnixChannelOption option) {
        if (!channel.isOpen()) {
            return null;
        }
        try {
            if (channel instanceof EpollSocketChannel epoll && epoll.fd() instanceof Socket socket) {
                return ask(socket, option);
            }
            return channel instanceof IoUringSocketChannel
                    ? channel.config().getOption(option).order(ByteOrder.nativeOrder())
                    : null;
        } catch (IOException | ChannelException unknown) {
            return null; // an old kernel, or the socket ended between the look and the question
        }
    }

    private static ByteBuffer ask(Socket socket, RawUnixChannelOption option) throws IOException {
        ByteBuffer answer = ANSWER.get();
        answer.clear().limit(option.length());
        for (int at = 0; at < option.length(); at += Integer.BYTES) {
            answer.putInt(at, 0); // an older kernel answers less
        }
        socket.getRawOpt(option.level(), option.optname(), answer);
        return answer.rewind();
    }

    private static long unsigned(ByteBuffer info, int at) {
        return Integer.toUnsignedLong(info.getInt(at));
    }
}
