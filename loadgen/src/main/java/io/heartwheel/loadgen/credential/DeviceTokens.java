package io.heartwheel.loadgen.credential;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;

/** Random tokens of devices, and the hashes of them that a gateway is given. A function of the seed; any thread. */
record DeviceTokens(long seed) {

    private static final int TOKEN_BYTES = 24;
    private static final int SALT_BYTES = 16;
    private static final long SHARED = -2_000;
    private static final long UNKNOWN = 1L << 40;
    private static final long SALTS = 1L << 41;

    private String token(long name) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(SeededBytes.of(seed, name, TOKEN_BYTES));
    }

    /** The token of all devices. */
    String shared() {
        return token(SHARED);
    }

    /** The token of one. */
    String of(int index) {
        return token(index);
    }

    /** A token that no device has. */
    String unknown(int index) {
        return token(UNKNOWN + index);
    }

    /** Line of the gateway's file: {@code ID sha256:SALT:DIGEST}, in hexadecimal, the digest that of salt and token. */
    String line(String device, int index) {
        byte[] salt = SeededBytes.of(seed, SALTS + index, SALT_BYTES);
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(salt);
            byte[] digest = sha.digest(of(index).getBytes(StandardCharsets.UTF_8));
            HexFormat hex = HexFormat.of();
            return device + " sha256:" + hex.formatHex(salt) + ":" + hex.formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
