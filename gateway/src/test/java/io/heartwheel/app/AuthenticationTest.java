package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthChain;
import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.AuthObserver;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.AuthSettings;
import io.heartwheel.auth.AuthSettings.Mode;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.MethodSettings;
import io.heartwheel.liveness.ThreadProgress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AuthenticationTest {
    private final AtomicLong nowNanos = new AtomicLong();
    private final List<String> events = new ArrayList<>();
    private List<String> problems = List.of();
    private Runnable reading = () -> {};
    private Authentication authentication = open(settings());

    /** A method that writes down what is done with it. */
    private record Named(String method, int version, AuthenticationTest test) implements MethodSettings {
        @Override
        public Authenticator open(AuthContext context) throws IOException {
            test.events.add("open " + method + version);
            if (version < 0) {
                throw new IOException("auth." + method + ": no file");
            }
            return new Authenticator() {
                @Override
                public String name() {
                    return method;
                }

                @Override
                public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
                    answer.accept(AuthResult.NOT_MINE);
                }

                @Override
                public List<String> refresh() {
                    test.events.add("refresh " + method + version);
                    test.reading.run();
                    return test.problems;
                }

                @Override
                public void close() {
                    test.events.add("close " + method + version);
                }
            };
        }
    }

    private static AuthSettings settings(MethodSettings... methods) {
        return AuthSettings.of(methods.length == 0 ? Mode.NONE : Mode.METHODS, new byte[0], List.of(methods));
    }

    private MethodSettings method(String name, int version) {
        return new Named(name, version, this);
    }

    private Authentication open(AuthSettings settings) {
        try {
            return Authentication.open(
                    settings, AuthObserver.NONE, nowNanos::get, () -> 0, new ThreadProgress("files"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> names() {
        return authentication.chain().methods().stream()
                .map(Authenticator::name)
                .toList();
    }

    @AfterEach
    void close() {
        authentication.close();
    }

    @Test
    void open_methodThatFails_leavesNothingOpen() {
        IOException failed = assertThrows(
                IOException.class,
                () -> Authentication.open(
                        settings(method("jwt", 1), method("tokens", -1), method("http", -1)),
                        AuthObserver.NONE,
                        nowNanos::get,
                        () -> 0,
                        new ThreadProgress("files")));

        assertEquals("auth.tokens: no file; auth.http: no file", failed.getMessage());
        assertEquals(List.of("open jwt1", "open tokens-1", "open http-1", "close jwt1"), events);
    }

    @Test
    void reconfigure_keepsEqualMethodsAndClosesTheOthers() {
        AuthChain chain = authentication.chain();
        assertEquals(List.of(), authentication.reconfigure(settings(method("jwt", 1), method("tokens", 1))));
        events.clear();

        assertEquals(List.of(), authentication.reconfigure(settings(method("tokens", 1), method("jwt", 2))));

        assertEquals(List.of("open jwt2", "refresh tokens1", "close jwt1"), events);
        assertEquals(List.of("tokens", "jwt"), names());
        assertSame(chain, authentication.chain());
    }

    @Test
    void reconfigure_oneCannotBeOpened_changesNothing() {
        authentication.reconfigure(settings(method("jwt", 1)));
        events.clear();

        assertEquals(
                List.of("auth.http: no file"),
                authentication.reconfigure(settings(method("tokens", 1), method("http", -1))));

        assertEquals(List.of("open tokens1", "open http-1", "close tokens1"), events);
        assertEquals(List.of("jwt"), names());
    }

    @Test
    void reconfigure_fileOfAKeptMethodIsBad_changesNothing() {
        authentication.reconfigure(settings(method("jwt", 1)));
        problems = List.of("auth.jwt.keys-file: line 3");

        assertEquals(problems, authentication.reconfigure(settings(method("jwt", 1), method("tokens", 1))));
        assertEquals(List.of("jwt"), names());
    }

    @Test
    void reconfigure_backToNone_closesAll() {
        authentication.reconfigure(settings(method("jwt", 1)));
        assertEquals(List.of(), authentication.reconfigure(settings()));

        assertEquals(List.of("open jwt1", "close jwt1"), events);
    }

    @Test
    void prepare_discarded_closesWhatItHasOpened() {
        authentication.prepare(settings(method("jwt", 1))).discard();

        assertEquals(List.of("open jwt1", "close jwt1"), events);
        assertEquals(List.of(), names());
    }

    @Test
    void look_periodIsOver_readsFilesAgainAndCountsMistakes() {
        authentication.reconfigure(settings(method("jwt", 1)));
        events.clear();
        nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(10) - 1);
        authentication.look();
        assertEquals(List.of(), events);

        problems = List.of("auth.jwt.keys-file: line 3", "auth.jwt.keys-file: line 4");
        nowNanos.addAndGet(1);
        authentication.look();
        assertTrue(events.contains("refresh jwt1"));
        assertEquals(2, authentication.fileProblems());

        problems = List.of();
        nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        authentication.look();
        assertEquals(0, authentication.fileProblems());
    }

    @Test
    void close_endsEveryMethod() {
        authentication.reconfigure(settings(method("jwt", 1)));
        authentication.close();

        assertTrue(events.contains("close jwt1"));
        assertFalse(events.contains("refresh jwt1"));
    }

    /** The file is a FIFO that nobody writes to, or on a mount that hangs. */
    @Test
    @Timeout(30)
    void close_aReadHangs_doesNotWaitForIt() throws Exception {
        authentication.reconfigure(settings(method("jwt", 1)));
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> end = new CompletableFuture<>();
        reading = () -> {
            begun.countDown();
            end.join();
        };
        Thread reader = new Thread(authentication::refresh);
        reader.start();
        begun.await();
        authentication.close();
        assertTrue(events.contains("close jwt1"));
        end.complete(null);
        reader.join();
    }

    @Test
    void take_afterTheEnd_leavesNothingOpen() {
        Authentication.Change change = authentication.prepare(settings(method("jwt", 1)));
        authentication.close();
        change.take();
        assertEquals(List.of("open jwt1", "close jwt1"), events);
    }
}
