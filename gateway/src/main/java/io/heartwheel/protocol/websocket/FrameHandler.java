package io.heartwheel.protocol.websocket;

import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.session.SessionContext;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Connection as {@link WebSocketFrameDecoder} sees it: it keeps the message that has not ended and takes those that have. Loop only. */
interface FrameHandler {
    /** Whether frames are taken now. */
    boolean takesFrames();

    /** The message under way, null if there is none: the slot of the connection. */
    @Nullable
    MessageAggregator inbound();

    /** Fills or clears the slot. */
    void inbound(@Nullable MessageAggregator inbound);

    /** What counts bytes, fragments and memory of its loop. */
    SessionContext sessionContext();

    /** The largest message, bytes. */
    int maxMessageBytes();

    /** Whether permessage-deflate was negotiated. */
    boolean inflates();

    /**
     * Whether messages of this opcode, text or binary, are taken.
     *
     * @throws ProtocolViolation if not
     */
    void requireTaken(int opcode) throws ProtocolViolation;

    /** A complete frame came in, of any kind; what it means follows. */
    void frameEnded(long nowNanos);

    /** A message that lies whole and unmasked in the read buffer; text is checked. The reader index stands behind the frame. */
    void message(boolean text, ByteBuf in, int index, int length, long nowNanos) throws ProtocolViolation;

    /** A message that came in pieces; text is checked. The array is the receiver's. */
    void message(boolean text, byte[] payload, long nowNanos) throws ProtocolViolation;

    /** A native ping, 0..125 bytes. */
    void ping(ByteBuf in, int index, int length);

    /** A native pong, 0..125 bytes. */
    void pong(ByteBuf in, int index, int length);

    /**
     * The peer's one close frame.
     *
     * @param code valid, or {@link CloseCodes#EMPTY}
     * @param text well-formed UTF-8, may be empty
     */
    void peerClosed(int code, byte[] text);
}
