package io.heartwheel.protocol;

import io.heartwheel.event.CloseReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;

/** Device ids, tokens and client names: checks and shared copies. Any thread. */
public final class DeviceIds {
    /** Longest device id, bytes of UTF-8. */
    public static final int MAX_DEVICE_ID_BYTES = 128;
    /** Longest token, bytes of UTF-8. */
    public static final int MAX_TOKEN_BYTES = 1024;
    /** Longest client name, bytes of UTF-8. */
    public static final int MAX_CLIENT_NAME_BYTES = 64;

    private static final String TROUBLE = " with a control character, line separator or bidirectional control";

    /** A fleet has few client names; past so many different ones each connection keeps its own copy. */
    private static final int MAX_SHARED_NAMES = 1024;

    private static final ConcurrentHashMap<String, String> SHARED_NAMES = new ConcurrentHashMap<>();

    private DeviceIds() {}

    /**
     * The bytes of a device id.
     *
     * @throws ProtocolViolation if it is empty, too long, not UTF-8 or has {@link #isTrouble a character that breaks or reorders a line}
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
     * @throws ProtocolViolation if it is not UTF-8 or has {@link #isTrouble a character that breaks or reorders a line}
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

    /**
     * Whether a text has a character that could break a line of a log, or show it in another order than it is written: a control character (C0,
     * DEL, C1), a line or paragraph separator (U+2028, U+2029), or one with Unicode's property Bidi_Control.
     *
     * @param in well-formed UTF-8
     */
    static boolean isTrouble(ByteBuf in, int index, int length) {
        int end = index + length;
        for (int i = index; i < end; i++) {
            int octet = in.getUnsignedByte(i);
            if (octet < 0x20 || octet == 0x7F) {
                return true;
            }
            // what follows these has followed: the text is well-formed
            boolean found =
                    switch (octet) {
                        case 0xC2 -> in.getUnsignedByte(i + 1) < 0xA0; // U+0080..U+009F
                        case 0xD8 -> in.getUnsignedByte(i + 1) == 0x9C; // U+061C
                        case 0xE2 -> isTroubleBehindE2(in.getUnsignedShort(i + 1));
                        default -> false;
                    };
            if (found) {
                return true;
            }
        }
        return false;
    }

    /** U+200E, U+200F; U+2028..U+202E; U+2066..U+2069. */
    private static boolean isTroubleBehindE2(int twoOctets) {
        return (twoOctets >= 0x808E && twoOctets <= 0x808F)
                || (twoOctets >= 0x80A8 && twoOctets <= 0x80AE)
                || (twoOctets >= 0x81A6 && twoOctets <= 0x81A9);
    }

    /** @throws ProtocolViolation if the bytes are not UTF-8 */
    public static void requireText(ByteBuf in, int index, int length, String what) throws ProtocolViolation {
        if (!Utf8.isWellFormed(in, index, length)) {
            throw new ProtocolViolation(CloseReason.BAD_UTF8, what + " is not UTF-8");
        }
    }
}
