package io.heartwheel.session;

import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;

/** Method of authentication that answers when the test says so, and then twice: the second answer must change nothing. */
final class HeldAuthenticator implements Authenticator {
    /** All that was asked, in order. */
    final List<AuthRequest> requests = new ArrayList<>();
    /** Those who wait for an answer, in order. */
    final Queue<Consumer<AuthResult>> waiting = new ArrayDeque<>();

    @Override
    public String name() {
        return "held";
    }

    @Override
    public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
        requests.add(request);
        waiting.add(answer);
    }

    /** Answers the first who waits. */
    void answer(AuthResult result) {
        Consumer<AuthResult> next = waiting.remove();
        next.accept(result);
        next.accept(result);
    }
}
