package io.heartwheel.protocol.websocket;

import io.heartwheel.event.CloseReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/** Responses to an upgrade request: 101, or a refusal. Each method returns a new buffer that the caller owns. Any thread. */
final class HttpResponses {
    /** Section 6 of the protocol document: a device comes back after 1 to 30 s, chosen at random. Not all will choose, so it is done for them. */
    private static final int LATEST_RETRY_SECONDS = 30;

    private HttpResponses() {}

    /** The upgrade is accepted. */
    static ByteBuf switching(ByteBufAllocator alloc, UpgradeRequest request) {
        DeflateOffer deflate = request.deflate();
        String protocol = request.subprotocol();
        return ByteBufUtil.writeAscii(
                alloc,
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
                        + request.accept()
                        + "\r\n"
                        + (protocol == null ? "" : "Sec-WebSocket-Protocol: " + protocol + "\r\n")
                        + (deflate == null ? "" : "Sec-WebSocket-Extensions: " + deflate.answer() + "\r\n")
                        + "\r\n");
    }

    /** A request is refused for a reason that has a code. */
    static ByteBuf refusal(ByteBufAllocator alloc, CloseReason reason, String text) {
        return refusal(alloc, status(reason), text);
    }

    /** The same with a time: the client may come back after so many seconds. */
    static ByteBuf refusal(ByteBufAllocator alloc, CloseReason reason, String text, int retrySeconds) {
        return refusal(alloc, status(reason), text, retrySeconds);
    }

    /** A request is refused; the connection is closed behind it. */
    static ByteBuf refusal(ByteBufAllocator alloc, HttpResponseStatus status, String text) {
        return refusal(alloc, status, text, ThreadLocalRandom.current().nextInt(1, LATEST_RETRY_SECONDS + 1));
    }

    private static ByteBuf refusal(ByteBufAllocator alloc, HttpResponseStatus status, String text, int retrySeconds) {
        byte[] body = (text + "\n").getBytes(StandardCharsets.UTF_8);
        String head = "HTTP/1.1 " + status + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "
                + body.length + "\r\n" + wanted(status, retrySeconds) + "\r\n\r\n";
        ByteBuf answer = alloc.buffer(head.length() + body.length);
        ByteBufUtil.writeAscii(answer, head);
        return answer.writeBytes(body);
    }

    /** The end, and what would be taken instead: RFC 9110 section 15.5.22 and RFC 6455 section 4.2.2. */
    private static String wanted(HttpResponseStatus status, int retrySeconds) {
        return switch (status.code()) {
            case 401 -> "WWW-Authenticate: Bearer\r\nConnection: close";
            case 426 -> "Upgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Version: 13";
            case 503 -> "Retry-After: " + retrySeconds + "\r\nConnection: close";
            default -> "Connection: close";
        };
    }

    private static HttpResponseStatus status(CloseReason reason) {
        return switch (reason) {
            case FOREIGN_ORIGIN -> HttpResponseStatus.FORBIDDEN;
            case UNAUTHORIZED -> HttpResponseStatus.UNAUTHORIZED;
            case HANDSHAKE_TIMEOUT, READ_STALLED -> HttpResponseStatus.REQUEST_TIMEOUT;
            case INTERNAL_ERROR -> HttpResponseStatus.INTERNAL_SERVER_ERROR;
            case TAKEN_OVER -> HttpResponseStatus.CONFLICT;
            default ->
                reason.reconnect() == CloseReason.Reconnect.NEVER
                        ? HttpResponseStatus.BAD_REQUEST
                        : HttpResponseStatus.SERVICE_UNAVAILABLE;
        };
    }
}
