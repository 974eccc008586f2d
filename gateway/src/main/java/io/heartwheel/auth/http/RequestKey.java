package io.heartwheel.auth.http;

import io.heartwheel.auth.AuthRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;

/**
 * Digest of what a device has shown: SHA-256 with a random key of this process, so that a copy of the heap shows no token. Immutable; any thread.
 *
 * @param a first 8 bytes
 * @param b the next
 * @param c the next
 * @param d the last
 */
record RequestKey(long a, long b, long c, long d) {
    private static final int SEED_BYTES = 32;

    /** Secret that every digest begins with. Any thread. */
    static final class Seed {
        private final byte[] bytes = new byte[SEED_BYTES];

        Seed() {
            new SecureRandom().nextBytes(bytes);
        }
    }

    /** What an answer is kept for: device id, token, listener and certificate. */
    static RequestKey ofCredentials(Seed seed, AuthRequest request) {
        return end(credentials(seed, request));
    }

    /** Everything that the service is told: requests with the same have the same answer. */
    static RequestKey ofAll(Seed seed, AuthRequest request) {
        MessageDigest digest = credentials(seed, request);
        add(digest, request.address());
        add(digest, utf8(request.protocol()));
        add(digest, utf8(request.clientName()));
        add(
                digest,
                ByteBuffer.allocate(Long.BYTES + 1)
                        .putLong(request.wantedMillis())
                        .put((byte) (request.renewal() ? 1 : 0))
                        .array());
        return end(digest);
    }

    private static MessageDigest credentials(Seed seed, AuthRequest request) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(seed.bytes);
            add(digest, request.deviceId());
            add(digest, request.token());
            add(digest, utf8(request.listener()));
            for (X509Certificate own : request.certificates().stream().limit(1).toList()) {
                add(digest, own.getEncoded());
            }
            return digest;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256, and a certificate that was read has its bytes", e);
        }
    }

    private static void add(MessageDigest digest, byte[] part) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, part.length));
        digest.update(part);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static RequestKey end(MessageDigest digest) {
        ByteBuffer bytes = ByteBuffer.wrap(digest.digest());
        return new RequestKey(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    }
}
