package io.heartwheel.loadgen.downlink;

import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.scenario.Downlink;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Pushes by command: a command for each push, whose exit status is the answer, or one command that stays and takes a
 * line a push, which is accepted when the line is written. What a command prints is not read; its complaints go where ours
 * go.
 */
final class ExecCalls implements PushCalls {

    private static final long FAREWELL_SECONDS = 2;

    private final Downlink.Exec exec;
    private final Duration limit;
    private final Set<Process> running = ConcurrentHashMap.newKeySet();
    /** A full pipe blocks who writes into it. */
    private final ExecutorService writer =
            Executors.newSingleThreadExecutor(new DefaultThreadFactory("push-exec", true));

    private volatile boolean closed;
    private @Nullable Process staying; // the writer's, after open

    ExecCalls(Downlink.Exec exec, Duration limit) {
        this.exec = exec;
        this.limit = limit;
    }

    @Override
    public void open() throws IOException {
        if (!exec.line().isEmpty()) {
            staying = started(new ProcessBuilder(exec.command()).redirectInput(ProcessBuilder.Redirect.PIPE));
        }
    }

    private Process started(ProcessBuilder command) throws IOException {
        Process process = command.redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        running.add(process);
        process.onExit().thenAccept(running::remove);
        if (closed) {
            end(process);
        }
        return process;
    }

    @Override
    public CompletableFuture<PushAnswer> call(Push push) {
        CompletableFuture<PushAnswer> answer = exec.line().isEmpty() ? own(push) : line(push);
        return answer.exceptionally(failure -> PushAnswer.failed(failure, limit));
    }

    private CompletableFuture<PushAnswer> own(Push push) {
        Process process;
        try {
            process = started(
                    new ProcessBuilder(exec.command().stream().map(push::fill).toList()));
            process.getOutputStream().close();
        } catch (IOException e) {
            return CompletableFuture.completedFuture(PushAnswer.failed(String.valueOf(e.getMessage())));
        }
        return process.onExit()
                .thenApply(ended -> PushAnswer.of("exit status ", ended.exitValue(), exec.accepted(), exec.absent()))
                .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((answer, failure) -> {
                    if (failure != null) {
                        end(process);
                    }
                });
    }

    private CompletableFuture<PushAnswer> line(Push push) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            write(push.fill(exec.line()) + "\n");
                            return new PushAnswer(Said.ACCEPTED, "written");
                        },
                        writer)
                .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void write(String line) {
        Process process = staying;
        if (process == null || !process.isAlive()) {
            throw new IllegalStateException(
                    process == null ? "the command is not open" : "the command ended, status " + process.exitValue());
        }
        try {
            OutputStream out = process.getOutputStream();
            out.write(line.getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** One that stays sees the end of its input, and has a moment to make something of it. */
    @Override
    public void close() {
        closed = true;
        Process process = staying;
        if (process != null) {
            try {
                process.getOutputStream().close();
                process.waitFor(FAREWELL_SECONDS, TimeUnit.SECONDS);
            } catch (IOException e) {
                // It has closed its end before: it is ended below.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        running.forEach(ExecCalls::end);
        writer.shutdownNow();
    }
}
