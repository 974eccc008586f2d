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
     * All offers of these header values; empty elements are passed over (RFC 9110 section 5.6.1.2).
     *
     * @throws HttpError if one does not follow the grammar: the RFC wants the connection failed then
     */
    static List<Extension> parse(List<String> values) {
        List<Extension> all = new ArrayList<>();
        for (String value : values) {
            HeaderScanner in = new HeaderScanner(value).skipBlanks();
            while (!in.isAtEnd()) {
                if (!in.take(',')) {
                    all.add(next(in));
                    if (!in.isAtEnd() && !in.take(',')) {
                        throw malformed();
                    }
                }
                in.skipBlanks();
            }
        }
        return all;
    }

    private static Extension next(HeaderScanner in) {
        String name = token(in.skipBlanks().token());
        List<Parameter> parameters = new ArrayList<>();
        while (in.skipBlanks().take(';')) {
            String parameter = token(in.skipBlanks().token());
            boolean valued = in.skipBlanks().take('=');
            // the RFC: after unquoting it must be a token
            parameters.add(
                    new Parameter(parameter, valued ? token(in.skipBlanks().value()) : null));
        }
        return new Extension(name, parameters);
    }

    private static String token(@Nullable String found) {
        if (found == null || !HeaderScanner.isToken(found)) {
            throw malformed();
        }
        return found;
    }

    private static HttpError malformed() {
        return HttpError.badRequest("malformed Sec-WebSocket-Extensions");
    }

    /** The value of the named parameter, null if it is absent or has none. */
    @Nullable
    String value(String parameter) {
        return parameters.stream()
                .filter(each -> each.name().equals(parameter) && each.value() != null)
                .map(Parameter::value)
                .findFirst()
                .orElse(null);
    }

    /** Whether no parameter stands twice. */
    boolean hasDistinctParameters() {
        return parameters.stream().map(Parameter::name).distinct().count() == parameters.size();
    }
}
