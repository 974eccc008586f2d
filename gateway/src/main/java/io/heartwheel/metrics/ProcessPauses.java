package io.heartwheel.metrics;

import io.heartwheel.liveness.GcPauses;
import io.heartwheel.metrics.Readings.Family;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Times in which the process could not run, by cause. Read when the page is asked for, and each time only what has come since is added:
 *
 * <pre>
 *   gc        collections that stop the world, by the JVM's own account
 *   steal     what the host of a virtual machine gave to others (/proc/stat), the mean of all processors
 *   suspend   boot time, which goes on while the machine sleeps (/proc/uptime), less monotonic time, which does not
 *   unknown   what the worst event loop has lost beyond gc and steal: a stopped process, a machine too busy, a handler that blocks
 * </pre>
 *
 * Collections shorter than a stall are in gc and in no stall, so unknown is rather too small. Where there is no /proc, steal and suspend stay 0.
 *
 * <p>Any thread, one at a time.
 */
final class ProcessPauses {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;
    /** USER_HZ, the unit of /proc/stat on all architectures that matter. */
    private static final double STEAL_TICKS_PER_SECOND = 100;
    /** The eighth figure of a processor's line. */
    private static final int STEAL = 8;
    /** Boot time comes in hundredths, and the two clocks are not read at once. */
    private static final double SUSPEND_NOISE_SECONDS = 0.1;

    /** Sums since their own beginnings, seconds. */
    private record Reading(double gc, double steal, double suspend, double lost) {}

    private final Path proc;
    private final LongSupplier gcMillis;
    private final LongSupplier nanoClock;
    private final LongSupplier lostNanos;

    private Reading last;
    private double gc;
    private double steal;
    private double suspend;
    private double unknown;

    /** @param lostNanos what the worst event loop has lost since start, nanoseconds */
    ProcessPauses(LongSupplier lostNanos) {
        this(Path.of("/proc"), GcPauses::totalMillis, System::nanoTime, lostNanos);
    }

    ProcessPauses(Path proc, LongSupplier gcMillis, LongSupplier nanoClock, LongSupplier lostNanos) {
        this.proc = proc;
        this.gcMillis = gcMillis;
        this.nanoClock = nanoClock;
        this.lostNanos = lostNanos;
        last = read();
    }

    /** Adds a series for each cause. */
    synchronized void fill(Family family) {
        add(read());
        family.add(gc, "gc").add(steal, "steal").add(suspend, "suspend").add(unknown, "unknown");
    }

    private void add(Reading now) {
        double newGc = Math.max(0, now.gc - last.gc);
        double newSteal = Math.max(0, now.steal - last.steal);
        double slept = now.suspend - last.suspend;
        boolean hasSlept = slept > SUSPEND_NOISE_SECONDS;
        gc += newGc;
        steal += newSteal;
        suspend += hasSlept ? slept : 0;
        unknown += Math.max(0, now.lost - last.lost - newGc - newSteal);
        // noise is not to add up, and slow drift not to be lost
        last = new Reading(now.gc, now.steal, hasSlept ? now.suspend : last.suspend, now.lost);
    }

    private Reading read() {
        return new Reading(
                gcMillis.getAsLong() / MILLIS_PER_SECOND,
                stealSeconds(),
                uptimeSeconds() - nanoClock.getAsLong() / NANOS_PER_SECOND,
                lostNanos.getAsLong() / NANOS_PER_SECOND);
    }

    private double stealSeconds() {
        try (Stream<String> lines = Files.lines(proc.resolve("stat"))) {
            return lines.filter(line -> line.matches("cpu[0-9]+ .*"))
                            .map(line -> line.split(" +"))
                            .mapToDouble(figures -> figures.length > STEAL ? Double.parseDouble(figures[STEAL]) : 0)
                            .average()
                            .orElse(0)
                    / STEAL_TICKS_PER_SECOND;
        } catch (IOException | UncheckedIOException | NumberFormatException notToBeHad) {
            return 0;
        }
    }

    private double uptimeSeconds() {
        try {
            return Double.parseDouble(Files.readString(proc.resolve("uptime")).split(" ")[0]);
        } catch (IOException | NumberFormatException notToBeHad) {
            // then it stands still beside the clock that does, and the difference below is no sleep
            return nanoClock.getAsLong() / NANOS_PER_SECOND;
        }
    }
}
