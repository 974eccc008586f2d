package io.heartwheel.auth.tokens;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.AuthRequests;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.BrokenFile;
import io.heartwheel.auth.Grants;
import io.heartwheel.auth.HashedToken;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Admission by a file of tokens, and when it is read again. */
class TokensAuthenticatorTest {
    private static final AuthResult NOTHING_SHOWN = new AuthResult.Refused(AuthCause.NOTHING_SHOWN, "");
    private static final AuthResult WRONG = new AuthResult.Refused(AuthCause.WRONG_TOKEN, "");

    @TempDir
    private Path directory;

    private static String hash(String token) {
        return HashedToken.of(token.getBytes(StandardCharsets.UTF_8)).toString();
    }

    private Path file(String text) throws Exception {
        return Files.writeString(directory.resolve("tokens"), text);
    }

    private Authenticator open(String text) throws Exception {
        return new TokensSettings(file(text)).open(new AuthContext(Runnable::run, new Grants(), () -> 0, () -> 0));
    }

    private static AuthResult ask(Authenticator method, String device, String token) {
        List<AuthResult> told = new ArrayList<>();
        method.authenticate(AuthRequests.of(device, token), told::add);
        assertEquals(1, told.size());
        return told.get(0);
    }

    @Test
    void authenticate_ownLine_itsTokensAlone() throws Exception {
        Authenticator method = open("a " + hash("old") + " " + hash("new"));
        assertSame(AuthResult.ADMITTED, ask(method, "a", "old"));
        assertSame(AuthResult.ADMITTED, ask(method, "a", "new"));
        assertEquals(WRONG, ask(method, "a", "other"));
        assertEquals(NOTHING_SHOWN, ask(method, "a", ""));
        assertSame(AuthResult.NOT_MINE, ask(method, "b", "old"));
        assertSame(AuthResult.NOT_MINE, ask(method, "b", ""));
    }

    @Test
    void authenticate_star_isForThoseWithoutALine() throws Exception {
        Authenticator method = open("a " + hash("own") + "\n* " + hash("fleet"));
        assertSame(AuthResult.ADMITTED, ask(method, "a", "own"));
        assertEquals(WRONG, ask(method, "a", "fleet"));
        assertSame(AuthResult.ADMITTED, ask(method, "b", "fleet"));
        assertEquals(WRONG, ask(method, "b", "own"));
        assertSame(AuthResult.NOT_MINE, ask(method, "b", ""));
    }

    @Test
    void authenticate_grants_areShared() throws Exception {
        Authenticator method =
                open("a " + hash("1") + " groups=x\nb " + hash("2") + " groups=x\n* " + hash("3") + " rate-class=slow");
        AuthResult.Admitted a = assertInstanceOf(AuthResult.Admitted.class, ask(method, "a", "1"));
        AuthResult.Admitted b = assertInstanceOf(AuthResult.Admitted.class, ask(method, "b", "2"));
        AuthResult.Admitted c = assertInstanceOf(AuthResult.Admitted.class, ask(method, "c", "3"));
        assertEquals(List.of("x"), a.grant().groups());
        assertSame(a.grant(), b.grant());
        assertEquals("slow", c.grant().rateClass());
        assertEquals(AuthResult.Admitted.NEVER, c.expiresAtMillis());
    }

    @Test
    void refresh_newContent_isTakenWhenItStandsStill() throws Exception {
        Authenticator method = open("a " + hash("one"));
        assertEquals(List.of(), method.refresh());
        file("a " + hash("one") + " " + hash("two"));
        assertEquals(List.of(), method.refresh());
        assertEquals(WRONG, ask(method, "a", "two"));
        assertEquals(List.of(), method.refresh());
        assertSame(AuthResult.ADMITTED, ask(method, "a", "one"));
        assertSame(AuthResult.ADMITTED, ask(method, "a", "two"));
    }

    @Test
    void refresh_mistakesOrNoFile_keepWhatWas() throws Exception {
        Authenticator method = open("a " + hash("one"));
        Path file = file("a " + hash("two") + "\nbad");
        method.refresh();
        List<String> problems = method.refresh();
        assertEquals(1, problems.size());
        assertTrue(
                problems.get(0).startsWith("auth.tokens.file = " + file + ": line 2: need DEVICE-ID"),
                problems::toString);
        assertEquals(problems, method.refresh());
        assertSame(AuthResult.ADMITTED, ask(method, "a", "one"));
        assertEquals(WRONG, ask(method, "a", "two"));

        Files.delete(file);
        method.refresh();
        assertEquals(List.of("auth.tokens.file = " + file + ": it cannot be read"), method.refresh());
        assertSame(AuthResult.ADMITTED, ask(method, "a", "one"));

        file("a " + hash("three"));
        method.refresh();
        assertEquals(List.of(), method.refresh());
        assertSame(AuthResult.ADMITTED, ask(method, "a", "three"));
    }

    /** A disk that was full, or a script whose first command failed. */
    @Test
    void refresh_fileOfNothing_keepsWhatWas() throws Exception {
        Authenticator method = open("* " + hash("one"));
        Path file = file("# nobody\n");
        method.refresh();
        List<String> problems = List.of("auth.tokens.file = " + file + ": need at least one line");
        assertEquals(problems, method.refresh());
        assertSame(AuthResult.ADMITTED, ask(method, "a", "one"));
        assertSame(AuthResult.NOT_MINE, ask(open("# nobody yet\n"), "a", "one"));
    }

    @Test
    void open_mistake_isTold() {
        BrokenFile bad = assertThrows(BrokenFile.class, () -> open("a\nb"));
        assertEquals(2, bad.problems().size());
    }
}
