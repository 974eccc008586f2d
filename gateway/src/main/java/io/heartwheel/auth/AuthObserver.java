package io.heartwheel.auth;

import org.jspecify.annotations.Nullable;

/** Observer of authentications. Any thread, several at once; never blocks and never throws. */
public interface AuthObserver {
    /** Sees nothing. */
    AuthObserver NONE = new AuthObserver() {};

    /**
     * A method was asked.
     *
     * @param nanos how long it held the thread that asked, which may be an event loop
     */
    default void asked(long nanos) {}

    /**
     * A device has its answer.
     *
     * @param method who decided, {@link AuthChain#NOBODY} if none of them did
     * @param cause why it is not admitted; null: it is
     * @param nanos from the question to the answer
     */
    default void answered(String method, @Nullable AuthCause cause, long nanos) {}

    /** A method has thrown: a fault of ours. */
    default void failed(String method, Throwable fault) {}
}
