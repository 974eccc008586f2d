package io.heartwheel.log;

import ch.qos.logback.classic.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Priorities of lines as systemd's journal reads them: {@code <4>} before a warning and so on, which it takes off again (sd-daemon(3), SyslogLevelPrefix=
 * of systemd.exec(5)). They are written only where standard error is the journal, which systemd tells in {@code JOURNAL_STREAM}: the device and inode of
 * the stream, so that a pipe of somebody else's that merely inherited the variable is not taken for it.
 *
 * <p>Immutable; any thread.
 */
public final class JournalPriority {
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

    private static final JournalPriority OF_PROCESS = new JournalPriority(isStream(System.getenv(), STANDARD_ERROR));

    private final boolean listens;

    /** @param listens whether there is a journal to read priorities */
    JournalPriority(boolean listens) {
        this.listens = listens;
    }

    /** The journal behind standard error of this process, if there is one. */
    public static JournalPriority ofProcess() {
        return OF_PROCESS;
    }

    static boolean isStream(Map<String, String> environment, Path file) {
        String told = environment.get("JOURNAL_STREAM");
        return told != null && told.equals(identity(file));
    }

    private static String identity(Path file) {
        try {
            Map<String, Object> attributes = Files.readAttributes(file, "unix:dev,ino");
            return attributes.get("dev") + ":" + attributes.get("ino");
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException notToBeKnown) {
            return "not known";
        }
    }

    /** Lines that tell of an error, each with its priority if the journal reads them. */
    public String error(String lines) {
        return marked(lines, Level.ERROR);
    }

    /** Lines, each with the priority of this level if the journal reads them. */
    String marked(String lines, Level level) {
        if (!listens) {
            return lines;
        }
        String mark = "<" + priority(level) + ">";
        boolean ended = lines.endsWith("\n");
        String body = ended ? lines.substring(0, lines.length() - 1) : lines;
        return mark + body.replace("\n", "\n" + mark) + (ended ? "\n" : "");
    }

    /** As sd-daemon(3) numbers them. */
    private static int priority(Level level) {
        return switch (level.toInt()) {
            case Level.ERROR_INT -> 3;
            case Level.WARN_INT -> 4;
            case Level.INFO_INT -> 6;
            default -> 7;
        };
    }
}
