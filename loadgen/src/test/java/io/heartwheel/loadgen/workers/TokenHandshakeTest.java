package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Proof of a token: who is accepted, and that a proof is good for one connection and one direction only. */
@Timeout(30)
final class TokenHandshakeTest {

    private static final Token RIGHT = token("a token of twenty bytes");
    private static final Token WRONG = token("a token of twenty bytez");

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    @TempDir
    private Path directory;

    static Token token(String text) {
        return new Token(text.getBytes(StandardCharsets.UTF_8), "token");
    }

    /** Both sides over two pipes; the agent's side is answered. */
    private static void meet(Token agents, Token coordinators) throws IOException {
        Pipe there = Pipe.open();
        Pipe back = Pipe.open();
        LineChannel agent = lines(there, back);
        TokenHandshake coordinator = new TokenHandshake(lines(back, there), coordinators);
        CompletableFuture<Void> welcomed = CompletableFuture.runAsync(() -> {
            try {
                TokenHandshake handshake = new TokenHandshake(agent, agents);
                handshake.welcome(handshake.challenge());
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        });
        try {
            coordinator.introduce();
        } finally {
            try {
                welcomed.join();
            } catch (CompletionException e) {
                assertTrue(e.getCause() instanceof IOException, e::toString);
            }
        }
    }

    private static LineChannel lines(Pipe in, Pipe out) {
        return new LineChannel(
                Channels.newInputStream(in.source()),
                Channels.newOutputStream(out.sink()),
                TokenHandshake.MOST_LINE_BYTES);
    }

    private TokenHandshake hearing(String... lines) {
        byte[] heard = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        return new TokenHandshake(
                new LineChannel(new ByteArrayInputStream(heard), said, TokenHandshake.MOST_LINE_BYTES), RIGHT);
    }

    private String said(int line) {
        return said.toString(StandardCharsets.UTF_8).split("\n", -1)[line];
    }

    private static String field(String json, String name) {
        int at = json.indexOf("\"" + name + "\":\"") + name.length() + 4;
        return json.substring(at, json.indexOf('"', at));
    }

    @Test
    void handshake_sameToken_convincesBoth() throws IOException {
        meet(RIGHT, token("a token of twenty bytes"));
    }

    @Test
    void handshake_otherToken_isRefusedInWords() {
        IOException e = assertThrows(IOException.class, () -> meet(RIGHT, WRONG));
        assertEquals("the token is not the agent's", e.getMessage());
    }

    @Test
    void agent_withoutTheToken_isNotBelieved() {
        String nonce = nonceOfAnAgent();
        TokenHandshake coordinator =
                hearing("{\"agent\":1,\"nonce\":\"" + nonce + "\"}", "{\"proof\":\"" + "A".repeat(43) + "=\"}");
        IOException e = assertThrows(IOException.class, coordinator::introduce);
        assertEquals("the agent does not know the token", e.getMessage());
        assertThrows(IOException.class, () -> hearing("{\"agent\":1,\"nonce\":\"" + nonce + "\"}", "{}")
                .introduce());
    }

    @Test
    void proof_ofTheCoordinatorSentBack_isNotTheAgents() throws Exception {
        String nonce = nonceOfAnAgent();
        Pipe there = Pipe.open();
        Pipe back = Pipe.open();
        LineChannel mirror = lines(there, back);
        CompletableFuture<Void> mirroring = CompletableFuture.runAsync(() -> {
            try {
                mirror.write("{\"agent\":1,\"nonce\":\"" + nonce + "\"}");
                mirror.write("{\"proof\":\"" + field(mirror.read(), "proof") + "\"}");
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        });
        TokenHandshake coordinator = new TokenHandshake(lines(back, there), RIGHT);
        IOException e = assertThrows(IOException.class, coordinator::introduce);
        assertEquals("the agent does not know the token", e.getMessage());
        mirroring.join();
    }

    private String nonceOfAnAgent() {
        assertThrows(IOException.class, () -> hearing("{}").challenge());
        return field(said(0), "nonce");
    }

    @Test
    void challenge_anyTwo_areDifferentAndSayNothingOfTheToken() {
        String first = nonceOfAnAgent();
        said.reset();
        assertFalse(first.equals(nonceOfAnAgent()));
        assertFalse(said.toString(StandardCharsets.UTF_8).contains("token of twenty"));
    }

    @Test
    void challenge_badAnswer_isRefused() {
        for (String answer : new String[] {
            "{}",
            "{\"nonce\":\"AAAA\",\"proof\":\"x\"}",
            "{\"nonce\":\"***\"}",
            "{\"nonce\":\"" + "A".repeat(43) + "=\"}",
            "{\"nonce\":\"" + "A".repeat(43) + "=\",\"proof\":\"" + "A".repeat(43) + "=\"}",
            "[]",
            "GET / HTTP/1.1",
            "null",
            "x".repeat(TokenHandshake.MOST_LINE_BYTES + 1)
        }) {
            assertThrows(IOException.class, () -> hearing(answer).challenge(), answer);
        }
    }

    @Test
    void introduce_noAgent_isToldSo() {
        for (String greeting : new String[] {"{}", "{\"agent\":2}", "{\"agent\":1}", "SSH-2.0-OpenSSH_9.2"}) {
            assertThrows(IOException.class, () -> hearing(greeting).introduce(), greeting);
        }
    }

    @Test
    void token_file_isItsFirstLine() throws IOException {
        Path file = Files.writeString(directory.resolve("token"), "0123456789abcdef\r\nsecond line\n");
        assertEquals(
                new String(token("0123456789abcdef").sign(), StandardCharsets.ISO_8859_1),
                new String(Token.read(file).sign(), StandardCharsets.ISO_8859_1));
    }

    @Test
    void token_tooShortOrTooLong_isRefusedWithoutBeingTold() throws IOException {
        Path file = Files.writeString(directory.resolve("token"), "0123456789abcde\n");
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Token.read(file));
        assertEquals("token in " + file + " = 15 bytes: need 16..1024 bytes", e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> token("x".repeat(1_025)));
        e = assertThrows(IllegalArgumentException.class, () -> Token.read(directory.resolve("none")));
        assertTrue(e.getMessage().startsWith("token file = " + directory.resolve("none") + ": need a readable"));
        Path huge = Files.writeString(directory.resolve("huge"), "x".repeat(5_000));
        assertThrows(IllegalArgumentException.class, () -> Token.read(huge));
        assertFalse(token("0123456789abcdef").toString().contains("0123"));
    }
}
