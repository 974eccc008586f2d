package io.heartwheel.net;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Percent-encoding, RFC 3986 section 2.1. A plus stays a plus. Pure functions; any thread. */
public final class PercentCoding {
    private PercentCoding() {}

    /**
     * The bytes behind a text of visible ASCII.
     *
     * @throws HttpError if an escape is not a percent sign and two hexadecimal digits
     */
    public static byte[] decode(String text) {
        byte[] out = new byte[text.length()];
        int size = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                out[size++] = (byte) (hex(text, i + 1) << 4 | hex(text, i + 2));
                i += 2;
            } else {
                out[size++] = (byte) c;
            }
        }
        return Arrays.copyOf(out, size);
    }

    /**
     * The characters behind a text of visible ASCII.
     *
     * @throws HttpError as above, or if the bytes are not UTF-8
     */
    public static String decodeText(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(decode(text)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw HttpError.badRequest("percent-encoding: need UTF-8");
        }
    }

    private static int hex(String text, int index) {
        int digit = index < text.length() ? Character.digit(text.charAt(index), 16) : -1;
        if (digit < 0) {
            throw HttpError.badRequest("percent-encoding: need two hexadecimal digits");
        }
        return digit;
    }
}
