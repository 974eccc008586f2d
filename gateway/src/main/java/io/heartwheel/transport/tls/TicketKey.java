package io.heartwheel.transport.tls;

import io.netty.handler.ssl.OpenSslSessionTicketKey;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * A secret that session tickets are sealed with: a name, a key for HMAC, a key for AES, 16 bytes each. Immutable; any thread.
 *
 * @param activeMillis since when it is in use, milliseconds since 1970
 * @param secret all three in hexadecimal digits
 */
record TicketKey(long activeMillis, String secret) {
    private static final int PART = 16;
    private static final int BYTES = 3 * PART;

    /** A new one, for use from this time on, milliseconds since 1970. */
    static TicketKey create(long activeMillis, SecureRandom random) {
        byte[] secret = new byte[BYTES];
        random.nextBytes(secret);
        return new TicketKey(activeMillis, HexFormat.of().formatHex(secret));
    }

    /**
     * From a line of the key file.
     *
     * @throws IllegalArgumentException if it is none; the message does not show it
     */
    static TicketKey parse(String line) {
        if (!line.matches("[0-9]{1,15} [0-9a-f]{" + 2 * BYTES + "}")) {
            throw new IllegalArgumentException("it holds something else than ticket keys");
        }
        int space = line.indexOf(' ');
        return new TicketKey(Long.parseLong(line.substring(0, space)), line.substring(space + 1));
    }

    String line() {
        return activeMillis + " " + secret;
    }

    OpenSslSessionTicketKey forOpenSsl() {
        return new OpenSslSessionTicketKey(part(0), part(1), part(2));
    }

    private byte[] part(int index) {
        return HexFormat.of().parseHex(secret, 2 * PART * index, 2 * PART * (index + 1));
    }

    /** Not the secret. */
    @Override
    public String toString() {
        return "ticket key of " + activeMillis;
    }
}
