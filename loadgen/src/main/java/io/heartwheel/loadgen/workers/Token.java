package io.heartwheel.loadgen.workers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Secret that an agent and its coordinators share; it never crosses the wire. Immutable; any thread. */
public final class Token {

    private static final int LEAST_BYTES = 16;
    private static final int MOST_BYTES = 1_024;
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    /** @param where it comes from, for messages */
    Token(byte[] bytes, String where) {
        if (bytes.length < LEAST_BYTES || bytes.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    where + " = " + bytes.length + " bytes: need " + LEAST_BYTES + ".." + MOST_BYTES + " bytes");
        }
        key = new SecretKeySpec(bytes, ALGORITHM);
    }

    /**
     * The first line of a file.
     *
     * @throws IllegalArgumentException when the file cannot be read or the line is too short or too long
     */
    public static Token read(Path file) {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            // Enough to see that a line is too long.
            bytes = in.readNBytes(MOST_BYTES + 2);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "token file = " + file + ": need a readable file with 16..1024 bytes in its first line", e);
        }
        String line = new String(bytes, StandardCharsets.UTF_8).split("\r?\n", 2)[0];
        return new Token(line.getBytes(StandardCharsets.UTF_8), "token in " + file);
    }

    /** HMAC-SHA256 of some bytes under this token. */
    byte[] sign(byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + ALGORITHM, e);
        }
    }

    /** Never the secret. */
    @Override
    public String toString() {
        return "Token";
    }
}
