package io.heartwheel.protocol;

import io.heartwheel.session.SharedPayload;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Forms of a message on the wire, kept while it is sent to many devices ({@link SharedPayload}). The loop of the connection only. */
public final class WireForms {
    /** Heartwheel frame. */
    public static final int FRAME = 0;
    /** Heartwheel frame in a WebSocket message; plus the bits of its window for permessage-deflate, 0..15. */
    public static final int FRAME_IN_MESSAGE = 16;
    /** WebSocket message; likewise. */
    public static final int MESSAGE = 32;
    /** JSON in a WebSocket message; likewise. */
    public static final int JSON = 48;

    private WireForms() {}

    /** The message, encoded for another device before; null if it was not, or goes to one device alone. */
    public static @Nullable ByteBuf kept(byte[] payload, int form) {
        SharedPayload shared = SharedPayload.of(payload);
        ByteBuffer kept = shared == null ? null : shared.form(form);
        return kept == null ? null : Unpooled.wrappedBuffer(kept);
    }

    /**
     * Keeps the message for the next device, if it goes to many.
     *
     * @return the same, unchanged
     */
    public static ByteBuf keep(byte[] payload, int form, ByteBuf encoded) {
        SharedPayload shared = SharedPayload.of(payload);
        if (shared != null) {
            ByteBuffer copy = ByteBuffer.allocateDirect(encoded.readableBytes());
            encoded.getBytes(encoded.readerIndex(), copy);
            shared.keep(form, copy.flip().asReadOnlyBuffer());
        }
        return encoded;
    }
}
