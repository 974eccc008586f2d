package io.heartwheel.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthSettings.Failures;
import io.heartwheel.auth.AuthSettings.Mode;
import io.heartwheel.auth.AuthSettings.Refused;
import io.heartwheel.auth.AuthSettings.Watch;
import io.heartwheel.net.Networks;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The chain on one thread and by a clock that is set by hand. */
class AuthChainTest {
    private static final byte[] TOKEN = "a shared token".getBytes(StandardCharsets.UTF_8);
    private static final AuthResult WRONG = new AuthResult.Refused(AuthCause.WRONG_TOKEN, "not his");

    private final List<String> observed = new ArrayList<>();
    private final List<AuthResult> answers = new ArrayList<>();
    private final List<Throwable> faults = new ArrayList<>();
    private final List<Long> held = new ArrayList<>();
    private long nowNanos = -5;

    private final AuthObserver observer = new AuthObserver() {
        @Override
        public void asked(long nanos) {
            held.add(nanos);
        }

        @Override
        public void answered(String method, @Nullable AuthCause cause, long nanos) {
            observed.add(method + " " + (cause == null ? "admitted" : cause.label()) + " " + nanos);
        }

        @Override
        public void failed(String method, Throwable fault) {
            observed.add(method + " threw");
            faults.add(fault);
        }
    };

    /** A method that does with each answer what the test says. */
    static final class Method implements Authenticator {
        private final String name;
        private final BiConsumer<AuthRequest, Consumer<AuthResult>> does;
        final List<Consumer<AuthResult>> asked = new ArrayList<>();

        Method(String name, BiConsumer<AuthRequest, Consumer<AuthResult>> does) {
            this.name = name;
            this.does = does;
        }

        static Method answering(String name, AuthResult result) {
            return new Method(name, (request, answer) -> answer.accept(result));
        }

        static Method silent(String name) {
            return new Method(name, (request, answer) -> {});
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
            asked.add(answer);
            does.accept(request, answer);
        }
    }

    private record Named(String method) implements MethodSettings {
        @Override
        public Authenticator open(AuthContext context) {
            throw new UnsupportedOperationException();
        }
    }

    static AuthSettings settings(Mode mode, int methods, Failures failures) {
        List<MethodSettings> named = AuthSettings.METHODS.subList(0, methods).stream()
                .<MethodSettings>map(Named::new)
                .toList();
        return new AuthSettings(
                mode,
                mode == Mode.SHARED_TOKEN ? TOKEN : new byte[0],
                named,
                Refused.NEVER,
                Duration.ofSeconds(60),
                failures,
                0,
                Watch.DEFAULTS);
    }

    private static AuthSettings settings(int methods) {
        return settings(Mode.METHODS, methods, Failures.DEFAULTS);
    }

    private AuthChain chain(Authenticator... methods) {
        return new AuthChain(settings(methods.length), List.of(methods), observer, () -> nowNanos);
    }

    private void ask(AuthChain chain, AuthRequest request) {
        chain.authenticate(request, answers::add);
    }

    private void ask(AuthChain chain) {
        ask(chain, AuthRequests.of("d", "t"));
    }

    private static AuthResult refused(AuthCause cause, String text) {
        return new AuthResult.Refused(cause, text);
    }

    private static AuthResult unavailable(AuthCause cause, String text) {
        return new AuthResult.Unavailable(cause, text);
    }

    // ------------------------------------------------------------------ order

    @Test
    void authenticate_firstDecides_secondIsNotAsked() {
        Method second = Method.answering("jwt", AuthResult.ADMITTED);

        ask(chain(Method.answering("tokens", refused(AuthCause.EXPIRED, "")), second));

        assertEquals(List.of(refused(AuthCause.EXPIRED, "tokens: expired")), answers);
        assertEquals(List.of("tokens expired 0"), observed);
        assertTrue(second.asked.isEmpty());
    }

    /** While a later method is away, neither code nor time tell strangers which devices an earlier one knows; what it refuses it refuses all the same. */
    @Test
    void authenticate_wrongToken_laterMethodsAreAskedAndChangeItOnlyByTheirOutage() {
        AuthResult outage = unavailable(AuthCause.OUTAGE, "");
        AuthResult wrong = refused(AuthCause.WRONG_TOKEN, "tokens: wrong token (not his)");
        for (AuthResult second :
                List.of(outage, AuthResult.NOT_MINE, AuthResult.ADMITTED, refused(AuthCause.DENIED, ""))) {
            Method last = Method.answering("http", second);
            ask(chain(Method.answering("tokens", WRONG), Method.answering("jwt", AuthResult.NOT_MINE), last));
            assertEquals(1, last.asked.size());
        }
        AuthResult away = unavailable(AuthCause.OUTAGE, "http: outage");
        assertEquals(List.of(away, wrong, wrong, wrong), answers);
        assertEquals("http outage 0", observed.get(0));

        Method http = Method.answering("http", outage);
        AuthChain chain = chain(Method.answering("tokens", WRONG), http);
        for (int i = 0; i < 100; i++) {
            ask(chain);
        }
        assertEquals(10, http.asked.size(), "a guess is a failure");
        ask(chain, AuthRequests.of("d", "t", new byte[] {10, 0, 0, 2}, AuthRequests.FAR_NANOS, true));
        assertEquals(10, http.asked.size(), "who is in is no stranger");
        assertEquals(wrong, answers.get(answers.size() - 1));
    }

    @Test
    void authenticate_notMine_goesToTheNext() {
        AuthResult admitted = new AuthResult.Admitted(null, 17);

        ask(chain(Method.answering("tokens", AuthResult.NOT_MINE), Method.answering("jwt", admitted)));

        assertSame(admitted, answers.get(0));
        assertEquals(List.of("jwt admitted 0"), observed);
        assertEquals(2, held.size());
    }

    @Test
    void authenticate_notMineAnswersLater_goesToTheNextOnItsThread() {
        Method first = Method.silent("http");
        AuthChain chain = chain(first, Method.answering("jwt", AuthResult.ADMITTED));
        ask(chain);
        assertEquals(List.of(), answers);

        nowNanos += 40;
        first.asked.get(0).accept(AuthResult.NOT_MINE);

        assertEquals(List.of(AuthResult.ADMITTED), answers);
        assertEquals(List.of("jwt admitted 40"), observed);
    }

    @Test
    void authenticate_nobodysDevice_isUnknownOrHasShownNothing() {
        AuthChain chain =
                chain(Method.answering("tokens", AuthResult.NOT_MINE), Method.answering("jwt", AuthResult.NOT_MINE));
        ask(chain);
        ask(chain, AuthRequests.of("d", ""));

        assertEquals(
                List.of(
                        refused(AuthCause.UNKNOWN_DEVICE, "unknown device"),
                        refused(AuthCause.NOTHING_SHOWN, "nothing shown")),
                answers);
        assertEquals(List.of("none unknown_device 0", "none nothing_shown 0"), observed);
    }

    @Test
    void authenticate_unavailable_isNotLeftToTheNext() {
        ask(chain(
                Method.answering("http", unavailable(AuthCause.OUTAGE, "")),
                Method.answering("jwt", AuthResult.ADMITTED)));

        assertEquals(List.of(unavailable(AuthCause.OUTAGE, "http: outage")), answers);
    }

    // ------------------------------------------------------------------ methods that break their contract

    @Test
    void authenticate_methodThrows_isAFaultAndUnavailable() {
        Method broken = new Method("jwt", (request, answer) -> {
            throw new IllegalStateException("secret of the inside");
        });
        ask(chain(broken));
        broken.asked.get(0).accept(AuthResult.ADMITTED);

        assertEquals(List.of(unavailable(AuthCause.FAULT, "jwt: fault (IllegalStateException)")), answers);
        assertEquals(List.of("jwt threw", "jwt fault 0"), observed);
    }

    @Test
    void authenticate_methodThrowsAfterItsAnswer_answerStands() {
        ask(chain(new Method("jwt", (request, answer) -> {
            answer.accept(AuthResult.ADMITTED);
            throw new IllegalStateException();
        })));

        assertEquals(List.of(AuthResult.ADMITTED), answers);
        assertEquals(1, faults.size());
    }

    @Test
    void authenticate_methodAnswersTwice_firstStands() {
        Method late = Method.silent("http");
        ask(chain(new Method("jwt", (request, answer) -> {
            answer.accept(WRONG);
            answer.accept(AuthResult.ADMITTED);
        })));
        ask(chain(late));
        late.asked.get(0).accept(WRONG);
        late.asked.get(0).accept(AuthResult.ADMITTED);

        assertEquals(
                List.of(
                        refused(AuthCause.WRONG_TOKEN, "jwt: wrong token (not his)"),
                        refused(AuthCause.WRONG_TOKEN, "http: wrong token (not his)")),
                answers);
    }

    /** The second answer of one must not pass for that of the next. */
    @Test
    void authenticate_firstAdmitsAfterNotMine_isNotHeardWhileTheSecondIsAsked() {
        Method first = Method.silent("tokens");
        Method second = Method.silent("jwt");
        ask(chain(first, second));
        first.asked.get(0).accept(AuthResult.NOT_MINE);
        first.asked.get(0).accept(AuthResult.ADMITTED);
        assertEquals(List.of(), answers);

        second.asked.get(0).accept(WRONG);

        assertEquals(List.of(refused(AuthCause.WRONG_TOKEN, "jwt: wrong token (not his)")), answers);
    }

    @Test
    void authenticate_answerAfterTheDeadline_isATimeout() {
        Method slow = Method.silent("http");
        AuthChain chain = chain(slow, Method.answering("jwt", AuthResult.ADMITTED));
        for (AuthResult each : List.of(AuthResult.ADMITTED, AuthResult.NOT_MINE, WRONG)) {
            nowNanos = Long.MAX_VALUE - 10;
            ask(chain, AuthRequests.of("d", "t", new byte[4], nowNanos + 20, false));
            nowNanos += 21;
            slow.asked.get(slow.asked.size() - 1).accept(each);
        }

        AuthResult timeout = unavailable(AuthCause.TIMEOUT, "http: timeout");
        assertEquals(List.of(timeout, timeout, timeout), answers);
    }

    @Test
    void authenticate_answerAtTheDeadline_isInTime() {
        Method slow = Method.silent("http");
        ask(chain(slow), AuthRequests.of("d", "t", new byte[4], nowNanos + 20, false));
        nowNanos += 20;
        slow.asked.get(0).accept(AuthResult.ADMITTED);

        assertEquals(List.of(AuthResult.ADMITTED), answers);
    }

    @Test
    void authenticate_whoAskedThrows_nobodyElseHearsOfIt() {
        chain(Method.answering("jwt", AuthResult.ADMITTED)).authenticate(AuthRequests.of("d", "t"), result -> {
            throw new IllegalStateException();
        });

        assertEquals(List.of("jwt admitted 0", "none threw"), observed);
    }

    @Test
    void authenticate_timeOfAMethod_leavesOutWhatFollowsItsAnswer() {
        AuthChain chain = chain(new Method("jwt", (request, answer) -> {
            nowNanos += 7;
            answer.accept(AuthResult.ADMITTED);
        }));
        chain.authenticate(AuthRequests.of("d", "t"), result -> nowNanos += 1_000);

        assertEquals(List.of(7L), held);
    }

    // ------------------------------------------------------------------ modes

    @Test
    void authenticate_modeNone_admitsAtOnceAndCountsNothing() {
        ask(new AuthChain(settings(Mode.NONE, 0, Failures.DEFAULTS), List.of(), observer, () -> nowNanos));
        ask(new AuthChain(settings(Mode.UNSET, 0, Failures.DEFAULTS), List.of(), observer, () -> nowNanos));

        assertEquals(List.of(AuthResult.ADMITTED, AuthResult.ADMITTED), answers);
        assertEquals(List.of(), observed);
    }

    @Test
    void authenticate_sharedToken_isComparedAsAWhole() {
        AuthChain chain =
                new AuthChain(settings(Mode.SHARED_TOKEN, 0, Failures.DEFAULTS), List.of(), observer, () -> nowNanos);
        for (String token : List.of("a shared token", "a shared toke", "a shared token ", "")) {
            ask(chain, AuthRequests.of("d", token));
        }

        assertEquals(
                List.of(
                        AuthResult.ADMITTED,
                        refused(AuthCause.WRONG_TOKEN, "shared-token: wrong token"),
                        refused(AuthCause.WRONG_TOKEN, "shared-token: wrong token"),
                        refused(AuthCause.NOTHING_SHOWN, "shared-token: nothing shown")),
                answers);
    }

    // ------------------------------------------------------------------ failures

    @Test
    void authenticate_tenFailures_makeTheNextUnasked() {
        Method method = Method.answering("jwt", WRONG);
        AuthChain chain = chain(method);
        for (int i = 0; i < 4_000; i++) {
            ask(chain);
        }

        assertEquals(10, method.asked.size());
        assertEquals(3_990, chain.limited());
        assertEquals(
                refused(AuthCause.TOO_MANY_FAILURES, "too many failures (from its address)"),
                answers.get(answers.size() - 1));
        assertEquals("none too_many_failures 0", observed.get(observed.size() - 1));
    }

    /** Whoever asks faster than answers come is slowed too, and pays for every guess. */
    @Test
    void authenticate_guessesBeforeTheFirstAnswer_fewAreAskedAndAllCount() {
        Method method = Method.silent("http");
        AuthChain chain = chain(method);
        for (int i = 0; i < 4_000; i++) {
            ask(chain);
        }
        int most = 10 + AuthFailures.MOST_UNANSWERED;
        assertEquals(most, method.asked.size());
        assertEquals(4_000 - most, answers.size());
        assertEquals(unavailable(AuthCause.BUSY, "busy (too many from its address wait)"), answers.get(0));
        assertEquals("none busy 0", observed.get(0));
        assertEquals(0, chain.limited());

        List.copyOf(method.asked).forEach(answer -> answer.accept(WRONG));
        for (long second = 0; second < 1_010; second++) {
            ask(chain);
            nowNanos += 1_000_000_000L;
        }
        assertEquals(most, method.asked.size(), "110 failures at six a minute, less the burst");
        ask(chain);
        assertEquals(most + 1, method.asked.size());
    }

    @Test
    void authenticate_goodDevicesOfOneAddress_areAskedAsAnswersCome() {
        Method method = Method.silent("http");
        AuthChain chain = chain(method);
        for (int i = 0; i < 4_000; i++) {
            ask(chain);
            if (i >= 50) {
                method.asked.get(i - 50).accept(AuthResult.ADMITTED);
            }
        }
        assertEquals(4_000, method.asked.size());
    }

    @Test
    void authenticate_methodThatForgetsDevices_shutsTheirAddressOutUntilTheirDeadline() {
        Method method = Method.silent("http");
        AuthChain chain = chain(method);
        byte[] address = {10, 0, 0, 1};
        for (int i = 0; i < 200; i++) {
            ask(chain, AuthRequests.of("d", "t", address, nowNanos + 10_000 + i, false));
        }
        int most = 10 + AuthFailures.MOST_UNANSWERED;
        nowNanos += 10_000 + most;
        ask(chain, AuthRequests.of("d", "t", address, nowNanos + 10_000, false));
        assertEquals(most + 1, method.asked.size());
    }

    @Test
    void authenticate_unavailable_isNoFailureOfTheDevice() {
        Method method = Method.answering("http", unavailable(AuthCause.OUTAGE, ""));
        AuthChain chain = chain(method);
        for (int i = 0; i < 100; i++) {
            ask(chain);
        }

        assertEquals(100, method.asked.size());
    }

    @Test
    void authenticate_renewal_isAskedWhateverItsSourceHasDone() {
        Method method = Method.answering("jwt", WRONG);
        AuthChain chain = chain(method);
        for (int i = 0; i < 20; i++) {
            ask(chain);
        }
        ask(chain, AuthRequests.of("d", "t", new byte[] {10, 0, 0, 1}, AuthRequests.FAR_NANOS, true));

        assertEquals(11, method.asked.size());
    }

    // ------------------------------------------------------------------ changes

    @Test
    void reconfigure_otherMethods_oldAreHandedBackAndStillAnswer() {
        Method left = Method.silent("http");
        Method kept = Method.silent("jwt");
        AuthChain chain = chain(left, kept);
        ask(chain);

        assertEquals(List.of(left), chain.reconfigure(settings(1), List.of(kept)));
        ask(chain);
        assertEquals(List.of(kept), chain.methods());
        assertEquals(1, kept.asked.size());

        left.asked.get(0).accept(AuthResult.ADMITTED);
        assertEquals(List.of(AuthResult.ADMITTED), answers);
    }

    /** It is closed, and may still know by heart whom it admitted. */
    @Test
    void reconfigure_otherMethods_noneThatIsLeftIsAskedAnyMore() {
        Method first = Method.silent("jwt");
        Method left = Method.answering("http", AuthResult.ADMITTED);
        AuthChain chain = chain(first, left);
        ask(chain);
        chain.reconfigure(settings(1), List.of(first));
        first.asked.get(0).accept(AuthResult.NOT_MINE);

        assertEquals(List.of(unavailable(AuthCause.OUTAGE, "http: outage (closed by a reload)")), answers);
        assertTrue(left.asked.isEmpty());
    }

    @Test
    void reconfigure_limitsOfFailures_areKeptUnlessTheirTableChanges() {
        Method method = Method.answering("jwt", WRONG);
        AuthChain chain = chain(method);
        for (int i = 0; i < 10; i++) {
            ask(chain);
        }
        chain.reconfigure(settings(Mode.METHODS, 1, new Failures(true, 5, 60, Networks.NONE, 65_536)), List.of(method));
        ask(chain);
        assertEquals(10, method.asked.size());

        chain.reconfigure(settings(Mode.METHODS, 1, new Failures(true, 5, 60, Networks.NONE, 1_024)), List.of(method));
        ask(chain);
        assertEquals(11, method.asked.size());
        assertEquals(1, chain.limited());
    }

    @Test
    void reconfigure_methodsThatDoNotFitTheMode_areAMistake() {
        AuthChain chain = chain(Method.silent("jwt"));

        assertThrows(IllegalArgumentException.class, () -> chain.reconfigure(settings(1), List.of()));
        assertThrows(
                IllegalArgumentException.class,
                () -> chain.reconfigure(settings(Mode.NONE, 0, Failures.DEFAULTS), List.of(Method.silent("jwt"))));
    }
}
