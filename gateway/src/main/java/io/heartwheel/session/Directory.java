package io.heartwheel.session;

import io.heartwheel.event.CloseReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Directory of the device ids and their holders. Asynchronous, because a cluster may stand behind it; the directory of a single process answers before
 * {@link #claim} returns.
 *
 * @param <S> what holds an id
 */
public interface Directory<S> {
    /**
     * Claims the session's device id for it. The answer comes exactly once, on any thread.
     *
     * @param session the claimant, which knows its device id
     * @param lastEpoch the epoch the device remembers, 0 if none
     */
    void claim(S session, long lastEpoch, Claimant<S> claimant);

    /** Gives the id back if, and only if, this session still holds it: a closing connection never unregisters its successor. Any thread. */
    void release(S session);

    /** This session does not answer a probe: whoever has to wait for its id waits for nobody, and the next who claims it has it. Any thread. */
    default void unanswered(S holder) {}

    /**
     * The session's grant has these groups instead of those: before it takes the place of another session, when its grant changes, and after its end. Its own
     * thread, in order.
     */
    default void regrouped(S session, List<String> before, List<String> after) {}

    /**
     * Asks for an id.
     *
     * @param <S> what holds an id
     */
    interface Claimant<S> {
        /**
         * The id is the session's.
         *
         * @param epoch larger than every epoch this id was ever given
         * @param predecessor the session of this process that held it, to be closed as taken over; null if none
         */
        void granted(long epoch, @Nullable S predecessor);

        /** The id is not to be had. */
        void refused(CloseReason reason);

        /**
         * The id is not to be had now, because connections take it from each other again and again.
         *
         * @param lastEpoch as in the claim, for the next one
         * @param holder the session that has it
         */
        void later(Wait wait, long lastEpoch, S holder);

        /** The same, and the session that has the id is at another gateway. Who cannot wait for that is refused. */
        default void later(Wait wait, long lastEpoch, Elsewhere holder) {
            refused(CloseReason.ID_CONFLICT);
        }
    }

    /** A session at another gateway, of that node's name. */
    record Elsewhere(String node, long sessionId, long epoch) {}

    /**
     * Time for which an id is not to be had.
     *
     * @param nanos above 0, at most 40 s
     * @param begins whether nobody had to wait for this id in the last minute
     */
    record Wait(long nanos, boolean begins) {}
}
