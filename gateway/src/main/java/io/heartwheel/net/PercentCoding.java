package io.heartwheel.net;

import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Percent-encoding, RFC 3986 section 2.1. A plus stays a plus. Pure functions; any thread. */
public final class PercentCoding {
    private PercentCoding() {}

    /**
     * The bytes behind a text of visible ASCII.
     *
     * @throws HttpError if an escape is not a percent sign and two hexadecimal digits
     */
    public static byte[] decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.ISO_8859_1)
                    .getBytes(StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException broken) {
            throw HttpError.badRequest("percent-encoding: need two hexadecimal digits");
        }
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
}
