package io.heartwheel.protocol.websocket;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Percent-encoding, RFC 3986 section 2.1. A plus stays a plus. Pure functions; any thread. */
final class PercentCoding {
    private PercentCoding() {}

    /**
     * The bytes behind a text of visible ASCII.
     *
     * @throws UpgradeError if an escape is not a percent sign and two hexadecimal digits
     */
    static byte[] decode(String text) throws UpgradeError {
        byte[] out = new byte[text.length()];
        int size = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
                int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    throw UpgradeError.badRequest("malformed percent-encoding");
                }
                out[size++] = (byte) (high << 4 | low);
                i += 2;
            } else {
                out[size++] = (byte) c;
            }
        }
        return Arrays.copyOf(out, size);
    }

    /** One byte a character, as it came in a header. */
    static byte[] bytes(String header) {
        return header.getBytes(StandardCharsets.ISO_8859_1);
    }
}
