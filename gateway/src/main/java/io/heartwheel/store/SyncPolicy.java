package io.heartwheel.store;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When what was committed is forced to the disk.
 *
 * @param mode when
 * @param everyMillis for {@link Mode#EVERY}: at least so often while anything is committed, 1..10000; else 0
 */
public record SyncPolicy(Mode mode, long everyMillis) {
    /** Before each commit returns: it survives a power failure. */
    public static final SyncPolicy ALWAYS = new SyncPolicy(Mode.ALWAYS, 0);

    /** When the operating system likes: a commit survives the end of the process, and not that of the machine. */
    public static final SyncPolicy NEVER = new SyncPolicy(Mode.NEVER, 0);

    /** What {@link #parse} takes, for error texts. */
    public static final String NEED = "need always, never, or every and 1ms..10000ms, such as every 50ms";

    private static final Pattern EVERY = Pattern.compile("every ([0-9]{1,5})ms");

    /**
     * As it is written in the configuration.
     *
     * @throws IllegalArgumentException if it is none of them
     */
    public static SyncPolicy parse(String text) {
        if (text.equals("always")) {
            return ALWAYS;
        }
        if (text.equals("never")) {
            return NEVER;
        }
        Matcher every = EVERY.matcher(text);
        if (!every.matches()) {
            throw new IllegalArgumentException(NEED);
        }
        long millis = Long.parseLong(every.group(1));
        if (millis < 1 || millis > 10_000) {
            throw new IllegalArgumentException(NEED);
        }
        return new SyncPolicy(Mode.EVERY, millis);
    }

    /** When. */
    public enum Mode {
        /** Before each commit returns. */
        ALWAYS,
        /** In the background, every so often: a power failure takes what was committed since. */
        EVERY,
        /** By the operating system alone. */
        NEVER
    }
}
