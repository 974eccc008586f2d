package io.heartwheel.session;

import io.heartwheel.auth.AuthResult;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Question whether a device may come in, or may stay, while it is under way. Immutable; any thread. */
final class AuthCall implements Consumer<AuthResult> {
    private final @Nullable BiConsumer<AuthCall, AuthResult> asker;
    private final @Nullable Hello hello;
    private final long deadlineNanos;

    /**
     * Part of a HELLO that is needed once the device is admitted.
     *
     * @param wantedMillis wanted interval, unsigned 32 bits
     * @param lastEpoch the epoch it remembers
     * @param understandsAuth whether it can be told that its token expires
     */
    record Hello(long wantedMillis, long lastEpoch, boolean understandsAuth) {}

    /**
     * @param asker told of the answer, on the thread of whoever gives it; null: nobody asks
     * @param hello what the device wanted; null: it is in already, and shows a newer token
     * @param deadlineNanos an answer is of no use after this
     */
    AuthCall(@Nullable BiConsumer<AuthCall, AuthResult> asker, @Nullable Hello hello, long deadlineNanos) {
        this.asker = asker;
        this.hello = hello;
        this.deadlineNanos = deadlineNanos;
    }

    /** One that nobody asks: it takes the place of others until this deadline. */
    static AuthCall ofNobody(long deadlineNanos) {
        return new AuthCall(null, null, deadlineNanos);
    }

    /** One that was answered, of a device that waits for its id: what it remembers is needed once more. */
    static AuthCall answered(long lastEpoch) {
        return new AuthCall(null, new Hello(0, lastEpoch, false), 0);
    }

    /** Whether an answer was asked for. */
    boolean isAsked() {
        return asker != null;
    }

    @Nullable
    Hello hello() {
        return hello;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Whether nobody can be waiting for it any more. */
    boolean isPast(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    @Override
    public void accept(AuthResult result) {
        if (asker != null) {
            asker.accept(this, result);
        }
    }
}
