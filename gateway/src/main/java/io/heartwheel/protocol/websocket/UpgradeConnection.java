package io.heartwheel.protocol.websocket;

import static io.netty.handler.codec.http.HttpHeaderNames.SEC_WEBSOCKET_KEY;
import static io.netty.handler.codec.http.HttpHeaderNames.UPGRADE;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.net.HttpError;
import io.heartwheel.net.RequestTarget;
import io.heartwheel.protocol.HandshakingConnection;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A connection between accept and upgrade: holds the handshake deadline, checks the request, and gives way to the connection whose protocol
 * was asked for, or refuses. A health check is answered here too ({@link PlainRequests}). It answers at most once.
 *
 * <pre>
 *   bytes --&gt; [ HttpRequestDecoder ] --&gt; head, end of request --&gt; checks --&gt; WebSocketFrameConnection: 101, then HELLO
 *                     | removed at the end: what is behind comes as bytes     RequestConnection: claim, then 101
 *                     v
 *              kept unread for the successor
 * </pre>
 *
 * <p>Owner: the channel's event loop.
 */
public final class UpgradeConnection extends HandshakingConnection {
    private static final int FIRST_BUFFER_BYTES = 256;

    private final WebSocketSettings settings;
    private final Forwarded forwarded;
    private final PlainRequests plainRequests;
    private final int maxPayloadBytes;
    private final RequestHead head;
    private @Nullable UpgradeRequest request;
    /** Status of the answer, where it is more exact than the reason, and its text. */
    private @Nullable HttpResponseStatus status;

    private String said = "";
    /** The request asks for no WebSocket. */
    private boolean plainHttp;

    private boolean wantsBody = true;

    private UpgradeConnection(
            SessionContext sessionContext,
            int maxPayloadBytes,
            WebSocketSettings settings,
            Forwarded forwarded,
            PlainRequests plainRequests) {
        super(sessionContext);
        this.maxPayloadBytes = maxPayloadBytes;
        this.settings = settings;
        this.forwarded = forwarded;
        this.plainRequests = plainRequests;
        head = new RequestHead(this, settings.maxRequestBytes());
    }

    /**
     * Appends the handshake to the channel's pipeline and starts its clock. A caller that has read bytes already fires them from its own place
     * in the pipeline, which must be before the appended one: {@code context.fireChannelRead(bytes)}. Event loop only.
     *
     * @param maxPayloadBytes largest message, 128 or more
     * @param forwarded where the request comes from
     * @param plainRequests answers those that ask for no WebSocket
     * @param sessionId unique in the process
     * @param acceptedNanos when the connection was accepted; the handshake deadline runs from then
     * @throws io.heartwheel.wheel.WheelFullException if no deadline can be kept for it
     */
    public static void install(
            Channel channel,
            SessionContext sessionContext,
            int maxPayloadBytes,
            WebSocketSettings settings,
            Forwarded forwarded,
            PlainRequests plainRequests,
            long sessionId,
            long acceptedNanos) {
        HttpDecoderConfig strict = new HttpDecoderConfig()
                .setInitialBufferSize(FIRST_BUFFER_BYTES)
                .setMaxInitialLineLength(settings.maxRequestBytes())
                .setMaxHeaderSize(settings.maxRequestBytes())
                .setStrictLineParsing(true)
                .setValidateHeaders(true);
        UpgradeConnection upgrade =
                new UpgradeConnection(sessionContext, maxPayloadBytes, settings, forwarded, plainRequests);
        channel.pipeline().addLast(upgrade.head, new HttpRequestDecoder(strict), upgrade);
        upgrade.start(sessionId, acceptedNanos);
    }

    /** Of the head so much more is held, bytes, or less. */
    void heldMore(int bytes) {
        sessionContext().stats().unfinished(bytes);
        if (bytes > 0) {
            holdsMore();
        }
    }

    @Override
    protected int gatheredBytes() {
        return head.capacity();
    }

    @Override
    protected void dropGathered() {
        sessionContext().stats().unfinished(-gatheredBytes());
        head.drop();
    }

    // ------------------------------------------------------------------ in

    @Override
    protected void receive(Object message, long nowNanos) throws ProtocolViolation {
        try {
            if (message instanceof HttpRequest head) {
                readHead(head);
            }
            if (message instanceof LastHttpContent && request != null) {
                upgrade(request);
            }
        } catch (HttpError refused) {
            status = HttpResponseStatus.valueOf(refused.status());
            said = refused.text();
            throw plainHttp ? refusedPlain() : new ProtocolViolation(CloseReason.BAD_HTTP, said);
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void readHead(HttpRequest head) throws ProtocolViolation {
        Throwable fault = head.decoderResult().cause();
        if (fault instanceof PrematureChannelClosureException) {
            close(CloseReason.PEER_CLOSED, "the peer ended its stream");
            return;
        }
        if (fault instanceof TooLongHttpLineException) {
            throw new HttpError(414, "uri_too_long", "request line too long");
        }
        int headBytes = headBytes(head);
        sessionContext().stats().bytesIn(headBytes);
        if (fault instanceof TooLongHttpHeaderException || headBytes > settings.maxRequestBytes()) {
            throw new HttpError(431, "headers_too_large", "request too long");
        }
        if (fault != null) {
            throw HttpError.badRequest("malformed HTTP");
        }
        plainHttp = !head.headers().contains(UPGRADE) && !head.headers().contains(SEC_WEBSOCKET_KEY);
        wantsBody = !head.method().equals(HttpMethod.HEAD);
        if (plainHttp && isHealthCheck(head)) {
            boolean ready = plainRequests.health();
            status = ready ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE;
            said = ready ? "ready" : "not ready";
            throw new ProtocolViolation(CloseReason.NORMAL, "a health check was answered: " + said);
        }
        String forwardedHost = forwarded.look(context().channel(), head.headers());
        RequestTarget target = RequestTarget.parse(head.uri(), true);
        claims(UpgradeRequest.claimed(head.headers(), target, settings.path()));
        request = UpgradeRequest.check(head, target, settings, forwardedHost);
    }

    private boolean isHealthCheck(HttpRequest head) {
        String health = settings.health();
        return health != null
                && (head.method().equals(HttpMethod.GET) || head.method().equals(HttpMethod.HEAD))
                && RequestTarget.parse(head.uri(), true).path().equals(health);
    }

    private ProtocolViolation refusedPlain() {
        long untold = plainRequests.other();
        if (untold == PlainRequests.UNTOLD) {
            return new ProtocolViolation(CloseReason.NORMAL, said);
        }
        return new ProtocolViolation(
                CloseReason.BAD_HTTP,
                untold == 0 ? said : said + "; and " + untold + " other HTTP requests since the last that was told");
    }

    /** What the head took on the wire, written without more blanks than it needs. */
    private static int headBytes(HttpRequest head) {
        int separators = 4;
        int bytes = head.method().name().length()
                + head.uri().length()
                + head.protocolVersion().text().length()
                + separators;
        HttpHeaders headers = head.headers();
        for (Map.Entry<String, String> each : headers) {
            bytes += each.getKey().length() + each.getValue().length() + separators;
        }
        return bytes + 2;
    }

    private void upgrade(UpgradeRequest accepted) throws ProtocolViolation {
        UpgradeRequest.Device device = accepted.speaksFrames() ? null : accepted.device(settings.path());
        byte[] token = device == null ? accepted.bearerBytes() : device.token();
        // hands on what lies behind the request, which decode() looks at
        context().pipeline().remove(HttpRequestDecoder.class);
        if (state() == ConnectionState.CLOSED) {
            return;
        }
        if (device == null) {
            var frames = new WebSocketFrameConnection(sessionContext(), maxPayloadBytes, accepted.windowBits());
            giveWayTo(frames);
            frames.begin(accepted, token);
        } else {
            RequestConnection named = accepted.speaksJson()
                    ? new JsonConnection(sessionContext(), maxPayloadBytes, accepted)
                    : new PlainConnection(sessionContext(), maxPayloadBytes, accepted);
            giveWayTo(named);
            named.begin(device);
        }
    }

    /** Bytes behind the request, before it is answered: left for the successor if they may be a frame. */
    @Override
    protected void decode(ByteBuf in, long nowNanos) throws ProtocolViolation {
        if (!Opcode.mayBegin(in.getUnsignedByte(in.readerIndex()))) {
            throw new ProtocolViolation(CloseReason.BAD_HTTP, "more than a request before its answer");
        }
    }

    // ------------------------------------------------------------------ out

    @Override
    protected ByteBuf encodeCloseFrame(CloseReason reason, String text) {
        return status == null
                ? HttpResponses.refusal(context().alloc(), reason, text)
                : HttpResponses.answer(context().alloc(), status, said, wantsBody);
    }
}
