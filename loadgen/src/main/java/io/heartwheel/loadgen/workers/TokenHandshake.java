package io.heartwheel.loadgen.workers;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Proof between an agent and a coordinator that they know the same token, before anything else is said.
 *
 * <pre>
 *   agent                                                      coordinator
 *     | -- {"agent":1,"nonce":A} ------------------------------------&gt; |
 *     | &lt;-- {"nonce":C,"proof":HMAC(token, "conductor" 0 A C)} ------- |
 *     | -- {"proof":HMAC(token, "agent" 0 A C)} ---------------------&gt; |   or {"error":"..."} and the end
 * </pre>
 *
 * Nonces are 32 random bytes, so no proof is worth anything on another connection; the role in it keeps a proof from being
 * sent back to whom it came from. What is said afterwards is neither secret nor protected against change on the way.
 *
 * <p>One thread a handshake.
 *
 * @param lines on which nothing was said
 */
record TokenHandshake(LineChannel lines, Token token) {

    /** Longest line of it. */
    static final int MOST_LINE_BYTES = 512;

    /** How long all of it may take. */
    static final int MOST_MILLIS = 5_000;

    private static final int VERSION = 1;
    private static final int NONCE_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** A line of it, bytes in Base64. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Line(
            @Nullable Integer agent, byte @Nullable [] nonce, byte @Nullable [] proof, @Nullable String error) {}

    /** Hangs up when what is returned is not completed in time. Of the whole, not each read: a byte now and then is no progress. */
    static CompletableFuture<Void> limit(Socket socket) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        over.orTimeout(MOST_MILLIS, TimeUnit.MILLISECONDS).whenComplete((nothing, late) -> {
            if (late != null) {
                hangUp(socket);
            }
        });
        return over;
    }

    static void hangUp(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // There is nothing left of it to be closed.
        }
    }

    /**
     * The agent's part up to the coordinator's proof; {@link #welcome} or {@link #refuse} must follow.
     *
     * @return what to prove in return
     * @throws IOException when the coordinator does not know the token; it has been told so
     */
    byte[] challenge() throws IOException {
        byte[] own = nonce();
        lines.write(Json.text(new Line(VERSION, own, null, null)));
        Line answer = heard();
        byte[] others = nonceOf(answer);
        if (!MessageDigest.isEqual(proof("conductor", own, others), answer.proof())) {
            refuse("the token is not the agent's");
            throw new IOException("a coordinator with another token");
        }
        return proof("agent", own, others);
    }

    void welcome(byte[] proof) throws IOException {
        lines.write(Json.text(new Line(null, null, proof, null)));
    }

    void refuse(String why) throws IOException {
        lines.write(Json.text(new Line(null, null, null, why)));
    }

    /**
     * The coordinator's part.
     *
     * @throws IOException when the agent does not want us, or does not know the token itself
     */
    void introduce() throws IOException {
        Line greeting = heard();
        if (greeting.agent() == null || greeting.agent() != VERSION) {
            throw new IOException("no agent of version " + VERSION + " there");
        }
        byte[] others = nonceOf(greeting);
        byte[] own = nonce();
        lines.write(Json.text(new Line(null, own, proof("conductor", others, own), null)));
        Line answer = heard();
        if (answer.error() != null) {
            throw new IOException(answer.error());
        }
        if (!MessageDigest.isEqual(proof("agent", others, own), answer.proof())) {
            throw new IOException("the agent does not know the token");
        }
    }

    private Line heard() throws IOException {
        String line = lines.read();
        if (line == null) {
            throw new IOException("the other side hung up");
        }
        return Json.value(line, Line.class);
    }

    private byte[] proof(String role, byte[] agentNonce, byte[] coordinatorNonce) {
        return token.sign(role.getBytes(StandardCharsets.US_ASCII), new byte[1], agentNonce, coordinatorNonce);
    }

    private static byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    private static byte[] nonceOf(Line line) throws IOException {
        byte[] nonce = line.nonce();
        if (nonce == null || nonce.length != NONCE_BYTES) {
            throw new IOException("nonce: need " + NONCE_BYTES + " bytes in Base64");
        }
        return nonce;
    }
}
