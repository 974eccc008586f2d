package io.heartwheel.auth.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthRequests;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.Grants;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Keys of an issuer, tokens of it, and a gateway's side whose time stands still. */
final class JwtFixture {
    static final long NOW_MILLIS = 1_800_000_000_000L;
    static final long NOW = NOW_MILLIS / 1_000;
    static final String DEVICE = "meter-0815";
    static final byte[] SECRET = "a-shared-secret-of-more-than-32-bytes".getBytes(StandardCharsets.US_ASCII);

    static final ECKey EC;
    static final ECKey OTHER_EC;
    static final RSAKey RSA;
    static final KeyPair ED25519;
    static final OctetKeyPair ED25519_JWK;

    static {
        try {
            EC = new ECKeyGenerator(Curve.P_256)
                    .keyID("ec-1")
                    .keyUse(KeyUse.SIGNATURE)
                    .generate();
            OTHER_EC = new ECKeyGenerator(Curve.P_256).keyID("ec-2").generate();
            RSA = new RSAKeyGenerator(2_048).keyID("rsa-1").generate();
            ED25519 = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            byte[] encoded = ED25519.getPublic().getEncoded();
            ED25519_JWK = new OctetKeyPair.Builder(
                            Curve.Ed25519, Base64URL.encode(Arrays.copyOfRange(encoded, 12, encoded.length)))
                    .keyID("ed-1")
                    .build();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private JwtFixture() {}

    // ------------------------------------------------------------------ tokens

    static String base64(String text) {
        return base64(text.getBytes(StandardCharsets.UTF_8));
    }

    static String base64(byte[] bytes) {
        return Base64URL.encode(bytes).toString();
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static String claims(String more) {
        return "{\"iss\":\"https://issuer\",\"aud\":\"fleet\",\"sub\":\"" + DEVICE + "\",\"exp\":" + (NOW + 600) + more
                + "}";
    }

    static String es256(String header, String claims, ECKey key) throws Exception {
        return JwtWarmUp.signed(header, claims, key);
    }

    static String es256(String claims) throws Exception {
        return es256("{\"alg\":\"ES256\",\"kid\":\"ec-1\"}", claims, EC);
    }

    static String rs256(String header, String claims) throws Exception {
        return signed(header, claims, JWSAlgorithm.RS256, new RSASSASigner(RSA));
    }

    static String hs256(String header, String claims, byte[] secret) throws Exception {
        return signed(header, claims, JWSAlgorithm.HS256, new MACSigner(secret));
    }

    static String eddsa(String header, String claims) throws Exception {
        String signed = base64(header) + "." + base64(claims);
        Signature signer = Signature.getInstance("Ed25519");
        signer.initSign(ED25519.getPrivate());
        signer.update(ascii(signed));
        return signed + "." + base64(signer.sign());
    }

    static String signed(String header, String claims, JWSAlgorithm algorithm, JWSSigner signer) throws Exception {
        return signedRaw(base64(header), base64(claims), algorithm, signer);
    }

    /** The header of the library is not the one that is sent: whatever stands there is signed all the same. */
    static String signedRaw(String header, String claims, JWSAlgorithm algorithm, JWSSigner signer) throws Exception {
        String signed = header + "." + claims;
        return signed + "." + signer.sign(new JWSHeader(algorithm), ascii(signed));
    }

    // ------------------------------------------------------------------ the gateway's side

    static String jwks(JWK... keys) {
        return new JWKSet(List.of(keys)).toString(true);
    }

    static JwtSettings settings(Set<JwtAlgorithm> algorithms, int cache) {
        return settings(algorithms, cache, URI.create("http://127.0.0.1:1/keys"));
    }

    static JwtSettings settings(Set<JwtAlgorithm> algorithms, int cache, URI url) {
        boolean published = !algorithms.equals(Set.of(JwtAlgorithm.HS256));
        return new JwtSettings(
                algorithms,
                null,
                published ? url : null,
                Duration.ofMinutes(10),
                Duration.ofSeconds(5),
                Duration.ofHours(1),
                algorithms.contains(JwtAlgorithm.HS256) ? Path.of("secret") : null,
                "https://issuer",
                "fleet",
                "sub",
                "groups",
                "class",
                List.of("tenant"),
                Duration.ofSeconds(30),
                cache);
    }

    static Set<JwtAlgorithm> all() {
        return EnumSet.allOf(JwtAlgorithm.class);
    }

    static AuthContext context(Executor workers) {
        return new AuthContext(workers, new Grants(), () -> 0, () -> NOW_MILLIS);
    }

    static AuthRequest request(byte[] token, String device, long deadlineNanos) {
        return AuthRequests.of(device, token, new byte[] {127, 0, 0, 1}, deadlineNanos, false);
    }

    static AuthResult ask(Authenticator asked, byte[] token) {
        List<AuthResult> answers = new ArrayList<>();
        asked.authenticate(request(token, DEVICE, Long.MAX_VALUE), answers::add);
        if (answers.size() != 1) {
            throw new AssertionError("need one answer: " + answers);
        }
        return answers.get(0);
    }

    static AuthResult ask(Authenticator asked, String token) {
        return ask(asked, token.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Keys that never change; counts what is asked for beyond them. */
    static final class FixedKeys implements KeySource {
        final KeySet keys;
        int asked;

        FixedKeys(KeySet keys) {
            this.keys = keys;
        }

        static FixedKeys published(Set<JwtAlgorithm> algorithms) throws Exception {
            return new FixedKeys(new JwksReader(algorithms)
                    .read(ascii(jwks(EC.toPublicJWK(), RSA.toPublicJWK(), ED25519_JWK)), note -> {}));
        }

        static FixedKeys secrets() throws Exception {
            return new FixedKeys(SecretsReader.read(SECRET));
        }

        @Override
        public KeySet inForce() {
            return keys;
        }

        @Override
        public Missing missing(@Nullable String kid, long deadlineNanos, Waiter waiter) {
            asked++;
            return Missing.NO_SUCH_KEY;
        }
    }

    /** A server that answers when the test says so. */
    static final class FakeServer implements KeyFetcher {
        final List<CompletableFuture<Document>> fetches = new ArrayList<>();
        boolean refusing;

        @Override
        public CompletableFuture<Document> fetch() {
            if (refusing) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            CompletableFuture<Document> fetch = new CompletableFuture<>();
            fetches.add(fetch);
            return fetch;
        }

        CompletableFuture<Document> last() {
            return fetches.get(fetches.size() - 1);
        }

        void answer(String jwks) {
            last().complete(new Document(ascii(jwks), KeySchedule.NOT_SAID));
        }

        void fail() {
            last().completeExceptionally(new java.io.IOException("HTTP 503"));
        }
    }
}
