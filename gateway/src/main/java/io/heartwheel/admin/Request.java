package io.heartwheel.admin;

import io.heartwheel.cluster.ApiCall;
import io.heartwheel.cluster.ApiHeader;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.net.HttpError;
import io.heartwheel.net.RequestTarget;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Well-formed request, as endpoints see it. Any thread.
 *
 * @param method as sent
 * @param target path and query as sent
 * @param authority whom a target in absolute form names; null in any other form
 * @param segments of the path, decoded
 * @param query parameters, decoded, each name once
 * @param headers as sent
 * @param body all of it
 * @param proposedId what a message to a device is called if the request does not say, as the gateway that was asked proposes it; null: it was this one
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Request(
        HttpMethod method,
        String target,
        @Nullable String authority,
        List<String> segments,
        Map<String, String> query,
        HttpHeaders headers,
        byte[] body,
        @Nullable Long proposedId) {
    static final String IDEMPOTENCY_KEY = "Idempotency-Key";

    /** UTF-8 by its names, and ASCII, which is a part of it. */
    private static final List<String> UTF_8 = List.of("utf-8", "utf8", "us-ascii", "ascii");

    /** What means something to the routes that another gateway is asked for. */
    private static final List<String> CARRIED = List.of(HttpHeaderNames.CONTENT_TYPE.toString(), IDEMPOTENCY_KEY);

    private static final Pattern PARAMETER =
            Pattern.compile(";[ \\t]*(?:([^=;\"\\s]+)=(\"(?:[^\"\\\\]|\\\\.)*\"|[^;\"\\s]*)[ \\t]*)?");

    /**
     * Takes a copy.
     *
     * @param secure whether it came over TLS
     * @throws HttpError if the request breaks HTTP's own rules
     */
    static Request of(FullHttpRequest request, boolean secure) {
        HttpHeaders headers = request.headers();
        int hosts = headers.getAll(HttpHeaderNames.HOST).size();
        if (hosts > 1 || (hosts == 0 && request.protocolVersion().equals(HttpVersion.HTTP_1_1))) {
            throw HttpError.badRequest("Host: need it once");
        }
        RequestTarget target = RequestTarget.parse(request.uri(), secure);
        return new Request(
                request.method(),
                request.uri(),
                target.authority(),
                target.segments(),
                target.parameters(),
                headers.copy(),
                ByteBufUtil.getBytes(request.content()),
                null);
    }

    /**
     * One that came in at another gateway.
     *
     * @throws HttpError if its target is none
     */
    static Request of(ApiCall carried) {
        RequestTarget target = RequestTarget.parse(carried.target(), true);
        HttpHeaders headers = new DefaultHttpHeaders();
        carried.headers().forEach(header -> headers.add(header.name(), header.value()));
        return new Request(
                HttpMethod.valueOf(carried.method()),
                carried.target(),
                null,
                target.segments(),
                target.parameters(),
                headers,
                carried.body(),
                carried.messageId());
    }

    /** One of this gateway's own, as if it had come in here. */
    static Request of(
            HttpMethod method, List<String> segments, Map<String, String> query, HttpHeaders headers, byte[] body) {
        String target = segments.stream().map(Request::encoded).collect(Collectors.joining("/", "/", ""))
                + query.entrySet().stream()
                        .map(each -> each.getKey() + "=" + encoded(each.getValue()))
                        .collect(Collectors.joining("&", query.isEmpty() ? "" : "?", ""));
        return new Request(method, target, null, segments, query, headers, body, null);
    }

    private static String encoded(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /**
     * For another gateway.
     *
     * @param messageId see {@link #proposedId}; 0 where no message is meant
     */
    ApiCall carried(NodeId from, long messageId) {
        List<ApiHeader> meant = CARRIED.stream()
                .flatMap(name -> headers.getAll(name).stream().map(value -> new ApiHeader(name, value)))
                .toList();
        return new ApiCall(from, 0, messageId, method.name(), target, meant, body);
    }

    /** A parameter, null if it was not given. */
    @Nullable
    String parameter(String name) {
        return query.get(name);
    }

    /** A segment of the path. */
    String segment(int index) {
        return segments.get(index);
    }

    /** Whether it asks without changing anything. */
    boolean isSafe() {
        return method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    }

    /**
     * Whether the body is a text by its Content-Type (RFC 9110, 8.3.1). Text is UTF-8; another charset is refused.
     *
     * @throws HttpError 415 for a text in another encoding, 400 for what is no media type
     */
    boolean isText() {
        List<String> given = headers.getAll(HttpHeaderNames.CONTENT_TYPE);
        if (given.size() > 1) {
            throw HttpError.badRequest("Content-Type: need it once");
        }
        String header = given.isEmpty() ? "" : given.get(0).strip();
        int semicolon = header.indexOf(';');
        String bare = semicolon < 0 ? header : header.substring(0, semicolon);
        String type = bare.strip().toLowerCase(Locale.ROOT);
        boolean text = type.startsWith("text/") || type.equals("application/json");
        if (text && semicolon >= 0) {
            requireUtf8(header, semicolon);
        }
        return text;
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
