package io.heartwheel.sink;

/**
 * Settings of the memory of messages that devices may send again ({@link RecentMessages}). Immutable; any thread.
 *
 * @param enabled whether a repeat is acknowledged without a second record
 * @param messages messages of a device that are remembered, {@value #LEAST}..{@value #MOST}
 */
public record DedupeSettings(boolean enabled, int messages) {
    static final int LEAST = 1;
    static final int MOST = 1_024;

    /** Checks the range. */
    public DedupeSettings {
        if (messages < LEAST || messages > MOST) {
            throw new IllegalArgumentException("messages = " + messages + ": need " + LEAST + ".." + MOST);
        }
    }
}
