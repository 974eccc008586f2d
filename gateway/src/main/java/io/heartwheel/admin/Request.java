package io.heartwheel.admin;

import io.heartwheel.net.HttpError;
import io.heartwheel.net.RequestTarget;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Well-formed request, as endpoints see it. Any thread.
 *
 * @param method as sent
 * @param authority whom a target in absolute form names; null in any other form
 * @param segments of the path, decoded
 * @param query parameters, decoded, each name once
 * @param headers as sent
 * @param body all of it
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Request(
        HttpMethod method,
        @Nullable String authority,
        List<String> segments,
        Map<String, String> query,
        HttpHeaders headers,
        byte[] body) {

    /**
     * Takes a copy.
     *
     * @throws HttpError if the request breaks HTTP's own rules
     */
    static Request of(FullHttpRequest request) {
        HttpHeaders headers = request.headers();
        int hosts = headers.getAll(HttpHeaderNames.HOST).size();
        if (hosts > 1 || (hosts == 0 && request.protocolVersion().equals(HttpVersion.HTTP_1_1))) {
            throw HttpError.badRequest("Host: need it once");
        }
        RequestTarget target = RequestTarget.parse(request.uri(), false);
        return new Request(
                request.method(),
                target.authority(),
                target.segments(),
                target.parameters(),
                headers.copy(),
                ByteBufUtil.getBytes(request.content()));
    }

    /** A parameter, null if it was not given. */
    @Nullable
    String parameter(String name) {
        return query.get(name);
    }

    /**
     * A parameter that is true or false; false if it was not given.
     *
     * @throws HttpError if it is neither
     */
    boolean flag(String name) {
        String text = parameter(name);
        if (text != null && !text.equals("true") && !text.equals("false")) {
            throw HttpError.badRequest(name + " = " + HttpError.quote(text) + ": need true or false");
        }
        return "true".equals(text);
    }

    /** A segment of the path. */
    String segment(int index) {
        return segments.get(index);
    }

    /** Whether it asks without changing anything. */
    boolean isSafe() {
        return method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    }
}
