package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionCall;
import io.heartwheel.session.VirtualGateway;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Events between finding a session and reaching its loop; the test is the loop. */
class SessionCallTest {
    private static final Response OFFLINE = Response.error(404, "offline", "");

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final Queue<Runnable> loop = new ArrayDeque<>();
    private final List<Session> reached = new ArrayList<>();

    private FakeSession device(long sessionId) {
        FakeSession device = new FakeSession(gateway.sessionContext, "heartwheel", "192.0.2.1:1", loop::add)
                .accept(sessionId)
                .hello("dev-1", "");
        runLoop();
        return device;
    }

    private CompletableFuture<Response> go() {
        return new SessionCall<>(gateway.registry, "dev-1", this::act, OFFLINE).go();
    }

    private Response act(Session session) {
        reached.add(session);
        return Response.json(200, Map.of("session", session.sessionId()));
    }

    private void runLoop() {
        while (!loop.isEmpty()) {
            loop.remove().run();
        }
    }

    @Test
    void go_established_actsOnTheLoopAlone() {
        device(1);
        CompletableFuture<Response> answer = go();
        assertFalse(answer.isDone());
        runLoop();
        assertEquals("{\"session\":1}\n", new String(answer.join().body(), StandardCharsets.UTF_8));
    }

    @Test
    void go_takenOverOnTheWay_reachesTheSuccessor() {
        FakeSession before = device(1);
        CompletableFuture<Response> answer = go();
        FakeSession after = device(2);
        runLoop();
        assertFalse(before.isEstablished());
        assertEquals(List.of(after), reached);
        assertTrue(answer.isDone());
    }

    @Test
    void go_hungUpOnTheWay_isOffline() {
        FakeSession device = device(1);
        CompletableFuture<Response> answer = go();
        device.hangUp();
        runLoop();
        assertSame(OFFLINE, answer.join());
        assertTrue(reached.isEmpty());
    }

    @Test
    void go_takenOverEachTime_givesUp() {
        device(1);
        CompletableFuture<Response> answer = go();
        for (int i = 2; i < 10 && !answer.isDone(); i++) {
            new FakeSession(gateway.sessionContext, "heartwheel", "192.0.2.1:1", task -> loop.add(task))
                    .accept(i)
                    .hello("dev-1", "");
            // a successor whose own claim is never settled on the loop before the errand comes by
            Runnable sessionCall = loop.remove();
            loop.clear();
            sessionCall.run();
        }
        assertTrue(answer.isDone());
        assertTrue(reached.isEmpty());
    }

    @Test
    void go_nobodyWaitsAnyMore_isNotDone() {
        device(1);
        CompletableFuture<Response> answer = go();
        answer.complete(OFFLINE);
        runLoop();
        assertTrue(reached.isEmpty());
    }

    @Test
    void go_actFails_answerCarriesTheFault() {
        device(1);
        CompletableFuture<Response> answer = new SessionCall<>(
                        gateway.registry,
                        "dev-1",
                        session -> {
                            throw new IllegalStateException("broken");
                        },
                        OFFLINE)
                .go();
        runLoop();
        assertThrows(CompletionException.class, answer::join);
    }
}
