package io.heartwheel.protocol.websocket;

import io.heartwheel.net.HttpError;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One offer in Sec-WebSocket-Extensions, RFC 6455 section 9.1.
 *
 * @param name a token
 * @param parameters in the order of the offer
 */
record Extension(String name, List<Parameter> parameters) {

    /**
     * A parameter.
     *
     * @param name a token
     * @param value a token, without the quotes it may have had; null if it has none
     */
    record Parameter(String name, @Nullable String value) {}

    /**
     * All offers of these header values.
     *
     * @throws HttpError if one does not follow the grammar: the RFC wants the connection failed then
     */
    static List<Extension> parse(List<String> values) {
        List<Extension> all = new ArrayList<>();
        for (String value : values) {
            Scanner in = new Scanner(value);
            do {
                all.add(in.extension());
            } while (in.take(','));
            in.requireEnd();
        }
        return all;
    }

    /** The value of the named parameter, null if it is absent or has none. */
    @Nullable
    String value(String parameter) {
        for (Parameter each : parameters) {
            if (each.name().equals(parameter)) {
                return each.value();
            }
        }
        return null;
    }

    /** Whether no parameter stands twice. */
    boolean hasDistinctParameters() {
        return parameters.stream().map(Parameter::name).distinct().count() == parameters.size();
    }

    /** Whether this is a token, RFC 9110 section 5.6.2. */
    static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(Extension::isTokenChar);
    }

    private static boolean isTokenChar(int c) {
        return (c >= '0' && c <= '9')
                || (c >= 'A' && c <= 'Z')
                || (c >= 'a' && c <= 'z')
                || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }

    /** Walks over one header value. */
    private static final class Scanner {
        private final String text;
        private int at;

        Scanner(String text) {
            this.text = text;
        }

        Extension extension() {
            String name = token();
            List<Parameter> parameters = new ArrayList<>();
            while (take(';')) {
                String parameter = token();
                parameters.add(new Parameter(parameter, take('=') ? value() : null));
            }
            return new Extension(name, parameters);
        }

        private String value() {
            skipBlanks();
            if (at >= text.length() || text.charAt(at) != '"') {
                return token();
            }
            at++;
            StringBuilder quoted = new StringBuilder();
            while (at < text.length() && text.charAt(at) != '"') {
                if (text.charAt(at) == '\\' && at + 1 < text.length()) {
                    at++;
                }
                quoted.append(text.charAt(at++));
            }
            // the RFC: after unquoting it must be a token
            if (at++ >= text.length() || !isToken(quoted.toString())) {
                throw malformed();
            }
            return quoted.toString();
        }

        private String token() {
            skipBlanks();
            int start = at;
            while (at < text.length() && isTokenChar(text.charAt(at))) {
                at++;
            }
            if (at == start) {
                throw malformed();
            }
            return text.substring(start, at);
        }

        boolean take(char wanted) {
            skipBlanks();
            boolean there = at < text.length() && text.charAt(at) == wanted;
            at += there ? 1 : 0;
            return there;
        }

        void requireEnd() {
            if (at < text.length()) {
                throw malformed();
            }
        }

        private void skipBlanks() {
            while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
                at++;
            }
        }

        private static HttpError malformed() {
            return HttpError.badRequest("malformed Sec-WebSocket-Extensions");
        }
    }
}
