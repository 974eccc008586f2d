package io.heartwheel.auth.jwt;

import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.MethodSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settings of signed tokens.
 *
 * @param algorithms those that are accepted, at least one
 * @param keysFile JWKS with the issuer's public keys; null with a URL, or with HS256 alone
 * @param keysUrl where the JWKS is fetched from; null with a file, or with HS256 alone
 * @param keysRefresh greatest age of fetched keys; they are fetched again at half of it
 * @param keysTimeout of one fetch
 * @param keysOutage how long keys stay good after their greatest age while fetching fails
 * @param secretFile secrets of HS256, one a line; null without HS256
 * @param issuer exactly the claim {@code iss}
 * @param audience must be among the claim {@code aud}; {@link #ANY_AUDIENCE} for any or none
 * @param deviceClaim name of the claim that is the device id
 * @param groupsClaim name of the claim with groups; empty for none
 * @param rateClassClaim name of the claim with the rate class; empty for none
 * @param attributes names of claims that become attributes
 * @param skew how far {@code nbf} and {@code iat} may lie ahead
 * @param cache verified tokens that are known again without their signature, 0 for none; 32 bytes each
 */
public record JwtSettings(
        Set<JwtAlgorithm> algorithms,
        @Nullable Path keysFile,
        @Nullable URI keysUrl,
        Duration keysRefresh,
        Duration keysTimeout,
        Duration keysOutage,
        @Nullable Path secretFile,
        String issuer,
        String audience,
        String deviceClaim,
        String groupsClaim,
        String rateClassClaim,
        List<String> attributes,
        Duration skew,
        int cache)
        implements MethodSettings {
    /** Name of the method. */
    public static final String METHOD = "jwt";
    /** In place of an audience: any, or none. */
    public static final String ANY_AUDIENCE = "*";

    /** @throws IllegalArgumentException if a source of keys is missing, or there are two */
    public JwtSettings {
        algorithms = Set.copyOf(algorithms);
        attributes = List.copyOf(attributes);
        boolean published = algorithms.stream().anyMatch(each -> each != JwtAlgorithm.HS256);
        if (algorithms.isEmpty()
                || (keysFile != null && keysUrl != null)
                || published != (keysFile != null || keysUrl != null)
                || algorithms.contains(JwtAlgorithm.HS256) != (secretFile != null)) {
            throw new IllegalArgumentException("keys of " + algorithms + ": need one source for each algorithm");
        }
    }

    /** The same rules for ES256 with a key that stands in no file, and without a cache. */
    JwtSettings withPublishedKeyOnly() {
        return new JwtSettings(
                Set.of(JwtAlgorithm.ES256),
                Path.of(""),
                null,
                keysRefresh,
                keysTimeout,
                keysOutage,
                null,
                issuer,
                audience,
                deviceClaim,
                groupsClaim,
                rateClassClaim,
                attributes,
                skew,
                0);
    }

    @Override
    public String method() {
        return METHOD;
    }

    @Override
    public Authenticator open(AuthContext context) throws IOException {
        return JwtAuthenticator.open(this, context);
    }

    /** What is wrong with the content of a JWKS file; empty if it has a key for one of the algorithms. */
    public static Optional<String> keysProblem(Path file, Set<JwtAlgorithm> algorithms) {
        return KeyFile.keys(file, algorithms, () -> 0).load();
    }

    /** What is wrong with the content of a file of secrets; no part of it is shown. */
    public static Optional<String> secretsProblem(Path file) {
        return KeyFile.secrets(file, () -> 0).load();
    }
}
