package io.heartwheel.loadgen.credential;

import io.heartwheel.loadgen.client.Identity;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;

/**
 * Issuer of client certificates, X.509 version 3 with ECDSA and P-256 (RFC 5280, 5480), written in DER by hand because the JDK has no public way to
 * make one. A function of the seed. Any thread.
 *
 * <pre>
 *   issuer  CN=heartwheel-loadgen    may sign certificates
 *     +-- device  CN=load-0          the common name is the device id
 * </pre>
 */
final class DeviceCertificates {

    private static final String ISSUER_NAME = "heartwheel-loadgen";
    private static final long ISSUER_KEY = -3_000;
    private static final long FORGER_KEY = -3_001;
    private static final long DEVICE_KEYS = 1L << 42;
    private static final int LINE_CHARS = 64;

    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int UTF8 = 0x0C;
    private static final int TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int VERSION = 0xA0;
    private static final int EXTENSIONS = 0xA3;
    private static final int SHORT_LENGTH = 0x80;

    /** 1.2.840.10045.4.3.2, ecdsa-with-SHA256. */
    private static final byte[] ECDSA_SHA256 = {0x06, 0x08, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 0x04, 0x03, 0x02
    };
    /** 2.5.4.3, common name. */
    private static final byte[] COMMON_NAME = {0x06, 0x03, 0x55, 0x04, 0x03};
    /** 2.5.29.19, basic constraints. */
    private static final byte[] BASIC_CONSTRAINTS = {0x06, 0x03, 0x55, 0x1D, 0x13};

    private static final byte[] TRUE = {0x01, 0x01, (byte) 0xFF};

    private final long seed;
    private final KeyPair issuer;
    private final KeyPair forger;

    DeviceCertificates(long seed) {
        this.seed = seed;
        this.issuer = pair(seed, ISSUER_KEY);
        this.forger = pair(seed, FORGER_KEY);
    }

    private static KeyPair pair(long seed, long name) {
        return SigningKey.pair("EC", new ECGenParameterSpec("secp256r1"), SeededBytes.source(seed, name));
    }

    /** The certificate that a gateway has to trust, in PEM. */
    static String issuer(long seed) {
        DeviceCertificates own = new DeviceCertificates(seed);
        byte[] encoded = own.encoded(ISSUER_NAME, -1, true, own.issuer);
        String lines = Base64.getMimeEncoder(LINE_CHARS, new byte[] {'\n'}).encodeToString(encoded);
        return "-----BEGIN CERTIFICATE-----\n" + lines + "\n-----END CERTIFICATE-----\n";
    }

    /**
     * The identity of a device.
     *
     * @param name common name
     * @param forged signed by somebody else who calls himself the issuer
     */
    Identity of(String name, int index, boolean forged) {
        try {
            byte[] encoded = encoded(name, index, false, forged ? forger : issuer);
            X509Certificate certificate = (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
            return new Identity(pair(seed, DEVICE_KEYS + index).getPrivate(), certificate);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate that was just made is one", e);
        }
    }

    private byte[] encoded(String name, int index, boolean signs, KeyPair signer) {
        KeyPair own = signs ? signer : pair(seed, DEVICE_KEYS + index);
        byte[] constraints = signs ? part(SEQUENCE, TRUE) : part(SEQUENCE);
        byte[] body = part(
                SEQUENCE,
                part(VERSION, part(INTEGER, new byte[] {2})),
                part(INTEGER, BigInteger.valueOf(index + 2L).toByteArray()),
                part(SEQUENCE, ECDSA_SHA256),
                named(ISSUER_NAME),
                part(SEQUENCE, time("20200101000000Z"), time("20991231235959Z")),
                named(name),
                own.getPublic().getEncoded(),
                part(
                        EXTENSIONS,
                        part(SEQUENCE, part(SEQUENCE, BASIC_CONSTRAINTS, TRUE, part(OCTET_STRING, constraints)))));
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(signer.getPrivate());
            signature.update(body);
            return part(
                    SEQUENCE, body, part(SEQUENCE, ECDSA_SHA256), part(BIT_STRING, new byte[] {0}, signature.sign()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a key of P-256 signs", e);
        }
    }

    private static byte[] named(String name) {
        byte[] text = part(UTF8, name.getBytes(StandardCharsets.UTF_8));
        return part(SEQUENCE, part(SET, part(SEQUENCE, COMMON_NAME, text)));
    }

    /** RFC 5280 wants years before 2050 in two digits; every reader takes four. */
    private static byte[] time(String text) {
        boolean early = text.compareTo("2050") < 0;
        byte[] digits = (early ? text.substring(2) : text).getBytes(StandardCharsets.US_ASCII);
        return part(early ? TIME - 1 : TIME, digits);
    }

    /** A DER element: tag, length, content. */
    private static byte[] part(int tag, byte[]... contents) {
        int length = 0;
        for (byte[] content : contents) {
            length += content.length;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (length < SHORT_LENGTH) {
            out.write(length);
        } else {
            byte[] digits = BigInteger.valueOf(length).toByteArray();
            int from = digits[0] == 0 ? 1 : 0;
            out.write(SHORT_LENGTH | (digits.length - from));
            out.write(digits, from, digits.length - from);
        }
        for (byte[] content : contents) {
            out.writeBytes(content);
        }
        return out.toByteArray();
    }
}
