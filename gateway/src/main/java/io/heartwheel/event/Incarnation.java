package io.heartwheel.event;

/**
 * The gateway has started with a journal: all sessions of earlier incarnations are over. Comes before anything else of this one. Immutable; any thread.
 *
 * @param number larger than that of every earlier start: seconds since 1970, or one more than the one before
 * @param previous the one before; 0: there was none
 * @param previousEnded whether that one ended in good order, so that it told the end of each of its sessions
 * @param version of the gateway
 */
public record Incarnation(long atEpochMillis, long number, long previous, boolean previousEnded, String version)
        implements Fact {
    @Override
    public EventKind kind() {
        return EventKind.INCARNATION;
    }
}
