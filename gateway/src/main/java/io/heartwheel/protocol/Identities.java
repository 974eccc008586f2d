package io.heartwheel.protocol;

import io.heartwheel.event.CloseReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;

/** What a device calls itself: checks and shared copies. Any thread. */
public final class Identities {
    /** Longest device id, bytes of UTF-8. */
    public static final int MAX_DEVICE_ID_BYTES = 128;
    /** Longest token, bytes of UTF-8. */
    public static final int MAX_TOKEN_BYTES = 1024;
    /** Longest client name, bytes of UTF-8. */
    public static final int MAX_CLIENT_NAME_BYTES = 64;

    /** A fleet has few client names; past so many different ones each connection keeps its own copy. */
    private static final int MAX_SHARED_NAMES = 1024;

    private static final ConcurrentHashMap<String, String> SHARED_NAMES = new ConcurrentHashMap<>();

    private Identities() {}

    /**
     * The bytes of a device id.
     *
     * @throws ProtocolViolation if it is empty, too long, not UTF-8 or has control characters
     */
    public static byte[] deviceId(ByteBuf in, int index, int length) throws ProtocolViolation {
        if (length < 1 || length > MAX_DEVICE_ID_BYTES) {
            throw new ProtocolViolation(
                    CloseReason.BAD_IDENTITY, "device id of " + length + " bytes: need 1.." + MAX_DEVICE_ID_BYTES);
        }
        requireText(in, index, length, "device id");
        for (int i = index; i < index + length; i++) {
            int octet = in.getUnsignedByte(i);
            if (octet < 0x20 || octet == 0x7F) {
                throw new ProtocolViolation(CloseReason.BAD_IDENTITY, "device id with a control character");
            }
        }
        return ByteBufUtil.getBytes(in, index, length, true);
    }

    /**
     * A client name, shared between the connections that bear it.
     *
     * @throws ProtocolViolation if it is too long or not UTF-8
     */
    public static String clientName(ByteBuf in, int index, int length) throws ProtocolViolation {
        if (length == 0) {
            return "";
        }
        requireText(in, index, length, "client name");
        String name = in.toString(index, length, StandardCharsets.UTF_8);
        String shared = SHARED_NAMES.get(name);
        if (shared != null) {
            return shared;
        }
        if (SHARED_NAMES.size() < MAX_SHARED_NAMES) {
            SHARED_NAMES.putIfAbsent(name, name);
        }
        return name;
    }

    /** @throws ProtocolViolation if the bytes are not UTF-8 */
    public static void requireText(ByteBuf in, int index, int length, String what) throws ProtocolViolation {
        if (!Utf8.isWellFormed(in, index, length)) {
            throw new ProtocolViolation(CloseReason.BAD_UTF8, what + " is not UTF-8");
        }
    }
}
