package io.heartwheel.transport.tls;

import io.netty.handler.ssl.OpenSslSessionTicketKey;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

/** A secret that session tickets are sealed with: a name, a key for HMAC, a key for AES, 16 bytes each. Immutable; any thread. */
final class TicketKey {
    private static final int PART = 16;
    private static final int BYTES = 3 * PART;

    private final long activeMillis;
    private final byte[] secret;

    private TicketKey(long activeMillis, byte[] secret) {
        this.activeMillis = activeMillis;
        this.secret = secret;
    }

    /** A new one, for use from this time on, milliseconds since 1970. */
    static TicketKey create(long activeMillis, SecureRandom random) {
        byte[] secret = new byte[BYTES];
        random.nextBytes(secret);
        return new TicketKey(activeMillis, secret);
    }

    /**
     * From a line of the key file.
     *
     * @throws IllegalArgumentException if it is none; the message does not show it
     */
    static TicketKey parse(String line) {
        int space = line.indexOf(' ');
        if (!line.matches("[0-9]{1,15} [0-9a-f]{" + 2 * BYTES + "}")) {
            throw new IllegalArgumentException("it holds something else than ticket keys");
        }
        return new TicketKey(
                Long.parseLong(line.substring(0, space)), HexFormat.of().parseHex(line.substring(space + 1)));
    }

    String line() {
        return activeMillis + " " + HexFormat.of().formatHex(secret);
    }

    long activeMillis() {
        return activeMillis;
    }

    OpenSslSessionTicketKey forOpenSsl() {
        return new OpenSslSessionTicketKey(
                Arrays.copyOfRange(secret, 0, PART),
                Arrays.copyOfRange(secret, PART, 2 * PART),
                Arrays.copyOfRange(secret, 2 * PART, BYTES));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TicketKey key && activeMillis == key.activeMillis && Arrays.equals(secret, key.secret);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(secret);
    }

    /** Not the secret. */
    @Override
    public String toString() {
        return "ticket key of " + activeMillis;
    }
}
