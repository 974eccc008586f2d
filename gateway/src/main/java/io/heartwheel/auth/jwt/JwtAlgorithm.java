package io.heartwheel.auth.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import org.jspecify.annotations.Nullable;

/** Algorithm of a signature: those that this gateway can check, of which configuration allows some. */
public enum JwtAlgorithm {
    /** HMAC with SHA-256 and a shared secret. */
    HS256("HS256", JWSAlgorithm.HS256),
    /** RSA (PKCS #1 version 1.5) with SHA-256. */
    RS256("RS256", JWSAlgorithm.RS256),
    /** ECDSA on P-256 with SHA-256. */
    ES256("ES256", JWSAlgorithm.ES256),
    /** Ed25519. */
    EDDSA("EdDSA", JWSAlgorithm.EdDSA);

    private final String label;
    private final JWSHeader header;

    JwtAlgorithm(String label, JWSAlgorithm algorithm) {
        this.label = label;
        header = new JWSHeader(algorithm);
    }

    /** Its name in headers, keys and configuration. */
    public String label() {
        return label;
    }

    /** A header with nothing but this algorithm: what a token says in its own never reaches the library. */
    JWSHeader header() {
        return header;
    }

    /** The one of exactly this name; null for none. */
    static @Nullable JwtAlgorithm of(String label) {
        for (JwtAlgorithm each : values()) {
            if (each.label.equals(label)) {
                return each;
            }
        }
        return null;
    }
}
