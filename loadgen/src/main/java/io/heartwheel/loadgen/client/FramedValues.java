package io.heartwheel.loadgen.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Values of the message in hand: its connection, and what was found in it. One object serves all messages of an event loop,
 * so that none of them costs anything. Owner: that loop.
 */
final class FramedValues {

    private static final long SECOND_MILLIS = 1_000;
    private static final DateTimeFormatter TIME_OF_DAY =
            DateTimeFormatter.ofPattern("yyMMddHHmmss", Locale.ROOT).withZone(ZoneId.systemDefault());
    private static final byte[] NOTHING = {};
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    /** Number of the device. */
    int device;

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
    /** Whether a message for another device is looked for. */
    boolean ofAnyDevice;
    /** Why a message that looked right is not; empty: nothing is known. */
    String complaint = "";

    private final Template template;
    private final StringBuilder id = new StringBuilder();
    private final ByteBuf scratch = Unpooled.buffer(256);
    private final byte[] timeOfDay = new byte[FramedPart.Clock.BYTES];
    private long timeOfDaySecond = -1;
    private final int[] takenAt;
    private final int[] takenLength;
    private @Nullable DeviceConnection connection;
    private @Nullable DeviceDefaults deviceDefaults;
    private @Nullable FramedState state;
    private byte[] payload = NOTHING;

    /** @param captures most of a connection */
    FramedValues(Template id, int captures) {
        this.template = id;
        this.takenAt = new int[captures];
        this.takenLength = new int[captures];
    }

    /** The next message is one of this connection. */
    FramedValues of(DeviceConnection whose, FramedState remembered) {
        sampleOf(whose.index(), whose.loopContext().deviceDefaults);
        connection = whose;
        state = remembered;
        return this;
    }

    /** The next message is made for nobody, as the device with this number would say it. */
    void sampleOf(int number, DeviceDefaults defaults) {
        connection = null;
        state = null;
        device = number;
        deviceDefaults = defaults;
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

    CharSequence id() {
        if (id.isEmpty() && deviceDefaults != null) {
            template.append(id, device, deviceDefaults, wantedMillis());
        }
        return id;
    }

    ByteBuf scratch() {
        return scratch.clear();
    }

    long number(FramedPart.Numeral.What what) {
        return switch (what) {
            case COUNTER -> state == null ? 0 : state.next();
            case NUMBER -> device;
            case SECONDS -> wallMillis() / SECOND_MILLIS;
            case MILLIS -> wallMillis();
            case INTERVAL_S -> wantedMillis() / SECOND_MILLIS;
            case INTERVAL_MS -> wantedMillis();
            case CODE -> 0;
        };
    }

    private long wallMillis() {
        return connection == null ? 0 : connection.loopContext().clock.wallMillis();
    }

    private long wantedMillis() {
        return connection == null ? Objects.requireNonNull(deviceDefaults).wantedMillis() : connection.wantedMillis();
    }

    /** The time of day, two digits a byte; made anew once a second. */
    byte[] clock() {
        long second = wallMillis() / SECOND_MILLIS;
        if (second != timeOfDaySecond) {
            timeOfDaySecond = second;
            String digits = TIME_OF_DAY.format(Instant.ofEpochSecond(second));
            System.arraycopy(ByteBufUtil.decodeHexDump(digits), 0, timeOfDay, 0, timeOfDay.length);
        }
        return timeOfDay;
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

    /** Where the payload of the message that came lies: in it, or decoded in another buffer. */
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
                decoded.writeZero(payloadUntil - at);
                break;
            }
            decoded.writeByte(high << 4 | low);
        }
        payloadAt = 0;
        payloadUntil = decoded.readableBytes();
        return decoded;
    }

    // ---- captures

    /** What was captured there; empty: nothing. */
    byte[] captured(int slot) {
        byte[] known = state == null ? null : state.captured[slot];
        return known == null ? NOTHING : known;
    }

    void capture(int slot, int at, int bytes) {
        takenAt[slot] = at;
        takenLength[slot] = bytes;
    }

    /** The message is the one it was taken for: what it told is remembered. */
    void keep(ByteBuf in) {
        FramedState of = Objects.requireNonNull(state);
        for (int slot = 0; slot < takenAt.length; slot++) {
            if (takenLength[slot] >= 0) {
                of.captured[slot] = ByteBufUtil.getBytes(in, takenAt[slot], takenLength[slot]);
            }
        }
        if (intervalMillis > 0) {
            of.intervalMillis = intervalMillis;
        }
    }
}
