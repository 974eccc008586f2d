package io.heartwheel.app;

import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.transport.DeviceLoops;
import io.heartwheel.wheel.TimingWheel;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Notifier of the {@link Supervisor}: start, progress and end of the gateway. {@link #open} and {@link #drain} by the thread that starts and the one that ends the
 * gateway; {@link #progress} by any.
 */
final class ServiceNotifier {
    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int STATUSES_A_MINUTE = 12;
    /** What a piece of the drain may take until the next word of it, and the closing that follows it. */
    private static final Duration SPARE = Duration.ofSeconds(30);

    private final Supervisor supervisor;
    private final LongSupplier devices;
    private final ClosesLastMinute closes = new ClosesLastMinute(STATUSES_A_MINUTE);
    private int listeners;
    private volatile boolean draining;
    /** The line of a gateway at work that the supervisor shows now. */
    private volatile String told = "";

    /** @param devices how many there are now */
    ServiceNotifier(Supervisor supervisor, LongSupplier devices) {
        this.supervisor = supervisor;
        this.devices = devices;
    }

    /** Counts for the status. */
    ClosesLastMinute closes() {
        return closes;
    }

    /** Texts that could not be sent. */
    long failures() {
        return supervisor.failures();
    }

    /** Every listener is open: says so, and from now on that wheel, loops and threads go on and what there is to do. */
    void open(int listenersOpen, TimingWheel wheel, DeviceLoops loops, ThreadSupervisor threads) {
        if (!supervisor.isThere()) {
            return;
        }
        listeners = listenersOpen;
        tellStatus();
        supervisor.ready();
        supervisor.every(this::tellStatus, STATUS_NANOS);
        if (supervisor.watchdogPeriodNanos() > 0) {
            Runnable feed = () -> {
                if (threads.problems().isEmpty()) {
                    supervisor.watchdog();
                }
            };
            new WatchdogRound(wheel, executors(loops), System::nanoTime, supervisor.watchdogPeriodNanos(), feed);
        }
    }

    private static List<Executor> executors(DeviceLoops loops) {
        return IntStream.range(0, loops.contexts().size())
                .mapToObj(index -> (Executor) task -> loops.execute(index, task))
                .toList();
    }

    /** A failure leaves the schedule as it is, so there is none to be caught. */
    private void tellStatus() {
        long closed = closes.next();
        String line = line(devices.getAsLong(), listeners, closed);
        if (!draining && !line.equals(told)) {
            told = line;
            supervisor.status(line);
        }
    }

    /** The words of a gateway at work. */
    static String line(long devices, int listeners, long closes) {
        return String.format(
                Locale.ROOT,
                "%s, %s; %,d closed by a deadline in the last minute",
                count(devices, "device"),
                count(listeners, "listener"),
                closes);
    }

    /** Reads the configuration again; the supervisor waits for the end of it. Any thread, one at a time. */
    <T> T reload(Supplier<T> reading) {
        supervisor.reloading();
        try {
            return reading.get();
        } finally {
            supervisor.ready();
        }
    }

    private static String count(long many, String word) {
        return String.format(Locale.ROOT, "%,d %s%s", many, word, many == 1 ? "" : "s");
    }

    /**
     * A drain that ends the process begins, or goes on and will end it.
     *
     * @param atMost what it may take from now on
     */
    void drain(Duration atMost) {
        draining = true;
        supervisor.stopping();
        supervisor.extendTimeout(atMost.plus(SPARE));
        supervisor.status("draining " + count(devices.getAsLong(), "device"));
    }

    /** How far the drain has come. Whoever tells it gains time. */
    void progress(String line) {
        told = "";
        supervisor.extendTimeout(SPARE);
        supervisor.status(line);
    }

    /** The last of it. */
    void end() {
        supervisor.status("ended");
        supervisor.close();
    }
}
