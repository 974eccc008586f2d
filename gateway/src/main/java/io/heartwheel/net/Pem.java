package io.heartwheel.net;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
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
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Certificates and keys as text (RFC 7468). Any thread; errors say what is wrong, not where.
 *
 * <p>Neither TLS provider looks before the first handshake whether a key belongs to its certificate, and then every device is turned away; so one signs
 * and the other verifies, before they are used.
 */
public final class Pem {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);
    private static final int MAX_BYTES = 1 << 20;
    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;
    private static final byte[] VERSION_0 = {2, 1, 0};

    private Pem() {}

    /**
     * What is in a file.
     *
     * @throws IllegalArgumentException if it cannot be read, or is larger than 1 MiB: then it was named by mistake
     */
    public static byte[] bytesOf(Path file) {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_BYTES + 1);
        } catch (IOException unreadable) {
            throw new IllegalArgumentException("it cannot be read", unreadable);
        }
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("it is larger than 1 MiB");
        }
        return bytes;
    }

    /**
     * All certificates in it, in order.
     *
     * @throws IllegalArgumentException if there is none, or one is broken or cut off
     */
    public static List<X509Certificate> certificates(byte[] file) {
        List<X509Certificate> found = new ArrayList<>();
        String text = new String(file, StandardCharsets.ISO_8859_1);
        Matcher blocks = BLOCK.matcher(text);
        int whole = 0;
        while (blocks.find()) {
            whole++;
            if (blocks.group(1).equals("CERTIFICATE")) {
                found.add(certificate(decoded(blocks.group(2))));
            }
        }
        if (whole < text.split("-----BEGIN ", -1).length - 1) {
            throw new IllegalArgumentException("a block in it is cut off");
        }
        if (found.isEmpty()) {
            throw new IllegalArgumentException("there is no CERTIFICATE block in it");
        }
        return found;
    }

    private static X509Certificate certificate(byte[] der) {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
        } catch (CertificateException broken) {
            throw new IllegalArgumentException("a certificate in it is broken", broken);
        }
    }

    /**
     * The private key in it.
     *
     * @param certified the public key it belongs to, which also says which kind of key it is
     * @throws IllegalArgumentException if there is none, none that can be read or that can be shown to devices, or it is not the certificate's
     */
    public static PrivateKey key(byte[] file, PublicKey certified) {
        PrivateKey key = read(file, certified);
        try {
            if (!matches(certified, key)) {
                throw new IllegalArgumentException("the key is not that of the certificate");
            }
            return key;
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

    private static PrivateKey read(byte[] file, PublicKey certified) {
        Matcher blocks = BLOCK.matcher(new String(file, StandardCharsets.ISO_8859_1));
        while (blocks.find()) {
            switch (blocks.group(1)) {
                case "PRIVATE KEY" -> {
                    return key(certified, decoded(blocks.group(2)));
                }
                case "RSA PRIVATE KEY", "EC PRIVATE KEY" -> {
                    if (blocks.group(2).contains("ENCRYPTED")) {
                        throw new IllegalArgumentException("the key is encrypted, need one without a passphrase");
                    }
                    return key(certified, inPkcs8(certified, decoded(blocks.group(2))));
                }
                case "ENCRYPTED PRIVATE KEY" ->
                    throw new IllegalArgumentException("the key is encrypted, need one without a passphrase");
                default -> {
                    // parameters of a curve, certificates beside the key
                }
            }
        }
        throw new IllegalArgumentException("there is no PRIVATE KEY block in it");
    }

    private static PrivateKey key(PublicKey certified, byte[] pkcs8) {
        try {
            return KeyFactory.getInstance(certified.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (GeneralSecurityException broken) {
            throw new IllegalArgumentException("the key is broken, or of another kind than the certificate's", broken);
        }
    }

    /** Puts the bare key of PKCS #1 or SEC 1 into PKCS #8 (RFC 5208): which algorithm and curve, the certificate knows. */
    private static byte[] inPkcs8(PublicKey certified, byte[] bare) {
        byte[] algorithm = new Der(certified.getEncoded()).next(SEQUENCE).nextWhole(SEQUENCE);
        ByteArrayOutputStream parts = new ByteArrayOutputStream();
        parts.writeBytes(VERSION_0);
        parts.writeBytes(algorithm);
        parts.writeBytes(tagged(OCTETS, bare));
        return tagged(SEQUENCE, parts.toByteArray());
    }

    private static byte[] tagged(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + 5);
        out.write(tag);
        int length = content.length;
        if (length < 0x80) {
            out.write(length);
        } else {
            int digits = (Integer.SIZE - Integer.numberOfLeadingZeros(length) + 7) / Byte.SIZE;
            out.write(0x80 | digits);
            for (int i = digits - 1; i >= 0; i--) {
                out.write(length >>> (i * Byte.SIZE));
            }
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] decoded(String base64) {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException broken) {
            throw new IllegalArgumentException("a block in it is not base64", broken);
        }
    }
}
