package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.scenario.Addresses;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Real gateway as a process of its own. It must never outlive the generator: its standard input is a pipe from here,
 * and it was told to leave when that closes, so it goes even when the generator is killed outright; on every other way
 * out {@link #close} ends it and waits. One that is frozen cannot notice anything: it is thawed by a process of its own,
 * which needs nobody here.
 *
 * <p>Any thread; {@link #close} may come at any moment, also while {@link #start} is under way.
 */
final class GatewayProcess implements AutoCloseable {

    private static final long START_SECONDS = 60;
    private static final long LOOK_MILLIS = 20;
    private static final int LOG_BYTES = 8_192;

    private final String name;
    private final Path config;
    private final Path ports;
    private final Path log;
    private final JavaCommand command;
    private final Object lock = new Object();

    private boolean closed; // guarded by lock
    private @Nullable Process freezer; // guarded by lock: the latest
    private @Nullable Process process; // guarded by lock

    /**
     * A gateway that is not started.
     *
     * @param directory for its files, which are named after it
     */
    GatewayProcess(String name, Path directory, Path jar) {
        this.name = name;
        this.config = directory.resolve(name + ".conf");
        this.ports = directory.resolve(name + ".ports");
        this.log = directory.resolve(name + ".log");
        this.command = JavaCommand.ofJar(jar);
    }

    /**
     * Starts it and waits until it has told its ports, about 60 s at the most. May be called again when it has ended.
     *
     * @param settings lines of configuration inside the {@code heartwheel} block
     * @param javaOptions for the virtual machine
     * @return addresses by listener name, {@code admin} too if it has one
     */
    Map<String, InetSocketAddress> start(List<String> settings, List<String> javaOptions)
            throws IOException, InterruptedException {
        Files.writeString(
                config, "heartwheel {\n" + String.join("\n", settings) + "\n  ports-file = \"" + ports + "\"\n}\n");
        Files.deleteIfExists(ports);
        Process child = launch(javaOptions);
        // Rounds are counted, not time: a machine so busy that a round takes longer gets longer.
        for (long rounds = TimeUnit.SECONDS.toMillis(START_SECONDS) / LOOK_MILLIS; rounds > 0; rounds--) {
            // The gateway moves the file into its place when it is whole.
            if (Files.exists(ports)) {
                return addresses(Files.readString(ports));
            }
            if (child.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new GatewayPool.Failure(name + " ended while starting; its log:\n" + logTail());
            }
        }
        throw new GatewayPool.Failure(name + " was not up after " + START_SECONDS + " s; its log:\n" + logTail());
    }

    private Process launch(List<String> javaOptions) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(ChildEnd.deafTo(
                        "INT HUP",
                        command.line(javaOptions, List.of("--config", config.toString(), "--exit-with-stdin"))))
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().put(SmallJvm.MALLOC_ARENAS, "2");
        synchronized (lock) {
            if (closed) {
                throw new GatewayPool.Failure("stopped before " + name + " was started");
            }
            if (process != null && process.isAlive()) {
                throw new IllegalStateException(name + " is still running: it cannot be started again");
            }
            process = builder.start();
            return process;
        }
    }

    static Map<String, InetSocketAddress> addresses(String text) {
        Map<String, InetSocketAddress> addresses = new LinkedHashMap<>();
        for (String line : text.split("\n", -1)) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                String name = line.substring(0, equals).strip();
                Addresses.of(line.substring(equals + 1).strip(), 1).ifPresent(found -> addresses.put(name, found));
            }
        }
        return addresses;
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

    /** SIGTERM: the gateway drains as it is set to, and ends. Nothing when it has ended. */
    void terminate() {
        // Process.destroy() would close its standard input as well, which tells it to leave at once.
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
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(new GatewayPool.Failure(late)));
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
            endFreezer();
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

    /** The end of what the gateway printed, all its lives together. */
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

    /** Ends the gateway and waits for it. Idempotent. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            Process child = process;
            if (child != null && child.isAlive()) {
                thaw(child);
                ChildEnd.end(child);
            }
            endFreezer();
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

    /** An earlier freeze must not thaw a later one; and a shell that sleeps on must not stay behind. */
    private void endFreezer() {
        Process shell = freezer;
        if (shell != null) {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly();
        }
    }
}
