package io.heartwheel.auth.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.crypto.MACVerifier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reader of the secrets of HS256: one a line, as they are, {@value #LEAST_BYTES} to {@value #MOST_BYTES} bytes each; empty lines do not count. Several are
 * for the time in which the issuer changes from one to the next. They have no ids. Any thread.
 */
final class SecretsReader {
    private static final int LEAST_BYTES = 32;
    private static final int MOST_BYTES = 1_024;

    private SecretsReader() {}

    /** @throws IOException if there is none, one is too short or too long, or there are more than are tried; shows nothing of them */
    static KeySet read(byte[] content) throws IOException {
        List<VerificationKey> keys = new ArrayList<>();
        int from = 0;
        for (int at = 0; at <= content.length; at++) {
            if (at == content.length || content[at] == '\n') {
                int to = at > from && content[at - 1] == '\r' ? at - 1 : at;
                if (to > from) {
                    keys.add(key(Arrays.copyOfRange(content, from, to)));
                }
                from = at + 1;
            }
        }
        if (keys.isEmpty() || keys.size() > KeySet.MOST_TRIED) {
            throw new IOException(keys.size() + " secrets in it, need 1.." + KeySet.MOST_TRIED + ", one a line");
        }
        return new KeySet(keys);
    }

    private static VerificationKey key(byte[] secret) throws IOException {
        if (secret.length < LEAST_BYTES || secret.length > MOST_BYTES) {
            throw new IOException("a secret of " + secret.length + " bytes, need " + LEAST_BYTES + ".." + MOST_BYTES);
        }
        try {
            return new VerificationKey(null, JwtAlgorithm.HS256, new MACVerifier(secret), secret);
        } catch (JOSEException e) {
            throw new IOException("no secret for HS256", e);
        }
    }
}
