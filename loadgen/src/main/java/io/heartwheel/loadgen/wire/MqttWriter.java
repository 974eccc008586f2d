package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * The packets of an MQTT client, written straight into a buffer; PINGREQ, PUBLISH and PUBACK without allocating. Stateless:
 * any thread.
 */
public final class MqttWriter {

    /** Most bytes of a string or binary field. */
    public static final int LONGEST_FIELD = 0xFFFF;

    /** Most bytes of a fixed header. */
    public static final int LONGEST_HEADER = 5;
    /** Bytes of a PINGREQ. */
    public static final int PINGREQ_BYTES = 2;
    /** Bytes of a PUBACK without reason code. */
    public static final int PUBACK_BYTES = 4;

    private static final int VERSION_311 = 4;
    private static final int VERSION_5 = 5;
    private static final int SESSION_EXPIRY = 17;
    private static final byte[] PROTOCOL = {0, 4, 'M', 'Q', 'T', 'T'};

    private MqttWriter() {}

    /**
     * CONNECT without a will.
     *
     * @param clean Clean Session, in version 5 Clean Start
     * @param keepAliveSeconds 0..65535; 0: none
     * @param user empty: none; then there is no password either in 3.1.1 [MQTT-3.1.2-22]
     * @param sessionExpirySeconds in version 5, 0..4294967295; 0 is not sent
     */
    public static void connect(
            ByteBuf out,
            boolean version5,
            boolean clean,
            int keepAliveSeconds,
            String clientId,
            String user,
            String password,
            long sessionExpirySeconds) {
        byte[] id = bytes(clientId);
        byte[] userBytes = bytes(user);
        byte[] passwordBytes = bytes(password);
        int properties = version5 && sessionExpirySeconds > 0 ? 5 : 0;
        int length = PROTOCOL.length + 4 + (version5 ? 1 + properties : 0) + 2 + id.length;
        length += user.isEmpty() ? 0 : 2 + userBytes.length;
        length += password.isEmpty() ? 0 : 2 + passwordBytes.length;
        out.writeByte(MqttCursor.CONNECT << 4);
        variable(out, length);
        int flags = (user.isEmpty() ? 0 : 0x80) | (password.isEmpty() ? 0 : 0x40) | (clean ? 0x02 : 0);
        out.writeBytes(PROTOCOL)
                .writeByte(version5 ? VERSION_5 : VERSION_311)
                .writeByte(flags)
                .writeShort(keepAliveSeconds);
        if (version5) {
            out.writeByte(properties);
            if (properties > 0) {
                out.writeByte(SESSION_EXPIRY).writeInt((int) sessionExpirySeconds);
            }
        }
        field(out, id);
        if (!user.isEmpty()) {
            field(out, userBytes);
        }
        if (!password.isEmpty()) {
            field(out, passwordBytes);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void field(ByteBuf out, byte[] bytes) {
        out.writeShort(bytes.length).writeBytes(bytes);
    }

    /** Remaining length, or another variable byte integer, 0..268435455. */
    static void variable(ByteBuf out, int value) {
        int left = value;
        for (; left > 0x7F; left >>>= 7) {
            out.writeByte((left & 0x7F) | 0x80);
        }
        out.writeByte(left);
    }

    /** PINGREQ. */
    public static void pingreq(ByteBuf out) {
        out.writeShort(MqttCursor.PINGREQ << 12);
    }

    /**
     * PUBLISH without its payload: so many bytes are written next.
     *
     * @param packetId 1..65535 at QoS 1; at QoS 0 it is not sent
     */
    public static void publish(ByteBuf out, boolean version5, byte[] topic, int qos, int packetId, int payloadBytes) {
        out.writeByte(MqttCursor.PUBLISH << 4 | qos << 1);
        variable(out, publishOverhead(version5, topic, qos) + payloadBytes);
        field(out, topic);
        if (qos > 0) {
            out.writeShort(packetId);
        }
        if (version5) {
            out.writeByte(0);
        }
    }

    /** Bytes of a PUBLISH behind its fixed header and before its payload. */
    public static int publishOverhead(boolean version5, byte[] topic, int qos) {
        return 2 + topic.length + (qos > 0 ? 2 : 0) + (version5 ? 1 : 0);
    }

    /** PUBACK, success. */
    public static void puback(ByteBuf out, int packetId) {
        out.writeByte(MqttCursor.PUBACK << 4).writeByte(2).writeShort(packetId);
    }

    /** SUBSCRIBE to one topic filter; messages this client published come back too. */
    public static void subscribe(ByteBuf out, boolean version5, int packetId, String filter, int qos) {
        byte[] bytes = bytes(filter);
        out.writeByte(MqttCursor.SUBSCRIBE << 4 | 2);
        variable(out, 2 + (version5 ? 1 : 0) + 2 + bytes.length + 1);
        out.writeShort(packetId);
        if (version5) {
            out.writeByte(0);
        }
        field(out, bytes);
        out.writeByte(qos);
    }

    /** DISCONNECT, normal: the same bytes in both versions. */
    public static void disconnect(ByteBuf out) {
        out.writeShort(MqttCursor.DISCONNECT << 12);
    }
}
