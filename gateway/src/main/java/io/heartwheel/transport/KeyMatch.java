package io.heartwheel.transport;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether a private key belongs to a certificate. Neither TLS provider looks before the first handshake, and then every device is turned away;
 * so one signs and the other verifies, at start. Any thread; reads files.
 */
final class KeyMatch {
    private static final Pattern PKCS8 = Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

    private KeyMatch() {}

    /** @throws IllegalArgumentException if the key is not that of the first certificate in the file */
    static void require(Path certificateFile, Path keyFile) {
        try (InputStream in = Files.newInputStream(certificateFile)) {
            PublicKey certified = CertificateFactory.getInstance("X.509")
                    .generateCertificate(in)
                    .getPublicKey();
            Matcher pem = PKCS8.matcher(Files.readString(keyFile, StandardCharsets.US_ASCII));
            String algorithm = signature(certified.getAlgorithm());
            if (pem.find() && !algorithm.isEmpty() && !matches(certified, pem.group(1), algorithm)) {
                throw new IllegalArgumentException("the key is not that of the certificate");
            }
        } catch (IOException | GeneralSecurityException broken) {
            throw new IllegalArgumentException(
                    "the key is not that of the certificate: " + broken.getMessage(), broken);
        }
    }

    private static boolean matches(PublicKey certified, String base64, String algorithm)
            throws GeneralSecurityException {
        PrivateKey key = KeyFactory.getInstance(certified.getAlgorithm())
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(base64)));
        byte[] text = "heartwheel".getBytes(StandardCharsets.US_ASCII);
        Signature signer = Signature.getInstance(algorithm);
        signer.initSign(key);
        signer.update(text);
        byte[] signed = signer.sign();
        signer.initVerify(certified);
        signer.update(text);
        return signer.verify(signed);
    }

    /** Empty for a kind of key that this class does not know; then nothing is said. */
    private static String signature(String keyAlgorithm) {
        return switch (keyAlgorithm) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            case "Ed25519", "EdDSA" -> "Ed25519";
            default -> "";
        };
    }
}
