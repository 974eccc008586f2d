package io.heartwheel.admin;

import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * One well-formed request, out of Netty's hands. Any thread.
 *
 * @param method as sent
 * @param target its path and parameters
 * @param headers as sent
 * @param body all of it
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Request(HttpMethod method, RequestTarget target, HttpHeaders headers, byte[] body) {

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
        return new Request(
                request.method(),
                RequestTarget.parse(request.uri()),
                headers.copy(),
                ByteBufUtil.getBytes(request.content()));
    }

    /** A parameter, null if it was not given. */
    @Nullable
    String parameter(String name) {
        return target.query().get(name);
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
        return target.segments().get(index);
    }

    /** Whether it asks without changing anything. */
    boolean isSafe() {
        return method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    }
}
