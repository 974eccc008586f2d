package io.heartwheel.loadgen.downlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.scenario.Acks;
import io.heartwheel.loadgen.scenario.Downlink;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands that push: their exit status and their time. */
@Timeout(60)
final class ExecCallsTest {

    private static final Push PUSH = new Push(
            17, "d-17", 1, 0, 0, "message".getBytes(StandardCharsets.US_ASCII), Acks.Ask.NOTHING, "", false, "key");

    private static PushAnswer answer(Duration limit, String... command) {
        Downlink.Exec exec = new Downlink.Exec(List.of(command), Set.of(0), Set.of(3));
        try (ExecCalls calls = new ExecCalls(exec, limit)) {
            return calls.call(PUSH).join();
        }
    }

    private static PushAnswer answer(String script) {
        return answer(Duration.ofSeconds(30), "sh", "-c", script, "sh", "{id}", "{number}", "{message}");
    }

    @Test
    void call_exitStatus_isTheAnswer() {
        assertEquals(new PushAnswer(Said.ACCEPTED, "exit status 0"), answer("exit 0"));
        assertEquals(new PushAnswer(Said.ABSENT, "exit status 3"), answer("exit 3"));
        assertEquals(new PushAnswer(Said.REFUSED, "exit status 4"), answer("exit 4"));
    }

    @Test
    void call_arguments_areOfThisPush() {
        assertEquals(
                Said.ACCEPTED, answer("test \"$1 $2 $3\" = 'd-17 17 message'").said());
    }

    @Test
    void call_noSuchProgram_failsWithItsName() {
        PushAnswer answer = answer(Duration.ofSeconds(30), "no-such-program-at-all", "{message}");
        assertEquals(Said.FAILED, answer.said());
        assertTrue(answer.text().contains("no-such-program-at-all"), answer.text());
    }

    @Test
    void call_neverEnds_failsAndIsEnded() {
        Downlink.Exec exec =
                new Downlink.Exec(List.of("sh", "-c", "exec sleep 600", "{message}"), Set.of(0), Set.of(3));
        try (ExecCalls calls = new ExecCalls(exec, Duration.ofMillis(200))) {
            CompletableFuture<PushAnswer> answer = calls.call(PUSH);
            List<ProcessHandle> running = ProcessHandle.current().children().toList();
            assertFalse(running.isEmpty());
            assertEquals(new PushAnswer(Said.FAILED, "no answer within 200 ms"), answer.join());
            running.forEach(process -> process.onExit().join());
        }
    }
}
