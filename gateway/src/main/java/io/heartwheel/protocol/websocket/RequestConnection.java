package io.heartwheel.protocol.websocket;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.WireForms;
import io.heartwheel.protocol.frame.AcknowledgingConnection;
import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Connection of a device whose identity came with the WebSocket request: it claims the id first and answers the request when the id is its own. Native pings
 * are probes, every complete WebSocket frame is a sign of life, and closes have the native codes.
 *
 * <p>Owner: the channel's event loop.
 */
abstract class RequestConnection extends AcknowledgingConnection implements FrameHandler {
    private final int maxPayloadBytes;
    private final byte windowBits;
    private @Nullable MessageAggregator inbound;
    /** The request to be answered; null once it is. */
    private @Nullable UpgradeRequest request;

    /** A code that may be sent, at most 4999: two bytes, so that what subclasses add has room. */
    private short closeCode = CloseCodes.BY_REASON;
    /** When a peer whose request is refused is to come back; 0: at a time that is chosen for it. */
    private short retrySeconds;

    RequestConnection(SessionContext sessionContext, int maxPayloadBytes, UpgradeRequest request) {
        super(sessionContext);
        this.maxPayloadBytes = maxPayloadBytes;
        windowBits = (byte) request.windowBits();
        this.request = request;
    }

    /** Claims the id; the 101 follows when it is granted. */
    abstract void begin(UpgradeRequest.Device device);

    @Override
    protected void welcome() {
        UpgradeRequest accepted = request;
        request = null;
        if (accepted != null) {
            send(HttpResponses.switching(alloc(), accepted));
        }
    }

    /** Largest payload, bytes. */
    final int maxPayloadBytes() {
        return maxPayloadBytes;
    }

    /** The window of permessage-deflate, 8..15; 0 without. */
    final int windowBits() {
        return windowBits;
    }

    // ------------------------------------------------------------------ in

    @Override
    protected final boolean answeredInPlace(ByteBuf in, long nowNanos) {
        boolean between = isEstablished() && held() == null && (inbound == null || !inbound.isInFrame());
        if (!between || !WebSocketFrameEncoder.pongInPlace(in)) {
            return false;
        }
        frameEnded(nowNanos);
        frameIn(FrameType.PING);
        frameOut(FrameType.PONG);
        answer(in, nowNanos);
        return true;
    }

    @Override
    protected final void decode(ByteBuf in, long nowNanos) throws ProtocolViolation {
        WebSocketFrameDecoder.read(this, in, nowNanos);
    }

    @Override
    protected final int heldBytes() {
        MessageAggregator begun = inbound;
        return begun == null ? 0 : begun.frameBytes();
    }

    @Override
    protected final int gatheredBytes() {
        return inbound == null ? 0 : inbound.memoryBytes();
    }

    @Override
    protected final void dropGathered() {
        sessionContext().stats().unfinished(-gatheredBytes());
        inbound = null;
    }

    @Override
    public final boolean takesFrames() {
        return isEstablished() && held() == null && !sessionContext().stats().isShareTaken();
    }

    @Override
    public final @Nullable MessageAggregator inbound() {
        return inbound;
    }

    @Override
    public final void inbound(@Nullable MessageAggregator begun) {
        inbound = begun;
    }

    @Override
    public int maxMessageBytes() {
        return maxPayloadBytes;
    }

    @Override
    public final boolean inflates() {
        return windowBits != 0;
    }

    @Override
    public final void frameEnded(long nowNanos) {
        activity(nowNanos);
    }

    @Override
    public final void ping(ByteBuf in, int index, int length) {
        frameIn(FrameType.PING);
        frameOut(FrameType.PONG);
        send(WebSocketFrameEncoder.pong(alloc(), in, index, length));
    }

    @Override
    public final void pong(ByteBuf in, int index, int length) {
        frameIn(FrameType.PONG);
        if (length == Long.BYTES) {
            peerPonged(in.getLong(index));
        }
    }

    @Override
    public final void peerClosed(int code, byte[] text) {
        frameIn(FrameType.CLOSE);
        closeCode = (short) code;
        peerLeaves(CloseCodes.describe(code), Evidence.PeerClose.of(Math.max(0, code), text));
    }

    // ------------------------------------------------------------------ out

    /** A message as it goes over the connection. Ownership goes to the caller. */
    abstract ByteBuf encodeData(long messageId, boolean ackWanted, boolean text, byte[] payload);

    /** The form of its messages, of {@link WireForms}. */
    abstract int wireForm();

    @Override
    public final boolean sendData(long messageId, boolean ackWanted, boolean text, byte[] payload) {
        if (!takesData()) {
            return false;
        }
        frameOut(FrameType.DATA);
        ByteBuf kept = WireForms.kept(payload, wireForm());
        send(
                kept != null
                        ? kept
                        : WireForms.keep(payload, wireForm(), encodeData(messageId, ackWanted, text, payload)));
        return true;
    }

    @Override
    public final void sendPing(long number) {
        frameOut(FrameType.PING);
        send(WebSocketFrameEncoder.ping(alloc(), number));
    }

    @Override
    protected final void sendProbe() {
        frameOut(FrameType.PING);
        send(WebSocketFrameEncoder.empty(alloc(), Opcode.PING));
    }

    /** Whose request is not answered yet learns it from the response; and then from {@link #sayGoAway}. */
    @Override
    protected final void sendGoAway(CloseReason reason, GoAway goAway) {
        if (request == null) {
            sayGoAway(reason, goAway);
            return;
        }
        long millis = ThreadLocalRandom.current().nextLong(goAway.retryMinMillis(), goAway.retryMaxMillis() + 1);
        retrySeconds = (short) Math.min(Short.MAX_VALUE, (millis + 999) / 1_000);
    }

    /** Tells the peer to leave, if its protocol has a word for it. */
    abstract void sayGoAway(CloseReason reason, GoAway goAway);

    @Override
    protected final ByteBuf encodeCloseFrame(CloseReason reason, String text) {
        if (request != null) {
            return retrySeconds == 0
                    ? HttpResponses.refusal(alloc(), reason, text)
                    : HttpResponses.refusal(alloc(), reason, text, retrySeconds);
        }
        frameOut(FrameType.CLOSE);
        return WebSocketFrameEncoder.close(alloc(), reason.webSocketCode(), text);
    }

    @Override
    protected final @Nullable ByteBuf encodeReturn() {
        frameOut(FrameType.CLOSE);
        int code = closeCode == CloseCodes.BY_REASON ? CloseCodes.NORMAL : closeCode;
        return WebSocketFrameEncoder.close(alloc(), code, "");
    }
}
