package io.heartwheel.protocol.websocket;

import io.heartwheel.session.SessionContext;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequestDecoder;

/**
 * Pipeline until a request is upgraded. Afterwards exactly one handler is left, the connection itself.
 *
 * <pre>
 *   [TLS] --&gt; RequestHead --&gt; HttpRequestDecoder --&gt; UpgradeConnection        before the 101
 *   [TLS] --&gt; WebSocketFrameConnection | PlainConnection      after it
 * </pre>
 */
public final class UpgradePipeline {
    private static final int FIRST_BUFFER_BYTES = 256;

    private UpgradePipeline() {}

    /**
     * Appends the handshake to the channel's pipeline and starts its clock. A caller that has read bytes already fires them from its own place
     * in the pipeline, which must be before the appended one: {@code context.fireChannelRead(bytes)}. Event loop only.
     *
     * @param maxPayloadBytes largest message, 128 or more
     * @param forwarded where the request comes from
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
            long sessionId,
            long acceptedNanos) {
        HttpDecoderConfig strict = new HttpDecoderConfig()
                .setInitialBufferSize(FIRST_BUFFER_BYTES)
                .setMaxInitialLineLength(settings.maxRequestBytes())
                .setMaxHeaderSize(settings.maxRequestBytes())
                .setStrictLineParsing(true)
                .setValidateHeaders(true);
        UpgradeConnection upgrade = new UpgradeConnection(sessionContext, maxPayloadBytes, settings, forwarded);
        channel.pipeline().addLast(upgrade.head(), new HttpRequestDecoder(strict), upgrade);
        upgrade.start(sessionId, acceptedNanos);
    }
}
