package io.heartwheel.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A stopped process, as when the host of its virtual machine is moved. Closing it lets the process go on. */
final class Freeze implements AutoCloseable {
    private final long pid;
    private final long beginningNanos = System.nanoTime();
    private final long begunNanos;

    /** Stops the process; returns when each of its threads stands. */
    Freeze(long pid) throws Exception {
        this.pid = pid;
        signal(pid, "STOP");
        Await.until("every thread stands", this::stands);
        begunNanos = System.nanoTime();
    }

    /** Stops the process for so long. */
    static Stall of(long pid, Duration length) throws Exception {
        try (Freeze freeze = new Freeze(pid)) {
            TimeUnit.NANOSECONDS.sleep(length.toNanos());
            return freeze.end();
        }
    }

    /** When it stood. */
    long begunNanos() {
        return begunNanos;
    }

    /**
     * Lets it go on.
     *
     * @return the time it stood
     */
    Stall end() throws Exception {
        long endingNanos = System.nanoTime();
        signal(pid, "CONT");
        return new Stall(beginningNanos, begunNanos, endingNanos, System.nanoTime());
    }

    private boolean stands() throws IOException {
        try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            List<Path> all = tasks.toList();
            for (Path task : all) {
                if (state(task) != 'T') {
                    return false;
                }
            }
        }
        return true;
    }

    /** The letter behind the name, as proc(5) has it. A thread that has ended stands as well. */
    private static char state(Path task) throws IOException {
        try {
            String stat = Files.readString(task.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (NoSuchFileException ended) {
            return 'T';
        }
    }

    /** Sends a signal. */
    static void signal(long pid, String name) throws Exception {
        Process kill = new ProcessBuilder("bash", "-c", "kill -" + name + " " + pid)
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new AssertionError("kill -" + name + " " + pid + ": " + kill.exitValue());
        }
    }

    @Override
    public void close() throws Exception {
        if (Files.exists(Path.of("/proc", Long.toString(pid)))) {
            signal(pid, "CONT");
        }
    }
}
