package io.heartwheel.loadgen.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Signals that whoever started this process has it ignore: the background of a shell, nohup, many a CI runner. The JVM leaves them ignored, so the user
 * is told how to end a run all the same.
 */
final class IgnoredSignals {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String MASK = "SigIgn:";
    private static final int INT = 2;
    private static final int TERM = 15;

    private IgnoredSignals() {}

    /** What to tell of this process; empty when it can be ended as usual, or nothing is known. */
    static Optional<String> ofThisProcess() {
        try {
            return notice(Files.readString(STATUS), ProcessHandle.current().pid());
        } catch (IOException | SecurityException notLinux) {
            return Optional.empty();
        }
    }

    /**
     * What to tell.
     *
     * @param status as {@code /proc/PID/status} has it
     */
    static Optional<String> notice(String status, long pid) {
        long ignored = status.lines()
                .filter(line -> line.startsWith(MASK))
                .map(line -> line.substring(MASK.length()).strip())
                .mapToLong(hex -> Long.parseUnsignedLong(hex, 16))
                .findFirst()
                .orElse(0);
        if (has(ignored, TERM)) {
            return Optional.of(
                    "SIGTERM is ignored: this process was started so; only kill -KILL " + pid + " ends it early");
        }
        return has(ignored, INT)
                ? Optional.of(
                        "SIGINT is ignored: this process was started so; kill " + pid + " (SIGTERM) ends it early")
                : Optional.empty();
    }

    private static boolean has(long mask, int signal) {
        return (mask & 1L << (signal - 1)) != 0;
    }
}
