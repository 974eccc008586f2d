package io.heartwheel.loadgen.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Values of the message in hand: its connection, and what was found in it. One object serves all messages of an event loop,
 * so that none of them costs anything. Owner: that loop.
 */
final class FramedValues {

    private static final long SECOND_MILLIS = 1_000;
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    int begin;
    int bodyFrom;
    int bodyUntil;
    int lengthAt;
    long length;
    /** What an answer says it answers; below 0: it does not say. */
    long counter;

    long modulus;
    int code;
    long intervalMillis;
    int payloadAt;
    int payloadUntil;
    boolean payloadHex;
    /** Why a message that looked right is not; empty: nothing is known. */
    String complaint = "";

    private final Template template;
    private final StringBuilder id = new StringBuilder();
    private final ByteBuf scratch = Unpooled.buffer(256);
    private final byte[] clock = new byte[FramedPart.Clock.BYTES];
    private long clockSecond = -1;
    private final int[] takenAt;
    private final int[] takenLength;
    private @Nullable DeviceConnection connection;
    private @Nullable DeviceDefaults sampleDeviceDefaults;
    private int sampleNumber;
    private @Nullable FramedState state;
    private byte[] payload = new byte[0];

    /** @param captures most of a connection */
    FramedValues(Template id, int captures) {
        this.template = id;
        this.takenAt = new int[captures];
        this.takenLength = new int[captures];
    }

    /** The next message is one of this connection. */
    FramedValues of(DeviceConnection whose, FramedState remembered) {
        connection = whose;
        state = remembered;
        id.setLength(0);
        return this;
    }

    /** The next message is made for nobody, as the device with this number would say it. */
    void sampleOf(int number, DeviceDefaults deviceDefaults) {
        sampleNumber = number;
        sampleDeviceDefaults = deviceDefaults;
        id.setLength(0);
    }

    /** It carries these bytes. */
    FramedValues carrying(byte[] bytes) {
        payload = bytes;
        return this;
    }

    /** Nothing was found yet. */
    void clear() {
        counter = -1;
        modulus = 0;
        code = 0;
        intervalMillis = 0;
        lengthAt = -1;
        payloadAt = -1;
        Arrays.fill(takenLength, -1);
    }

    DeviceConnection connection() {
        DeviceConnection whose = connection;
        if (whose == null) {
            throw new IllegalStateException("a message of nobody");
        }
        return whose;
    }

    CharSequence id() {
        if (id.isEmpty()) {
            if (sampleDeviceDefaults == null) {
                template.append(id, connection());
            } else {
                template.append(id, sampleNumber, sampleDeviceDefaults, sampleDeviceDefaults.wantedMillis());
            }
        }
        return id;
    }

    ByteBuf scratch() {
        return scratch.clear();
    }

    long number(FramedPart.Numeral.What what) {
        return switch (what) {
            case COUNTER -> state == null ? 0 : state.next();
            case NUMBER -> sampleDeviceDefaults == null ? connection().index() : sampleNumber;
            case SECONDS -> wallMillis() / SECOND_MILLIS;
            case MILLIS -> wallMillis();
            case INTERVAL_S -> wantedMillis() / SECOND_MILLIS;
            case INTERVAL_MS -> wantedMillis();
            default -> 0;
        };
    }

    private long wallMillis() {
        return sampleDeviceDefaults == null ? connection().loopContext().clock.wallMillis() : 0;
    }

    private long wantedMillis() {
        return sampleDeviceDefaults == null ? connection().wantedMillis() : sampleDeviceDefaults.wantedMillis();
    }

    /** The time of day, two digits a byte; made anew once a second. */
    byte[] clock() {
        long second = wallMillis() / SECOND_MILLIS;
        if (second != clockSecond) {
            clockSecond = second;
            LocalDateTime now = LocalDateTime.ofInstant(Instant.ofEpochSecond(second), ZoneId.systemDefault());
            int[] parts = {
                now.getYear() % 100,
                now.getMonthValue(),
                now.getDayOfMonth(),
                now.getHour(),
                now.getMinute(),
                now.getSecond()
            };
            for (int i = 0; i < clock.length; i++) {
                clock[i] = (byte) (((parts[i] / 10) << 4) | (parts[i] % 10));
            }
        }
        return clock;
    }

    void writePayload(ByteBuf out, boolean hex) {
        if (!hex) {
            out.writeBytes(payload);
            return;
        }
        for (byte next : payload) {
            out.writeByte(HEX[next >>> 4 & 15]).writeByte(HEX[next & 15]);
        }
    }

    /** What the message that came carries: from the payload's place in it, or decoded, from the beginning of another buffer. */
    ByteBuf content(ByteBuf in) {
        if (!payloadHex) {
            return in;
        }
        ByteBuf decoded = scratch();
        for (int at = payloadAt; at < payloadUntil; at += 2) {
            int high = Character.digit(in.getUnsignedByte(at), 16);
            int low = at + 1 < payloadUntil ? Character.digit(in.getUnsignedByte(at + 1), 16) : -1;
            if (high < 0 || low < 0) {
                // no hex: longer than anything that was sent as it
                return decoded.writeZero(payloadUntil - at);
            }
            decoded.writeByte(high << 4 | low);
        }
        return decoded;
    }

    // ---- captures

    byte @Nullable [] captured(int slot) {
        return state == null ? null : state.captured[slot];
    }

    void capture(int slot, int at, int bytes) {
        takenAt[slot] = at;
        takenLength[slot] = bytes;
    }

    /** The message is the one it was taken for: what it told is remembered. */
    void keep(ByteBuf in) {
        for (int slot = 0; slot < takenAt.length; slot++) {
            if (takenLength[slot] >= 0 && state != null) {
                byte[] bytes = new byte[takenLength[slot]];
                in.getBytes(takenAt[slot], bytes);
                state.captured[slot] = bytes;
            }
        }
        if (intervalMillis > 0 && state != null) {
            state.intervalMillis = intervalMillis;
        }
    }
}
