package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.BrokenFile;
import io.heartwheel.auth.HashedToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class AdminTokensTest {
    private static final String HASH = "sha256:" + "0".repeat(32) + ":" + "0".repeat(64);

    private static final byte[] HERE = {10, 0, 0, 1};
    private static final byte[] THERE = {10, 0, 0, 2};
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @TempDir
    Path directory;

    private static byte[] bytes(String token) {
        return token.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String hash(String token) {
        return HashedToken.of(bytes(token)).toString();
    }

    private static List<String> problems(String text) {
        return assertThrows(BrokenFile.class, () -> AdminTokens.parse(text)).problems();
    }

    @Test
    void find_eachOfTwoTokens_isTheName() throws Exception {
        AdminTokens tokens = AdminTokens.parse("# who\n\nops read,send,operate " + hash("one") + "\r\n  ci\tread,send  "
                + hash("old") + " " + hash("new") + "\n");

        assertEquals(2, tokens.size());
        assertEquals("token/ops", tokens.find(bytes("one")).name());
        for (String token : List.of("old", "new")) {
            assertEquals(new Caller("token/ci", Set.of(Scope.READ, Scope.SEND)), tokens.find(bytes(token)));
        }
        assertNull(tokens.find(bytes("two")));
        assertNull(tokens.find(bytes("")));
    }

    @Test
    void parse_badLines_tellsEachWithoutTheHash() {
        List<String> found = problems("ops read\nops! read " + HASH + "\nci write " + HASH + "\na none " + HASH
                + "\nb read sha256:secret\nc read " + HASH + "\nc read " + HASH + "\nd read, " + HASH + "\n");

        assertEquals(
                List.of(
                        "line 1: need NAME SCOPES HASH, or a second HASH behind it",
                        "line 2: " + AdminTokens.NEED_NAME,
                        "line 3: " + AdminTokens.NEED_SCOPES,
                        "line 4: " + AdminTokens.NEED_SCOPES,
                        "line 5: hash of a token: need " + HashedToken.NEED,
                        "line 7: need each name once",
                        "line 8: " + AdminTokens.NEED_SCOPES),
                found);
    }

    @Test
    void parse_nothingOrTooMuch_isAProblem() {
        assertEquals(List.of("need at least one line NAME SCOPES HASH"), problems("# none\n"));
        StringBuilder many = new StringBuilder();
        for (int i = 0; i <= AdminTokens.MOST_LINES; i++) {
            many.append('n').append(i).append(" read ").append(HASH).append('\n');
        }
        assertEquals(List.of("need at most 1000 tokens"), problems(many.toString()));
        assertEquals(10, problems("x\n".repeat(100)).size());
    }

    @Test
    void remembered_afterAFind_isOfThatAddressAlone() throws Exception {
        TokenFile tokens = new TokenFile(Files.writeString(file(), "ops read " + hash("one")), 0);

        assertNull(tokens.remembered(bytes("one"), HERE, 0));
        Caller found = tokens.find(bytes("one"), HERE);
        assertEquals("token/ops", found.name());
        assertSame(found, tokens.remembered(bytes("one"), HERE, 0));
        assertNull(tokens.remembered(bytes("one"), THERE, 0));
        assertNull(tokens.find(bytes("two"), HERE));
        assertNull(tokens.remembered(bytes("two"), HERE, 0));
    }

    @Test
    void tokens_fileChanged_areReadAtTheNextLookUnlessItWillNotDo() throws Exception {
        TokenFile tokens = new TokenFile(Files.writeString(file(), "ops read " + hash("one")), 0);
        tokens.find(bytes("one"), HERE);

        Files.writeString(file(), "other read " + hash("another"));
        assertTrue(knows(tokens, "one", SECOND - 1), "no look yet");
        assertFalse(knows(tokens, "one", SECOND), "forgotten with its line");
        assertTrue(knows(tokens, "another", SECOND));

        Files.writeString(file(), "broken");
        assertTrue(knows(tokens, "another", 2 * SECOND));
        Files.delete(file());
        assertTrue(knows(tokens, "another", 3 * SECOND));
        Files.writeString(file(), "ops read " + hash("third"));
        assertFalse(knows(tokens, "another", 4 * SECOND));
        assertTrue(knows(tokens, "third", 4 * SECOND));
    }

    /** As on a mount that hangs: whoever asks goes by the former tokens, and nobody waits twice. */
    @Test
    @Timeout(30)
    void tokens_readHangs_theFormerStayInUseUntilItEnds() throws Exception {
        CompletableFuture<Void> end = new CompletableFuture<>();
        AtomicInteger reads = new AtomicInteger();
        Path written = Files.writeString(file(), "ops read " + hash("one"));
        TokenFile tokens = new TokenFile(written, 0, file -> {
            if (reads.getAndIncrement() > 0) {
                end.join();
            }
            return AdminTokens.read(file);
        });
        Files.writeString(file(), "other read " + hash("another"));

        for (int second = 1; second < 60; second++) {
            assertTrue(knows(tokens, "one", second * SECOND));
        }
        assertEquals(2, reads.get());
        end.complete(null);
        while (!knows(tokens, "another", 60 * SECOND)) {
            Thread.onSpinWait();
        }
        assertFalse(knows(tokens, "one", 60 * SECOND));
    }

    private static boolean knows(TokenFile tokens, String token, long nowNanos) {
        return tokens.remembered(bytes(token), HERE, nowNanos) != null || tokens.find(bytes(token), HERE) != null;
    }

    @Test
    void tokenFile_notThere_isRefusedWithItsKey() {
        IOException refusal = assertThrows(IOException.class, () -> new TokenFile(file(), 0));

        assertEquals("admin.tokens-file = " + file() + ": need a file that can be read", refusal.getMessage());
    }

    private Path file() {
        return directory.resolve("tokens");
    }
}
