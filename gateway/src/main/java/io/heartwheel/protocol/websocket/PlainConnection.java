package io.heartwheel.protocol.websocket;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.protocol.WireForms;
import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Connection of a device that speaks plain WebSocket: its messages are DATA. It knows neither ACK nor GOAWAY.
 *
 * <p>Owner: the channel's event loop.
 */
final class PlainConnection extends RequestConnection {
    /** Times of {@code heartbeat.ping-every} that have passed since accept and were served. The wheel's thread reads it. */
    private volatile int pings;

    PlainConnection(SessionContext sessionContext, int maxPayloadBytes, UpgradeRequest request) {
        super(sessionContext, maxPayloadBytes, request);
    }

    @Override
    void begin(UpgradeRequest.Device device) {
        preferReaderIdle();
        hello(device.id(), device.token(), device.wantedMillis(), 0, "", false);
    }

    @Override
    public String protocolName() {
        return "plain";
    }

    // ------------------------------------------------------------------ in

    @Override
    public void requireTaken(int opcode) {}

    @Override
    public void message(boolean text, ByteBuf in, int index, int length, long nowNanos) {
        message(text, ByteBufUtil.getBytes(in, index, length, true), nowNanos);
    }

    /** The peer knows no ACK, so it is never told "not now". */
    @Override
    public void message(boolean text, byte[] payload, long nowNanos) {
        frameIn(FrameType.DATA);
        data(0, text, payload, false);
    }

    // ------------------------------------------------------------------ out

    @Override
    public boolean canAcknowledge() {
        return false;
    }

    @Override
    int wireForm() {
        return WireForms.MESSAGE + windowBits();
    }

    @Override
    ByteBuf encodeData(long messageId, boolean ackWanted, boolean text, byte[] payload) {
        return WebSocketFrameEncoder.message(alloc(), text, payload, windowBits());
    }

    /** It never asks for one. */
    @Override
    protected ByteBuf encodeAck(long messageId, int status) {
        throw new AssertionError("a plain peer knows no ACK");
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
        send(WebSocketFrameEncoder.empty(alloc(), Opcode.PONG));
    }

    @Override
    protected long pingNanos() {
        long everyNanos = policy().pingNanos();
        return everyNanos == LivenessPolicy.OFF ? NO_DEADLINE : openedNanos() + (pings + 1L) * everyNanos;
    }

    @Override
    public boolean takesGoAway() {
        return false;
    }

    /** The close frame says what there is to say. */
    @Override
    void sayGoAway(CloseReason reason, GoAway goAway) {}
}
