package io.heartwheel.loadgen.workers;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * End of a child process: asked by closing its input, then told, then made to; and by nobody else. Stateless; any
 * thread.
 */
final class ChildEnd {

    private static final long ASKED_SECONDS = 3;
    private static final long TOLD_SECONDS = 3;
    private static final long MADE_SECONDS = 10;
    private static final int AT_ONCE = 64;

    private static final Path SHELL = Path.of("/bin/sh");

    private ChildEnd() {}

    /**
     * A command line that is started with signals ignored. Ctrl-C reaches all processes of a terminal's group: what has
     * to live until the verdict must not hear it, and hears of its end from us.
     *
     * @param signals as a shell names them
     */
    static List<String> deafTo(String signals, List<String> line) {
        if (!Files.isExecutable(SHELL) || !Files.isExecutable(Path.of(line.get(0)))) {
            return line;
        }
        List<String> shielded =
                new ArrayList<>(List.of(SHELL.toString(), "-c", "trap '' " + signals + "; exec \"$@\"", "sh"));
        shielded.addAll(line);
        return shielded;
    }

    /** Runs these at the same time and waits for all; none may throw. */
    static void all(List<Runnable> ends) {
        ExecutorService closing =
                Executors.newFixedThreadPool(Math.min(ends.size(), AT_ONCE), new DefaultThreadFactory("closing", true));
        CompletableFuture.allOf(ends.stream()
                        .map(end -> CompletableFuture.runAsync(end, closing))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
        closing.shutdown();
    }

    /** Ends it and waits, 16 s at the most. At once when it has ended before. */
    static void end(Process child) {
        try {
            child.getOutputStream().close();
        } catch (IOException e) {
            // It is gone already, or is told below.
        }
        if (!ended(child, ASKED_SECONDS)) {
            child.destroy();
            if (!ended(child, TOLD_SECONDS)) {
                child.destroyForcibly();
                ended(child, MADE_SECONDS);
            }
        }
    }

    static boolean ended(Process child, long seconds) {
        try {
            return child.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            child.destroyForcibly();
            return false;
        }
    }
}
