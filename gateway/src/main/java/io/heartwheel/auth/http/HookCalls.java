package io.heartwheel.auth.http;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.http.HookOutcome.Decided;
import io.heartwheel.auth.http.HookOutcome.Failed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the service: those under way, at most as many as there are connections, and those that wait for one of them to end. Requests that would tell
 * the service the same share a call. While the circuit breaker is not closed nothing waits. How many ask at once is bounded by the caller.
 *
 * <p>One thread, but the counts, which any may read. It has no timer: {@link #expire} is to be called often while {@link #isIdle} is false.
 */
final class HookCalls {
    /** Way to the service. */
    interface Hook {
        /**
         * Begins a call.
         *
         * @param end told once and later, on the thread of the calls; not needed for one that was cancelled
         * @return ends it and its connection
         */
        Runnable call(AuthRequest request, Consumer<HookOutcome> end);
    }

    /**
     * What it takes.
     *
     * @param connections most calls under way, 1 or more
     * @param timeoutNanos longest time of a call
     * @param onOutage what a device is told while the service cannot be asked
     * @param admittedMillis for how long a device is admitted by {@link OnOutage#ADMIT}
     */
    record Limits(int connections, long timeoutNanos, OnOutage onOutage, long admittedMillis) {}

    private static final Failed LEFT_ALONE = Failed.of(AuthCause.OUTAGE, "not asked after failures");
    private static final AuthResult TOO_LATE =
            new AuthResult.Unavailable(AuthCause.TIMEOUT, "no answer before the deadline of the handshake");

    private static final AuthResult CLOSED = new AuthResult.Unavailable(AuthCause.OUTAGE, "closed");

    /** Device that waits for an answer. */
    private record Waiter(long deadlineNanos, Consumer<AuthResult> answer) {}

    /** A call that waits or is under way. */
    private static final class Call {
        final RequestKey all;
        final RequestKey credentials;
        final AuthRequest request;
        final List<Waiter> waiters = new ArrayList<>(1);
        long permit;
        long endsNanos;
        Runnable cancel = () -> {};

        Call(RequestKey all, RequestKey credentials, AuthRequest request) {
            this.all = all;
            this.credentials = credentials;
            this.request = request;
        }
    }

    private final Limits limits;
    private final Hook hook;
    private final CircuitBreaker breaker;
    private final AnswerCache cache;
    private final HookLog log;
    private final LongSupplier nanoClock;
    private final LongSupplier wallMillis;

    /** Every call, by what the service is told. */
    private final Map<RequestKey, Call> calls = new HashMap<>();

    private final Deque<Call> waiting = new ArrayDeque<>();
    private final Set<Call> underWay = new LinkedHashSet<>();
    private final LongAdder started = new LongAdder();
    private final LongAdder answered = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder joined = new LongAdder();
    private final LongAdder admittedUnasked = new LongAdder();
    private boolean closed;
    private volatile int callsUnderWay;
    private volatile int callsWaiting;

    HookCalls(
            Limits limits,
            Hook hook,
            CircuitBreaker breaker,
            AnswerCache cache,
            HookLog log,
            LongSupplier nanoClock,
            LongSupplier wallMillis) {
        this.limits = limits;
        this.hook = hook;
        this.breaker = breaker;
        this.cache = cache;
        this.log = log;
        this.nanoClock = nanoClock;
        this.wallMillis = wallMillis;
    }

    /**
     * Asks the service, or has the answer of a call that tells it the same.
     *
     * @param all digest of what the service is told
     * @param credentials what its answer is kept for
     */
    void ask(RequestKey all, RequestKey credentials, AuthRequest request, Consumer<AuthResult> answer) {
        if (closed) {
            answer.accept(CLOSED);
            return;
        }
        Waiter waiter = new Waiter(request.deadlineNanos(), answer);
        Call same = calls.get(all);
        if (same != null) {
            same.waiters.add(waiter);
            joined.increment();
            return;
        }
        Call call = new Call(all, credentials, request);
        call.waiters.add(waiter);
        calls.put(all, call);
        if (underWay.size() < limits.connections()) {
            start(call);
        } else if (breaker.state() == BreakerState.CLOSED) {
            waiting.add(call);
        } else {
            outage(call, LEFT_ALONE);
        }
        count();
    }

    /** Ends what is past its time. */
    void expire() {
        long now = nanoClock.getAsLong();
        for (Call call : calls.values()) {
            expireWaiters(call, now);
        }
        waiting.removeIf(call -> call.waiters.isEmpty() && calls.remove(call.all, call));
        for (Call call : List.copyOf(underWay)) {
            if (now - call.endsNanos >= 0) {
                call.cancel.run();
                end(call, noAnswer(limits.timeoutNanos()));
            }
        }
        startWaiting(); // after all of them, who may have opened the breaker
        count();
    }

    private static void expireWaiters(Call call, long now) {
        for (int i = call.waiters.size() - 1; i >= 0; i--) {
            if (now - call.waiters.get(i).deadlineNanos >= 0) {
                call.waiters.remove(i).answer.accept(TOO_LATE);
            }
        }
    }

    /** Cancels everything; who waits, or asks from now on, is told to come later. */
    void close() {
        closed = true;
        underWay.forEach(call -> call.cancel.run());
        underWay.clear();
        waiting.clear();
        List.copyOf(calls.values()).forEach(call -> tell(call, CLOSED));
        count();
    }

    /** Whether nobody waits and nothing is under way. */
    boolean isIdle() {
        return calls.isEmpty();
    }

    /** A call that took too long. */
    static Failed noAnswer(long timeoutNanos) {
        return Failed.of(AuthCause.TIMEOUT, "no answer within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms");
    }

    // ------------------------------------------------------------------ steps of a call

    private void start(Call call) {
        long now = nanoClock.getAsLong();
        call.permit = breaker.permit(now);
        if (call.permit == CircuitBreaker.NO_PERMIT) {
            outage(call, LEFT_ALONE);
            return;
        }
        call.endsNanos = now + limits.timeoutNanos();
        underWay.add(call);
        started.increment();
        call.cancel = hook.call(call.request, outcome -> {
            end(call, outcome);
            startWaiting();
            count();
        });
    }

    private void end(Call call, HookOutcome outcome) {
        if (!underWay.remove(call)) {
            return; // cancelled
        }
        long now = nanoClock.getAsLong();
        if (outcome instanceof Decided decided) {
            succeeded(call, now);
            cache.put(call.credentials, decided, now);
            tell(call, decided.result());
        } else if (outcome instanceof Failed failed) {
            failed(call, failed, now);
            outage(call, failed);
        }
    }

    private void succeeded(Call call, long now) {
        answered.increment();
        boolean wasOut = breaker.state() != BreakerState.CLOSED;
        breaker.succeeded(call.permit, now);
        if (wasOut && breaker.state() == BreakerState.CLOSED) {
            log.back();
        }
    }

    private void failed(Call call, Failed failed, long now) {
        failures.increment();
        long before = breaker.opened();
        breaker.failed(call.permit, now, TimeUnit.MILLISECONDS.toNanos(failed.retryAfterMillis()));
        if (failed.malformed()) {
            log.malformed(failed.detail(), now);
        }
        if (breaker.opened() > before) {
            log.opened(failed.detail(), breaker.waitNanos(now), now);
        }
    }

    private void startWaiting() {
        while (!waiting.isEmpty()
                && (underWay.size() < limits.connections() || breaker.state() != BreakerState.CLOSED)) {
            Call next = waiting.remove();
            if (breaker.state() == BreakerState.CLOSED) {
                start(next);
            } else {
                outage(next, LEFT_ALONE);
            }
        }
    }

    // ------------------------------------------------------------------ answers

    private void tell(Call call, AuthResult result) {
        calls.remove(call.all, call);
        call.waiters.forEach(waiter -> waiter.answer.accept(result));
    }

    private void outage(Call call, Failed why) {
        AuthResult result = withoutService(call);
        tell(call, result == null ? new AuthResult.Unavailable(why.cause(), why.detail()) : result);
    }

    /**
     * What takes the place of an answer; null for nothing. One call that fails admits nobody by {@link OnOutage#ADMIT}: a device could show what the
     * service cannot bear.
     */
    private @Nullable AuthResult withoutService(Call call) {
        long now = nanoClock.getAsLong();
        if (limits.onOutage() == OnOutage.CACHED) {
            return cache.kept(call.credentials, now, wallMillis.getAsLong());
        }
        if (limits.onOutage() != OnOutage.ADMIT || breaker.state() == BreakerState.CLOSED) {
            return null;
        }
        admittedUnasked.add(call.waiters.size());
        log.admittedUnasked(call.waiters.size(), now);
        return new AuthResult.Admitted(null, wallMillis.getAsLong() + limits.admittedMillis());
    }

    // ------------------------------------------------------------------ counts, any thread

    private void count() {
        callsUnderWay = underWay.size();
        callsWaiting = waiting.size();
    }

    int callsUnderWay() {
        return callsUnderWay;
    }

    int callsWaiting() {
        return callsWaiting;
    }

    /** Calls begun. */
    long started() {
        return started.sum();
    }

    /** Calls with a decision. */
    long answered() {
        return answered.sum();
    }

    /** Calls without a decision. */
    long failures() {
        return failures.sum();
    }

    /** Requests that had the answer of another's call. */
    long joined() {
        return joined.sum();
    }

    /** Devices admitted by {@link OnOutage#ADMIT}. */
    long admittedUnasked() {
        return admittedUnasked.sum();
    }
}
