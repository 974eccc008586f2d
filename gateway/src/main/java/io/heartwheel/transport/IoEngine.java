package io.heartwheel.transport;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * I/O engine: epoll, io_uring or the JDK's selectors. Immutable; any thread.
 *
 * <p>{@link TransportKind#AUTO} takes epoll where it works, because it holds a connection in the least memory (gateway/docs/benchmarks.md), then
 * io_uring, then nio, and says what stood in the way of those it passed over.
 *
 * @param kind what was chosen; never AUTO
 * @param handlers makes what an event loop needs of it
 * @param serverChannel of its listeners
 */
public record IoEngine(
        TransportKind kind, Supplier<IoHandlerFactory> handlers, Class<? extends ServerChannel> serverChannel) {
    private static final Logger LOG = LoggerFactory.getLogger(IoEngine.class);

    /**
     * Netty 4.2.18 begins a multishot accept anew when it fails, wanted or not, so that a listener without descriptors spins and cannot be rested
     * ({@link AcceptGuard}). Read by Netty when io_uring is first touched.
     */
    private static final String MULTISHOT_ACCEPT = "io.netty.iouring.acceptMultiShotEnabled";

    static {
        if (System.getProperty(MULTISHOT_ACCEPT) == null) {
            System.setProperty(MULTISHOT_ACCEPT, "false");
        }
    }

    /**
     * The engine of this kind.
     *
     * @throws IllegalStateException with the cause if a named one does not work here
     */
    public static IoEngine choose(TransportKind wanted) {
        Throwable obstacle = obstacle(wanted);
        if (obstacle != null) {
            throw new IllegalStateException(
                    "transport.kind = " + label(wanted) + ": does not work here: " + obstacle, obstacle);
        }
        return wanted == TransportKind.AUTO ? automatic() : engine(wanted);
    }

    private static @Nullable Throwable obstacle(TransportKind kind) {
        return switch (kind) {
            case EPOLL -> Epoll.unavailabilityCause();
            case IO_URING -> IoUring.unavailabilityCause();
            case NIO, AUTO -> null;
        };
    }

    private static IoEngine automatic() {
        for (TransportKind kind : List.of(TransportKind.EPOLL, TransportKind.IO_URING)) {
            Throwable obstacle = obstacle(kind);
            if (obstacle == null) {
                return engine(kind);
            }
            LOG.info("transport {} does not work here: {}", label(kind), obstacle.toString());
        }
        return engine(TransportKind.NIO);
    }

    private static IoEngine engine(TransportKind kind) {
        return switch (kind) {
            case EPOLL -> new IoEngine(kind, EpollIoHandler::newFactory, EpollServerSocketChannel.class);
            case IO_URING -> new IoEngine(kind, IoUringIoHandler::newFactory, IoUringServerSocketChannel.class);
            case NIO, AUTO -> new IoEngine(TransportKind.NIO, NioIoHandler::newFactory, NioServerSocketChannel.class);
        };
    }

    /** {@code epoll}, {@code io_uring} or {@code nio}. */
    public String label() {
        return label(kind);
    }

    private static String label(TransportKind kind) {
        return kind.name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Whether several processes may share a port. */
    boolean sharesPorts() {
        return kind != TransportKind.NIO;
    }
}
