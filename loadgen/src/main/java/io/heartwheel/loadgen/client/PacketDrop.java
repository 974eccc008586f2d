package io.heartwheel.loadgen.client;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Socket filter that drops all packets for one TCP socket, as if its device had vanished: no FIN, no reset, and not even the kernel acknowledges what the
 * peer sends. It needs no privilege, which a firewall rule would.
 *
 * <pre>
 *   peer --bytes--&gt; | filter: return 0 |   dropped before TCP sees them; the peer sends them again and again
 *   peer &lt;--------- what this side still sends goes through: the device itself must also be silent
 * </pre>
 *
 * <p>The filter is a classic BPF program (Linux, {@code Documentation/networking/filter.rst}) of one instruction, run for
 * each packet of this socket; 0 is the number of bytes to keep. It costs the kernel about a page a socket while it is
 * attached. Structures are laid out as every 64-bit Linux has them, x86_64 and aarch64 alike; epoll sockets only. What the
 * kernel took in before stays readable.
 *
 * <p>A socket with this filter that is closed stays behind in the kernel as an orphan, because the answer to its FIN is dropped too:
 * {@link #lift} it first, or {@link DeviceConnection#abort} it. Event loop of the channel only.
 */
public final class PacketDrop {

    private static final int SOL_SOCKET = 1;
    private static final int SO_ATTACH_FILTER = 26;
    private static final int SO_DETACH_FILTER = 27;

    /** BPF_RET | BPF_K: ends the program with the constant that follows. */
    private static final short RETURN_CONSTANT = 0x06;

    private static final int INSTRUCTION_BYTES = 8;
    /** A 16-bit count, padding, a 64-bit pointer. */
    private static final int PROGRAM_BYTES = 16;

    private static final int POINTER_AT = 8;

    private static final RawUnixChannelOption ATTACH =
            new RawUnixChannelOption("SO_ATTACH_FILTER", SOL_SOCKET, SO_ATTACH_FILTER, PROGRAM_BYTES);
    private static final IntegerUnixChannelOption DETACH =
            new IntegerUnixChannelOption("SO_DETACH_FILTER", SOL_SOCKET, SO_DETACH_FILTER);

    private PacketDrop() {}

    /** The program in native memory, once for the process; made when the first device vanishes, after epoll was loaded. */
    private static final class Filter {
        /** Held so that the address in {@link #PROGRAM} stays good. */
        private static final ByteBuffer DROP_ALL =
                allocate(INSTRUCTION_BYTES).putShort(0, RETURN_CONSTANT).putInt(4, 0);

        private static final ByteBuffer PROGRAM =
                allocate(PROGRAM_BYTES).putShort(0, (short) 1).putLong(POINTER_AT, Buffer.memoryAddress(DROP_ALL));

        private static ByteBuffer allocate(int bytes) {
            return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
        }
    }

    /**
     * From now on nothing that the peer sends arrives. Called again: no change.
     *
     * @return false if that cannot be had and nothing was changed: no epoll, not open, or the kernel has no memory for it;
     *     the caller can then only stop reading
     */
    public static boolean fall(Channel channel) {
        if (!canHear(channel)) {
            return false;
        }
        try {
            // setting the option moves the buffer's position: a view for each call
            return channel.config().setOption(ATTACH, Filter.PROGRAM.duplicate());
        } catch (ChannelException refused) {
            return false;
        }
    }

    /** The same; where it cannot be had the socket is at least not read: its kernel then still acknowledges. */
    static void fallOrPause(Channel channel) {
        if (!fall(channel)) {
            channel.config().setAutoRead(false);
        }
    }

    /**
     * The socket hears again; what the peer has not given up on arrives when it is sent the next time.
     *
     * @return false if the socket had no filter, or is not open
     */
    public static boolean lift(Channel channel) {
        if (!canHear(channel)) {
            return false;
        }
        try {
            return channel.config().setOption(DETACH, 0);
        } catch (ChannelException notDark) {
            return false;
        }
    }

    private static boolean canHear(Channel channel) {
        return channel instanceof EpollSocketChannel && channel.isOpen() && Buffer.addressSize() == Long.BYTES;
    }

    /** The end of {@link #fallOrPause}. */
    static void liftAndRead(Channel channel) {
        lift(channel);
        channel.config().setAutoRead(true);
    }
}
