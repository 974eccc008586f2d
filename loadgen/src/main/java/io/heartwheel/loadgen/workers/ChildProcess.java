package io.heartwheel.loadgen.workers;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Server process of a run: a gateway, or a service beside it. It must never outlive the generator. Its standard input is a pipe
 * from here, and a gateway leaves when that closes; one that does not know of that has a shell beside it, which kills it then.
 * So each goes even when the generator is killed outright; on every other way out {@link #close} ends it and waits. One that is
 * frozen cannot notice anything: it is thawed by a process of its own, which needs nobody here.
 *
 * <p>Any thread; {@link #close} may come at any moment, also while {@link #start} is under way.
 */
final class ChildProcess implements AutoCloseable {

    private static final long START_SECONDS = 60;
    private static final long LOOK_MILLIS = 20;
    private static final int LOG_BYTES = 8_192;

    private final String name;
    private final Path log;
    private final boolean leavesWithInput;
    private final Object lock = new Object();

    private boolean closed; // guarded by lock
    private @Nullable Process freezer; // guarded by lock: the latest
    private @Nullable Process guard; // guarded by lock: of the latest process
    private @Nullable Process process; // guarded by lock

    /** Looks whether a process is up. */
    interface Ready {
        /** Answers at once, or in some milliseconds. */
        boolean isUp() throws IOException;
    }

    /**
     * A process that is not started.
     *
     * @param directory for its log, which is named after it
     * @param leavesWithInput whether it leaves by itself when its standard input closes
     */
    ChildProcess(String name, Path directory, boolean leavesWithInput) {
        this.name = name;
        this.log = directory.resolve(name + ".log");
        this.leavesWithInput = leavesWithInput;
    }

    /** What it is called in messages. */
    String name() {
        return name;
    }

    /**
     * Starts it and waits until it is up, about 60 s at the most. May be called again when it has ended.
     *
     * @param line program and arguments
     * @param environment more variables
     * @throws ProcessPool.Failure with the end of its log when it does not come up
     */
    void start(List<String> line, Map<String, String> environment, Ready ready)
            throws IOException, InterruptedException {
        awaitUp(launch(line, environment), ready);
    }

    /**
     * Waits until it is up in another sense too, about 60 s at the most; call it after {@link #start}.
     *
     * @throws ProcessPool.Failure with the end of its log when it does not come up
     */
    void awaitUp(Ready ready) throws IOException, InterruptedException {
        awaitUp(child().orElseThrow(), ready);
    }

    private void awaitUp(Process child, Ready ready) throws IOException, InterruptedException {
        // Rounds are counted, not time: a machine so busy that a round takes longer gets longer.
        for (long rounds = TimeUnit.SECONDS.toMillis(START_SECONDS) / LOOK_MILLIS; rounds > 0; rounds--) {
            if (ready.isUp()) {
                return;
            }
            if (child.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new ProcessPool.Failure(name + " ended while starting; its log:\n" + logTail());
            }
        }
        throw new ProcessPool.Failure(name + " was not up after " + START_SECONDS + " s; its log:\n" + logTail());
    }

    private Process launch(List<String> line, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(ChildEnd.deafTo("INT HUP", line))
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        synchronized (lock) {
            if (closed) {
                throw new ProcessPool.Failure("stopped before " + name + " was started");
            }
            if (process != null && process.isAlive()) {
                throw new IllegalStateException(name + " is still running: it cannot be started again");
            }
            endShell(guard);
            process = builder.start();
            // What a process that is over leaves behind must not kill another one that has got its number.
            guard = leavesWithInput
                    ? null
                    : shell("trap '' INT TERM HUP; while read -r line; do :; done; kill -KILL $1", process.pid(), "0");
            return process;
        }
    }

    private Optional<Process> child() {
        synchronized (lock) {
            return Optional.ofNullable(process);
        }
    }

    boolean isAlive() {
        return child().filter(Process::isAlive).isPresent();
    }

    /** Process id, or -1 before the start. */
    long pid() {
        return child().map(Process::pid).orElse(-1L);
    }

    /** SIGTERM: a gateway drains as it is set to, and ends. Nothing when it has ended. */
    void terminate() {
        // Process.destroy() would close its standard input as well, which tells a gateway to leave at once.
        child().map(Process::toHandle).ifPresent(ProcessHandle::destroy);
    }

    /** SIGKILL: it is gone without a word. */
    void kill() {
        child().ifPresent(Process::destroyForcibly);
    }

    /** Complete when it has ended, at once when it never began; fails when that takes longer. */
    CompletableFuture<Void> ended(Duration patience) {
        String late = name + " had not ended after " + patience.toMillis() + " ms";
        return child().map(Process::onExit)
                .orElse(CompletableFuture.completedFuture(null))
                .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .thenAccept(end -> {})
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(new ProcessPool.Failure(late)));
    }

    /**
     * SIGSTOP, and SIGCONT after a while; returns at once. Both come from a shell that holds on when this process is
     * killed or interrupted from the terminal: otherwise a gateway could stay behind, frozen for ever.
     */
    void freeze(Duration length) throws IOException {
        synchronized (lock) {
            if (process == null || !process.isAlive()) {
                throw new IllegalStateException(name + " is not running: it cannot be frozen");
            }
            endShell(freezer);
            String seconds = String.format(Locale.ROOT, "%.3f", length.toMillis() / 1e3);
            freezer = shell("trap '' INT TERM HUP; kill -STOP $1; sleep $2; kill -CONT $1", process.pid(), seconds);
        }
    }

    private static Process shell(String script, long pid, String seconds) throws IOException {
        return new ProcessBuilder("sh", "-c", script, "sh", Long.toString(pid), seconds)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** The end of what it printed, all its lives together. */
    String logTail() {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            byte[] end = new byte[(int) Math.min(LOG_BYTES, file.length())];
            file.seek(file.length() - end.length);
            file.readFully(end);
            return new String(end, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }

    /** Ends it and waits for it. Idempotent. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            Process child = process;
            if (child != null && child.isAlive()) {
                thaw(child);
                if (!leavesWithInput) {
                    child.destroy();
                }
                ChildEnd.end(child);
            }
            endShell(freezer);
            endShell(guard);
        }
    }

    private void thaw(Process child) {
        if (freezer != null) {
            try {
                ChildEnd.ended(shell("kill -CONT $1", child.pid(), "0"), 3);
            } catch (IOException e) {
                // Then it stays frozen and is ended by force, which needs no thawing.
            }
        }
    }

    /** An earlier freeze must not thaw a later one; and a shell that sleeps or waits on must not stay behind. */
    private static void endShell(@Nullable Process shell) {
        if (shell != null) {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly();
        }
    }
}
