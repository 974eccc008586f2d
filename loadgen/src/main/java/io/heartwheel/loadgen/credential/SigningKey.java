package io.heartwheel.loadgen.credential;

import io.heartwheel.loadgen.scenario.Auth;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.RSAKeyGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;

/**
 * Key that signs tokens: a function of the seed and its number. Immutable; any thread.
 *
 * @param name in tokens and key sets
 */
record SigningKey(Auth.Algorithm algorithm, String name, KeyPair pair) {

    private static final int RSA_BITS = 2_048;
    /** Bytes of a coordinate of P-256, and of an Ed25519 public key, which is the end of its encoding. */
    private static final int CURVE_BYTES = 32;

    /**
     * Makes it; RSA takes some tenths of a second.
     *
     * @param number from 0; below 0 for keys that nobody is told of
     */
    static SigningKey of(Auth.Algorithm algorithm, long seed, int number) {
        String name = "run-" + Long.toString(seed, Character.MAX_RADIX) + "-" + number;
        SecureRandom source = SeededBytes.source(seed, -1_000L - number);
        KeyPair pair =
                switch (algorithm) {
                    case ES256 -> pair("EC", new ECGenParameterSpec("secp256r1"), source);
                    case RS256 -> pair("RSA", new RSAKeyGenParameterSpec(RSA_BITS, RSAKeyGenParameterSpec.F4), source);
                    case EDDSA -> pair("Ed25519", NamedParameterSpec.ED25519, source);
                };
        return new SigningKey(algorithm, name, pair);
    }

    /** A pair that follows from its source. */
    static KeyPair pair(String kind, AlgorithmParameterSpec spec, SecureRandom source) {
        try {
            KeyPairGenerator maker = KeyPairGenerator.getInstance(kind);
            maker.initialize(spec, source);
            return maker.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + kind, e);
        }
    }

    /** Public key as the gateway has to know it, a JWK (RFC 7517, 7518, 8037). */
    String told() {
        PublicKey key = pair.getPublic();
        String parts;
        if (key instanceof ECPublicKey ec) {
            parts = "\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\""
                    + number(ec.getW().getAffineX(), CURVE_BYTES) + "\",\"y\":\""
                    + number(ec.getW().getAffineY(), CURVE_BYTES);
        } else if (key instanceof RSAPublicKey rsa) {
            parts = "\"kty\":\"RSA\",\"n\":\"" + number(rsa.getModulus(), RSA_BITS / Byte.SIZE) + "\",\"e\":\""
                    + encoded(rsa.getPublicExponent().toByteArray());
        } else {
            byte[] whole = key.getEncoded();
            parts = "\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\""
                    + encoded(Arrays.copyOfRange(whole, whole.length - CURVE_BYTES, whole.length));
        }
        return "{\"kid\":\"" + name + "\"," + parts + "\"}";
    }

    /** Big-endian in exactly so many bytes. */
    private static String number(BigInteger value, int bytes) {
        byte[] digits = value.toByteArray();
        byte[] fixed = new byte[bytes];
        int many = Math.min(bytes, digits.length);
        System.arraycopy(digits, digits.length - many, fixed, bytes - many, many);
        return encoded(fixed);
    }

    /** In base64url, as all of JOSE is. */
    static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Signature of a text, as RFC 7518 has it. */
    byte[] sign(String text) {
        try {
            Signature signature = Signature.getInstance(
                    switch (algorithm) {
                        case ES256 -> "SHA256withECDSAinP1363Format";
                        case EDDSA -> "Ed25519";
                        case RS256 -> "SHA256withRSA";
                    });
            signature.initSign(pair.getPrivate());
            signature.update(text.getBytes(StandardCharsets.US_ASCII));
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a key of its own kind signs", e);
        }
    }
}
