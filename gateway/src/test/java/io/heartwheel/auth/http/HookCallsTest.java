package io.heartwheel.auth.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.http.HookOutcome.Decided;
import io.heartwheel.auth.http.HookOutcome.Failed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Under a virtual clock, with a service that answers when the test says so. */
class HookCallsTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long TIMEOUT = 2 * SECOND;
    private static final Decided YES = new Decided(AuthResult.ADMITTED, 60);
    private static final Failed DOWN = Failed.of(AuthCause.OUTAGE, "HTTP 503");

    private long now = Long.MAX_VALUE - SECOND; // wraps around
    private long wall = 1_000_000;
    private final RequestKey.Seed seed = new RequestKey.Seed();
    private final List<String> called = new ArrayList<>();
    private final List<Consumer<HookOutcome>> ends = new ArrayList<>();
    private int cancelled;
    private final Map<String, AuthResult> answers = new HashMap<>();
    private final CircuitBreaker breaker = new CircuitBreaker(Asking.BREAKER, () -> 1, now);
    private final AnswerCache cache = new AnswerCache(Asking.CACHE, Duration.ofHours(1));
    private HookCalls calls = calls(2, OnOutage.LATER);

    private HookCalls calls(int connections, OnOutage onOutage) {
        HookCalls.Hook hook = (request, end) -> {
            called.add(request.deviceName());
            ends.add(end);
            return () -> cancelled++;
        };
        return new HookCalls(
                new HookCalls.Limits(connections, TIMEOUT, onOutage, 900_000),
                hook,
                breaker,
                cache,
                new HookLog("http://127.0.0.1/"),
                () -> now,
                () -> wall);
    }

    private void ask(String id) {
        ask(id, id, now + 10 * SECOND);
    }

    private void ask(String name, String id, long deadlineNanos) {
        AuthRequest request = Asking.device(id, "token", deadlineNanos);
        calls.ask(RequestKey.ofAll(seed, request), RequestKey.ofCredentials(seed, request), request, result -> {
            assertNull(answers.put(name, result), name + " is told twice");
        });
    }

    private void end(int call, HookOutcome outcome) {
        ends.get(call).accept(outcome);
    }

    private AuthCause unavailable(String name) {
        return assertInstanceOf(AuthResult.Unavailable.class, answers.get(name), name)
                .cause();
    }

    private void open() {
        for (int i = 0; i < 5; i++) {
            ask("opens" + i);
            end(ends.size() - 1, DOWN);
        }
        assertEquals(BreakerState.OPEN, breaker.state());
    }

    @Test
    void calls_beyondTheConnections_waitInTurn() {
        for (String id : List.of("a", "b", "c", "d")) {
            ask(id);
        }
        assertEquals(List.of("a", "b"), called);
        assertEquals(2, calls.callsUnderWay());
        assertEquals(2, calls.callsWaiting());
        end(1, YES);
        assertEquals(List.of("a", "b", "c"), called);
        end(0, YES);
        end(2, YES);
        end(3, YES);
        assertEquals(4, answers.size());
        assertTrue(calls.isIdle());
        assertEquals(0, calls.callsUnderWay() + calls.callsWaiting());
    }

    @Test
    void requests_thatAreTheSame_shareACall() {
        for (int i = 0; i < 10; i++) {
            ask("waiter" + i, "a", now + 10 * SECOND);
        }
        ask("waiting1", "b", now + 10 * SECOND);
        ask("c");
        ask("waiting2", "d", now + 10 * SECOND);
        ask("waiting3", "d", now + 10 * SECOND);
        end(0, YES);
        assertEquals(10, answers.size());
        answers.values().forEach(result -> assertSame(AuthResult.ADMITTED, result));
        end(1, YES);
        end(2, YES);
        end(3, YES);
        assertEquals(List.of("a", "b", "c", "d"), called);
        assertEquals(14, answers.size());
        assertEquals(10, calls.joined());
        ask("later", "a", now + 10 * SECOND);
        assertEquals(5, called.size());
    }

    @Test
    void hangingService_callsEndByTheirTimeoutAndTheQueueDrains() {
        calls = calls(5, OnOutage.LATER);
        for (int i = 0; i < 1_000; i++) {
            ask("d" + i);
        }
        now += TIMEOUT - 1;
        calls.expire();
        assertEquals(0, answers.size());
        now++;
        calls.expire();
        assertEquals(5, cancelled);
        assertEquals(BreakerState.OPEN, breaker.state());
        assertEquals(1_000, answers.size());
        assertEquals(AuthCause.TIMEOUT, unavailable("d0"));
        assertEquals(AuthCause.OUTAGE, unavailable("d999"));
        assertTrue(calls.isIdle());
        end(0, YES); // too late: nobody is told twice
        assertEquals(5, called.size());
    }

    @Test
    void deadline_ofTheHandshake_endsTheWaitAlone() {
        ask("a", "a", now + SECOND);
        ask("other", "a", now + 10 * SECOND);
        ask("b");
        ask("c", "c", now + SECOND);
        now += SECOND;
        calls.expire();
        assertEquals(AuthCause.TIMEOUT, unavailable("a"));
        assertEquals(AuthCause.TIMEOUT, unavailable("c"));
        assertEquals(0, calls.callsWaiting());
        end(0, YES);
        assertSame(AuthResult.ADMITTED, answers.get("other"));
        end(1, YES);
        assertEquals(List.of("a", "b"), called);
        assertEquals(0, calls.failures());
    }

    @Test
    void open_nobodyWaitsAndOneFindsOut() {
        open();
        ask("early");
        assertEquals(AuthCause.OUTAGE, unavailable("early"));
        now += SECOND;
        ask("probe");
        ask("beside");
        assertEquals(BreakerState.HALF_OPEN, breaker.state());
        assertEquals(AuthCause.OUTAGE, unavailable("beside"));
        end(5, YES);
        assertSame(AuthResult.ADMITTED, answers.get("probe"));
        assertEquals(BreakerState.CLOSED, breaker.state());
        ask("after");
        assertEquals(List.of("probe", "after"), called.subList(5, 7));
    }

    @Test
    void probe_thatHangs_opensAgain() {
        open();
        now += SECOND;
        ask("probe");
        now += TIMEOUT;
        calls.expire();
        assertEquals(AuthCause.TIMEOUT, unavailable("probe"));
        assertEquals(BreakerState.OPEN, breaker.state());
        assertEquals(2 * SECOND, breaker.waitNanos(now));
    }

    @Test
    void onOutageCached_admitsWhoWasAdmittedLately() {
        calls = calls(2, OnOutage.CACHED);
        ask("first", "known", now + SECOND);
        end(0, new Decided(AuthResult.ADMITTED, HookOutcome.NOT_SAID));
        ask("refused");
        end(1, new Decided(new AuthResult.Refused(AuthCause.DENIED, ""), HookOutcome.NOT_SAID));
        ask("failed", "known", now + SECOND);
        end(2, DOWN);
        assertSame(AuthResult.ADMITTED, answers.get("failed"));
        open();
        ask("again", "known", now + SECOND);
        ask("refused again", "refused", now + SECOND);
        ask("unknown");
        assertSame(AuthResult.ADMITTED, answers.get("again"));
        assertEquals(AuthCause.OUTAGE, unavailable("refused again"));
        assertEquals(AuthCause.OUTAGE, unavailable("unknown"));
        assertEquals(2, cache.staleHits());
    }

    @Test
    void onOutageAdmit_admitsForAWhileAndOnlyWhileOpen() {
        calls = calls(2, OnOutage.ADMIT);
        ask("one failure");
        end(0, Failed.malformed("no JSON"));
        assertEquals(AuthCause.OUTAGE, unavailable("one failure"));
        end(0, YES);
        open();
        ask("open");
        assertEquals(new AuthResult.Admitted(null, wall + 900_000), answers.get("open"));
        assertEquals(0, cache.size());
        now += SECOND;
        ask("probe");
        end(ends.size() - 1, YES);
        ask("refused");
        end(ends.size() - 1, new Decided(new AuthResult.Refused(AuthCause.DENIED, ""), 0));
        assertInstanceOf(AuthResult.Refused.class, answers.get("refused"));
        assertTrue(calls.admittedUnasked() >= 1);
    }

    @Test
    void retryAfter_leavesTheServiceAlone() {
        ask("a");
        end(0, new Failed(AuthCause.OUTAGE, "HTTP 429", false, 7_000));
        now += 7 * SECOND - 1;
        ask("b");
        assertEquals(AuthCause.OUTAGE, unavailable("b"));
        now++;
        ask("c");
        assertEquals(List.of("a", "c"), called);
    }

    @Test
    void close_cancelsWhatIsUnderWayAndTellsEverybodyOnce() {
        ask("a");
        ask("b");
        ask("c");
        ask("joins", "c", now + 10 * SECOND);
        calls.close();
        assertEquals(2, cancelled);
        assertTrue(calls.isIdle());
        end(0, YES);
        for (String each : List.of("a", "b", "c", "joins")) {
            assertEquals(AuthCause.OUTAGE, unavailable(each));
        }
        ask("late");
        assertEquals(AuthCause.OUTAGE, unavailable("late"));
        assertEquals(List.of("a", "b"), called);
    }
}
