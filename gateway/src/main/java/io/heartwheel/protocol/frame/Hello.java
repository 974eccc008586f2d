package io.heartwheel.protocol.frame;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.DeviceIds;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * First frame of a device.
 *
 * @param deviceId 1..128 bytes of checked UTF-8
 * @param token 0..4096 bytes of checked UTF-8
 * @param wantedMillis wanted interval, unsigned 32 bits, 0 for none
 * @param lastEpoch the epoch it remembers, 0 for none; read as signed, so what no gateway ever issued is negative
 * @param clientName 0..64 bytes of UTF-8, as text
 * @param understandsAuth whether it can be told that its token expires
 */
@SuppressWarnings("ArrayRecordComponent") // read once and handed on; compared by nobody
public record Hello(
        byte[] deviceId, byte[] token, long wantedMillis, long lastEpoch, String clientName, boolean understandsAuth) {
    private static final int MAGIC = 0x4857;
    private static final int FIXED_BYTES = 16;
    /** Among the features: AUTH is understood. */
    private static final int FEATURE_AUTH = 0x01;

    /** Reads the payload of a HELLO, {@code length} bytes from {@code index}; changes no index. */
    public static Hello read(ByteBuf in, int index, int length) throws ProtocolViolation {
        int end = index + length;
        if (length < 2 || in.getUnsignedShort(index) != MAGIC) {
            throw new ProtocolViolation(CloseReason.BAD_MAGIC, "HELLO without its magic");
        }
        if (length < 3) {
            throw truncated();
        }
        int version = in.getUnsignedByte(index + 2);
        if (version != Frames.VERSION) {
            throw new ProtocolViolation(CloseReason.BAD_VERSION, "version " + version + ": need " + Frames.VERSION);
        }
        if (length < FIXED_BYTES + 1) {
            throw truncated();
        }
        boolean understandsAuth = (in.getUnsignedByte(index + 3) & FEATURE_AUTH) != 0;
        long wantedMillis = in.getUnsignedInt(index + 4);
        long lastEpoch = in.getLong(index + 8);
        int at = index + FIXED_BYTES;
        int idBytes = lengthAt(in, at, 1, end, DeviceIds.MAX_DEVICE_ID_BYTES, CloseReason.BAD_IDENTITY);
        byte[] deviceId = DeviceIds.deviceId(in, at + 1, idBytes);
        at += 1 + idBytes;
        int tokenBytes = lengthAt(in, at, 2, end, DeviceIds.MAX_TOKEN_BYTES, CloseReason.MALFORMED);
        DeviceIds.requireText(in, at + 2, tokenBytes, "token");
        byte[] token = ByteBufUtil.getBytes(in, at + 2, tokenBytes, true);
        at += 2 + tokenBytes;
        int nameBytes = lengthAt(in, at, 1, end, DeviceIds.MAX_CLIENT_NAME_BYTES, CloseReason.MALFORMED);
        String clientName = DeviceIds.clientName(in, at + 1, nameBytes);
        return new Hello(deviceId, token, wantedMillis, lastEpoch, clientName, understandsAuth);
    }

    private static int lengthAt(ByteBuf in, int at, int width, int end, int max, CloseReason tooLong)
            throws ProtocolViolation {
        if (at + width > end) {
            throw truncated();
        }
        int length = width == 1 ? in.getUnsignedByte(at) : in.getUnsignedShort(at);
        if (length > max) {
            throw new ProtocolViolation(tooLong, "a field of " + length + " bytes in HELLO: need at most " + max);
        }
        if (at + width + length > end) {
            throw truncated();
        }
        return length;
    }

    private static ProtocolViolation truncated() {
        return new ProtocolViolation(CloseReason.MALFORMED, "HELLO ends inside a field");
    }
}
