package io.heartwheel.app;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
 * <p>Never fails and never waits: what cannot be told is counted and logged once. Any thread.
 */
final class Supervisor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
    private static final int MAX_STATUS_CHARS = 500;
    /** Of the time it waits, how much passes between two signs of life: two may be lost or late. */
    private static final int SIGNS_IN_TIME = 3;

    private final @Nullable NotifySocket socket;
    private final long watchdogNanos;

    private Supervisor(@Nullable NotifySocket socket, long watchdogNanos) {
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
            return new Supervisor(NotifySocket.open(name), watchdogNanos(environment, pid));
        } catch (IOException e) {
            LOG.warn("NOTIFY_SOCKET = {}: {}{}", name, e.getMessage(), e.getCause() == null ? "" : ": " + e.getCause());
            return none();
        }
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

    /** Runs a task now and then on a thread that has nothing else to do; never, if nobody is there. */
    void every(Runnable task, long periodNanos) {
        if (socket != null) {
            socket.every(task, periodNanos);
        }
    }

    /** Texts that could not be sent. */
    long failures() {
        return socket == null ? 0 : socket.failures();
    }

    private void send(String text) {
        if (socket != null) {
            LOG.debug("to the supervisor: {}", text);
            socket.send(text);
        }
    }

    /** Sends what is still to be sent. */
    @Override
    public void close() {
        if (socket != null) {
            socket.close();
        }
    }
}
