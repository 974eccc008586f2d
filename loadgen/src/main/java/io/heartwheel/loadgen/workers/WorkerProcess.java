package io.heartwheel.loadgen.workers;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Worker as a process of its own, spoken to over its standard input and output. It leaves by itself when its input
 * ends, so it cannot outlive this process, whatever happens to that; of signals it hears SIGKILL alone, so that it can
 * still tell what it saw when all processes of a terminal or a service are told to end.
 *
 * @param here false: the process only leads to a worker on another machine
 */
record WorkerProcess(Process process, OutputTail errors, boolean here) implements RemoteWorker.Link {

    private static final long LAST_WORDS_MILLIS = 1_000;

    /**
     * Starts a worker; it has been told nothing yet.
     *
     * @param line command and arguments
     */
    static RemoteWorker start(String name, List<String> line, Duration limit) throws IOException {
        Process process = launched(line);
        return worker(name + " (pid " + process.pid() + ")", process, limit, true);
    }

    /** Starts what leads to a worker on another machine, by a command for the shell. */
    static RemoteWorker agent(String name, String command, Duration limit) throws IOException {
        return worker(name, launched(List.of("/bin/sh", "-c", command)), limit, false);
    }

    /**
     * Starts a worker, gives it its part, takes it back, and waits for its end: for what it leaves behind.
     *
     * @param startLimit for the first two
     */
    static void rehearse(List<String> line, Assignment assignment, Duration startLimit)
            throws IOException, InterruptedException {
        Process process = launched(line);
        try (RemoteWorker worker = worker("rehearsal", process, startLimit, true)) {
            worker.answered(worker.prepare(assignment, startLimit));
            worker.answered(worker.ask(WorkerRequest.of(WorkerRequest.Ask.CLOSE)));
            process.waitFor(ClassArchive.WRITING_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static Process launched(List<String> line) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(ChildEnd.deafTo("INT TERM HUP", line));
        builder.environment().put(SmallJvm.MALLOC_ARENAS, "1");
        return builder.start();
    }

    private static RemoteWorker worker(String name, Process process, Duration limit, boolean here) {
        return new RemoteWorker(
                name,
                new LineChannel(process.getInputStream(), process.getOutputStream(), Json.MOST_LINE_BYTES),
                limit,
                new WorkerProcess(process, new OutputTail(process.getErrorStream(), "errors of " + name), here));
    }

    @Override
    public void cut() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        ChildEnd.end(process);
    }

    @Override
    public String lastWords() {
        return errors.afterTheEnd(LAST_WORDS_MILLIS);
    }

    @Override
    public OptionalLong pid() {
        return here ? OptionalLong.of(process.pid()) : OptionalLong.empty();
    }
}
