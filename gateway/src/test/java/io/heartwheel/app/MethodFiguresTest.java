package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.AuthRequests;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.Grants;
import io.heartwheel.auth.http.BreakerSettings;
import io.heartwheel.auth.http.BreakerState;
import io.heartwheel.auth.http.CacheSettings;
import io.heartwheel.auth.http.HookStatus;
import io.heartwheel.auth.http.HttpSettings;
import io.heartwheel.auth.http.OnOutage;
import io.heartwheel.auth.jwt.JwkStatus;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MethodFiguresTest {
    /** Of a service that nobody runs: each call fails at once. */
    private static Authenticator http() throws Exception {
        HttpSettings settings = new HttpSettings(
                URI.create("http://127.0.0.1:1/"),
                null,
                null,
                Duration.ofSeconds(10),
                1,
                new CacheSettings(true, 1_024, Duration.ofMinutes(5), Duration.ofSeconds(5)),
                new BreakerSettings(1, 0.5, 20, Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofMinutes(10)),
                OnOutage.LATER,
                Duration.ofHours(1),
                Duration.ofMinutes(15));
        return settings.open(new AuthContext(Runnable::run, new Grants(), System::nanoTime, () -> 0));
    }

    private static void ask(Authenticator method) throws Exception {
        CompletableFuture<AuthResult> answer = new CompletableFuture<>();
        long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        method.authenticate(AuthRequests.of("d", "t", new byte[4], deadlineNanos, false), answer::complete);
        answer.get(1, TimeUnit.MINUTES);
    }

    @Test
    void exchange_methodLeaves_itsCountsStayAndItsStateGoes() throws Exception {
        try (Authenticator first = http();
                Authenticator second = http()) {
            MethodFigures figures = new MethodFigures(List.of(first));
            ask(first);
            assertEquals(1, figures.service().failures());
            assertEquals(BreakerState.OPEN, figures.service().breaker());

            figures.exchange(List.of(second));
            assertEquals(1, figures.service().failures());
            assertEquals(BreakerState.CLOSED, figures.service().breaker());

            ask(second);
            assertEquals(2, figures.service().failures());

            figures.exchange(List.of());
            assertEquals(2, figures.service().failures());
            assertEquals(2, figures.service().cacheMisses());
            assertEquals(BreakerState.CLOSED, figures.service().breaker());
        }
    }

    @Test
    void figures_noSuchMethod_areNone() {
        MethodFigures figures = new MethodFigures(List.of(Authenticator.ANYBODY));
        assertEquals(HookStatus.NONE, figures.service());
        assertEquals(JwkStatus.NONE, figures.keys());
    }
}
