package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Cursor over the packets that an MQTT server sent; neither copies nor allocates. Reads a packet's fields
 * one after the other. Serves both versions, 3.1.1 (OASIS, 2014) and 5.0 (OASIS, 2019). One cursor serves all connections
 * of an event loop; not safe for several threads.
 *
 * <pre>
 *   | type, flags | remaining length, 1..4 bytes | fields and payload ... | type, flags | ...
 *                                                ^at            ^end = reader index after next()
 * </pre>
 */
public final class MqttCursor {

    public static final int CONNECT = 1;
    public static final int CONNACK = 2;
    public static final int PUBLISH = 3;
    public static final int PUBACK = 4;
    public static final int SUBSCRIBE = 8;
    public static final int SUBACK = 9;
    public static final int PINGREQ = 12;
    public static final int PINGRESP = 13;
    public static final int DISCONNECT = 14;
    public static final int AUTH = 15;

    private static final int PUBREL = 6;
    private static final int MOST_LENGTH_BYTES = 4;
    private static final String[] NAMES =
            ("packet type 0,CONNECT,CONNACK,PUBLISH,PUBACK,PUBREC,PUBREL,PUBCOMP,SUBSCRIBE,SUBACK,"
                            + "UNSUBSCRIBE,UNSUBACK,PINGREQ,PINGRESP,DISCONNECT,AUTH")
                    .split(",", -1);

    private int type;
    private int flags;
    private int at;
    private int end;

    private final MqttProperties properties = new MqttProperties(this);

    /**
     * Moves to the next packet if it is wholly there. The fixed header is judged as soon as it is readable.
     *
     * @param in bytes from the server; the reader index moves behind the packet, or stays when it is incomplete
     * @param version5 which of the two versions was agreed on
     * @param limit largest remaining length taken, bytes
     * @return false when more bytes are needed
     * @throws WireException for what a server must not send; cursor and buffer are then of no use
     */
    public boolean next(ByteBuf in, boolean version5, int limit) {
        int readable = in.readableBytes();
        if (readable == 0) {
            return false;
        }
        int start = in.readerIndex();
        int first = in.getUnsignedByte(start);
        checkFirstByte(first, version5);
        int length = 0;
        int bytes = 1;
        for (int digit = 0x80; (digit & 0x80) != 0; bytes++) {
            if (bytes > MOST_LENGTH_BYTES) {
                throw malformed("remaining length in more than 4 bytes");
            }
            if (readable <= bytes) {
                return false;
            }
            digit = in.getUnsignedByte(start + bytes);
            length |= (digit & 0x7F) << (7 * (bytes - 1));
            if (version5 && bytes > 1 && digit == 0) {
                throw malformed("remaining length " + length + " in " + bytes + " bytes: need the fewest");
            }
        }
        checkLength(first >>> 4, length, version5, limit);
        if (readable - bytes < length) {
            return false;
        }
        type = first >>> 4;
        flags = first & 0x0F;
        at = start + bytes;
        end = at + length;
        in.readerIndex(end);
        return true;
    }

    private static void checkFirstByte(int first, boolean version5) {
        int type = first >>> 4;
        int flags = first & 0x0F;
        boolean fromServer =
                switch (type) {
                    case 0, CONNECT, SUBSCRIBE, 10, PINGREQ -> false;
                    case DISCONNECT, AUTH -> version5;
                    default -> true;
                };
        if (!fromServer) {
            throw new WireException(MqttCodes.PROTOCOL_ERROR, NAMES[type] + " from the server");
        }
        boolean right =
                switch (type) {
                    // QoS 3 is none, and a message at QoS 0 is never a duplicate [MQTT-3.3.1-2, 3.3.1-4].
                    case PUBLISH -> (flags & 0x06) != 0x06 && (flags & 0x0E) != 0x08;
                    case PUBREL -> flags == 2;
                    default -> flags == 0;
                };
        if (!right) {
            throw malformed(NAMES[type] + " with flags 0x" + Integer.toHexString(flags));
        }
    }

    private static void checkLength(int type, int length, boolean version5, int limit) {
        if (length > limit) {
            throw new WireException(
                    MqttCodes.PACKET_TOO_LARGE, NAMES[type] + " of " + length + " bytes: at most " + limit);
        }
        boolean right =
                switch (type) {
                    case PINGRESP -> length == 0;
                    // a server that speaks 3.1.1 alone refuses a client of version 5 in its own way: with 2 bytes
                    case CONNACK -> version5 ? length >= 2 : length == 2;
                    case PUBLISH, SUBACK -> length >= 3;
                    case DISCONNECT, AUTH -> true;
                    default -> version5 ? length >= 2 : length == 2;
                };
        if (!right) {
            throw malformed(NAMES[type] + " with a remaining length of " + length);
        }
    }

    static WireException malformed(String what) {
        return new WireException(MqttCodes.MALFORMED_PACKET, what);
    }

    // ---- the packet it stands on

    /** Packet type, one of the constants. */
    public int type() {
        return type;
    }

    /** The packet type's name. */
    public String name() {
        return NAMES[type];
    }

    /** PUBLISH: 0, 1 or 2. */
    public int qos() {
        return flags >>> 1 & 3;
    }

    /** PUBLISH: whether it was sent before. */
    public boolean duplicate() {
        return (flags & 8) != 0;
    }

    /** PUBLISH: whether it is one that the server kept. */
    public boolean retained() {
        return (flags & 1) != 0;
    }

    /** Index of the first byte not read yet, in the buffer last stepped through. */
    public int at() {
        return at;
    }

    /** Bytes of the packet not read yet. */
    public int left() {
        return end - at;
    }

    // ---- its fields, in their order

    /** The next byte. */
    public int readByte(ByteBuf in) {
        return in.getUnsignedByte(skip(1));
    }

    /** The next two. */
    public int readShort(ByteBuf in) {
        return in.getUnsignedShort(skip(2));
    }

    long readInt(ByteBuf in) {
        return in.getUnsignedInt(skip(4));
    }

    /** A packet identifier, 1..65535. */
    public int readPacketId(ByteBuf in) {
        int id = readShort(in);
        if (id == 0) {
            throw new WireException(MqttCodes.PROTOCOL_ERROR, name() + " with packet identifier 0");
        }
        return id;
    }

    /** Passes over a string or binary field; its length stands in front of it and is answered. */
    public int skipField(ByteBuf in) {
        int length = readShort(in);
        skip(length);
        return length;
    }

    /** Passes over so many bytes; answers where they begin. */
    public int skip(int bytes) {
        if (end - at < bytes) {
            throw malformed(name() + " ends within a field: " + bytes + " bytes needed, " + (end - at) + " left");
        }
        int begin = at;
        at += bytes;
        return begin;
    }

    int readVariable(ByteBuf in) {
        int value = 0;
        for (int shift = 0; shift < 28; shift += 7) {
            int digit = readByte(in);
            value |= (digit & 0x7F) << shift;
            if (digit < 0x80) {
                return value;
            }
        }
        throw malformed(name() + " with a variable byte integer of more than 4 bytes");
    }

    /** Reads the properties that follow, for the getters of {@link MqttProperties}; in version 5 alone. */
    public MqttProperties readProperties(ByteBuf in) {
        properties.read(in);
        return properties;
    }

    /** The text that lies there, well-formed UTF-8 [MQTT-1.5.4-1]. */
    static String text(ByteBuf in, int at, int length) {
        try {
            ByteBuffer bytes = in.nioBuffer(at, length);
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw malformed("a string that is not UTF-8");
        }
    }
}
