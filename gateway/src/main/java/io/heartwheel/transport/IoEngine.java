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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * I/O engine: epoll, io_uring or the JDK's selectors. Immutable; any thread.
 *
 * <p>{@link TransportKind#AUTO} takes epoll where it works, because it holds a connection in the least memory (gateway/docs/benchmarks.md), then
 * io_uring, then nio, and says what stood in the way of those it passed over.
 */
public final class IoEngine {
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

    private final TransportKind kind;
    private final Supplier<IoHandlerFactory> handlers;
    private final Class<? extends ServerChannel> serverChannel;

    private IoEngine(
            TransportKind kind, Supplier<IoHandlerFactory> handlers, Class<? extends ServerChannel> serverChannel) {
        this.kind = kind;
        this.handlers = handlers;
        this.serverChannel = serverChannel;
    }

    /**
     * The engine of this kind.
     *
     * @throws IllegalStateException with the cause if a named one does not work here
     */
    public static IoEngine choose(TransportKind wanted) {
        return switch (wanted) {
            case EPOLL -> required(wanted, Epoll.unavailabilityCause());
            case IO_URING -> required(wanted, IoUring.unavailabilityCause());
            case NIO -> engine(TransportKind.NIO);
            case AUTO -> automatic();
        };
    }

    private static IoEngine automatic() {
        Throwable noEpoll = Epoll.unavailabilityCause();
        if (noEpoll == null) {
            return engine(TransportKind.EPOLL);
        }
        LOG.info("transport epoll does not work here: {}", noEpoll.toString());
        Throwable noRing = IoUring.unavailabilityCause();
        if (noRing == null) {
            return engine(TransportKind.IO_URING);
        }
        LOG.info("transport io_uring does not work here: {}", noRing.toString());
        return engine(TransportKind.NIO);
    }

    private static IoEngine required(TransportKind kind, @Nullable Throwable obstacle) {
        if (obstacle != null) {
            throw new IllegalStateException(
                    "transport.kind = " + label(kind) + ": does not work here: " + obstacle, obstacle);
        }
        return engine(kind);
    }

    private static IoEngine engine(TransportKind kind) {
        return switch (kind) {
            case EPOLL -> new IoEngine(kind, EpollIoHandler::newFactory, EpollServerSocketChannel.class);
            case IO_URING -> new IoEngine(kind, IoUringIoHandler::newFactory, IoUringServerSocketChannel.class);
            case NIO, AUTO -> new IoEngine(TransportKind.NIO, NioIoHandler::newFactory, NioServerSocketChannel.class);
        };
    }

    /** What was chosen; never AUTO. */
    public TransportKind kind() {
        return kind;
    }

    /** {@code epoll}, {@code io_uring} or {@code nio}. */
    public String label() {
        return label(kind);
    }

    private static String label(TransportKind kind) {
        return kind.name().toLowerCase(java.util.Locale.ROOT);
    }

    IoHandlerFactory newHandlerFactory() {
        return handlers.get();
    }

    Class<? extends ServerChannel> serverChannel() {
        return serverChannel;
    }

    /** Whether several processes may share a port. */
    boolean sharesPorts() {
        return kind != TransportKind.NIO;
    }
}
