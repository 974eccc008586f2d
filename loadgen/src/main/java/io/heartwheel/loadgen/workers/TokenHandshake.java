package io.heartwheel.loadgen.workers;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
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
 */
final class TokenHandshake {

    /** Longest line of it. */
    static final int MOST_LINE_BYTES = 512;

    private static final int VERSION = 1;
    private static final int NONCE_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final LineChannel lines;
    private final Token token;

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Greeting(@Nullable Integer agent, @Nullable String nonce) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Proof(@Nullable String nonce, @Nullable String proof, @Nullable String error) {}

    /** The other side does not know the token, or is something else altogether. */
    static final class Refused extends IOException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }

    /** Over a line's ends that nothing was said on. */
    TokenHandshake(LineChannel lines, Token token) {
        this.lines = lines;
        this.token = token;
    }

    /**
     * The agent's part up to the coordinator's proof; {@link #welcome} or {@link #refuse} must follow.
     *
     * @return what to prove in return
     * @throws Refused when the coordinator does not know the token; it has been told so
     */
    String challenge() throws IOException {
        byte[] own = nonce();
        lines.write(Json.text(new Greeting(VERSION, text(own))));
        Proof answer = heard(Proof.class);
        byte[] others = bytes(answer.nonce());
        if (!matches(proof("conductor", own, others), answer.proof())) {
            refuse("the token is not the agent's");
            throw new Refused("a conductor with another token");
        }
        return proof("agent", own, others);
    }

    void welcome(String proof) throws IOException {
        lines.write(Json.text(new Proof(null, proof, null)));
    }

    void refuse(String why) throws IOException {
        lines.write(Json.text(new Proof(null, null, why)));
    }

    /**
     * The coordinator's part.
     *
     * @throws Refused when the agent does not want us, or does not know the token itself
     */
    void introduce() throws IOException {
        Greeting greeting = heard(Greeting.class);
        if (greeting.agent() == null || greeting.agent() != VERSION) {
            throw new Refused("no agent of version " + VERSION + " there");
        }
        byte[] others = bytes(greeting.nonce());
        byte[] own = nonce();
        lines.write(Json.text(new Proof(text(own), proof("conductor", others, own), null)));
        Proof answer = heard(Proof.class);
        if (answer.error() != null) {
            throw new Refused(answer.error());
        }
        if (!matches(proof("agent", others, own), answer.proof())) {
            throw new Refused("the agent does not know the token");
        }
    }

    private <T> T heard(Class<T> type) throws IOException {
        String line = lines.read();
        if (line == null) {
            throw new Refused("the other side hung up");
        }
        return Json.value(line, type);
    }

    private String proof(String role, byte[] agentNonce, byte[] coordinatorNonce) {
        return text(token.sign(role.getBytes(StandardCharsets.US_ASCII), new byte[1], agentNonce, coordinatorNonce));
    }

    private static boolean matches(String expected, @Nullable String actual) {
        // Takes the same time wherever they differ.
        return actual != null
                && MessageDigest.isEqual(
                        expected.getBytes(StandardCharsets.US_ASCII), actual.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    private static byte[] bytes(@Nullable String nonce) throws Refused {
        try {
            byte[] bytes = Base64.getDecoder().decode(nonce == null ? "" : nonce);
            if (bytes.length == NONCE_BYTES) {
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            // Told below, as every other nonce that is none.
        }
        throw new Refused("nonce: need " + NONCE_BYTES + " bytes in Base64");
    }

    private static String text(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
