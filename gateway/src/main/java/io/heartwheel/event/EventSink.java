package io.heartwheel.event;

import java.io.IOException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Sink through which facts leave the gateway. Called on event loops: never blocks, never throws. A sink is bounded; what it cannot take it refuses
 * (messages) or drops (events), and says later how many were lost ({@link Gap}).
 */
public interface EventSink extends AutoCloseable {

    /**
     * Takes any fact but a message: a {@link ConnectionEvent.Connected} or {@link ConnectionEvent.Ended}, an {@link Incident}, a {@link TraceSegment}. A
     * sink may forget kinds that are nothing to it.
     */
    void publish(Fact fact);

    /**
     * Takes a device's message and answers through {@code reply} exactly once with {@link Reply#accepted()} or {@link Reply#refused()}, now or
     * later, on any thread. Accepted means that the sink has taken responsibility: a file sink has written it. For a sender that cannot wait, because it
     * is gone; without room the message is refused.
     */
    void publish(ConnectionEvent.Message message, Reply reply);

    /**
     * The same for a sender that can wait. Without room the sink has a choice: it refuses the message through {@code reply}, which only who is told of it
     * may be done to ({@link Reply#isTold}); or it takes nothing and calls the waiter once when there is room again. The sender is not read meanwhile, and
     * its message is offered anew when it is called. A waiter that waits already keeps its place.
     *
     * @return false if the message was not taken and the waiter waits; the reply hears nothing of this offer then
     */
    default boolean publishOrWait(ConnectionEvent.Message message, Reply reply, Waiter waiter) {
        publish(message, reply);
        return true;
    }

    /** The waiter waits no more; nothing if it does not. */
    default void forget(Waiter waiter) {}

    /**
     * Whom to tell when events were lost, once the sink has told that itself. Replaces the one before. Before anything is published.
     *
     * @param listener called on the sink's thread; quick
     */
    default void onGap(Runnable listener) {}

    /** Hands over what is queued, bounded in time, and lets go of resources. */
    @Override
    void close() throws IOException;

    /** The way back to the sender of a message. Any thread. */
    interface Reply {
        /** The sink has it. */
        void accepted();

        /** The sink does not have it and will not. */
        void refused();

        /** Whether the sender hears of it; a message of one that does not is lost when it is refused. */
        default boolean isTold() {
            return true;
        }

        /** Event loop of the sender, on which it is answered best, with others of the same in one task; null: any thread does. */
        default @Nullable Executor loop() {
            return null;
        }

        /** Answers to several messages follow: what they send may wait for {@link #endAnswers}. On {@link #loop} only, as is that. */
        default void beginAnswers() {}

        /** All of them are given. */
        default void endAnswers() {}

        /** Sends a DATA to the same connection, if it still stands. */
        void send(long messageId, boolean text, byte[] payload);
    }

    /** Sender that waits for room. */
    interface Waiter {
        /** There is room, perhaps: others were told that too. Any thread, also within the offer; quick. */
        void roomForMore();
    }
}
