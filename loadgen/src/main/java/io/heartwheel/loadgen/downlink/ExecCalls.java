package io.heartwheel.loadgen.downlink;

import io.heartwheel.loadgen.scenario.Downlink;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Pushes by command: one for each push, whose exit status is the answer. What a command prints is not read; its complaints go where ours
 * go.
 */
final class ExecCalls implements PushCalls {

    private final Downlink.Exec exec;
    private final Duration limit;
    private final Set<Process> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    ExecCalls(Downlink.Exec exec, Duration limit) {
        this.exec = exec;
        this.limit = limit;
    }

    @Override
    public CompletableFuture<PushAnswer> call(Push push) {
        Process process;
        try {
            process = new ProcessBuilder(exec.command().stream().map(push::fill).toList())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            process.getOutputStream().close();
        } catch (IOException e) {
            return CompletableFuture.completedFuture(PushAnswer.failed(String.valueOf(e.getMessage())));
        }
        running.add(process);
        process.onExit().thenAccept(running::remove);
        if (closed) {
            end(process);
        }
        return process.onExit()
                .thenApply(ended -> PushAnswer.of("exit status ", ended.exitValue(), exec.accepted(), exec.absent()))
                .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((answer, failure) -> {
                    if (failure != null) {
                        end(process);
                    }
                })
                .exceptionally(failure -> PushAnswer.failed(failure, limit));
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public void close() {
        closed = true;
        running.forEach(ExecCalls::end);
    }
}
