package io.heartwheel.loadgen.downlink;

import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.scenario.Addresses;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.wire.MqttCursor;
import io.heartwheel.loadgen.wire.MqttWriter;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Pushes by MQTT: a publisher with one connection, MQTT 3.1.1 (OASIS, 2014), QoS 0 or 1. A PUBLISH of QoS 1 is accepted when it is
 * acknowledged, one of QoS 0 when it is written. A connection that broke is not made again: what follows fails.
 */
final class MqttCalls implements PushCalls {

    private static final int KEEP_ALIVE_SECONDS = 60;
    private static final int QUIET_MILLIS = 20_000;
    private static final int MOST_PACKET = 1 << 20;
    private static final int READ_BYTES = 4_096;

    private final Downlink.Mqtt mqtt;
    private final Duration limit;
    private final Socket socket = new Socket();
    private final Map<Integer, CompletableFuture<PushAnswer>> pending = new ConcurrentHashMap<>();
    private final Object writing = new Object();
    private final MqttCursor packets = new MqttCursor(); // the reader's, after open
    private final ByteBuf in = Unpooled.buffer(); // likewise

    private int packetId; // guarded by writing
    private volatile String broken = "not connected";

    MqttCalls(Downlink.Mqtt mqtt, Duration limit) {
        this.mqtt = mqtt;
        this.limit = limit;
    }

    @Override
    public void open() throws IOException {
        try {
            socket.connect(Addresses.of(mqtt.address(), 1).orElseThrow(), (int) limit.toMillis());
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) limit.toMillis());
            ByteBuf connect = Unpooled.buffer();
            MqttWriter.connect(
                    connect, false, true, KEEP_ALIVE_SECONDS, mqtt.clientId(), mqtt.user(), mqtt.password(), 0);
            write(connect);
            next();
            int code = packets.type() == MqttCursor.CONNACK ? packets.readShort(in) & 0xFF : -1;
            if (code != 0) {
                throw new IOException(code < 0 ? "no CONNACK" : "refused with code " + code);
            }
            socket.setSoTimeout(QUIET_MILLIS);
            broken = "";
            Thread reader = new Thread(this::read, "push-mqtt");
            reader.setDaemon(true);
            reader.start();
        } catch (IOException | WireException e) {
            socket.close();
            throw new IOException("mqtt.address = " + mqtt.address() + ": " + e.getMessage(), e);
        }
    }

    private void write(ByteBuf packet) throws IOException {
        synchronized (writing) {
            packet.readBytes(socket.getOutputStream(), packet.readableBytes());
        }
    }

    /** Moves to the next packet; waits for it. */
    private void next() throws IOException {
        while (!packets.next(in, false, MOST_PACKET)) {
            in.discardReadBytes();
            if (in.writeBytes(socket.getInputStream(), READ_BYTES) < 0) {
                throw new EOFException("the broker hung up");
            }
        }
    }

    private void read() {
        try {
            while (true) {
                try {
                    next();
                } catch (SocketTimeoutException quiet) {
                    ByteBuf ping = Unpooled.buffer(MqttWriter.PINGREQ_BYTES);
                    MqttWriter.pingreq(ping);
                    write(ping);
                    continue;
                }
                CompletableFuture<PushAnswer> call =
                        packets.type() == MqttCursor.PUBACK ? pending.remove(packets.readPacketId(in)) : null;
                if (call != null) {
                    call.complete(new PushAnswer(Said.ACCEPTED, "PUBACK"));
                }
            }
        } catch (IOException | WireException e) {
            broken = String.valueOf(e.getMessage());
        }
        PushAnswer failed = PushAnswer.failed(broken);
        pending.values().forEach(call -> call.complete(failed));
    }

    @Override
    public CompletableFuture<PushAnswer> call(Push push) {
        CompletableFuture<PushAnswer> call = new CompletableFuture<>();
        int id = 0;
        try {
            byte[] topic = push.fill(mqtt.topic()).getBytes(StandardCharsets.UTF_8);
            if (topic.length > MqttWriter.LONGEST_FIELD) {
                throw new IOException(
                        "a topic of " + topic.length + " bytes: need at most " + MqttWriter.LONGEST_FIELD);
            }
            if (mqtt.qos() > 0) {
                id = nextId(call);
            }
            ByteBuf packet = Unpooled.buffer();
            MqttWriter.publish(packet, false, topic, mqtt.qos(), id, push.message().length);
            packet.writeBytes(push.message());
            // Asked behind the entry: the reader fails all entries it finds when the connection ends.
            if (!broken.isEmpty()) {
                call.complete(PushAnswer.failed(broken));
            } else {
                write(packet);
            }
            if (mqtt.qos() == 0) {
                call.complete(new PushAnswer(Said.ACCEPTED, "written"));
            }
        } catch (IOException e) {
            call.complete(PushAnswer.failed(String.valueOf(e.getMessage())));
        }
        int own = id;
        return call.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(failure -> PushAnswer.failed(failure, limit))
                .whenComplete((answer, failure) -> pending.remove(own, call));
    }

    /** The next identifier that no call under way has. */
    private int nextId(CompletableFuture<PushAnswer> call) {
        synchronized (writing) {
            do {
                packetId = packetId % 0xFFFF + 1;
            } while (pending.putIfAbsent(packetId, call) != null);
            return packetId;
        }
    }

    @Override
    public void close() {
        try (socket) {
            if (broken.isEmpty()) {
                ByteBuf disconnect = Unpooled.buffer(Short.BYTES);
                MqttWriter.disconnect(disconnect);
                write(disconnect);
            }
        } catch (IOException e) {
            // It is closed all the same.
        }
    }
}
