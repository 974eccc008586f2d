package io.heartwheel.protocol.websocket;

/** The first byte of a frame, RFC 6455 section 5.2. Pure functions; any thread. */
final class Opcode {
    static final int CONTINUATION = 0x0;
    static final int TEXT = 0x1;
    static final int BINARY = 0x2;
    static final int CLOSE = 0x8;
    static final int PING = 0x9;
    static final int PONG = 0xA;

    /** The last frame of its message. */
    static final int FIN = 0x80;
    /** The message is compressed, RFC 7692 section 6. */
    static final int RSV1 = 0x40;
    /** Bits that no extension we speak gives a meaning. */
    static final int RESERVED = 0x30;

    private static final int KNOWN = 1 << CONTINUATION | 1 << TEXT | 1 << BINARY | 1 << CLOSE | 1 << PING | 1 << PONG;

    private Opcode() {}

    static int of(int firstByte) {
        return firstByte & 0xF;
    }

    static boolean isKnown(int opcode) {
        return (KNOWN >>> opcode & 1) != 0;
    }

    static boolean isControl(int opcode) {
        return opcode >= CLOSE;
    }

    /** Whether a frame of any connection may begin with this byte. */
    static boolean mayBegin(int firstByte) {
        int opcode = of(firstByte);
        boolean whole = (firstByte & FIN) != 0 || !isControl(opcode);
        return (firstByte & RESERVED) == 0 && isKnown(opcode) && whole;
    }
}
