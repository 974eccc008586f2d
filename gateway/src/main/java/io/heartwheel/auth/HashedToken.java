package io.heartwheel.auth;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Salted hash of a token: {@code sha256:SALT:DIGEST} in lower-case hexadecimal, the digest being SHA-256 of salt and token. One round of it is enough because
 * tokens are random and long ({@link #random}); it is not meant for passwords. Nobody changes the arrays; any thread.
 *
 * @param salt {@link #SALT_BYTES} bytes
 * @param digest 32 bytes
 */
@SuppressWarnings("ArrayRecordComponent") // compared by #matches alone
public record HashedToken(byte[] salt, byte[] digest) {
    /** Length of a salt, bytes. */
    public static final int SALT_BYTES = 16;
    /** What is needed, for errors. */
    public static final String NEED = "sha256:SALT:DIGEST with 32 and 64 hexadecimal digits";

    private static final String START = "sha256:";
    private static final int DIGEST_BYTES = 32;
    private static final int SALT_AT = START.length();
    private static final int DIGEST_AT = SALT_AT + 2 * SALT_BYTES + 1;
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int RANDOM_BYTES = 24;

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException if it is in another form; the text is not repeated
     */
    public static HashedToken parse(String text) {
        byte[] salt = hex(text, SALT_AT, SALT_BYTES);
        byte[] digest = hex(text, DIGEST_AT, DIGEST_BYTES);
        if (salt == null
                || digest == null
                || text.length() != DIGEST_AT + 2 * DIGEST_BYTES
                || !text.startsWith(START)
                || text.charAt(DIGEST_AT - 1) != ':') {
            throw new IllegalArgumentException("hash of a token: need " + NEED);
        }
        return new HashedToken(salt, digest);
    }

    /** So many bytes of lower-case digits from there; null if they are not. By hand: a file may have a million. */
    private static byte @Nullable [] hex(String text, int from, int bytes) {
        byte[] found = new byte[bytes];
        for (int i = 0, at = from; i < bytes; i++, at += 2) {
            int high = at + 1 < text.length() ? digit(text.charAt(at)) : -1;
            int low = high < 0 ? -1 : digit(text.charAt(at + 1));
            if (low < 0) {
                return null;
            }
            found[i] = (byte) (high << 4 | low);
        }
        return found;
    }

    private static int digit(char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    }

    /** Hashes a token with a salt of its own. */
    public static HashedToken of(byte[] token) {
        byte[] salt = new byte[SALT_BYTES];
        RANDOM.nextBytes(salt);
        return new HashedToken(salt, digest(salt, token));
    }

    /** A new token: 192 random bits as 32 characters that fit into a URL, a header and a subprotocol. */
    public static String random() {
        byte[] bytes = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Whether this is the token. Takes the same time however much of it is right. */
    public boolean matches(byte[] token) {
        return MessageDigest.isEqual(digest, digest(salt, token));
    }

    /** SHA-256 of salt and token, 32 bytes. */
    public static byte[] digest(byte[] salt, byte[] token) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            sha256.update(salt);
            return sha256.digest(token);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** In the form of a file. */
    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return "sha256:" + hex.formatHex(salt) + ":" + hex.formatHex(digest);
    }
}
