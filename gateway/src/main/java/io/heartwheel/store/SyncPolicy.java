package io.heartwheel.store;

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
