package io.heartwheel.admin;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The first line's target, taken apart strictly (RFC 9112 section 3.2, RFC 3986). The path is split before it is decoded, so that an encoded
 * slash is part of a segment and {@code ..} is a segment like any other. Nothing here or behind it names a file.
 *
 * @param segments of the path, decoded
 * @param query parameters, decoded, each name once; a plus is a space
 * @param authority whom a target in absolute form names; null in any other form
 */
record RequestTarget(List<String> segments, Map<String, String> query, @Nullable String authority) {
    private static final String SCHEME = "http://";

    /** @throws HttpError if it is not well formed */
    static RequestTarget parse(String raw) {
        String target = withoutAuthority(raw);
        if (!target.startsWith("/")) {
            throw HttpError.badRequest("target: need a path");
        }
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            if (c <= ' ' || c >= 0x7F || c == '#') {
                throw HttpError.badRequest("target: need visible ASCII without #, the rest percent-encoded");
            }
        }
        int question = target.indexOf('?');
        String path = question < 0 ? target : target.substring(0, question);
        String query = question < 0 ? "" : target.substring(question + 1);
        return new RequestTarget(segments(path), parameters(query), authority(raw));
    }

    private static boolean isAbsolute(String raw) {
        return raw.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    }

    private static @Nullable String authority(String raw) {
        if (!isAbsolute(raw)) {
            return null;
        }
        int end = SCHEME.length();
        while (end < raw.length() && "/?".indexOf(raw.charAt(end)) < 0) {
            end++;
        }
        return raw.substring(SCHEME.length(), end);
    }

    private static String withoutAuthority(String raw) {
        if (!isAbsolute(raw)) {
            return raw;
        }
        int slash = raw.indexOf('/', SCHEME.length());
        return slash < 0 ? "/" : raw.substring(slash);
    }

    private static List<String> segments(String path) {
        List<String> segments = new ArrayList<>();
        int from = 1;
        for (int slash = path.indexOf('/', from); slash >= 0; slash = path.indexOf('/', from)) {
            segments.add(decode(path.substring(from, slash)));
            from = slash + 1;
        }
        segments.add(decode(path.substring(from)));
        return List.copyOf(segments);
    }

    private static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        int from = 0;
        while (from < query.length()) {
            int and = query.indexOf('&', from);
            int end = and < 0 ? query.length() : and;
            String pair = query.substring(from, end).replace('+', ' ');
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals));
            String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
            if (parameters.putIfAbsent(name, value) != null) {
                throw HttpError.badRequest("parameter " + HttpError.quote(name) + ": need it once");
            }
            from = end + 1;
        }
        return parameters;
    }

    private static String decode(String encoded) {
        if (encoded.indexOf('%') < 0) {
            return encoded;
        }
        ByteBuffer bytes = ByteBuffer.allocate(encoded.length());
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c == '%') {
                bytes.put((byte) (hex(encoded, i + 1) << 4 | hex(encoded, i + 2)));
                i += 2;
            } else {
                bytes.put((byte) c);
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
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
