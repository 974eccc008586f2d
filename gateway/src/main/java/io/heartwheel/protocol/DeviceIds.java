package io.heartwheel.protocol;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.SafeText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.ByteProcessor;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;

/** Device ids, tokens and client names: checks and shared copies. Any thread. */
public final class DeviceIds {
    /** Longest device id, bytes of UTF-8. */
    public static final int MAX_DEVICE_ID_BYTES = 128;
    /** Longest token, bytes of UTF-8. */
    public static final int MAX_TOKEN_BYTES = 4_096;
    /** Longest client name, bytes of UTF-8. */
    public static final int MAX_CLIENT_NAME_BYTES = 64;

    /** ASCII that does no harm: so are nearly all, and they need not be decoded to know it. */
    private static final ByteProcessor PRINTABLE = octet -> octet >= ' ' && octet != 0x7F;

    private static final String TROUBLE = " with a control character, line separator or bidirectional control";

    /** A fleet has few client names; past so many different ones each connection keeps its own copy. */
    private static final int MAX_SHARED_NAMES = 1024;

    private static final ConcurrentHashMap<String, String> SHARED_NAMES = new ConcurrentHashMap<>();

    private DeviceIds() {}

    /**
     * The bytes of a device id.
     *
     * @throws ProtocolViolation if it is empty, too long, not UTF-8 or has {@link SafeText#isHarmful a character that breaks or reorders a line}
     */
    public static byte[] deviceId(ByteBuf in, int index, int length) throws ProtocolViolation {
        if (length < 1 || length > MAX_DEVICE_ID_BYTES) {
            throw new ProtocolViolation(
                    CloseReason.BAD_IDENTITY, "device id of " + length + " bytes: need 1.." + MAX_DEVICE_ID_BYTES);
        }
        requireText(in, index, length, "device id");
        if (isTrouble(in, index, length)) {
            throw new ProtocolViolation(CloseReason.BAD_IDENTITY, "device id" + TROUBLE);
        }
        return ByteBufUtil.getBytes(in, index, length, true);
    }

    /**
     * A client name, shared between the connections that bear it.
     *
     * @throws ProtocolViolation if it is not UTF-8 or has {@link SafeText#isHarmful a character that breaks or reorders a line}
     */
    public static String clientName(ByteBuf in, int index, int length) throws ProtocolViolation {
        if (length == 0) {
            return "";
        }
        requireText(in, index, length, "client name");
        if (isTrouble(in, index, length)) {
            throw new ProtocolViolation(CloseReason.MALFORMED, "client name" + TROUBLE);
        }
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

    /** Whether this well-formed UTF-8 has a character that breaks or reorders a line of a log. */
    private static boolean isTrouble(ByteBuf in, int index, int length) {
        return in.forEachByte(index, length, PRINTABLE) >= 0
                && in.toString(index, length, StandardCharsets.UTF_8)
                        .codePoints()
                        .anyMatch(SafeText::isHarmful);
    }

    /** @throws ProtocolViolation if the bytes are not UTF-8 */
    public static void requireText(ByteBuf in, int index, int length, String what) throws ProtocolViolation {
        if (!Utf8.isWellFormed(in, index, length)) {
            throw new ProtocolViolation(CloseReason.BAD_UTF8, what + " is not UTF-8");
        }
    }
}
