package io.heartwheel.app;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifications to systemd, or to whoever else started this process with {@code NOTIFY_SOCKET}, by the protocol of sd_notify(3). Without that variable every method
 * does nothing.
 *
 * <pre>
 *   READY=1                          listeners are open; again at the end of a reload
 *   RELOADING=1  MONOTONIC_USEC=...  a reload begins (the second for Type=notify-reload, systemd 253 and newer)
 *   STOPPING=1                       the drain begins
 *   EXTEND_TIMEOUT_USEC=...          the drain goes on
 *   WATCHDOG=1                       everything that must turn has turned ({@link WatchdogRound})
 *   STATUS=...                       a line for {@code systemctl status}
 * </pre>
 *
 * <p>The socket is a datagram one of the Unix domain. Java 17 has none; Netty's epoll has, on one thread of its own, whatever the devices are served with: an
 * io_uring or nio loop cannot carry an epoll channel. It is connected, not addressed datagram by datagram: only then does the kernel tell a full queue at the
 * other end from our own, and an unsent text wait for room instead of spinning. What waits is bounded by Netty's write watermark (64 KiB); beyond it texts are
 * dropped and counted.
 *
 * <p>Any thread. Never fails, and waits in {@link #close} alone: a text that cannot be sent is counted; the first is logged, the rest at DEBUG, because
 * nothing depends on them here.
 */
final class Supervisor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
    private static final int MAX_STATUS_CHARS = 500;
    /** Of the time it waits, how much passes between two signs of life: two may be lost or late. */
    private static final int SIGNS_IN_TIME = 3;

    /** sun_path of unix(7). */
    private static final int MAX_ADDRESS_BYTES = 108;

    private static final long CONNECT_MILLIS = 5_000;
    private static final long CLOSE_MILLIS = 2_000;

    private final @Nullable Channel socket;
    private final long watchdogNanos;
    private final AtomicLong failures = new AtomicLong();

    private Supervisor(@Nullable Channel socket, long watchdogNanos) {
        this.socket = socket;
        this.watchdogNanos = watchdogNanos;
    }

    /** Nobody to tell. */
    static Supervisor none() {
        return new Supervisor(null, 0);
    }

    /**
     * Whoever the environment names. A socket that cannot be used is logged: with Type=notify it will then wait in vain.
     *
     * @param environment {@code NOTIFY_SOCKET}, {@code WATCHDOG_USEC}, {@code WATCHDOG_PID}
     * @param pid our own
     */
    static Supervisor of(Map<String, String> environment, long pid) {
        String name = environment.getOrDefault("NOTIFY_SOCKET", "");
        if (name.isEmpty()) {
            return none();
        }
        try {
            return new Supervisor(connect(name), watchdogNanos(environment, pid));
        } catch (IOException e) {
            LOG.warn("NOTIFY_SOCKET = {}: {}{}", name, e.getMessage(), e.getCause() == null ? "" : ": " + e.getCause());
            return none();
        }
    }

    private static Channel connect(String name) throws IOException {
        DomainSocketAddress address = address(name);
        Throwable noEpoll = Epoll.unavailabilityCause();
        if (noEpoll != null) {
            throw new IOException("needs epoll, which does not work here: " + noEpoll, noEpoll);
        }
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("supervisor", true), EpollIoHandler.newFactory());
        ChannelFuture connected = new Bootstrap()
                .group(group)
                .channel(EpollDomainDatagramChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(address);
        if (connected.awaitUninterruptibly(CONNECT_MILLIS) && connected.isSuccess()) {
            return connected.channel();
        }
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        throw new IOException("cannot connect", connected.cause());
    }

    /**
     * An abstract name begins with a NUL byte in the kernel's address, which Netty hands through as it is.
     *
     * @param name as in sd_notify(3): an absolute path, or {@code @} and the rest of an abstract name
     */
    private static DomainSocketAddress address(String name) throws IOException {
        boolean isAbstract = name.startsWith("@");
        if (!isAbstract && !name.startsWith("/")) {
            throw new IOException("need an absolute path or @ and an abstract name");
        }
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 2 || bytes > MAX_ADDRESS_BYTES) {
            throw new IOException("need 2.." + MAX_ADDRESS_BYTES + " bytes, not " + bytes);
        }
        return new DomainSocketAddress(isAbstract ? '\0' + name.substring(1) : name);
    }

    /** How often the watchdog wants a sign, or 0: it wants none, or none from this process. */
    private static long watchdogNanos(Map<String, String> environment, long pid) {
        String micros = environment.getOrDefault("WATCHDOG_USEC", "");
        String whose = environment.getOrDefault("WATCHDOG_PID", "");
        if (micros.isEmpty() || (!whose.isEmpty() && !whose.equals(Long.toString(pid)))) {
            return 0;
        }
        try {
            return TimeUnit.MICROSECONDS.toNanos(Math.max(0, Long.parseLong(micros))) / SIGNS_IN_TIME;
        } catch (NumberFormatException e) {
            LOG.warn("WATCHDOG_USEC = {}: need a number of microseconds; no watchdog", micros);
            return 0;
        }
    }

    /** Whether anybody listens. */
    boolean isThere() {
        return socket != null;
    }

    /** Time between two signs of life, nanoseconds; 0: none are wanted. */
    long watchdogPeriodNanos() {
        return watchdogNanos;
    }

    /** Devices are taken; or a reload is over. */
    void ready() {
        send("READY=1");
    }

    /** A reload begins; {@link #ready} ends it, whatever came of it. */
    void reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=" + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()));
    }

    /** The end begins. */
    void stopping() {
        send("STOPPING=1");
    }

    /** A line for people. Line breaks become spaces, and what is beyond {@value #MAX_STATUS_CHARS} characters is cut off. */
    void status(String line) {
        String text = line.replaceAll("\\p{Cntrl}", " ");
        send("STATUS=" + text.substring(0, Math.min(text.length(), MAX_STATUS_CHARS)));
    }

    /** Starting, reloading or stopping takes at least so much longer, counted from now. It never shortens a time by it. */
    void extendTimeout(Duration byAtLeast) {
        send("EXTEND_TIMEOUT_USEC=" + TimeUnit.NANOSECONDS.toMicros(byAtLeast.toNanos()));
    }

    /** A sign of life. */
    void watchdog() {
        send("WATCHDOG=1");
    }

    /** Runs a task again and again on a thread that has nothing else to do; never, if nobody is there. */
    void every(Runnable task, long periodNanos) {
        if (socket != null) {
            socket.eventLoop().scheduleAtFixedRate(task, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Texts that could not be sent. */
    long failures() {
        return failures.get();
    }

    /** One datagram, in the order of calls by one thread. */
    private void send(String text) {
        if (socket == null) {
            return;
        }
        LOG.debug("to the supervisor: {}", text);
        if (!socket.isWritable()) {
            failed(new IOException("too much waits to be sent"));
            return;
        }
        socket.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8))
                .addListener(sent -> {
                    if (!sent.isSuccess()) {
                        failed(sent.cause());
                    }
                });
    }

    private void failed(Throwable cause) {
        if (failures.getAndIncrement() == 0) {
            LOG.warn("the supervisor cannot be told: {}; said once", cause.toString());
        } else {
            LOG.debug("the supervisor cannot be told: {}", cause.toString());
        }
    }

    /** Sends what is still waiting, for {@value #CLOSE_MILLIS} ms at most, and ends the thread. Idempotent. */
    @Override
    public void close() {
        if (socket != null) {
            socket.eventLoop().submit(() -> {}).awaitUninterruptibly(CLOSE_MILLIS);
            socket.eventLoop()
                    .parent()
                    .shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS)
                    .awaitUninterruptibly(CLOSE_MILLIS);
        }
    }
}
