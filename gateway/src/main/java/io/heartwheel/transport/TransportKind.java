package io.heartwheel.transport;

/** I/O engine to use: {@code transport.kind}. Immutable; any thread. */
public enum TransportKind {
    /** Whichever of the native ones works and measured best, else {@link #NIO}. */
    AUTO,
    /** Linux epoll, through Netty's own library. */
    EPOLL,
    /** Linux io_uring, through Netty's own library. */
    IO_URING,
    /** The JDK's selectors: everywhere, without SO_REUSEPORT. */
    NIO
}
