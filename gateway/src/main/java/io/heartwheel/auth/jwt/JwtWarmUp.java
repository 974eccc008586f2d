package io.heartwheel.auth.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jose.util.JSONObjectUtils;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult.Admitted;
import io.heartwheel.auth.Authenticator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of a key made for this, verified before the first device comes: code that is not compiled yet takes three times as long for each, and a fleet that comes
 * back to a new process would pay for it. Whatever algorithms are allowed it is ES256, because all but the signature is the same for all. Keys of the configuration
 * are not used, and nothing of it stays.
 */
final class JwtWarmUp {
    /** Behind so many, little is left to compile. */
    static final int MOST_TOKENS = 4_000;

    /** Who shows them. */
    static final String DEVICE = "warm-up";

    private JwtWarmUp() {}

    /**
     * Verifies until this time, or so many tokens. Blocks.
     *
     * @param claims of each token: such as are admitted, of the device {@value #DEVICE}
     * @param opened opens the method with these keys; it answers on the thread that asks
     * @param untilNanos on the clock of the method
     * @return tokens that were verified; the first that is refused ends it
     */
    static int run(
            Map<String, Object> claims, Function<KeySource, Authenticator> opened, int mostTokens, long untilNanos) {
        try {
            ECKey key = new ECKeyGenerator(Curve.P_256).generate();
            byte[] document = new JWKSet(key.toPublicJWK()).toString().getBytes(StandardCharsets.UTF_8);
            KeySet keys = new JwksReader(Set.of(JwtAlgorithm.ES256)).read(document, ignored -> {});
            Authenticator method = opened.apply(new OneKey(keys));
            String token = signed("{\"alg\":\"ES256\",\"typ\":\"JWT\"}", JSONObjectUtils.toJSONString(claims), key);
            AuthRequest request = request(token.getBytes(StandardCharsets.US_ASCII), untilNanos);
            int[] admitted = new int[1];
            for (int asked = 0; asked == admitted[0] && asked < mostTokens; asked++) {
                method.authenticate(request, result -> admitted[0] += result instanceof Admitted ? 1 : 0);
            }
            return admitted[0];
        } catch (JOSEException | IOException e) {
            throw new IllegalStateException("ES256 with a key of our own", e);
        }
    }

    /** A token that is signed by ES256, whatever its header says. */
    static String signed(String header, String claims, ECKey key) throws JOSEException {
        String input = Base64URL.encode(header) + "." + Base64URL.encode(claims);
        return input + "."
                + new ECDSASigner(key).sign(JwtAlgorithm.ES256.header(), input.getBytes(StandardCharsets.US_ASCII));
    }

    private static AuthRequest request(byte[] token, long untilNanos) {
        return new AuthRequest(
                DEVICE.getBytes(StandardCharsets.US_ASCII),
                token,
                new byte[0],
                "",
                "heartwheel",
                "",
                0,
                List.of(),
                false,
                untilNanos);
    }

    /** The same key for as long as it takes. */
    private record OneKey(KeySet inForce) implements KeySource {
        @Override
        public Missing missing(@Nullable String kid, long deadlineNanos, Waiter waiter) {
            return Missing.NO_SUCH_KEY;
        }
    }
}
