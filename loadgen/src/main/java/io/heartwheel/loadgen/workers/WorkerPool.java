package io.heartwheel.loadgen.workers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Starter of the workers of an assignment on this machine.
 *
 * @param command how to start this program
 * @param arguments what makes it a worker
 * @param startLimit how long one worker may take to start and read its scenario
 * @param answerLimit how long it may take to answer
 */
public record WorkerPool(JavaCommand command, List<String> arguments, Duration startLimit, Duration answerLimit) {

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

    /** Time limits that have proved enough on a busy machine: 60 s to start, 30 s to answer. */
    public static WorkerPool of(JavaCommand command, String argument) {
        return new WorkerPool(command, List.of(argument), START_LIMIT, ANSWER_LIMIT);
    }

    /** How long so many workers may take to start on a machine with so many processors. */
    static Duration patience(int workers, int cores) {
        return START_LIMIT.multipliedBy(1 + workers / atOnce(workers, cores));
    }

    /** As many as there are processors, and one to wait for the disk: a starting virtual machine does little but compute. */
    private static int atOnce(int workers, int cores) {
        return Math.min(workers, cores + 1);
    }

    /**
     * Starts one worker for each share and gives it that share. When one does not come up, or the caller is interrupted,
     * those that did are ended and the rest is not begun.
     *
     * @throws IllegalStateException naming the worker, with the end of its standard error
     */
    public WorkerGroup start(Assignment assignment) {
        return start(assignment, ClassArchive.WORTH_FROM);
    }

    /** The same with a rehearsal for so many workers or more. */
    WorkerGroup start(Assignment assignment, int rehearsedFrom) {
        if (assignment.shares().size() < rehearsedFrom || !command.isJar()) {
            return start(assignment, List.of());
        }
        try {
            Path directory = Files.createTempDirectory("heartwheel-workers-");
            Path archive = directory.resolve("worker.jsa");
            try {
                rehearse(assignment.ofWorker(0), archive);
                return start(assignment, ClassArchive.reading(archive));
            } finally {
                // Whoever has mapped it keeps it.
                Files.deleteIfExists(archive);
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw new IllegalStateException("workers were not started: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while workers were started", e);
        }
    }

    private void rehearse(Assignment assignment, Path archive) throws IOException, InterruptedException {
        List<String> options =
                new ArrayList<>(SmallJvm.options(assignment.share().heapBytes()));
        options.addAll(ClassArchive.writing(archive));
        WorkerProcess.rehearse(command.line(options, arguments), assignment, startLimit);
    }

    private WorkerGroup start(Assignment assignment, List<String> more) {
        int workers = assignment.shares().size();
        AtomicReference<@Nullable RuntimeException> trouble = new AtomicReference<>();
        ExecutorService starters = Executors.newFixedThreadPool(
                atOnce(workers, Runtime.getRuntime().availableProcessors()));
        Map<Integer, RemoteWorker> up = new ConcurrentSkipListMap<>();
        for (int i = 0; i < workers; i++) {
            Assignment own = assignment.ofWorker(i);
            starters.execute(() -> startOne(own, more, up, trouble));
        }
        starters.shutdown();
        await(starters, trouble);
        RuntimeException failure = trouble.get();
        if (failure == null) {
            return new WorkerGroup(List.copyOf(up.values()));
        }
        if (!up.isEmpty()) {
            new WorkerGroup(List.copyOf(up.values())).close();
        }
        throw failure;
    }

    /** Adds a started worker by its number, unless there was trouble, with this one or with another. */
    private void startOne(
            Assignment assignment,
            List<String> more,
            Map<Integer, RemoteWorker> up,
            AtomicReference<@Nullable RuntimeException> trouble) {
        if (trouble.get() != null) {
            return;
        }
        WorkerShare share = assignment.share();
        String name = "worker " + share.slice().worker();
        try {
            List<String> options = new ArrayList<>(SmallJvm.options(share.heapBytes()));
            options.addAll(more);
            RemoteWorker worker = WorkerProcess.start(name, command.line(options, arguments), answerLimit);
            try {
                worker.answered(worker.prepare(assignment, startLimit));
                up.put(share.slice().worker(), worker);
            } catch (RuntimeException e) {
                trouble.compareAndSet(null, e);
                worker.close();
            }
        } catch (IOException | RuntimeException e) {
            trouble.compareAndSet(null, new IllegalStateException(name + " was not started: " + e.getMessage(), e));
        }
    }

    /** Waits to the end even when interrupted: a process that is just starting must not be forgotten. */
    private static void await(ExecutorService starters, AtomicReference<@Nullable RuntimeException> trouble) {
        boolean interrupted = false;
        boolean over = false;
        while (!over) {
            try {
                over = starters.awaitTermination(1, TimeUnit.DAYS);
            } catch (InterruptedException e) {
                interrupted = true;
                trouble.compareAndSet(null, new IllegalStateException("interrupted while workers were started", e));
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
