package io.heartwheel.loadgen.conform;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.Utf8FrameValidator;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshakerFactory;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The server's side of one WebSocket (RFC 6455), by Netty's codecs. One thread reads; {@link #frame} is a pure function. */
final class WsServer {

    static final String SUBPROTOCOL = "heartwheel.json.v1";

    private static final int MOST_MESSAGE_BYTES = 1 << 20;
    private static final int FIN = 0x80;

    private final EmbeddedChannel codecs =
            new EmbeddedChannel(new HttpServerCodec(), new HttpObjectAggregator(MOST_MESSAGE_BYTES));

    /**
     * The client's request.
     *
     * @param request to be released
     * @param answer for it
     */
    record Upgrade(FullHttpRequest request, byte[] answer) {}

    /**
     * Bytes of the client, read by {@link #upgrade} and then by {@link #next}.
     *
     * @throws WireException for what RFC 6455 forbids a client
     */
    void read(byte[] bytes, int length) {
        if (!codecs.isOpen()) {
            return;
        }
        try {
            codecs.writeInbound(Unpooled.copiedBuffer(bytes, 0, length));
        } catch (RuntimeException e) { // the codec's, of several kinds
            throw new WireException(CloseCodes.MALFORMED, "WebSocket: " + e.getMessage());
        }
    }

    /**
     * The request, when it is whole; else null.
     *
     * @throws WireException when it is not what the wire document asks for
     */
    @Nullable
    Upgrade upgrade() {
        FullHttpRequest request = codecs.readInbound();
        if (request == null) {
            return null;
        }
        try {
            return new Upgrade(request, handshake(request));
        } catch (WireException e) {
            request.release();
            throw e;
        }
    }

    private byte[] handshake(FullHttpRequest request) {
        WebSocketServerHandshaker handshaker =
                new WebSocketServerHandshakerFactory("", SUBPROTOCOL, false, MOST_MESSAGE_BYTES).newHandshaker(request);
        try {
            if (handshaker != null && request.decoderResult().isSuccess()) {
                handshaker.handshake(codecs, request).syncUninterruptibly();
            }
        } catch (RuntimeException e) { // the codec's, of several kinds
            throw new WireException(CloseCodes.MALFORMED, "upgrade request: " + e.getMessage());
        }
        if (handshaker == null || handshaker.selectedSubprotocol() == null) {
            throw new WireException(CloseCodes.MALFORMED, "upgrade request: need version 13 and " + SUBPROTOCOL);
        }
        codecs.pipeline().addLast(new Utf8FrameValidator(), new WebSocketFrameAggregator(MOST_MESSAGE_BYTES));
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        for (ByteBuf part = codecs.readOutbound(); part != null; part = codecs.readOutbound()) {
            byte[] bytes = new byte[part.readableBytes()];
            part.readBytes(bytes).release();
            answer.writeBytes(bytes);
        }
        return answer.toByteArray();
    }

    /** Lets go of what was not read. Nothing is read any more. */
    void close() {
        codecs.close();
        codecs.releaseInbound();
        codecs.releaseOutbound();
    }

    /** The next whole message or control frame, to be released; null when more bytes are needed. */
    @Nullable
    WebSocketFrame next() {
        return codecs.readInbound();
    }

    /** A frame of the server, without a mask. */
    static byte[] frame(int opcode, boolean last, byte[] payload) {
        ByteBuf out = Unpooled.buffer(payload.length + 10);
        out.writeByte(opcode | (last ? FIN : 0));
        if (payload.length < 126) {
            out.writeByte(payload.length);
        } else if (payload.length < 65_536) {
            out.writeByte(126).writeShort(payload.length);
        } else {
            out.writeByte(127).writeLong(payload.length);
        }
        out.writeBytes(payload);
        return Arrays.copyOf(out.array(), out.readableBytes());
    }
}
