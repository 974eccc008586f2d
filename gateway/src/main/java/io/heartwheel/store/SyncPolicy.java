package io.heartwheel.store;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Policy of when what was committed is forced to the disk.
 *
 * @param mode when
 * @param everyMillis for {@link Mode#EVERY}: at least so often while anything is committed, 1..10000; else 0
 */
public record SyncPolicy(Mode mode, long everyMillis) {
    /** Before each commit returns: it survives a power failure. */
    public static final SyncPolicy ALWAYS = new SyncPolicy(Mode.ALWAYS, 0);

    /** When the operating system likes: a commit survives the end of the process, and not that of the machine. */
    public static final SyncPolicy NEVER = new SyncPolicy(Mode.NEVER, 0);

    /** What {@link #parse} takes, for the text of an error. */
    public static final String NEED = "need always, never, or every and 1ms..10s, such as every 50ms";

    private static final long MAX_MILLIS = 10_000;
    private static final Pattern EVERY = Pattern.compile("every\\s+(\\d{1,5})\\s*(ms|s)");

    /** When. */
    public enum Mode {
        /** Before each commit returns. */
        ALWAYS,
        /** In the background, every so often: a power failure takes what was committed since. */
        EVERY,
        /** By the operating system alone. */
        NEVER
    }

    /** Checks the range. */
    public SyncPolicy {
        boolean inRange = mode == Mode.EVERY ? everyMillis >= 1 && everyMillis <= MAX_MILLIS : everyMillis == 0;
        if (!inRange) {
            throw new IllegalArgumentException(mode + " " + everyMillis + "ms: " + NEED);
        }
    }

    /** In the background, at least so often: 1..10000 ms. */
    public static SyncPolicy every(long millis) {
        return new SyncPolicy(Mode.EVERY, millis);
    }

    /**
     * From {@code always}, {@code every 50ms}, {@code every 2s} or {@code never}.
     *
     * @throws IllegalArgumentException whose message is {@link #NEED}
     */
    public static SyncPolicy parse(String text) {
        String word = text.strip().toLowerCase(Locale.ROOT);
        if (word.equals("always")) {
            return ALWAYS;
        }
        if (word.equals("never")) {
            return NEVER;
        }
        Matcher every = EVERY.matcher(word);
        if (every.matches()) {
            long millis = Long.parseLong(every.group(1)) * (every.group(2).equals("s") ? 1000 : 1);
            if (millis >= 1 && millis <= MAX_MILLIS) {
                return every(millis);
            }
        }
        throw new IllegalArgumentException(NEED);
    }

    /** As {@link #parse} takes it. */
    @Override
    public String toString() {
        return mode == Mode.EVERY ? "every " + everyMillis + "ms" : mode.name().toLowerCase(Locale.ROOT);
    }
}
