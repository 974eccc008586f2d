package io.heartwheel.push;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.heartwheel.push.PushResult.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two ask under one key while the message of the first comes to its end. It is sent once, and both get its result. */
@JCStressTest
@org.openjdk.jcstress.annotations.Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "one message, one result")
@org.openjdk.jcstress.annotations.Outcome(expect = FORBIDDEN, desc = "sent twice, or told two results, or none")
@State
public class KeyAskedTwiceIsOneMessageStress {
    private static final byte[] FINGERPRINT = {1};

    private final IdempotencyKeys keys = new IdempotencyKeys(() -> 0, () -> PushSettings.DEFAULTS, refused -> {});
    private final AtomicInteger sent = new AtomicInteger();

    private int ask() {
        return (int) keys.once("k", FINGERPRINT, 0, this::send)
                .toCompletableFuture()
                .join()
                .messageId();
    }

    private CompletableFuture<PushResult> send() {
        return CompletableFuture.completedFuture(PushResult.refused(Outcome.QUEUED, sent.incrementAndGet(), ""));
    }

    @Actor
    public void first(III_Result result) {
        result.r1 = ask();
    }

    @Actor
    public void second(III_Result result) {
        result.r2 = ask();
    }

    @Arbiter
    public void afterwards(III_Result result) {
        result.r3 = sent.get() == 1 && keys.size() == 1 ? 1 : 0;
    }
}
