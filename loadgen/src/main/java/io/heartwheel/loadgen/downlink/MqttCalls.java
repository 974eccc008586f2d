package io.heartwheel.loadgen.downlink;

import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.scenario.Addresses;
import io.heartwheel.loadgen.scenario.Downlink;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
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

    private static final int CONNECT = 0x10;
    private static final int CONNACK = 0x20;
    private static final int PUBLISH = 0x30;
    private static final int PUBACK = 0x40;
    private static final int PINGREQ = 0xC0;
    private static final int DISCONNECT = 0xE0;

    private static final int PROTOCOL_3_1_1 = 4;
    private static final int CLEAN = 0x02;
    private static final int WITH_PASSWORD = 0x40;
    private static final int WITH_USER = 0x80;
    private static final int KEEP_ALIVE_SECONDS = 60;
    private static final int QUIET_MILLIS = 20_000;
    private static final int MOST_PACKET = 1 << 20;

    private final Downlink.Mqtt mqtt;
    private final Duration limit;
    private final Socket socket = new Socket();
    private final Map<Integer, CompletableFuture<PushAnswer>> pending = new ConcurrentHashMap<>();
    private final Object writing = new Object();

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
            write(CONNECT, connect());
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            int type = in.readUnsignedByte();
            byte[] body = body(in);
            if (type != CONNACK || body.length < 2 || body[1] != 0) {
                throw new IOException(
                        type == CONNACK && body.length > 1 ? "refused with code " + body[1] : "no CONNACK");
            }
            socket.setSoTimeout(QUIET_MILLIS);
            broken = "";
            Thread reader = new Thread(() -> read(in), "push-mqtt");
            reader.setDaemon(true);
            reader.start();
        } catch (IOException e) {
            socket.close();
            throw new IOException("mqtt.address = " + mqtt.address() + ": " + e.getMessage(), e);
        }
    }

    private byte[] connect() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        int flags = CLEAN
                | (mqtt.user().isEmpty() ? 0 : WITH_USER)
                | (mqtt.password().isEmpty() ? 0 : WITH_PASSWORD);
        out.writeUTF("MQTT");
        out.writeByte(PROTOCOL_3_1_1);
        out.writeByte(flags);
        out.writeShort(KEEP_ALIVE_SECONDS);
        out.writeUTF(mqtt.clientId());
        if (!mqtt.user().isEmpty()) {
            out.writeUTF(mqtt.user());
        }
        if (!mqtt.password().isEmpty()) {
            byte[] password = mqtt.password().getBytes(StandardCharsets.UTF_8);
            out.writeShort(password.length);
            out.write(password);
        }
        return bytes.toByteArray();
    }

    private void write(int first, byte[] body) throws IOException {
        ByteArrayOutputStream packet = new ByteArrayOutputStream(body.length + 5);
        packet.write(first);
        int length = body.length;
        do {
            int digit = length & 0x7F;
            length >>>= 7;
            packet.write(length > 0 ? digit | 0x80 : digit);
        } while (length > 0);
        packet.write(body);
        synchronized (writing) {
            OutputStream out = socket.getOutputStream();
            packet.writeTo(out);
            out.flush();
        }
    }

    private static byte[] body(DataInputStream in) throws IOException {
        int length = 0;
        int shift = 0;
        int digit;
        do {
            digit = in.readUnsignedByte();
            length |= (digit & 0x7F) << shift;
            shift += 7;
        } while ((digit & 0x80) != 0 && shift < 28);
        if (length > MOST_PACKET) {
            throw new IOException("a packet of " + length + " bytes: need at most " + MOST_PACKET);
        }
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("the broker hung up");
        }
        return body;
    }

    private void read(DataInputStream in) {
        String end = "the broker hung up";
        try {
            while (!socket.isClosed()) {
                int type;
                try {
                    type = in.readUnsignedByte();
                } catch (SocketTimeoutException quiet) {
                    write(PINGREQ, new byte[0]);
                    continue;
                }
                byte[] body = body(in);
                if (type == PUBACK && body.length >= 2) {
                    int id = (body[0] & 0xFF) << 8 | (body[1] & 0xFF);
                    CompletableFuture<PushAnswer> call = pending.remove(id);
                    if (call != null) {
                        call.complete(new PushAnswer(Said.ACCEPTED, "PUBACK"));
                    }
                }
            }
        } catch (EOFException e) {
            // As it says already.
        } catch (IOException e) {
            end = String.valueOf(e.getMessage());
        }
        broken = end;
        PushAnswer failed = PushAnswer.failed(end);
        pending.values().forEach(call -> call.complete(failed));
    }

    @Override
    public CompletableFuture<PushAnswer> call(Push push) {
        CompletableFuture<PushAnswer> call = new CompletableFuture<>();
        int id = 0;
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeUTF(push.fill(mqtt.topic()));
            if (mqtt.qos() > 0) {
                id = nextId(call);
                out.writeShort(id);
            }
            out.write(push.message());
            // Asked behind the entry: the reader fails all entries it finds when the connection ends.
            if (!broken.isEmpty()) {
                call.complete(PushAnswer.failed(broken));
            } else {
                write(PUBLISH | mqtt.qos() << 1, bytes.toByteArray());
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
                write(DISCONNECT, new byte[0]);
            }
        } catch (IOException e) {
            // It is closed all the same.
        }
    }
}
