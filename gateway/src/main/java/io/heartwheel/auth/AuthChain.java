package io.heartwheel.auth;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Methods of authentication in order: the first that knows the device decides. What sessions ask; it stays the same object when the configuration changes.
 *
 * <pre>
 *   request --too many failures from there--&gt; refused, and no method is asked
 *      |----too many from there unanswered--&gt; unavailable, neither
 *      |
 *      +--&gt; [ first ] --not mine--&gt; [ second ] -- ... --not mine--&gt; refused: nothing shown, or unknown device
 *               |                       |
 *               +------ admitted, refused, unavailable: told once, and counted
 * </pre>
 *
 * <p>Whoever shows a wrong token for a device that a method knows is refused, but not before the methods behind it were asked as about any other device: else the
 * outage of one of these, or the time that it takes, would tell strangers which devices there are. What else these say does not count.
 *
 * <p>Methods are not trusted to keep their contract: one that throws gives {@link AuthCause#FAULT}, one that answers after the deadline
 * {@link AuthCause#TIMEOUT}, and a second answer is passed over. One that never answers is not waited for here: the session has its own deadline.
 *
 * <p>Any thread. Each question to a method is one object of its own ({@link Call}), whose state is exchanged at most twice, so that answers that race with
 * each other, or with the return of the method, meet in one place:
 *
 * <pre>
 *   null --accept--&gt; result              the asking thread finds it when the method returns, and goes on
 *   null --method returns--&gt; RETURNED --accept--&gt; SETTLED     the answering thread goes on
 * </pre>
 */
public final class AuthChain implements Authenticator {
    /** Name of no method, where none of them decided. */
    public static final String NOBODY = "none";

    private static final Object RETURNED = "returned";
    private static final Object SETTLED = "settled";
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Call.class, "state", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * What is asked from some moment on.
     *
     * @param admitsAll whether nobody is asked
     * @param methods at least one, if somebody is
     */
    private record Plan(boolean admitsAll, List<Authenticator> methods, AuthFailures failures) {}

    /** Refusal that stands whomever else is asked. */
    private record Refusal(String method, AuthResult result) {}

    private final AuthObserver observer;
    private final LongSupplier nanoClock;
    private final LongAdder limited = new LongAdder();
    private volatile Plan plan;

    /**
     * Asks these.
     *
     * @param methods those of the settings, in order; without mode methods none, the shared token is made here
     * @param nanoClock that of {@link AuthRequest#deadlineNanos}
     */
    public AuthChain(
            AuthSettings settings, List<Authenticator> methods, AuthObserver observer, LongSupplier nanoClock) {
        this.observer = observer;
        this.nanoClock = nanoClock;
        plan = planOf(settings, methods, new AuthFailures(settings.failures(), nanoClock.getAsLong()));
    }

    private static Plan planOf(AuthSettings settings, List<Authenticator> methods, AuthFailures failures) {
        List<Authenticator> asked = settings.mode() == AuthSettings.Mode.SHARED_TOKEN
                ? List.of(new SharedToken(settings.token()))
                : List.copyOf(methods);
        if (settings.asks() == asked.isEmpty()) {
            throw new IllegalArgumentException("auth: " + asked.size() + " methods for " + settings);
        }
        return new Plan(!settings.asks(), asked, failures);
    }

    /**
     * Asks these from now on; those asked already still answer. One thread at a time.
     *
     * @return the methods that are asked no more and that the caller may close
     */
    public List<Authenticator> reconfigure(AuthSettings settings, List<Authenticator> methods) {
        Plan before = plan;
        AuthFailures failures = before.failures.reconfigure(settings.failures())
                ? before.failures
                : new AuthFailures(settings.failures(), nanoClock.getAsLong());
        plan = planOf(settings, methods, failures);
        List<Authenticator> left = new ArrayList<>(before.methods);
        left.removeAll(methods);
        return left;
    }

    /** The methods that are asked now, in order. */
    public List<Authenticator> methods() {
        return plan.methods;
    }

    /** Devices that were not looked at because their source had failed too often. */
    public long limited() {
        return limited.sum();
    }

    @Override
    public String name() {
        return "chain";
    }

    // ------------------------------------------------------------------ a request

    /**
     * Decides on a device. The cause of a refusal names the method in its detail, which is {@link AuthText#of} as a whole. A device that is in already may
     * renew whatever others of its source do.
     */
    @Override
    public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
        Plan now = plan;
        if (now.admitsAll) {
            answer.accept(AuthResult.ADMITTED);
            return;
        }
        long nowNanos = nanoClock.getAsLong();
        if (!request.renewal() && now.failures.isLimited(request.address(), nowNanos)) {
            limited.increment();
            observer.answered(NOBODY, AuthCause.TOO_MANY_FAILURES, 0);
            tell(answer, refused("", AuthCause.TOO_MANY_FAILURES, "from its address"));
            return;
        }
        if (!request.renewal() && !now.failures.begins(request.address(), nowNanos, request.deadlineNanos())) {
            observer.answered(NOBODY, AuthCause.BUSY, 0);
            tell(answer, unavailable("", AuthCause.BUSY, "too many from its address wait"));
            return;
        }
        Call first = new Call(now, 0, null, request, answer, nowNanos);
        AuthResult result = ask(first);
        if (result != null) {
            goOn(first, result);
        }
    }

    /** Asks one method; null: it will answer later. */
    private @Nullable AuthResult ask(Call call) {
        Authenticator method = call.method();
        long beganNanos = nanoClock.getAsLong();
        try {
            method.authenticate(call.request, call);
        } catch (RuntimeException | Error fault) {
            observer.failed(method.name(), fault);
            STATE.compareAndSet(call, null, new AuthResult.Unavailable(AuthCause.FAULT, nameOf(fault)));
        }
        observer.asked(nanoClock.getAsLong() - beganNanos);
        Object answered = STATE.compareAndExchange(call, null, RETURNED);
        return (AuthResult) answered;
    }

    /** Takes an answer, and asks whom there is still to ask. */
    private void goOn(Call from, AuthResult first) {
        Call call = from;
        AuthResult result = first;
        while (true) {
            long lateNanos = nanoClock.getAsLong() - call.request.deadlineNanos();
            if (lateNanos > 0) {
                settle(call, call.method().name(), unavailable(call.method().name(), AuthCause.TIMEOUT, ""));
                return;
            }
            Refusal refusal = call.refusal == null ? refusal(call, result) : call.refusal;
            boolean asksOn = result instanceof AuthResult.NotMine || (refusal != null && call.refusal == null);
            if (!asksOn || call.isLast()) {
                end(call, refusal, result);
                return;
            }
            call = call.next(refusal);
            if (!plan.methods.contains(call.method())) {
                end(call, refusal, new AuthResult.Unavailable(AuthCause.OUTAGE, "closed by a reload"));
                return;
            }
            AuthResult next = ask(call);
            if (next == null) {
                return;
            }
            result = next;
        }
    }

    /** What would tell a stranger that the device is known; null if it is something else. Who is in already is no stranger. */
    private static @Nullable Refusal refusal(Call call, AuthResult result) {
        boolean tells = result instanceof AuthResult.Refused no
                && (no.cause() == AuthCause.WRONG_TOKEN || no.cause() == AuthCause.NOTHING_SHOWN);
        return tells && !call.request.renewal() ? new Refusal(call.method().name(), result) : null;
    }

    private static AuthResult nobodys(AuthRequest request) {
        boolean nothing = request.token().length == 0 && request.certificates().isEmpty();
        return refused("", nothing ? AuthCause.NOTHING_SHOWN : AuthCause.UNKNOWN_DEVICE, "");
    }

    /** The same with the method in its detail. */
    private static AuthResult named(String method, AuthResult result) {
        if (result instanceof AuthResult.Refused no) {
            return refused(method, no.cause(), no.detail());
        }
        return result instanceof AuthResult.Unavailable away
                ? unavailable(method, away.cause(), away.detail())
                : result;
    }

    private static AuthResult.Refused refused(String method, AuthCause cause, String detail) {
        return new AuthResult.Refused(cause, AuthText.of(method, cause, detail));
    }

    private static AuthResult.Unavailable unavailable(String method, AuthCause cause, String detail) {
        return new AuthResult.Unavailable(cause, AuthText.of(method, cause, detail));
    }

    /** @param refusal that of this method or of one before it, if there was one */
    private void end(Call call, @Nullable Refusal refusal, AuthResult result) {
        if (refusal != null && !(result instanceof AuthResult.Unavailable)) {
            settle(call, refusal.method, named(refusal.method, refusal.result));
        } else if (result instanceof AuthResult.NotMine) {
            settle(call, NOBODY, nobodys(call.request));
        } else {
            settle(call, call.method().name(), named(call.method().name(), result));
        }
    }

    private void settle(Call call, String method, AuthResult result) {
        long nowNanos = nanoClock.getAsLong();
        AuthCause cause = null;
        if (result instanceof AuthResult.Refused no) {
            cause = no.cause();
        } else if (result instanceof AuthResult.Unavailable away) {
            cause = away.cause();
        }
        if (result instanceof AuthResult.Refused || call.refusal != null) {
            call.plan.failures.failed(call.request.address(), nowNanos); // a guess, whatever it is told
        }
        if (!call.request.renewal()) {
            call.plan.failures.answered(call.request.address(), call.beganNanos); // after its failure is booked
        }
        observer.answered(method, cause, nowNanos - call.beganNanos);
        tell(call.answer, result);
    }

    /** Whoever asked must not throw; if it does, the method is not to blame and hears nothing of it. */
    private void tell(Consumer<AuthResult> answer, AuthResult result) {
        try {
            answer.accept(result);
        } catch (RuntimeException | Error fault) {
            observer.failed(NOBODY, fault);
        }
    }

    private static String nameOf(Throwable fault) {
        return fault.getClass().getSimpleName();
    }

    /** Question to one method, and where its answer goes. */
    private final class Call implements Consumer<AuthResult> {
        private final Plan plan;
        private final int index;
        private final @Nullable Refusal refusal;
        private final AuthRequest request;
        private final Consumer<AuthResult> answer;
        private final long beganNanos;

        @SuppressWarnings("unused") // by STATE
        private volatile @Nullable Object state;

        Call(
                Plan plan,
                int index,
                @Nullable Refusal refusal,
                AuthRequest request,
                Consumer<AuthResult> answer,
                long beganNanos) {
            this.plan = plan;
            this.index = index;
            this.refusal = refusal;
            this.request = request;
            this.answer = answer;
            this.beganNanos = beganNanos;
        }

        Authenticator method() {
            return plan.methods.get(index);
        }

        boolean isLast() {
            return index + 1 == plan.methods.size();
        }

        /** @param known refusal by this method or one before it, if there was one */
        Call next(@Nullable Refusal known) {
            return new Call(plan, index + 1, known, request, answer, beganNanos);
        }

        @Override
        public void accept(@Nullable AuthResult given) {
            AuthResult result =
                    given == null ? new AuthResult.Unavailable(AuthCause.FAULT, "an answer of nothing") : given;
            if (!STATE.compareAndSet(this, null, result) && STATE.compareAndSet(this, RETURNED, SETTLED)) {
                goOn(this, result);
            }
        }
    }
}
