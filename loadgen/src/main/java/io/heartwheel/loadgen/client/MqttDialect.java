package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.MqttCodes;
import io.heartwheel.loadgen.wire.MqttCursor;
import io.heartwheel.loadgen.wire.MqttProperties;
import io.heartwheel.loadgen.wire.MqttWriter;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * MQTT 3.1.1 or 5 over TCP, as a client. The heartbeat is PINGREQ, its answer PINGRESP, which carries no number: the oldest
 * that can still be meant is taken to be answered. A message is a PUBLISH; at QoS 1 PUBACK acknowledges it. Used by one
 * event loop alone.
 *
 * <pre>
 *   CONNECT --&gt;   &lt;-- CONNACK   [ SUBSCRIBE --&gt;   &lt;-- SUBACK ]   open
 * </pre>
 *
 * <p>What a connection was granted is a {@link Terms}; nearly all have the same ones, so they share one.
 */
public final class MqttDialect extends Dialect {

    private static final long SECOND_MILLIS = 1_000;
    private static final int FAILURE = 0x80;
    private static final int MOST_RETURN_CODE = 5;
    private static final int MOST_PACKET_ID = 0xFFFF;
    private static final int SUBSCRIBE_ID = 1;
    /** Of an unfinished packet: some servers take the progress of a larger one for a sign of life. */
    private static final int UNFINISHED_BYTES = 900;

    private static final int FLOOD_BYTES = 1_024;
    private static final int LEAST_KEEP_ALIVE = 1;

    private final MqttSettings settings;
    private final MqttCursor packets = new MqttCursor();
    /** By device: client ids that the server chose. */
    private final Map<Integer, String> assigned = new HashMap<>();

    private @Nullable Terms latest;

    /**
     * Granted properties of a connection; while it is not open, the expected ones.
     *
     * @param subscribes whether it is open only when a SUBACK has come
     * @param keepAliveSeconds 0: none
     * @param underWay how many messages may wait for their PUBACK
     * @param packetBytes largest packet that the server takes
     * @param qos of messages, 0 or 1
     */
    private record Terms(boolean subscribes, int keepAliveSeconds, int underWay, long packetBytes, int qos) {}

    /** Speaks so. */
    public MqttDialect(MqttSettings settings) {
        super(
                settings.qos() > 0
                        ? EnumSet.complementOf(EnumSet.of(Trait.ANSWERS_EACH, Trait.RENEWS))
                        : EnumSet.of(Trait.GREETS, Trait.ANSWERS_BEATS, Trait.CARRIES_MESSAGES));
        this.settings = settings;
    }

    // ---- the way up

    /** Rounded up to whole seconds. */
    private static int keepAliveSeconds(DeviceConnection connection) {
        long seconds = (connection.wantedMillis() + SECOND_MILLIS - 1) / SECOND_MILLIS;
        return (int) Math.min(MqttSettings.MOST_KEEP_ALIVE, Math.max(LEAST_KEEP_ALIVE, seconds));
    }

    @Override
    void greet(DeviceConnection connection) {
        String clientId = settings.clientId().of(connection);
        String user = settings.user().of(connection);
        String password = settings.password().of(connection);
        String known = clientId.isEmpty() && !assigned.isEmpty() ? assigned.get(connection.index()) : null;
        ByteBuf out = connection.buffer(64 + 3 * (clientId.length() + user.length() + password.length()));
        MqttWriter.connect(
                out,
                settings.version5(),
                settings.clean(),
                keepAliveSeconds(connection),
                known == null ? clientId : known,
                user,
                password,
                settings.sessionExpirySeconds());
        connection.send(out);
    }

    private void connack(DeviceConnection connection, ByteBuf in) {
        if (connection.state() != null) {
            throw broken("a second CONNACK");
        }
        int flags = packets.readByte(in);
        int code = packets.readByte(in);
        if (flags > 1) {
            throw broken("CONNACK with flags 0x" + Integer.toHexString(flags));
        }
        boolean refused = code != 0;
        if (refused && flags != 0) {
            connection.violated("CONNACK that refuses with session present");
        }
        if (settings.version5() && packets.left() > 0) {
            accepted(connection, in, flags == 1, code);
        } else if (settings.version5() && code != 1) {
            throw broken("CONNACK of 2 bytes to a client of version 5");
        } else if (code > MOST_RETURN_CODE) {
            throw broken("CONNACK with return code " + code);
        } else if (refused) {
            refused(connection, code, "");
        } else {
            present(connection, flags == 1);
            granted(connection, keepAliveSeconds(connection), MOST_PACKET_ID, Long.MAX_VALUE, settings.qos());
        }
    }

    private void accepted(DeviceConnection connection, ByteBuf in, boolean sessionPresent, int code) {
        MqttProperties told = packets.readProperties(in);
        if (code != 0) {
            refused(connection, code, told.reason(in));
            return;
        }
        present(connection, sessionPresent);
        String clientId = told.assignedClientId(in);
        if (!clientId.isEmpty()) {
            assigned.put(connection.index(), clientId);
        }
        int keepAlive =
                told.serverKeepAliveSeconds() >= 0 ? told.serverKeepAliveSeconds() : keepAliveSeconds(connection);
        int qos = Math.min(settings.qos(), told.maximumQos());
        granted(connection, keepAlive, told.receiveMaximum(), told.maximumPacketSize(), qos);
    }

    /** Who wants a clean session has none [MQTT-3.2.2-1, in version 5 3.2.2-2]. */
    private void present(DeviceConnection connection, boolean sessionPresent) {
        if (sessionPresent && settings.clean()) {
            connection.violated("CONNACK with session present to a client that asked for a clean one");
        }
    }

    private static void refused(DeviceConnection connection, int code, String reason) {
        connection.closed(code, reason);
        connection.hangUp();
    }

    private void granted(DeviceConnection connection, int keepAlive, int underWay, long packetBytes, int qos) {
        Terms terms = new Terms(!settings.filter().isEmpty(), keepAlive, underWay, packetBytes, qos);
        if (!terms.subscribes) {
            open(connection, terms);
            return;
        }
        connection.state(terms);
        String filter = settings.filter().of(connection);
        ByteBuf out = connection.buffer(16 + 3 * filter.length());
        MqttWriter.subscribe(out, settings.version5(), SUBSCRIBE_ID, filter, settings.qos());
        connection.send(out);
    }

    private void suback(DeviceConnection connection, ByteBuf in) {
        Terms terms = terms(connection);
        int id = packets.readPacketId(in);
        if (!terms.subscribes || connection.isOpen() || id != SUBSCRIBE_ID) {
            throw broken("SUBACK of packet identifier " + id + " that was not sent");
        }
        if (settings.version5()) {
            packets.readProperties(in);
        }
        int codes = packets.left();
        int code = packets.readByte(in);
        if (codes != 1) {
            throw broken("SUBACK with " + codes + " codes for one topic filter");
        }
        if (code >= FAILURE) {
            refused(connection, code, "SUBACK");
        } else if (code > settings.qos()) {
            throw broken("SUBACK that grants QoS " + code + ": asked for " + settings.qos());
        } else {
            open(connection, terms);
        }
    }

    private void open(DeviceConnection connection, Terms granted) {
        Terms same = latest;
        Terms terms = same != null && same.equals(granted) ? same : granted;
        latest = terms;
        connection.state(terms);
        int seconds = terms.keepAliveSeconds == 0 ? MqttSettings.MOST_KEEP_ALIVE : terms.keepAliveSeconds;
        int grace = contract().graceHundredths();
        connection.opened(
                contract().intervalMillis() > 0 ? contract().intervalMillis() : seconds * SECOND_MILLIS,
                grace > 0 ? grace : connection.loopContext().deviceDefaults.graceHundredths());
    }

    private static Terms terms(DeviceConnection connection) {
        return (Terms) Objects.requireNonNull(connection.state());
    }

    @Override
    boolean acknowledges(DeviceConnection connection) {
        return terms(connection).qos > 0;
    }

    @Override
    int mostUnderWay(DeviceConnection connection) {
        return terms(connection).underWay;
    }

    // ---- what comes in

    @Override
    void read(DeviceConnection connection, ByteBuf in) {
        while (connection.listening() && packets.next(in, settings.version5(), LARGEST)) {
            on(connection, in);
        }
    }

    private void on(DeviceConnection connection, ByteBuf in) {
        int type = packets.type();
        if (connection.state() == null && type != MqttCursor.CONNACK) {
            throw broken(packets.name() + " before CONNACK");
        }
        switch (type) {
            case MqttCursor.PINGRESP -> connection.answeredNext();
            case MqttCursor.PUBACK -> puback(connection, in);
            case MqttCursor.PUBLISH -> publish(connection, in);
            case MqttCursor.CONNACK -> connack(connection, in);
            case MqttCursor.SUBACK -> suback(connection, in);
            case MqttCursor.DISCONNECT -> disconnect(connection, in);
            default -> throw broken(packets.name() + " that nothing was sent for");
        }
    }

    private static WireException broken(String what) {
        return new WireException(MqttCodes.PROTOCOL_ERROR, what);
    }

    private void disconnect(DeviceConnection connection, ByteBuf in) {
        int code = packets.left() == 0 ? 0 : packets.readByte(in);
        String reason = packets.left() == 0 ? "" : packets.readProperties(in).reason(in);
        connection.closed(code == 0 ? MqttCodes.NORMAL_DISCONNECTION : code, reason);
    }

    /** Whoever floods the server with PINGREQ is answered as often, and counts nothing. */
    @Override
    void answeredTooOften(DeviceConnection connection) {
        if (!connection.quiet()) {
            connection.violated("PINGRESP that no PINGREQ asked for");
        }
    }

    private void puback(DeviceConnection connection, ByteBuf in) {
        int packetId = packets.readPacketId(in);
        int code = packets.left() == 0 ? 0 : packets.readByte(in);
        if (packets.left() > 0) {
            packets.readProperties(in);
        }
        connection
                .messages()
                .acknowledged(messageId(packetId, connection.messages().newest()), code < FAILURE);
    }

    /** Packet identifiers count from 1 to 65535 and begin again. */
    private static int packetId(long messageId) {
        return (int) ((messageId - 1) % MOST_PACKET_ID) + 1;
    }

    /** The newest message that was sent under this packet identifier; above the newest when none was. */
    private static long messageId(int packetId, long newest) {
        long id = newest - Math.floorMod(newest - packetId, (long) MOST_PACKET_ID);
        return id >= 1 ? id : newest + packetId;
    }

    private void publish(DeviceConnection connection, ByteBuf in) {
        int qos = packets.qos();
        int topicAt = packets.at() + Short.BYTES;
        int topicBytes = packets.skipField(in);
        int packetId = qos > 0 ? packets.readPacketId(in) : 0;
        int alias = settings.version5() ? packets.readProperties(in).topicAlias() : 0;
        if (qos > settings.qos() || settings.filter().isEmpty()) {
            throw broken("PUBLISH at QoS " + qos + ": subscribed "
                    + (settings.filter().isEmpty() ? "to nothing" : "at " + settings.qos()));
        }
        if (alias > 0) {
            throw broken("topic alias " + alias + ": 0 were allowed");
        }
        if (qos > 0 && !connection.quiet()) {
            ByteBuf out = connection.buffer(MqttWriter.PUBACK_BYTES);
            MqttWriter.puback(out, packetId);
            connection.send(out);
        }
        String topic = in.toString(topicAt, topicBytes, StandardCharsets.UTF_8);
        if (MqttTopics.matches(settings.filter().of(connection), topic)) {
            if (!packets.retained() && !connection.pushed(in, packets.at(), packets.left())) {
                message(connection, in, topic);
            }
        } else if (!misdelivered(connection, in)) {
            connection.violated("PUBLISH to " + topic + ", which it did not subscribe to");
            connection.pushed(in, packets.at(), packets.left());
        }
    }

    private boolean misdelivered(DeviceConnection connection, ByteBuf in) {
        return packets.left() >= Long.BYTES
                && connection.messages().misdelivered(in, packets.at() + Long.BYTES, packets.left() - Long.BYTES);
    }

    /**
     * One that begins with the id of ours is ours; any other is somebody else's, or of another run, as where devices share a topic. What came back
     * on an earlier connection may come again as a duplicate: its PUBACK may have been lost.
     */
    private void message(DeviceConnection connection, ByteBuf in, String topic) {
        if (packets.left() < Long.BYTES || !topic.equals(settings.topic().of(connection))) {
            return;
        }
        long id = connection.ownId(in.getLong(packets.at()));
        boolean ofOthers = !settings.topic().isIndividual()
                && (id < 1 || id > connection.messages().newest());
        if (!ofOthers && !(packets.duplicate() && connection.messages().cameBackEarlier(id))) {
            connection.messages().received(id, false, in, packets.at() + Long.BYTES, packets.left() - Long.BYTES);
        }
    }

    @Override
    public String wireId(int index, DeviceDefaults defaults) {
        return settings.clientId().isEmpty()
                ? super.wireId(index, defaults)
                : settings.clientId().of(index, defaults);
    }

    // ---- what goes out

    @Override
    void beat(DeviceConnection connection, int sequence) {
        ByteBuf out = connection.buffer(MqttWriter.PINGREQ_BYTES);
        MqttWriter.pingreq(out);
        connection.send(out);
    }

    private byte[] topic(DeviceConnection connection) {
        return settings.topic().of(connection).getBytes(StandardCharsets.UTF_8);
    }

    /** Begins a PUBLISH of this many bytes that are written next; at QoS 1 under the packet identifier of this message. */
    private ByteBuf publishing(DeviceConnection connection, int qos, long id, int bytes) {
        byte[] topic = topic(connection);
        ByteBuf out = connection.buffer(
                MqttWriter.LONGEST_HEADER + MqttWriter.publishOverhead(settings.version5(), topic, qos) + bytes);
        MqttWriter.publish(out, settings.version5(), topic, qos, packetId(id), bytes);
        return out;
    }

    @Override
    int mostBytes(DeviceConnection connection) {
        Terms terms = terms(connection);
        long most = terms.packetBytes
                - MqttWriter.LONGEST_HEADER
                - Long.BYTES
                - MqttWriter.publishOverhead(settings.version5(), topic(connection), terms.qos);
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, most));
    }

    @Override
    void data(DeviceConnection connection, long id, int bytes) {
        ByteBuf out = publishing(connection, terms(connection).qos, id, Long.BYTES + bytes);
        connection.content(out.writeLong(connection.wireId(id)), id, bytes);
        connection.send(out);
    }

    /** Whether each PINGREQ may bring more than a PINGRESP: then messages do. */
    @Override
    void flood(DeviceConnection connection) {
        if (settings.filter().isEmpty()) {
            ByteBuf out = connection.buffer(FLOOD * MqttWriter.PINGREQ_BYTES);
            for (int i = 0; i < FLOOD; i++) {
                MqttWriter.pingreq(out);
            }
            connection.sendUnnoted(out);
            return;
        }
        for (int i = 0; i < FLOOD; i++) {
            connection.sendUnnoted(publishing(connection, 0, 1, FLOOD_BYTES).writeZero(FLOOD_BYTES));
        }
    }

    @Override
    int unfinishedBytes() {
        return UNFINISHED_BYTES;
    }

    @Override
    void beginUnfinished(DeviceConnection connection, int bytes) {
        connection.sendUnnoted(publishing(connection, 0, 1, bytes));
    }

    @Override
    void leave(DeviceConnection connection) {
        ByteBuf out = connection.buffer(Short.BYTES);
        MqttWriter.disconnect(out);
        connection.sendLast(out);
    }

    // ---- codes

    @Override
    boolean staysAway(int code) {
        return MqttCodes.staysAway(code);
    }

    @Override
    public String codeName(int code) {
        return MqttCodes.name(code);
    }
}
