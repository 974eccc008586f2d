package io.heartwheel.session;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Messages on their way to devices, as the sessions of one event loop see them. As an executor it runs tasks on that loop, later and in order, for any thread.
 *
 * <p>Loop only, but for {@link #execute}.
 *
 * @param <S> a session
 */
public interface Outbox<S> extends Executor {
    /** One of a gateway that sends nothing that is to be acknowledged. */
    static <S> Outbox<S> none() {
        return new Outbox<>() {
            @Override
            public void execute(Runnable task) {
                throw new RejectedExecutionException("nothing is sent here");
            }

            @Override
            public void established(S session) {}

            @Override
            public void strayAck() {}
        };
    }

    /** The device of this session is there, and WELCOME is written: what waits for it may be sent. */
    void established(S session);

    /** An ACK came that nobody waits for. */
    void strayAck();

    /**
     * Messages that wait for one device. What a session tells it is told on the loop of that session, in order.
     *
     * @param <S> a session
     */
    interface Queue<S> {
        /** An ACK came; {@code accepted} if its status is 0. */
        void acknowledged(S from, long messageId, boolean accepted);

        /** The answer to a ping with this number came. */
        void received(S from, long ping);

        /** A message of the device came, with the id of one of ours perhaps. Nobody changes the payload. */
        void answered(S from, long messageId, boolean text, byte[] payload);

        /** The peer takes data again. */
        void writable(S to);

        /** The connection has ended, and its id is free or another's. */
        void closed(S session);
    }
}
