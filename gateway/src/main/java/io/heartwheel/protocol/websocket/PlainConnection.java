package io.heartwheel.protocol.websocket;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.protocol.Connection;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.WireForms;
import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Connection of a device that speaks plain WebSocket: its messages are DATA, native pings are probes, every complete frame is a sign of life. Its identity
 * came with the request, so it claims the id first and answers the request when the id is its own.
 *
 * <p>Owner: the channel's event loop.
 */
final class PlainConnection extends Connection implements FrameHandler {
    private final int maxMessageBytes;
    private final byte windowBits;
    private @Nullable MessageAggregator inbound;
    /** The request to be answered; null once it is. */
    private @Nullable UpgradeRequest request;

    /** A code that may be sent, at most 4999: two bytes, so that {@link #pings} has room. */
    private short closeCode = CloseCodes.BY_REASON;
    /** Times of {@code heartbeat.ping-every} that have passed since accept and were served. The wheel's thread reads it. */
    private volatile int pings;
    /** When a peer whose request is refused is to come back; 0: at a time that is chosen for it. */
    private short retrySeconds;

    PlainConnection(SessionContext sessionContext, int maxPayloadBytes, UpgradeRequest request) {
        super(sessionContext);
        maxMessageBytes = maxPayloadBytes;
        windowBits = (byte) request.windowBits();
        this.request = request;
    }

    /** Claims the id; the 101 follows when it is granted. */
    void begin(UpgradeRequest.Device device) {
        preferReaderIdle();
        hello(device.id(), device.token(), device.wantedMillis(), 0, "", false);
    }

    @Override
    protected void welcome() {
        UpgradeRequest accepted = request;
        request = null;
        if (accepted != null) {
            send(HttpResponses.switching(context().alloc(), accepted));
        }
    }

    @Override
    public String protocolName() {
        return "plain";
    }

    @Override
    protected String frameName(int type) {
        return FrameType.name(type);
    }

    // ------------------------------------------------------------------ in

    @Override
    protected boolean answeredInPlace(ByteBuf in, long nowNanos) {
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
    protected void decode(ByteBuf in, long nowNanos) throws ProtocolViolation {
        WebSocketFrameDecoder.read(this, in, nowNanos);
    }

    @Override
    protected int heldBytes() {
        MessageAggregator begun = inbound;
        return begun == null ? 0 : begun.frameBytes();
    }

    @Override
    protected int gatheredBytes() {
        return inbound == null ? 0 : inbound.memoryBytes();
    }

    @Override
    protected void dropGathered() {
        sessionContext().stats().unfinished(-gatheredBytes());
        inbound = null;
    }

    @Override
    public boolean takesFrames() {
        return isEstablished() && held() == null && !sessionContext().stats().isShareTaken();
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
    public void requireTaken(int opcode) {}

    @Override
    public void frameEnded(long nowNanos) {
        activity(nowNanos);
    }

    @Override
    public void message(boolean text, ByteBuf in, int index, int length, long nowNanos) {
        frameIn(FrameType.DATA);
        publish(ByteBufUtil.getBytes(in, index, length, true), text);
    }

    @Override
    public void message(boolean text, byte[] payload, long nowNanos) {
        frameIn(FrameType.DATA);
        publish(payload, text);
    }

    /** The peer knows no ACK, so it is never told "not now". */
    private void publish(byte[] payload, boolean text) {
        publish(message(payload, 0, text), this);
    }

    @Override
    public void ping(ByteBuf in, int index, int length) {
        frameIn(FrameType.PING);
        frameOut(FrameType.PONG);
        send(WebSocketFrameEncoder.pong(context().alloc(), in, index, length));
    }

    @Override
    public void pong(ByteBuf in, int index, int length) {
        frameIn(FrameType.PONG);
        if (length == Long.BYTES) {
            peerPonged(in.getLong(index));
        }
    }

    @Override
    public void peerClosed(int code, byte[] text) {
        frameIn(FrameType.CLOSE);
        closeCode = (short) code;
        peerLeaves(CloseCodes.describe(code), Evidence.PeerClose.of(Math.max(0, code), text));
    }

    // ------------------------------------------------------------------ out

    @Override
    public boolean canAcknowledge() {
        return false;
    }

    @Override
    public boolean sendData(long messageId, boolean ackWanted, boolean text, byte[] payload) {
        if (!takesData()) {
            return false;
        }
        frameOut(FrameType.DATA);
        int form = WireForms.MESSAGE + windowBits;
        ByteBuf kept = WireForms.kept(payload, form);
        send(
                kept != null
                        ? kept
                        : WireForms.keep(
                                payload,
                                form,
                                WebSocketFrameEncoder.message(context().alloc(), text, payload, windowBits)));
        return true;
    }

    @Override
    public void sendPing(long number) {
        frameOut(FrameType.PING);
        send(WebSocketFrameEncoder.ping(context().alloc(), number));
    }

    @Override
    protected void sendProbe() {
        frameOut(FrameType.PING);
        send(WebSocketFrameEncoder.empty(context().alloc(), Opcode.PING));
    }

    /** A watchdog of the device's own hears a ping, which every library answers; many pass over a pong. */
    @Override
    protected void sendKeepAlive() {
        long everyNanos = policy().pingNanos();
        if (everyNanos != LivenessPolicy.OFF) {
            pings = (int) ((sessionContext().nanoTime() - openedNanos()) / everyNanos);
            sendProbe();
            return;
        }
        frameOut(FrameType.PONG);
        send(WebSocketFrameEncoder.empty(context().alloc(), Opcode.PONG));
    }

    @Override
    protected long pingNanos() {
        long everyNanos = policy().pingNanos();
        return everyNanos == LivenessPolicy.OFF ? NO_DEADLINE : openedNanos() + (pings + 1L) * everyNanos;
    }

    /** It knows close frames only. */
    @Override
    public boolean takesGoAway() {
        return false;
    }

    /** A plain peer has no word for it, but for the response to its request; the close frame says the rest. */
    @Override
    protected void sendGoAway(CloseReason reason, GoAway goAway) {
        long millis = ThreadLocalRandom.current().nextLong(goAway.retryMinMillis(), goAway.retryMaxMillis() + 1);
        retrySeconds = (short) Math.min(Short.MAX_VALUE, (millis + 999) / 1_000);
    }

    @Override
    protected ByteBuf encodeCloseFrame(CloseReason reason, String text) {
        if (request != null) {
            return retrySeconds == 0
                    ? HttpResponses.refusal(context().alloc(), reason, text)
                    : HttpResponses.refusal(context().alloc(), reason, text, retrySeconds);
        }
        frameOut(FrameType.CLOSE);
        return WebSocketFrameEncoder.close(context().alloc(), reason.webSocketCode(), text);
    }

    @Override
    protected @Nullable ByteBuf encodeReturn() {
        frameOut(FrameType.CLOSE);
        return WebSocketFrameEncoder.close(context().alloc(), closeCode, "");
    }
}
