package io.heartwheel.auth;

import java.util.List;
import java.util.function.Consumer;

/**
 * Method of authentication: says who may come in. Any thread may ask, event loops among them, so nothing here blocks: what takes more than some microseconds
 * is done on a thread of the method's own.
 */
public interface Authenticator extends AutoCloseable {
    /** Believes everybody: {@code auth.mode = none}. */
    Authenticator ANYBODY = new Authenticator() {
        @Override
        public String name() {
            return "none";
        }

        @Override
        public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
            answer.accept(AuthResult.ADMITTED);
        }
    };

    /** Lower-case name in configuration, metrics and evidence: {@code jwt}. */
    String name();

    /**
     * Decides on a device.
     *
     * @param answer told exactly once, on any thread, this one included; not blocked and never throws. An answer after
     *     {@link AuthRequest#deadlineNanos} is of no use
     */
    void authenticate(AuthRequest request, Consumer<AuthResult> answer);

    /**
     * Decides often on a device of its own making, so that its code is compiled before the first real one comes. Blocks; before {@link #authenticate}.
     *
     * @param untilNanos ends then at the latest, on the clock of {@link System#nanoTime}
     */
    default void warmUp(long untilNanos) {}

    /**
     * Reads its files again if they have changed. Blocks on files; one thread at a time, not an event loop.
     *
     * @return what is wrong with them, for the operator; then the earlier content stays in force
     */
    default List<String> refresh() {
        return List.of();
    }

    /**
     * As {@link #refresh}, for an operator who says that the files are as they should be: what has changed is read at once.
     *
     * @return what forbids to use them; not what may be told besides
     */
    default List<String> reload() {
        return refresh();
    }

    /** Ends its threads and connections. Whoever has asked and was not answered is told that nobody can say now. */
    @Override
    default void close() {}
}
