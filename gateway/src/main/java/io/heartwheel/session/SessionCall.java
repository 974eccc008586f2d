package io.heartwheel.session;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/**
 * Action on a device's session, run on the session's own loop. If the session has gone or was taken over by the time its loop comes
 * to it, the device's newer one is tried: a device that reconnects at that moment is not offline.
 *
 * <pre>
 *   admin loop --find--&gt; session --onLoop--&gt; device loop: still the one? --yes--&gt; act --&gt; answer
 *                  ^                                           |
 *                  +------------------ no, try again ----------+
 * </pre>
 *
 * @param <T> what it brings back
 */
public final class SessionCall<T> {
    /** A loop that has not come to a call by then is stuck. */
    public static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final int TRIES = 3;

    private final SessionRegistry registry;
    private final String deviceId;
    private final Function<Session, T> act;
    private final T offline;
    private final CompletableFuture<T> answer = new CompletableFuture<>();

    /**
     * @param act on the session's loop, with an established session
     * @param offline what is answered if there is none
     */
    public SessionCall(SessionRegistry registry, String deviceId, Function<Session, T> act, T offline) {
        this.registry = registry;
        this.deviceId = deviceId;
        this.act = act;
        this.offline = offline;
    }

    /** Sets out, once. The answer comes on any thread, or never if the loop is stuck. */
    public CompletableFuture<T> go() {
        attempt(TRIES);
        return answer;
    }

    private void attempt(int triesLeft) {
        Session session = registry.serving(deviceId);
        if (session == null || triesLeft == 0) {
            answer.complete(offline);
            return;
        }
        try {
            session.onLoop(() -> onLoop(session, triesLeft));
        } catch (RejectedExecutionException ended) {
            answer.complete(offline);
        }
    }

    private void onLoop(Session session, int triesLeft) {
        try {
            if (answer.isDone()) {
                return; // nobody waits any more
            }
            if (session.isEstablished() && registry.serving(deviceId) == session) {
                answer.complete(act.apply(session));
            } else {
                attempt(triesLeft - 1);
            }
        } catch (RuntimeException fault) {
            answer.completeExceptionally(fault);
        }
    }
}
