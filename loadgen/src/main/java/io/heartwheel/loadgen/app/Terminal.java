package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.measure.Proc;
import io.heartwheel.loadgen.report.Screen;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/**
 * The terminal that standard output is. Its size is asked for once, and again after each SIGWINCH: {@code stty} of
 * coreutils knows it, and neither changes the terminal nor is stopped when the run is in the shell's background.
 *
 * <p>Any thread; the size is written by the thread that handles the signal.
 */
final class Terminal {

    private static final String OUTPUT = "/proc/self/fd/1";
    private static final Screen COMMON = new Screen(80, 24);
    private static final long PATIENCE_SECONDS = 2;

    private final Screen otherwise;
    private volatile Screen screen;

    private Terminal(Map<String, String> environment) {
        otherwise = new Screen((int) Proc.number(environment.getOrDefault("COLUMNS", ""), COMMON.columns()), 0);
        screen = asked();
    }

    /**
     * That of this process, or null when standard output is a file, a pipe or a socket, or when no program that is shown
     * here may move the cursor.
     *
     * @param environment the process's: {@code TERM=dumb} is no terminal; {@code COLUMNS} tells the width of one that does
     *     not know it itself, else it is 80
     */
    static @Nullable Terminal ofThisProcess(Map<String, String> environment) {
        if ("dumb".equals(environment.get("TERM")) || !isTerminal(target())) {
            return null;
        }
        Terminal terminal = new Terminal(environment);
        try {
            Signal.handle(new Signal("WINCH"), signal -> terminal.screen = terminal.asked());
        } catch (IllegalArgumentException e) {
            // Taken by somebody else (-Xrs): it stays as wide as it was.
            return terminal;
        }
        return terminal;
    }

    /** Prints a line as it fits the terminal, or as it is where there is none. */
    static void print(PrintWriter out, @Nullable Terminal terminal, String text) {
        text.lines()
                .forEach(line ->
                        (terminal == null ? List.of(line) : terminal.screen().fit(line)).forEach(out::println));
    }

    /** Its size now. */
    Screen screen() {
        return screen;
    }

    private static String target() {
        try {
            return Files.readSymbolicLink(Path.of(OUTPUT)).toString();
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    /** @param target what the kernel says that a descriptor is: a path, or {@code pipe:[1]} */
    static boolean isTerminal(String target) {
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
    }

    private Screen asked() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File(OUTPUT))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (stty.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                return read(new String(stty.getInputStream().readNBytes(64), StandardCharsets.US_ASCII), otherwise);
            }
            stty.destroy();
            return otherwise;
        } catch (IOException e) {
            return otherwise;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return otherwise;
        }
    }

    /** Reads {@code 24 80}; a terminal that was told no size says {@code 0 0}. */
    static Screen read(String size, Screen otherwise) {
        String[] words = size.strip().split(" ", -1);
        int rows = (int) Proc.number(words[0], 0);
        int columns = words.length == 2 ? (int) Proc.number(words[1], 0) : 0;
        return columns > 0 ? new Screen(columns, rows) : otherwise;
    }
}
