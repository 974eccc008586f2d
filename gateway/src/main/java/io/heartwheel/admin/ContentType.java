package io.heartwheel.admin;

import io.heartwheel.net.HttpError;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Content-Type of a request (RFC 9110, 8.3.1). Text is UTF-8; another charset is refused.
 *
 * @param type {@code text/plain}, in lower case; empty if none was given
 */
record ContentType(String type) {
    /** UTF-8 by its names, and ASCII, which is a part of it. */
    private static final List<String> UTF_8 = List.of("utf-8", "utf8", "us-ascii", "ascii");

    private static final Pattern PARAMETER =
            Pattern.compile(";[ \\t]*(?:([^=;\"\\s]+)=(\"(?:[^\"\\\\]|\\\\.)*\"|[^;\"\\s]*)[ \\t]*)?");

    /**
     * Reads the header.
     *
     * @throws HttpError 415 for a text in another encoding, 400 for what is no media type
     */
    static ContentType of(Request call) {
        List<String> given = call.headers().getAll(HttpHeaderNames.CONTENT_TYPE);
        if (given.size() > 1) {
            throw HttpError.badRequest("Content-Type: need it once");
        }
        String header = given.isEmpty() ? "" : given.get(0).strip();
        int semicolon = header.indexOf(';');
        String bare = semicolon < 0 ? header : header.substring(0, semicolon);
        ContentType found = new ContentType(bare.strip().toLowerCase(Locale.ROOT));
        if (found.isText() && semicolon >= 0) {
            requireUtf8(header, semicolon);
        }
        return found;
    }

    /** Whether the body is a text. */
    boolean isText() {
        return type.startsWith("text/") || type.equals("application/json");
    }

    private static void requireUtf8(String header, int start) {
        Matcher parameters = PARAMETER.matcher(header);
        int at = start;
        while (at < header.length()) {
            if (!parameters.find(at) || parameters.start() != at) {
                throw HttpError.badRequest("Content-Type: " + HttpError.quote(header) + " is no media type");
            }
            if ("charset".equalsIgnoreCase(parameters.group(1))) {
                requireUtf8(parameters.group(2));
            }
            at = parameters.end();
        }
    }

    private static void requireUtf8(String value) {
        String charset =
                value.startsWith("\"") ? value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1") : value;
        if (!UTF_8.contains(charset.toLowerCase(Locale.ROOT))) {
            throw new HttpError(415, "unsupported_charset", "charset = " + HttpError.quote(charset) + ": need utf-8");
        }
    }
}
