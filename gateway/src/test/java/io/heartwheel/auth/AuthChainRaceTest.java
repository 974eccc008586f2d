package io.heartwheel.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthSettings.Failures;
import io.heartwheel.auth.AuthSettings.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Methods that answer at once, twice, late, from other threads, and that throw: each device is answered exactly once, by a method that was asked. */
class AuthChainRaceTest {
    private static final int REQUESTS = 20_000;
    private static final int METHODS = 4;

    private final ExecutorService others = Executors.newFixedThreadPool(3);

    @AfterEach
    void end() {
        others.shutdownNow();
    }

    /** Method that does with each request what chance says. */
    private final class Wild implements Authenticator {
        private final String name;
        private final Random random;

        Wild(String name, long seed) {
            this.name = name;
            random = new Random(seed);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public synchronized void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
            int answers = 1 + random.nextInt(3);
            for (int i = 0; i < answers; i++) {
                AuthResult result = any();
                if (random.nextBoolean()) {
                    answer.accept(result);
                } else {
                    others.execute(() -> answer.accept(result));
                }
            }
            if (random.nextInt(8) == 0) {
                throw new IllegalStateException(name);
            }
        }

        private AuthResult any() {
            return switch (random.nextInt(6)) {
                case 0 -> AuthResult.ADMITTED;
                case 1 -> new AuthResult.Refused(AuthCause.WRONG_TOKEN, "");
                case 2 -> new AuthResult.Unavailable(AuthCause.OUTAGE, "");
                default -> AuthResult.NOT_MINE;
            };
        }
    }

    @Test
    void authenticate_wildMethods_eachRequestIsAnsweredOnce() throws Exception {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        AtomicInteger faults = new AtomicInteger();
        AtomicInteger observed = new AtomicInteger();
        AtomicLong clock = new AtomicLong();
        AuthObserver observer = new AuthObserver() {
            @Override
            public void answered(String method, @org.jspecify.annotations.Nullable AuthCause cause, long nanos) {
                observed.incrementAndGet();
            }

            @Override
            public void failed(String method, Throwable fault) {
                faults.incrementAndGet();
            }
        };
        List<Authenticator> methods = new ArrayList<>();
        for (int i = 0; i < METHODS; i++) {
            methods.add(new Wild(AuthSettings.METHODS.get(i), seed + i));
        }
        Failures off = new Failures(false, 1, 1, Failures.DEFAULTS.exempt(), 1_024);
        AuthChain chain = new AuthChain(
                AuthChainTest.settings(Mode.METHODS, METHODS, off), methods, observer, clock::incrementAndGet);
        AtomicIntegerArray answered = new AtomicIntegerArray(REQUESTS);
        CountDownLatch all = new CountDownLatch(REQUESTS);
        Random random = new Random(seed);
        for (int i = 0; i < REQUESTS; i++) {
            int device = i;
            long deadlineNanos = random.nextInt(10) == 0 ? clock.get() + random.nextInt(20) : AuthRequests.FAR_NANOS;
            chain.authenticate(AuthRequests.of("d", "t", new byte[4], deadlineNanos, false), result -> {
                assertTrue(!(result instanceof AuthResult.NotMine), "seed " + seed);
                answered.incrementAndGet(device);
                all.countDown();
            });
        }
        assertTrue(all.await(30, TimeUnit.SECONDS), "seed " + seed + ": " + all.getCount() + " without an answer");
        others.shutdown();
        assertTrue(others.awaitTermination(30, TimeUnit.SECONDS));

        for (int i = 0; i < REQUESTS; i++) {
            assertEquals(1, answered.get(i), "seed " + seed + ", request " + i);
        }
        assertEquals(REQUESTS, observed.get());
        assertTrue(faults.get() > 0);
    }
}
