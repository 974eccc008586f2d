package io.heartwheel.protocol.frame;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.protocol.DeviceIds;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.WireForms;
import io.heartwheel.session.AuthStatus;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * Connection of a device that speaks Heartwheel frames: over TCP, and over WebSocket by a subclass that wraps and unwraps them.
 *
 * <p>Owner: the channel's event loop.
 */
public class FrameConnection extends AcknowledgingConnection {
    private static final byte[] NO_TOKEN = new byte[0];

    private final int maxPayloadBytes;

    /** @param maxPayloadBytes largest DATA payload, 128 or more */
    public FrameConnection(SessionContext sessionContext, int maxPayloadBytes) {
        super(sessionContext);
        this.maxPayloadBytes = maxPayloadBytes;
    }

    @Override
    public String protocolName() {
        return "heartwheel";
    }

    // ------------------------------------------------------------------ in

    @Override
    protected boolean answeredInPlace(ByteBuf in, long nowNanos) {
        int start = in.readerIndex();
        int readable = in.readableBytes();
        if (!isEstablished()
                || readable < FrameType.HEADER_BYTES
                || in.getUnsignedShort(start) != FrameType.PING << 8
                || in.getUnsignedShort(start + 2) != readable - FrameType.HEADER_BYTES
                || readable > FrameType.HEADER_BYTES + FrameType.MAX_PING_BYTES) {
            return false;
        }
        in.setByte(start, FrameType.PONG);
        return answeredPing(in, nowNanos);
    }

    /** The ping that came alone has become its answer: sends it. */
    protected final boolean answeredPing(ByteBuf answer, long nowNanos) {
        activity(nowNanos);
        frameIn(FrameType.PING);
        frameOut(FrameType.PONG);
        answer(answer, nowNanos);
        return true;
    }

    @Override
    protected void decode(ByteBuf in, long nowNanos) throws ProtocolViolation {
        decodeFrames(in, nowNanos);
    }

    /** Takes whole frames off the front; leaves an unfinished one. */
    protected final void decodeFrames(ByteBuf in, long nowNanos) throws ProtocolViolation {
        while (in.isReadable() && takesFrames()) {
            int start = in.readerIndex();
            int type = in.getUnsignedByte(start);
            requireExpected(type);
            int header = headerBytes(in, type);
            if (header == 0) {
                return;
            }
            int length = header == FrameType.HEADER_BYTES ? in.getUnsignedShort(start + 2) : in.getInt(start + 4);
            if (in.readableBytes() < header + length) {
                return;
            }
            activity(nowNanos);
            frameIn(type);
            in.readerIndex(start + header + length);
            handle(type, in.getUnsignedByte(start + 1), in, start + header, length);
        }
    }

    /** Whether frames are taken now: by state, unless a message waits for the sink, and as long as this connection's share of the turn lasts. */
    public boolean takesFrames() {
        return (state() == ConnectionState.HANDSHAKE || isEstablished())
                && held() == null
                && !sessionContext().stats().isShareTaken();
    }

    private void requireExpected(int type) throws ProtocolViolation {
        boolean first = state() == ConnectionState.HANDSHAKE;
        if (!FrameType.isKnown(type)) {
            throw first
                    ? new ProtocolViolation(CloseReason.BAD_MAGIC, "the first byte is no frame type")
                    : new ProtocolViolation(CloseReason.UNKNOWN_TYPE, "frame type " + type);
        }
        if (first && type != FrameType.HELLO) {
            throw new ProtocolViolation(CloseReason.HELLO_EXPECTED, FrameType.name(type) + " before HELLO");
        }
        if (!first && type == FrameType.HELLO) {
            throw new ProtocolViolation(CloseReason.DUPLICATE_HELLO, "a second HELLO");
        }
        if (type == FrameType.WELCOME || type == FrameType.GOAWAY) {
            throw malformed(type, "is for the gateway to send");
        }
    }

    /** The length of a valid header; 0 while it is incomplete. */
    private int headerBytes(ByteBuf in, int type) throws ProtocolViolation {
        int start = in.readerIndex();
        if (in.readableBytes() < FrameType.HEADER_BYTES) {
            return 0;
        }
        int flags = in.getUnsignedByte(start + 1);
        boolean extended = (flags & FrameType.FLAG_EXTENDED) != 0;
        if ((flags & ~FrameType.FLAG_EXTENDED & ~FrameType.allowedFlags(type)) != 0) {
            throw malformed(type, "reserved flags");
        }
        long length = in.getUnsignedShort(start + 2);
        if (extended) {
            if (length != 0) {
                throw malformed(type, "extended length with a short one");
            }
            if (in.readableBytes() < FrameType.EXTENDED_HEADER_BYTES) {
                return 0;
            }
            length = in.getUnsignedInt(start + 4);
            if (length <= 0xFFFF) {
                throw malformed(type, "extended length that is not needed");
            }
        }
        int most = FrameType.maxBytes(type, maxPayloadBytes);
        if (length > most) {
            throw new ProtocolViolation(
                    CloseReason.TOO_LARGE, FrameType.name(type) + " of " + length + " bytes: need at most " + most);
        }
        if (length < FrameType.minBytes(type)) {
            throw malformed(type, "too short");
        }
        return extended ? FrameType.EXTENDED_HEADER_BYTES : FrameType.HEADER_BYTES;
    }

    private void handle(int type, int flags, ByteBuf in, int index, int length) throws ProtocolViolation {
        switch (type) {
            case FrameType.HELLO -> {
                Hello hello = Hello.read(in, index, length);
                byte[] beside = tokenBesideHello();
                byte[] token = hello.token().length == 0 ? beside : hello.token();
                hello(
                        hello.deviceId(),
                        token,
                        hello.wantedMillis(),
                        hello.lastEpoch(),
                        hello.clientName(),
                        hello.understandsAuth());
            }
            case FrameType.PING -> emit(FrameType.PONG, Frames.pong(alloc(), in, index, length));
            case FrameType.PONG -> {
                if (length == Long.BYTES) {
                    peerPonged(in.getLong(index));
                }
            }
            case FrameType.ACK ->
                peerAcknowledged(in.getLong(index), in.getByte(index + FrameType.MESSAGE_ID_BYTES) == ACCEPTED);
            case FrameType.DATA -> data(flags, in, index, length);
            case FrameType.AUTH -> newerToken(in, index, length);
            case FrameType.CLOSE -> {
                int code = in.getUnsignedShort(index);
                DeviceIds.requireText(in, index + 2, length - 2, "text of CLOSE");
                byte[] text = ByteBufUtil.getBytes(in, index + 2, length - 2, true);
                peerLeaves("the device said CLOSE " + code, Evidence.PeerClose.of(code, text));
            }
            default -> throw new AssertionError(type); // refused by its first byte
        }
    }

    /** What the device showed before its HELLO, given once; nothing over TCP. */
    protected byte[] tokenBesideHello() {
        return NO_TOKEN;
    }

    private void newerToken(ByteBuf in, int index, int length) throws ProtocolViolation {
        DeviceIds.requireText(in, index, length, "token of AUTH");
        if (!renew(ByteBufUtil.getBytes(in, index, length, true))) {
            throw malformed(FrameType.AUTH, "before the answer to the one before");
        }
    }

    private void data(int flags, ByteBuf in, int index, int length) throws ProtocolViolation {
        long messageId = in.getLong(index);
        int payload = index + FrameType.MESSAGE_ID_BYTES;
        int payloadBytes = length - FrameType.MESSAGE_ID_BYTES;
        boolean text = (flags & FrameType.FLAG_TEXT) != 0;
        if (text) {
            DeviceIds.requireText(in, payload, payloadBytes, "text of DATA");
        }
        data(messageId, text, ByteBufUtil.getBytes(in, payload, payloadBytes, true), (flags & FrameType.FLAG_ACK) != 0);
    }

    private static ProtocolViolation malformed(int type, String how) {
        return new ProtocolViolation(CloseReason.MALFORMED, FrameType.name(type) + ": " + how);
    }

    // ------------------------------------------------------------------ out

    /** Sends one frame. Takes ownership. Loop only. */
    protected final void emit(int type, ByteBuf frame) {
        frameOut(type);
        send(wrapped(frame));
    }

    /** A frame as it goes over the connection. Takes ownership. */
    protected ByteBuf wrapped(ByteBuf frame) {
        return frame;
    }

    @Override
    protected final void welcome() {
        emit(
                FrameType.WELCOME,
                Frames.welcome(
                        alloc(),
                        intervalMillis(),
                        sessionContext().policy().graceHundredths(),
                        sessionId(),
                        epoch(),
                        maxPayloadBytes));
    }

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
                        : WireForms.keep(
                                payload,
                                wireForm(),
                                wrapped(Frames.data(alloc(), messageId, ackWanted, text, payload))));
        return true;
    }

    /** The form of its messages, of {@link WireForms}. */
    protected int wireForm() {
        return WireForms.FRAME;
    }

    @Override
    protected final ByteBuf encodeAck(long messageId, int status) {
        return wrapped(Frames.ack(alloc(), messageId, status));
    }

    @Override
    public final void sendPing(long number) {
        emit(FrameType.PING, Frames.ping(alloc(), number));
    }

    @Override
    protected final void sendProbe() {
        emit(FrameType.PING, Frames.empty(alloc(), FrameType.PING));
    }

    @Override
    protected final void sendKeepAlive() {
        emit(FrameType.PONG, Frames.empty(alloc(), FrameType.PONG));
    }

    @Override
    protected final void sendAuth(AuthStatus status, long leftMillis) {
        emit(FrameType.AUTH, Frames.auth(alloc(), status, leftMillis));
    }

    @Override
    protected final void sendGoAway(CloseReason reason, GoAway goAway) {
        emit(FrameType.GOAWAY, Frames.goAway(alloc(), reason.wireCode(), goAway));
    }

    @Override
    protected boolean answersCloseFrame() {
        return false;
    }

    @Override
    protected @Nullable ByteBuf encodeCloseFrame(CloseReason reason, String text) {
        frameOut(FrameType.CLOSE);
        return Frames.close(alloc(), reason.wireCode(), text);
    }
}
