package io.heartwheel.protocol.frame;

/** Types, flags and limits of section 2 of the protocol document. */
public final class FrameType {
    /** The device says who it is. */
    public static final int HELLO = 1;
    /** The gateway takes it. */
    public static final int WELCOME = 2;
    /** Asks for a PONG of the same bytes. */
    public static final int PING = 3;
    /** Answers a PING, or is just a sign of life. */
    public static final int PONG = 4;
    /** A message. */
    public static final int DATA = 5;
    /** Says what became of a message. */
    public static final int ACK = 6;
    /** Leave soon. */
    public static final int GOAWAY = 7;
    /** The last frame. */
    public static final int CLOSE = 8;
    /** From a device: a newer token. From the gateway: how long the present one is good for. */
    public static final int AUTH = 9;

    /** Any type: the length has 32 bits. */
    public static final int FLAG_EXTENDED = 0x80;
    /** DATA: an ACK is wanted. */
    public static final int FLAG_ACK = 0x01;
    /** DATA: the payload is text. */
    public static final int FLAG_TEXT = 0x02;

    /** Longest payload of a PING or PONG, bytes. */
    public static final int MAX_PING_BYTES = 125;
    /** Longest text of a CLOSE, bytes. */
    public static final int MAX_CLOSE_TEXT_BYTES = 123;

    static final int MAX_HELLO_BYTES = 4_608;
    static final int MAX_AUTH_BYTES = 4_096;
    static final int MAX_ACK_BYTES = 64;
    static final int MAX_GOAWAY_BYTES = 512;
    static final int MESSAGE_ID_BYTES = 8;
    static final int HEADER_BYTES = 4;
    static final int EXTENDED_HEADER_BYTES = 8;

    private static final String[] NAMES = {
        "?", "HELLO", "WELCOME", "PING", "PONG", "DATA", "ACK", "GOAWAY", "CLOSE", "AUTH"
    };

    private FrameType() {}

    /** Whether the document names this type. */
    public static boolean isKnown(int type) {
        return type >= HELLO && type <= AUTH;
    }

    /** The name in the document, {@code "?"} for an unknown type. */
    public static String name(int type) {
        return isKnown(type) ? NAMES[type] : NAMES[0];
    }

    /** Flag bits, other than {@link #FLAG_EXTENDED}, that this type may have. */
    static int allowedFlags(int type) {
        return type == DATA ? FLAG_ACK | FLAG_TEXT : 0;
    }

    /** The largest frame of any type, header and all, that a gateway with this payload limit takes. */
    public static int maxFrameBytes(int maxPayloadBytes) {
        return EXTENDED_HEADER_BYTES + Math.max(MAX_HELLO_BYTES, maxPayloadBytes + MESSAGE_ID_BYTES);
    }

    static int maxBytes(int type, int maxPayloadBytes) {
        return switch (type) {
            case HELLO -> MAX_HELLO_BYTES;
            case PING, PONG -> MAX_PING_BYTES;
            case ACK -> MAX_ACK_BYTES;
            case CLOSE -> MAX_CLOSE_TEXT_BYTES + 2;
            case AUTH -> MAX_AUTH_BYTES;
            case DATA -> maxPayloadBytes + MESSAGE_ID_BYTES;
            default -> MAX_GOAWAY_BYTES;
        };
    }

    static int minBytes(int type) {
        return switch (type) {
            case DATA -> MESSAGE_ID_BYTES;
            case ACK -> MESSAGE_ID_BYTES + 1;
            case CLOSE -> 2;
            case AUTH -> 1;
            default -> 0;
        };
    }
}
