package io.heartwheel.app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program that is run to its end. */
final class Command {
    private static final long LONG_SECONDS = 120;

    private Command() {}

    /** End of a command: exit status, standard output and error. */
    record Outcome(int exit, String output) {
        /** What it printed; status 0 is expected. */
        String good(String... command) {
            if (exit != 0) {
                throw new AssertionError(List.of(command) + ": status " + exit + "\n" + output);
            }
            return output;
        }
    }

    static Outcome run(String... command) throws IOException, InterruptedException {
        return run(Map.of(), command);
    }

    /**
     * With these variables beside those of this process.
     *
     * @throws AssertionError if it does not end
     */
    static Outcome run(Map<String, String> environment, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SYSTEMD_COLORS", "0");
        builder.environment().putAll(environment);
        Path output = Files.createTempFile("heartwheel-command-", ".out");
        try {
            Process process = builder.redirectOutput(output.toFile())
                    .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                    .start();
            if (!process.waitFor(LONG_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(String.join(" ", command) + ": still running; " + text(output));
            }
            return new Outcome(process.exitValue(), text(output));
        } finally {
            Files.delete(output);
        }
    }

    /**
     * Runs it and expects status 0.
     *
     * @return what it printed
     */
    static String good(String... command) throws IOException, InterruptedException {
        return run(command).good(command);
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
