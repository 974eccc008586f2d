package io.heartwheel.loadgen.wire;

/** Frame types and flags, section 2 of the wire document. Plain numbers, so that the hot path compares bytes. */
public final class FrameType {

    public static final int HELLO = 0x01;
    public static final int WELCOME = 0x02;
    public static final int PING = 0x03;
    public static final int PONG = 0x04;
    public static final int DATA = 0x05;
    public static final int ACK = 0x06;
    public static final int GOAWAY = 0x07;
    public static final int CLOSE = 0x08;
    /** From a device a newer token, from the gateway what came of it, or a warning. */
    public static final int AUTH = 0x09;

    /** HELLO: the device understands AUTH. */
    public static final int FEATURE_AUTH = 0x01;

    /** DATA: the sender wants an ACK. */
    public static final int FLAG_ACK = 0x01;
    /** DATA: the payload is well-formed UTF-8. */
    public static final int FLAG_TEXT = 0x02;
    /** Any type: the length stands in 32 bits behind the short header. */
    public static final int FLAG_EXTENDED = 0x80;

    private static final String[] NAMES = {
        "?", "HELLO", "WELCOME", "PING", "PONG", "DATA", "ACK", "GOAWAY", "CLOSE", "AUTH"
    };

    /** Most bytes a PING or PONG carries. */
    public static final int MOST_PING = 125;

    private FrameType() {}

    /** The type's name for messages; {@code 0x6f} and the like for a number that is none. */
    public static String name(int type) {
        return type >= HELLO && type <= AUTH ? NAMES[type] : "0x" + Integer.toHexString(type);
    }

    /** Flag bits that may be set on this type besides {@link #FLAG_EXTENDED}. */
    static int allowedFlags(int type) {
        return type == DATA ? FLAG_ACK | FLAG_TEXT : 0;
    }

    /**
     * Largest payload in bytes. WELCOME has no limit in the document; a client must ignore bytes behind its fields, so it
     * gets that of HELLO.
     */
    static long payloadLimit(int type, int dataLimit) {
        return switch (type) {
            case HELLO, WELCOME -> 4_608;
            case AUTH -> 4_096;
            case PING, PONG, CLOSE -> MOST_PING;
            case ACK -> 64;
            case GOAWAY -> 512;
            default -> dataLimit + 8L;
        };
    }
}
