package io.heartwheel.auth.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.jca.JCAContext;
import com.nimbusds.jose.util.Base64URL;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;

/** Verifier of Ed25519 signatures (RFC 8032, RFC 8037) by a provider of the JDK's interface; that of nimbus needs one more library. Any thread. */
final class Ed25519Verifier implements JWSVerifier {
    private static final String NAME = "Ed25519";
    private static final int KEY_BYTES = 32;
    private static final int SIGNATURE_BYTES = 64;
    /** SubjectPublicKeyInfo of RFC 8410 up to the key. */
    private static final byte[] HEAD = HexFormat.of().parseHex("302a300506032b6570032100");

    private final PublicKey key;
    private final JCAContext context = new JCAContext();

    /**
     * @param point 32 bytes, as in the JWK
     * @throws GeneralSecurityException if it is no point of the curve
     */
    Ed25519Verifier(byte[] point) throws GeneralSecurityException {
        if (point.length != KEY_BYTES) {
            throw new GeneralSecurityException("need " + KEY_BYTES + " bytes, not " + point.length);
        }
        byte[] encoded = Arrays.copyOf(HEAD, HEAD.length + KEY_BYTES);
        System.arraycopy(point, 0, encoded, HEAD.length, KEY_BYTES);
        key = KeyFactory.getInstance(NAME).generatePublic(new X509EncodedKeySpec(encoded));
        signature().initVerify(key); // says so now if the point is not on the curve
    }

    private static Signature signature() throws GeneralSecurityException {
        Provider provider = NativeSignatures.PROVIDER;
        return provider == null || provider.getService("Signature", NAME) == null
                ? Signature.getInstance(NAME)
                : Signature.getInstance(NAME, provider);
    }

    @Override
    public boolean verify(JWSHeader header, byte[] signingInput, Base64URL signature) {
        byte[] bytes = signature.decode();
        if (bytes.length != SIGNATURE_BYTES) {
            return false;
        }
        try {
            Signature check = signature();
            check.initVerify(key);
            check.update(signingInput);
            return check.verify(bytes);
        } catch (SignatureException notOne) {
            return false;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK since 15 has " + NAME, e);
        }
    }

    @Override
    public Set<JWSAlgorithm> supportedJWSAlgorithms() {
        return Set.of(JWSAlgorithm.EdDSA);
    }

    @Override
    public JCAContext getJCAContext() {
        return context;
    }
}
