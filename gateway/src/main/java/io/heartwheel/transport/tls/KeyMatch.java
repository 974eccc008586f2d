package io.heartwheel.transport.tls;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;

/**
 * Check that a private key belongs to a certificate. Neither TLS provider looks before the first handshake, and then every device is turned away; so
 * one signs and the other verifies, before they are used. Any thread.
 */
final class KeyMatch {
    private KeyMatch() {}

    /**
     * The key in a file.
     *
     * @throws IllegalArgumentException if there is none, or as below
     */
    static PrivateKey read(PublicKey certified, byte[] file) {
        PrivateKey key = Pem.key(file, certified);
        require(certified, key);
        return key;
    }

    /** @throws IllegalArgumentException if the key is not the certificate's, or of a kind that cannot be shown to devices */
    static void require(PublicKey certified, PrivateKey key) {
        try {
            if (!matches(certified, key)) {
                throw new IllegalArgumentException("the key is not that of the certificate");
            }
        } catch (GeneralSecurityException broken) {
            throw new IllegalArgumentException(
                    "the key is not that of the certificate: " + broken.getMessage(), broken);
        }
    }

    private static boolean matches(PublicKey certified, PrivateKey key) throws GeneralSecurityException {
        String algorithm =
                switch (certified.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default ->
                        throw new IllegalArgumentException(
                                "its key is of the kind " + certified.getAlgorithm() + ", need RSA or EC");
                };
        byte[] text = "heartwheel".getBytes(StandardCharsets.US_ASCII);
        Signature signer = Signature.getInstance(algorithm);
        signer.initSign(key);
        signer.update(text);
        byte[] signed = signer.sign();
        signer.initVerify(certified);
        signer.update(text);
        return signer.verify(signed);
    }
}
