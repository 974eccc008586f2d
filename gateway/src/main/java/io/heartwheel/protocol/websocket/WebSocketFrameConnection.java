package io.heartwheel.protocol.websocket;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.WireForms;
import io.heartwheel.protocol.frame.FrameConnection;
import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Connection of a device that speaks Heartwheel frames in binary WebSocket messages, subprotocol {@code heartwheel.v1}. Faults of its Heartwheel frames
 * close with the codes of the wire document, faults of its WebSocket frames with those of RFC 6455.
 *
 * <p>Owner: the channel's event loop.
 */
final class WebSocketFrameConnection extends FrameConnection implements FrameHandler {
    static final String PROTOCOL = "heartwheel.v1";

    /** An empty PING, alone in a masked message: {@code 82 84}, the mask, {@code 03 00 00 00}. */
    private static final int MASKED_BEAT_BYTES = 10;

    private static final int MASKED_BEAT_HEADER = 0x8284;
    private static final int BEAT = FrameType.PING << 24;
    private static final int ANSWER_HEADER = 0x8204;
    private static final int ANSWER_BYTES = 6;

    private final int maxMessageBytes;
    private final byte windowBits;
    private @Nullable MessageAggregator inbound;
    /** Frames of a message that are not taken yet: behind a HELLO whose claim is not answered, or for the next turn. Unpooled. */
    private @Nullable ByteBuf rest;

    /** What the request showed, for a HELLO that shows nothing; null before and after. */
    private byte @Nullable [] shown;

    private int closeCode = CloseCodes.BY_REASON;

    WebSocketFrameConnection(SessionContext sessionContext, int maxPayloadBytes, int windowBits) {
        super(sessionContext, maxPayloadBytes);
        maxMessageBytes = FrameType.maxFrameBytes(maxPayloadBytes);
        this.windowBits = (byte) windowBits;
    }

    /** Answers the request and goes on with what came behind it. */
    void begin(UpgradeRequest request, byte[] token) {
        shown = token.length == 0 ? null : token;
        send(HttpResponses.switching(alloc(), request));
        resume();
    }

    @Override
    public String protocolName() {
        return PROTOCOL;
    }

    // ------------------------------------------------------------------ in

    @Override
    protected byte[] tokenBesideHello() {
        byte[] token = shown;
        shown = null;
        return token == null ? super.tokenBesideHello() : token;
    }

    @Override
    protected boolean answeredInPlace(ByteBuf in, long nowNanos) {
        boolean between = isEstablished() && (inbound == null || !inbound.isInFrame());
        if (!between || !(beatInPlace(in) || WebSocketFrameEncoder.pongInPlace(in))) {
            return false;
        }
        return answeredPing(in, nowNanos);
    }

    private boolean beatInPlace(ByteBuf in) {
        int start = in.readerIndex();
        if (in.readableBytes() != MASKED_BEAT_BYTES
                || in.getUnsignedShort(start) != MASKED_BEAT_HEADER
                || (in.getInt(start + 2) ^ in.getInt(start + 6)) != BEAT
                || inbound != null) {
            return false;
        }
        in.setInt(start, ANSWER_HEADER << 16 | FrameType.PONG << 8);
        in.setShort(start + 4, 0);
        in.writerIndex(start + ANSWER_BYTES);
        return true;
    }

    @Override
    protected void decode(ByteBuf in, long nowNanos) throws ProtocolViolation {
        ByteBuf held = rest;
        if (held != null && isEstablished()) {
            rest(null);
            takeFrames(held, nowNanos);
        }
        try {
            WebSocketFrameDecoder.read(this, in, nowNanos);
        } catch (ProtocolViolation violation) {
            closeCode = violation.reason().webSocketCode();
            throw violation;
        }
    }

    @Override
    protected int heldBytes() {
        int waiting = rest == null ? 0 : rest.readableBytes();
        return inbound == null ? waiting : waiting + inbound.frameBytes();
    }

    @Override
    protected int gatheredBytes() {
        int waiting = rest == null ? 0 : rest.capacity();
        return inbound == null ? waiting : waiting + inbound.memoryBytes();
    }

    @Override
    protected void dropGathered() {
        sessionContext().stats().unfinished(-gatheredBytes());
        inbound = null;
        rest = null;
    }

    @Override
    public @Nullable MessageAggregator inbound() {
        return inbound;
    }

    @Override
    public void inbound(@Nullable MessageAggregator begun) {
        inbound = begun;
    }

    @Override
    public int maxMessageBytes() {
        return maxMessageBytes;
    }

    @Override
    public boolean inflates() {
        return windowBits != 0;
    }

    @Override
    public void requireTaken(int opcode) throws ProtocolViolation {
        if (opcode == Opcode.TEXT) {
            throw new ProtocolViolation(CloseReason.UNKNOWN_TYPE, "a text message: need binary ones");
        }
    }

    @Override
    public void frameEnded(long nowNanos) {
        activity(nowNanos);
    }

    @Override
    public void message(boolean text, ByteBuf in, int index, int length, long nowNanos) {
        int reader = in.readerIndex();
        int writer = in.writerIndex();
        in.setIndex(index, index + length);
        takeFrames(in, nowNanos);
        if (rest != null) {
            // the buffer goes on without us
            rest(Unpooled.wrappedBuffer(ByteBufUtil.getBytes(rest)));
        }
        in.setIndex(reader, writer);
    }

    @Override
    public void message(boolean text, byte[] payload, long nowNanos) {
        takeFrames(Unpooled.wrappedBuffer(payload), nowNanos);
    }

    /** What waits is counted among the unfinished. */
    private void rest(@Nullable ByteBuf next) {
        int before = rest == null ? 0 : rest.capacity();
        rest = next;
        sessionContext().stats().unfinished((next == null ? 0 : next.capacity()) - before);
    }

    /** The frames of one message. What is wrong with them is not WebSocket's fault, so it is not for {@link #decode} to see. */
    private void takeFrames(ByteBuf message, long nowNanos) {
        try {
            if (!message.isReadable()) {
                throw new ProtocolViolation(CloseReason.MALFORMED, "a message without a frame");
            }
            decodeFrames(message, nowNanos);
            if (message.isReadable() && takesFrames()) {
                throw new ProtocolViolation(CloseReason.MALFORMED, "a frame that spans messages");
            }
            if (message.isReadable() && state() != ConnectionState.CLOSED) {
                rest(message);
            }
        } catch (ProtocolViolation violation) {
            close(violation.reason(), violation.text());
        }
    }

    @Override
    public void ping(ByteBuf in, int index, int length) {
        frameIn(FrameType.PING);
        frameOut(FrameType.PONG);
        send(WebSocketFrameEncoder.pong(alloc(), in, index, length));
    }

    @Override
    public void pong(ByteBuf in, int index, int length) {
        frameIn(FrameType.PONG);
    }

    @Override
    public void peerClosed(int code, byte[] text) {
        frameIn(FrameType.CLOSE);
        closeCode = code;
        peerLeaves(CloseCodes.describe(code), Evidence.PeerClose.of(Math.max(0, code), text));
    }

    // ------------------------------------------------------------------ out

    @Override
    protected ByteBuf wrapped(ByteBuf frame) {
        return WebSocketFrameEncoder.message(alloc(), Opcode.BINARY, frame, windowBits);
    }

    @Override
    protected int wireForm() {
        return WireForms.FRAME_IN_MESSAGE + windowBits;
    }

    @Override
    protected boolean answersCloseFrame() {
        return true;
    }

    @Override
    protected ByteBuf encodeCloseFrame(CloseReason reason, String text) {
        frameOut(FrameType.CLOSE);
        return WebSocketFrameEncoder.close(
                alloc(), closeCode == CloseCodes.BY_REASON ? reason.wireCode() : closeCode, text);
    }

    /** A close frame is answered by its like, a CLOSE by a close frame. */
    @Override
    protected ByteBuf encodeReturn() {
        frameOut(FrameType.CLOSE);
        return WebSocketFrameEncoder.close(
                alloc(), closeCode == CloseCodes.BY_REASON ? CloseCodes.NORMAL : closeCode, "");
    }
}
