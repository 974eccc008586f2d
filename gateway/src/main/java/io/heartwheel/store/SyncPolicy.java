package io.heartwheel.store;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Policy of when what was written is forced to the disk.
 *
 * @param everyMillis at least so often while anything is written, 1..10000, in the background: a power failure takes what was written since. 0: before it
 *     counts as written. {@value #BY_SYSTEM}: when the operating system likes
 */
public record SyncPolicy(long everyMillis) {
    private static final long BY_SYSTEM = -1;
    private static final long MAX_MILLIS = 10_000;

    /** Before it counts as written: it survives a power failure. */
    public static final SyncPolicy ALWAYS = new SyncPolicy(0);

    /** When the operating system likes: it survives the end of the process, and not that of the machine. */
    public static final SyncPolicy NEVER = new SyncPolicy(BY_SYSTEM);

    /** What {@link #parse} takes, for the text of an error. */
    public static final String NEED = "need always, never, or every and 1ms..10s, such as every 50ms";

    private static final Pattern EVERY = Pattern.compile("every\\s+(\\d{1,5})\\s*(ms|s)");

    /** Checks the range. */
    public SyncPolicy {
        if (everyMillis < BY_SYSTEM || everyMillis > MAX_MILLIS) {
            throw new IllegalArgumentException(everyMillis + "ms: " + NEED);
        }
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
                return new SyncPolicy(millis);
            }
        }
        throw new IllegalArgumentException(NEED);
    }

    /** As {@link #parse} takes it. */
    @Override
    public String toString() {
        return everyMillis == 0 ? "always" : everyMillis < 0 ? "never" : "every " + everyMillis + "ms";
    }
}
