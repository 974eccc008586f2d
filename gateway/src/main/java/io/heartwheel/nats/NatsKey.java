package io.heartwheel.nats;

import io.heartwheel.net.Pem;
import io.nats.client.AuthHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;

/**
 * Key that this gateway proves itself with to NATS, by the JDK's Ed25519: the client's own reading of such keys needs a library of several megabytes.
 *
 * <p>A seed is base32 of two bytes that say what it is (a seed, of a user), 32 bytes of the key, and a checksum (CRC-16/XMODEM, little endian); the public key
 * is base32 of one byte (a user), 32 bytes, and the checksum. Source: the NATS documentation of NKeys.
 *
 * <p>Immutable; any thread.
 */
public final class NatsKey implements AuthHandler {
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final String SEED_BLOCK = "BEGIN USER NKEY SEED";
    private static final String JWT_BLOCK = "BEGIN NATS USER JWT";
    private static final int KEY_BYTES = 32;
    private static final int SEED = 18 << 3;
    private static final int USER = 20 << 3;

    private final KeyPair pair;
    private final String publicKey;
    private final String jwt;

    private NatsKey(byte[] key, String jwt) throws GeneralSecurityException {
        this.jwt = jwt;
        pair = pairOf(key);
        byte[] raw = ((EdECPublicKey) pair.getPublic()).getPoint().getY().toByteArray();
        byte[] coded = new byte[1 + KEY_BYTES + 2];
        coded[0] = (byte) USER;
        for (int i = 0; i < raw.length && i < KEY_BYTES; i++) {
            coded[1 + i] = raw[raw.length - 1 - i];
        }
        if (((EdECPublicKey) pair.getPublic()).getPoint().isXOdd()) {
            coded[KEY_BYTES] = (byte) (coded[KEY_BYTES] | 0x80);
        }
        int sum = checksum(coded, coded.length - 2);
        coded[coded.length - 2] = (byte) sum;
        coded[coded.length - 1] = (byte) (sum >>> 8);
        publicKey = base32(coded);
    }

    /**
     * The key of a file: the seed, {@code SU...}, in its first line; or the line behind {@code BEGIN USER NKEY SEED}, and the JWT in that behind {@code BEGIN NATS
     * USER JWT}.
     *
     * @throws IOException if it cannot be read, is too large, or there is none in it, showing nothing of what is
     */
    public static NatsKey open(Path file) throws IOException {
        String text;
        try {
            text = new String(Pem.bytesOf(file), StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException unreadable) {
            throw new IOException(file + ": " + unreadable.getMessage(), unreadable);
        }
        boolean blocks = text.contains(SEED_BLOCK);
        String seed = blocks ? behind(SEED_BLOCK, text) : firstLine(text);
        byte[] coded = seed.matches("[A-Z2-7]{50,70}") ? fromBase32(seed) : new byte[0];
        if (coded.length != 2 + KEY_BYTES + 2 || !isUserSeed(coded)) {
            throw new IOException(file + ": need the seed of a user's NKey, SU..., as the first line or in its block");
        }
        try {
            return new NatsKey(Arrays.copyOfRange(coded, 2, 2 + KEY_BYTES), behind(JWT_BLOCK, text));
        } catch (GeneralSecurityException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** The line behind that with this in it; empty if there is none. */
    private static String behind(String begin, String text) {
        int at = text.indexOf(begin);
        int end = at < 0 ? -1 : text.indexOf('\n', at);
        return end < 0 ? "" : firstLine(text.substring(end + 1));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("").strip();
    }

    private static boolean isUserSeed(byte[] coded) {
        int sum = checksum(coded, coded.length - 2);
        int told = Byte.toUnsignedInt(coded[coded.length - 2]) | (Byte.toUnsignedInt(coded[coded.length - 1]) << 8);
        int kind = ((coded[0] & 0x07) << 5) | ((coded[1] & 0xF8) >>> 3);
        return sum == told && (coded[0] & 0xF8) == SEED && kind == USER;
    }

    /** The JDK takes the key from the generator of random numbers, whatever that gives. */
    private static KeyPair pairOf(byte[] key) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
        generator.initialize(NamedParameterSpec.ED25519, new SecureRandom() {
            private static final long serialVersionUID = 1;

            @Override
            public void nextBytes(byte[] bytes) {
                System.arraycopy(key, 0, bytes, 0, KEY_BYTES);
            }
        });
        return generator.generateKeyPair();
    }

    @Override
    public byte[] sign(byte[] nonce) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(pair.getPrivate());
            signature.update(nonce);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Ed25519 comes with Java", e);
        }
    }

    /** The public key, {@code U...}. */
    @Override
    public char[] getID() {
        return publicKey.toCharArray();
    }

    /** Empty if there is none. */
    @Override
    public char[] getJWT() {
        return jwt.toCharArray();
    }

    private static int checksum(byte[] bytes, int length) {
        int sum = 0;
        for (int i = 0; i < length; i++) {
            sum ^= Byte.toUnsignedInt(bytes[i]) << 8;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                sum = (sum & 0x8000) == 0 ? sum << 1 : (sum << 1) ^ 0x1021;
            }
            sum &= 0xFFFF;
        }
        return sum;
    }

    private static String base32(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        int held = 0;
        int bits = 0;
        for (byte each : bytes) {
            held = ((held << Byte.SIZE) | Byte.toUnsignedInt(each)) & 0xFFFFF;
            bits += Byte.SIZE;
            for (; bits >= 5; bits -= 5) {
                text.append(ALPHABET.charAt((held >>> (bits - 5)) & 31));
            }
        }
        return bits == 0
                ? text.toString()
                : text.append(ALPHABET.charAt((held << (5 - bits)) & 31)).toString();
    }

    private static byte[] fromBase32(String text) {
        byte[] bytes = new byte[text.length() * 5 / Byte.SIZE];
        int held = 0;
        int bits = 0;
        int at = 0;
        for (int i = 0; i < text.length(); i++) {
            held = ((held << 5) | ALPHABET.indexOf(text.charAt(i))) & 0xFFFFF;
            bits += 5;
            if (bits >= Byte.SIZE) {
                bits -= Byte.SIZE;
                bytes[at++] = (byte) (held >>> bits);
            }
        }
        return bytes;
    }
}
