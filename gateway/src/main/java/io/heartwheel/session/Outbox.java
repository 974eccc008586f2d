package io.heartwheel.session;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Messages on their way to devices, as the sessions of one event loop see them. As an executor it runs tasks on that loop, later and in order, for any thread.
 *
 * <p>Loop only, but for {@link #execute}.
 */
public interface Outbox extends Executor {
    /** Nobody sends what is to be acknowledged. */
    Outbox NONE = new Outbox() {
        @Override
        public void execute(Runnable task) {
            throw new RejectedExecutionException("nothing is sent here");
        }

        @Override
        public void established(Session session) {}

        @Override
        public void strayAck() {}
    };

    /** The device of this session is there, and WELCOME is written: what waits for it may be sent. */
    void established(Session session);

    /** An ACK came that nobody waits for. */
    void strayAck();

    /** Messages that wait for one device. What a session tells it is told on the loop of that session, in order. */
    interface Queue {
        /** An ACK came; {@code accepted} if its status is 0. */
        void acknowledged(Session from, long messageId, boolean accepted);

        /** The answer to a ping with this number came. */
        void received(Session from, long ping);

        /** A message of the device came, with the id of one of ours perhaps. Nobody changes the payload. */
        void answered(Session from, long messageId, boolean text, byte[] payload);

        /** The peer takes data again. */
        void writable(Session to);

        /** The connection has ended, and its id is free or another's. */
        void closed(Session session);
    }
}
