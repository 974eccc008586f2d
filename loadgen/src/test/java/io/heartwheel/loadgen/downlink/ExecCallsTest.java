package io.heartwheel.loadgen.downlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.scenario.Acks;
import io.heartwheel.loadgen.scenario.Downlink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands that push: their exit status, their time, and one that stays. */
@Timeout(60)
final class ExecCallsTest {

    private static final Push PUSH = new Push(
            17,
            "d-17",
            1,
            0,
            0,
            "message".getBytes(StandardCharsets.US_ASCII),
            Acks.Ask.NOTHING,
            Map.of(),
            false,
            "key");

    @TempDir
    private Path directory;

    private static PushAnswer answer(Duration limit, String... command) {
        Downlink.Exec exec = new Downlink.Exec(List.of(command), "", Set.of(0), Set.of(3));
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
                new Downlink.Exec(List.of("sh", "-c", "exec sleep 600", "{message}"), "", Set.of(0), Set.of(3));
        try (ExecCalls calls = new ExecCalls(exec, Duration.ofMillis(200))) {
            CompletableFuture<PushAnswer> answer = calls.call(PUSH);
            List<ProcessHandle> running = ProcessHandle.current().children().toList();
            assertFalse(running.isEmpty());
            assertEquals(new PushAnswer(Said.FAILED, "no answer within 200 ms"), answer.join());
            running.forEach(process -> process.onExit().join());
        }
    }

    @Test
    void call_aCommandThatStays_getsALineEach() throws IOException {
        Path lines = directory.resolve("lines");
        Downlink.Exec exec = new Downlink.Exec(
                List.of("sh", "-c", "cat > '" + lines + "'"), "push {id} {message}", Set.of(0), Set.of());
        try (ExecCalls calls = new ExecCalls(exec, Duration.ofSeconds(30))) {
            calls.open();
            assertEquals(
                    new PushAnswer(Said.ACCEPTED, "written"), calls.call(PUSH).join());
            assertEquals(Said.ACCEPTED, calls.call(PUSH).join().said());
        }
        assertEquals("push d-17 message\npush d-17 message\n", Files.readString(lines));
    }

    @Test
    void call_aCommandThatStayedAndEnded_failsWithItsStatus() throws Exception {
        Downlink.Exec exec = new Downlink.Exec(List.of("sh", "-c", "exit 9"), "{message}", Set.of(0), Set.of());
        try (ExecCalls calls = new ExecCalls(exec, Duration.ofSeconds(30))) {
            calls.open();
            PushAnswer answer = calls.call(PUSH).join();
            while (answer.said() == Said.ACCEPTED) {
                // It has not come to its end yet.
                answer = calls.call(PUSH).join();
            }
            assertEquals(Said.FAILED, answer.said());
        }
    }

    @Test
    void open_noSuchProgram_isTold() {
        Downlink.Exec exec = new Downlink.Exec(List.of("no-such-program-at-all"), "{message}", Set.of(0), Set.of());
        try (ExecCalls calls = new ExecCalls(exec, Duration.ofSeconds(30))) {
            assertThrows(IOException.class, calls::open);
        }
    }
}
