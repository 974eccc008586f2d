package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;

/**
 * The properties of an MQTT 5 packet (section 2.2.2): all are checked; those that tell a client what to do are kept until
 * the next ones are read. Allocates for strings that are asked for, and for nothing else. Belongs to its cursor.
 */
public final class MqttProperties {

    private static final int ASSIGNED_CLIENT_ID = 18;
    private static final int SERVER_KEEP_ALIVE = 19;
    private static final int SERVER_REFERENCE = 28;
    private static final int REASON_STRING = 31;
    private static final int RECEIVE_MAXIMUM = 33;
    private static final int TOPIC_ALIAS = 35;
    private static final int MAXIMUM_QOS = 36;
    private static final int USER_PROPERTY = 38;
    private static final int MAXIMUM_PACKET_SIZE = 39;
    private static final int SUBSCRIPTION_ID = 11;

    /** By identifier: b byte, s two bytes, i four, v variable, t text, d data, p pair of texts; a space: there is none. */
    private static final String KINDS = " bit    td v     its tdbibt t  t sssbbpibbb";

    private static final long ANYWHERE = bits(REASON_STRING, USER_PROPERTY);
    private static final long OF_CONNACK =
            ANYWHERE | bits(17, 18, 19, 21, 22, 26, 28, RECEIVE_MAXIMUM, 34, MAXIMUM_QOS, 37, 39, 40, 41, 42);
    private static final long OF_PUBLISH = bits(1, 2, 3, 8, 9, SUBSCRIPTION_ID, TOPIC_ALIAS, USER_PROPERTY);
    private static final long OF_DISCONNECT = ANYWHERE | bits(SERVER_REFERENCE);
    private static final long OF_AUTH = ANYWHERE | bits(21, 22);
    /** These may come more than once. */
    private static final long REPEATED = bits(USER_PROPERTY, SUBSCRIPTION_ID);

    private final MqttCursor cursor;
    private final long[] numbers = new long[KINDS.length()];
    private final int[] textAt = new int[KINDS.length()];
    private long seen;

    MqttProperties(MqttCursor cursor) {
        this.cursor = cursor;
    }

    private static long bits(int... identifiers) {
        long bits = 0;
        for (int identifier : identifiers) {
            bits |= 1L << identifier;
        }
        return bits;
    }

    /** Reads those that the cursor stands before. */
    void read(ByteBuf in) {
        seen = 0;
        int length = cursor.readVariable(in);
        if (length > cursor.left()) {
            throw MqttCursor.malformed(
                    cursor.name() + " with " + length + " bytes of properties, " + cursor.left() + " left");
        }
        int until = cursor.left() - length;
        long allowed = allowed(cursor.type());
        while (cursor.left() > until) {
            int identifier = cursor.readVariable(in);
            if (identifier >= KINDS.length() || (allowed & 1L << identifier) == 0) {
                throw MqttCursor.malformed(cursor.name() + " with property " + identifier);
            }
            long bit = 1L << identifier;
            if ((seen & bit & ~REPEATED) != 0) {
                throw breach(identifier, " twice");
            }
            seen |= bit;
            value(in, identifier);
        }
        if (cursor.left() != until) {
            throw MqttCursor.malformed(cursor.name() + " with a property over the end of the properties");
        }
    }

    private static long allowed(int type) {
        return switch (type) {
            case MqttCursor.CONNACK -> OF_CONNACK;
            case MqttCursor.PUBLISH -> OF_PUBLISH;
            case MqttCursor.DISCONNECT -> OF_DISCONNECT;
            case MqttCursor.AUTH -> OF_AUTH;
            default -> ANYWHERE;
        };
    }

    private void value(ByteBuf in, int identifier) {
        switch (KINDS.charAt(identifier)) {
            case 'b' -> numbers[identifier] = flag(identifier, cursor.readByte(in));
            case 's' -> numbers[identifier] = cursor.readShort(in);
            case 'i' -> numbers[identifier] = cursor.readInt(in);
            case 'v' -> numbers[identifier] = cursor.readVariable(in);
            case 'p' -> {
                cursor.skipField(in);
                cursor.skipField(in);
            }
            default -> {
                textAt[identifier] = cursor.at() + Short.BYTES;
                numbers[identifier] = cursor.skipField(in);
            }
        }
        boolean mustNotBeZero = identifier == RECEIVE_MAXIMUM
                || identifier == MAXIMUM_PACKET_SIZE
                || identifier == TOPIC_ALIAS
                || identifier == SUBSCRIPTION_ID;
        if (mustNotBeZero && numbers[identifier] == 0) {
            throw breach(identifier, " of 0: need over 0");
        }
    }

    private long flag(int identifier, int value) {
        if (value > 1) {
            throw breach(identifier, " of " + value + ": need 0 or 1");
        }
        return value;
    }

    private WireException breach(int identifier, String what) {
        return new WireException(MqttCodes.PROTOCOL_ERROR, cursor.name() + " with property " + identifier + what);
    }

    private long number(int identifier, long otherwise) {
        return (seen & 1L << identifier) == 0 ? otherwise : numbers[identifier];
    }

    private String text(ByteBuf in, int identifier) {
        return (seen & 1L << identifier) == 0 ? "" : MqttCursor.text(in, textAt[identifier], (int) numbers[identifier]);
    }

    /** CONNACK: keep-alive to use instead of the one asked for, seconds, 0..65535; below 0: none is told. */
    public int serverKeepAliveSeconds() {
        return (int) number(SERVER_KEEP_ALIVE, -1);
    }

    /** CONNACK: how many messages at QoS 1 may wait for their PUBACK, 1..65535. */
    public int receiveMaximum() {
        return (int) number(RECEIVE_MAXIMUM, 0xFFFF);
    }

    /** CONNACK: the highest QoS of a message that the server takes, 0..2. */
    public int maximumQos() {
        return (int) number(MAXIMUM_QOS, 2);
    }

    /** CONNACK: largest packet that the server takes, bytes. */
    public long maximumPacketSize() {
        return number(MAXIMUM_PACKET_SIZE, Integer.MAX_VALUE);
    }

    /** PUBLISH: the alias of its topic, 1..65535; 0: none. */
    public int topicAlias() {
        return (int) number(TOPIC_ALIAS, 0);
    }

    /** CONNACK: the client id that the server chose; empty: none. */
    public String assignedClientId(ByteBuf in) {
        return text(in, ASSIGNED_CLIENT_ID);
    }

    /** The reason in words; empty: none. */
    public String reason(ByteBuf in) {
        return text(in, REASON_STRING);
    }
}
