package io.heartwheel.loadgen.app;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Operator's commands of a timeline. Stateless; any thread. */
final class Commands {

    private static final long MOST_SECONDS = 120;

    private Commands() {}

    /**
     * Runs it and waits, at most two minutes.
     *
     * @throws IOException when it cannot be started, does not end, or ends with another status than 0
     */
    static void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(String.join(" ", command) + ": still running after " + MOST_SECONDS + " s");
        }
        if (process.exitValue() != 0) {
            throw new IOException(String.join(" ", command) + ": exit status " + process.exitValue());
        }
    }
}
