package io.heartwheel.loadgen.workers;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Server processes of one kind, numbered from 0, and what the timeline does to them.
 *
 * <p>Actions that take time return at once with a future, so that whoever coordinates the run can go on looking. Any thread.
 * No process is left behind: each leaves when this one is gone.
 */
public abstract class ProcessPool implements AutoCloseable {

    static final Duration ANSWER = Duration.ofSeconds(5);

    /** For their files; gone with the pool. */
    final Path directory;

    final List<ChildProcess> processes = new ArrayList<>();
    private final ExecutorService starters;

    /** A process did not do as it should; the message says which and why. */
    public static class Failure extends IOException {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message);
        }
    }

    /**
     * Processes that are not started.
     *
     * @param name of one, before its number
     * @param leavesWithInput as {@link ChildProcess} has it
     */
    ProcessPool(String name, int count, boolean leavesWithInput) throws IOException {
        this.directory = Files.createTempDirectory("heartwheel-" + name + "-");
        for (int i = 0; i < count; i++) {
            processes.add(new ChildProcess(name + "-" + i, directory, leavesWithInput));
        }
        // A starting virtual machine does little but compute: more of them at once only wait for each other.
        int atOnce = Runtime.getRuntime().availableProcessors() + 1;
        this.starters = Executors.newFixedThreadPool(Math.min(atOnce, count), new DefaultThreadFactory(name, true));
    }

    /** Starts one and waits until it is up. */
    abstract void startOne(int number) throws IOException, InterruptedException;

    /** Starts those, several at once, and waits until they are up; when one is not, those that are stay until {@link #close}. */
    final void startAll(List<Integer> which) throws IOException {
        try {
            startAgain(which).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
        }
    }

    /** How many there are, running or not. */
    public final int size() {
        return processes.size();
    }

    /** The numbers of all, for the actions. */
    public final List<Integer> everyone() {
        return IntStream.range(0, size()).boxed().toList();
    }

    /** Process id of one, -1 before its start; another one after it was started again. */
    public final long pid(int number) {
        return processes.get(number).pid();
    }

    /** Whether one is running, if only frozen. */
    public final boolean isAlive(int number) {
        return processes.get(number).isAlive();
    }

    /** What one is called. */
    public final String name(int number) {
        return processes.get(number).name();
    }

    /** The end of what one printed. */
    public final String logTail(int number) {
        return processes.get(number).logTail();
    }

    /** SIGSTOP now and SIGCONT after so long; returns at once. */
    public final void freeze(List<Integer> which, Duration length) throws IOException {
        for (int number : which) {
            processes.get(number).freeze(length);
        }
    }

    /** SIGKILL; complete when they are gone. */
    public final CompletableFuture<Void> kill(List<Integer> which) {
        which.forEach(number -> processes.get(number).kill());
        return ended(which, ANSWER);
    }

    /**
     * SIGTERM, by which a gateway drains: devices get GOAWAY, and CLOSE at the end of {@code shutdown.drain}. Complete when they
     * are gone.
     *
     * @param patience how long that may take; the future fails beyond it
     */
    public final CompletableFuture<Void> terminate(List<Integer> which, Duration patience) {
        which.forEach(number -> processes.get(number).terminate());
        return ended(which, patience);
    }

    /** Starts those again that have ended, with the same ports and settings; complete when they are up. */
    public final CompletableFuture<Void> startAgain(List<Integer> which) {
        return all(
                which,
                number -> CompletableFuture.runAsync(
                        () -> {
                            try {
                                startOne(number);
                            } catch (IOException | InterruptedException e) {
                                throw new CompletionException(e);
                            }
                        },
                        starters));
    }

    private CompletableFuture<Void> ended(List<Integer> which, Duration patience) {
        return all(which, number -> processes.get(number).ended(patience));
    }

    private static CompletableFuture<Void> all(List<Integer> which, Function<Integer, CompletableFuture<Void>> action) {
        return CompletableFuture.allOf(which.stream().map(action).toArray(CompletableFuture<?>[]::new));
    }

    /** Ends all at the same time, waits for them, and removes their files. Idempotent. */
    @Override
    public final void close() {
        ChildEnd.all(processes.stream().<Runnable>map(process -> process::close).toList());
        starters.shutdownNow();
        remove(directory);
    }

    /** Removes a directory with all that is in it, where that can be done. */
    public static void remove(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            // Removed before, or by somebody else.
        }
    }
}
