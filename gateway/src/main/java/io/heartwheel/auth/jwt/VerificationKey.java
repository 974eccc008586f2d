package io.heartwheel.auth.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.util.Base64URL;
import org.jspecify.annotations.Nullable;

/**
 * Key that signatures are checked with, for one algorithm only. Any thread.
 *
 * @param kid its id; null if it has none
 * @param algorithm the only one that it is used for
 * @param verifier does the checking
 * @param encoded its bytes, by which equal keys are known; never shown
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record VerificationKey(@Nullable String kid, JwtAlgorithm algorithm, JWSVerifier verifier, byte[] encoded) {
    /** Whether the signature is one of this key. Takes up to some milliseconds. */
    boolean verifies(CompactToken token) {
        try {
            return token.algorithm() == algorithm
                    && verifier.verify(algorithm.header(), token.signed(), new Base64URL(token.signature()));
        } catch (JOSEException e) {
            return false;
        }
    }

    /** Without the key. */
    @Override
    public String toString() {
        return algorithm.label() + " " + kid;
    }
}
