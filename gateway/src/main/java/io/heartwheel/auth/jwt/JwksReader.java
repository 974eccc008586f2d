package io.heartwheel.auth.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.JSONObjectUtils;
import io.heartwheel.auth.AuthText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.interfaces.RSAPublicKey;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reader of a JWKS (RFC 7517, section 5). Takes public keys for the algorithms that are allowed: RSA of {@value #LEAST_RSA_BITS} to {@value #MOST_RSA_BITS}
 * bits, EC on P-256, Ed25519, whose {@code use}, {@code key_ops} and {@code alg} say nothing else. It passes over the others, and says why if the issuer has
 * published what nobody may see. Immutable; any thread.
 */
final class JwksReader {
    /** Largest document. */
    static final int MOST_BYTES = 1 << 20;

    private static final int MOST_KEYS = 256;
    private static final int MOST_NOTES = 10;
    private static final int LONGEST_NOTE = 100;
    private static final int LEAST_RSA_BITS = 2_048;
    private static final int MOST_RSA_BITS = 8_192;

    private final Set<JwtAlgorithm> allowed;

    JwksReader(Set<JwtAlgorithm> allowed) {
        this.allowed = Set.copyOf(allowed);
    }

    /**
     * Reads a document.
     *
     * @param ignored told of each of the first keys that are passed over, and of how many more there are, for the operator
     * @throws IOException if it is no JWKS, or has no key to use
     */
    KeySet read(byte[] document, Consumer<String> ignored) throws IOException {
        if (document.length > MOST_BYTES) {
            throw new IOException("longer than 1 MiB");
        }
        StrictJson.read(document); // each name once, and no deeper than keys are
        List<VerificationKey> keys = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        try {
            Map<String, Object>[] entries = JSONObjectUtils.getJSONObjectArray(
                    JSONObjectUtils.parse(new String(document, StandardCharsets.UTF_8)), "keys");
            if (entries == null || entries.length > MOST_KEYS) {
                throw new IOException(entries == null ? "no keys in it" : "more than " + MOST_KEYS + " keys in it");
            }
            for (int i = 0; i < entries.length; i++) {
                read("key " + (i + 1), entries[i], keys, notes::add);
            }
        } catch (ParseException notOne) {
            throw new IOException("not a JWKS", notOne);
        }
        notes.stream().limit(MOST_NOTES).forEach(ignored);
        if (notes.size() > MOST_NOTES) {
            ignored.accept(notes.size() - MOST_NOTES + " more");
        }
        if (keys.isEmpty()) {
            throw new IOException("no key for "
                    + allowed.stream().map(JwtAlgorithm::label).sorted().toList());
        }
        return new KeySet(keys);
    }

    private void read(String which, Map<String, Object> entry, List<VerificationKey> keys, Consumer<String> ignored) {
        try {
            JWK jwk = JWK.parse(entry);
            if (jwk.isPrivate()) {
                ignored.accept(which + ": private or secret, need public keys only");
                return;
            }
            JwtAlgorithm algorithm = algorithm(jwk);
            if (algorithm == null || !allowed.contains(algorithm) || !isForSignatures(jwk, algorithm)) {
                ignored.accept(which + ": for nothing that is configured");
                return;
            }
            keys.add(key(jwk, algorithm));
        } catch (ParseException | JOSEException | GeneralSecurityException | RuntimeException unusable) {
            ignored.accept(AuthText.line(
                    which + ": " + unusable.getMessage(), LONGEST_NOTE)); // the library quotes the document
        }
    }

    private static @Nullable JwtAlgorithm algorithm(JWK jwk) {
        if (jwk instanceof RSAKey) {
            return JwtAlgorithm.RS256;
        }
        if (jwk instanceof ECKey ec) {
            return Curve.P_256.equals(ec.getCurve()) ? JwtAlgorithm.ES256 : null;
        }
        return jwk instanceof OctetKeyPair pair && Curve.Ed25519.equals(pair.getCurve()) ? JwtAlgorithm.EDDSA : null;
    }

    private static boolean isForSignatures(JWK jwk, JwtAlgorithm algorithm) {
        return (jwk.getKeyUse() == null || jwk.getKeyUse().equals(KeyUse.SIGNATURE))
                && (jwk.getKeyOperations() == null || jwk.getKeyOperations().contains(KeyOperation.VERIFY))
                && (jwk.getAlgorithm() == null
                        || jwk.getAlgorithm().getName().equals(algorithm.label())
                        || (algorithm == JwtAlgorithm.EDDSA
                                && jwk.getAlgorithm().getName().equals("Ed25519")));
    }

    private static VerificationKey key(JWK jwk, JwtAlgorithm algorithm) throws JOSEException, GeneralSecurityException {
        if (jwk instanceof RSAKey rsa) {
            RSAPublicKey key = rsa.toRSAPublicKey();
            int bits = key.getModulus().bitLength();
            if (bits < LEAST_RSA_BITS || bits > MOST_RSA_BITS) {
                throw new GeneralSecurityException(
                        "RSA of " + bits + " bits, need " + LEAST_RSA_BITS + ".." + MOST_RSA_BITS);
            }
            return made(jwk, algorithm, inNativeCode(new RSASSAVerifier(key)), key);
        }
        if (jwk instanceof ECKey ec) {
            return made(jwk, algorithm, inNativeCode(new ECDSAVerifier(ec)), ec.toECPublicKey());
        }
        byte[] point = jwk.toOctetKeyPair().getX().decode();
        return new VerificationKey(jwk.getKeyID(), algorithm, new Ed25519Verifier(point), point);
    }

    private static JWSVerifier inNativeCode(JWSVerifier verifier) {
        if (NativeSignatures.PROVIDER != null) {
            verifier.getJCAContext().setProvider(NativeSignatures.PROVIDER);
        }
        return verifier;
    }

    private static VerificationKey made(JWK jwk, JwtAlgorithm algorithm, JWSVerifier verifier, PublicKey key) {
        return new VerificationKey(jwk.getKeyID(), algorithm, verifier, key.getEncoded());
    }
}
