package io.heartwheel.net;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Target of a request's first line, in origin or absolute form (RFC 9112 section 3.2), taken apart and still percent-encoded. The path is split before
 * it is decoded, so that an encoded slash is part of a segment and {@code ..} is a segment like any other (RFC 3986 section 2.4). Immutable; any thread.
 *
 * @param authority host and port of an absolute target; null in origin form
 * @param path from the first slash; {@code /} if an absolute target has none
 * @param query what stands behind the question mark, may be empty
 */
public record RequestTarget(@Nullable String authority, String path, String query) {
    private static final Pattern ABSOLUTE = Pattern.compile("(https?)://([^/?]*)(.*)", Pattern.CASE_INSENSITIVE);
    private static final Pattern AUTHORITY =
            Pattern.compile("([A-Za-z0-9._~!$&'()*+,;=%-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]{0,5})?");

    /**
     * Takes a target apart.
     *
     * @param secure whether {@code https} may be named: not where no connection is secured (RFC 9110 section 7.4)
     * @throws HttpError 400 if it is in no such form, or holds a character that is to be percent-encoded
     */
    public static RequestTarget parse(String raw, boolean secure) {
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c <= ' ' || c >= 0x7F || c == '#') {
                throw HttpError.badRequest("target: need visible ASCII without #, the rest percent-encoded");
            }
        }
        return raw.startsWith("/") ? origin(null, raw) : absolute(raw, secure);
    }

    private static RequestTarget absolute(String raw, boolean secure) {
        Matcher parts = ABSOLUTE.matcher(raw);
        if (!parts.matches() || (!secure && parts.group(1).length() > "http".length())) {
            throw HttpError.badRequest("target: need a path");
        }
        String authority = parts.group(2);
        if (host(authority) == null) {
            throw HttpError.badRequest("target: need host or host:port behind the scheme");
        }
        String rest = parts.group(3);
        return origin(authority, rest.startsWith("/") ? rest : "/" + rest);
    }

    private static RequestTarget origin(@Nullable String authority, String rest) {
        int mark = rest.indexOf('?');
        return mark < 0
                ? new RequestTarget(authority, rest, "")
                : new RequestTarget(authority, rest.substring(0, mark), rest.substring(mark + 1));
    }

    /**
     * The host of {@code host}, {@code host:port} or {@code [v6]:port}, brackets included; null if it is none of them.
     *
     * @param authority of a target, or a header Host
     */
    public static @Nullable String host(String authority) {
        Matcher parts = AUTHORITY.matcher(authority);
        return parts.matches() ? parts.group(1) : null;
    }

    /**
     * The segments of the path, decoded.
     *
     * @throws HttpError 400 if one is not UTF-8, percent-encoded
     */
    public List<String> segments() {
        List<String> segments = new ArrayList<>();
        for (String segment : path.substring(1).split("/", -1)) {
            segments.add(PercentCoding.decodeText(segment));
        }
        return List.copyOf(segments);
    }

    /**
     * The parameters of the query, decoded as forms have it: a plus is a space.
     *
     * @throws HttpError 400 if one is not UTF-8, percent-encoded, or stands twice
     */
    public Map<String, String> parameters() {
        if (query.isEmpty()) {
            return Map.of();
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String pair : query.replace('+', ' ').split("&")) {
            int equals = pair.indexOf('=');
            String name = PercentCoding.decodeText(equals < 0 ? pair : pair.substring(0, equals));
            String value = equals < 0 ? "" : PercentCoding.decodeText(pair.substring(equals + 1));
            if (parameters.putIfAbsent(name, value) != null) {
                throw twice(name);
            }
        }
        return parameters;
    }

    /**
     * The value of a parameter, still encoded; null if it is absent. What else stands in the query is not looked at.
     *
     * @throws HttpError 400 if it stands twice
     */
    public @Nullable String parameter(String name) {
        String found = null;
        for (String pair : query.split("&")) {
            if (pair.startsWith(name) && (pair.length() == name.length() || pair.charAt(name.length()) == '=')) {
                if (found != null) {
                    throw twice(name);
                }
                found = pair.substring(Math.min(pair.length(), name.length() + 1));
            }
        }
        return found;
    }

    private static HttpError twice(String name) {
        return HttpError.badRequest("parameter " + HttpError.quote(name) + ": need it once");
    }
}
