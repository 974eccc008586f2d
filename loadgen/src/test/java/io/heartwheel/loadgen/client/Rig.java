package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.Comeback;
import io.heartwheel.loadgen.pace.SlotRing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * One device over TCP frames in virtual time: a clock that is set, the one appointment that its pacing loop would keep, a
 * channel for each connection, and all that its observer hears, in words.
 */
final class Rig implements PacingLoop<Device>, AutoCloseable {

    static final long MILLI = 1_000_000L;
    /** Interval 2,000 ms, grace 1.5: 3,000 ms of silence are allowed. */
    static final String WELCOME = "0200001c0100000007d00096000000000000000700060a24181e400100010000";

    static final long PERIOD_MILLIS = 1_800;
    static final long ALLOWED_MILLIS = 3_000;
    /** A device whose close is due is judged this much after its deadline. */
    static final long MISSED_AFTER_MILLIS = 400;

    static final long ANSWER_WITHIN_MILLIS = 1_000;

    static final Timeouts TIMEOUTS = new Timeouts(5_000 * MILLI, 4_000 * MILLI, 128, 8_000 * MILLI);

    /** No appointment. */
    static final long NONE = -1;

    final List<String> seen = new ArrayList<>();
    final List<EmbeddedChannel> channels = new ArrayList<>();
    final LoopContext<Device> loopContext;
    long now;
    /** The device's appointment, or {@link #NONE}. */
    long due = NONE;

    /** What the device shares its id as; below 0: it does not. */
    int sharedId = -1;

    private final Dialect dialect;

    Rig() {
        this(Comeback.NEVER);
    }

    Rig(Comeback comeback) {
        this(comeback, 0);
    }

    Rig(Comeback comeback, double jitter) {
        this(comeback, jitter, new HeartwheelDialect());
    }

    Rig(Comeback comeback, double jitter, Dialect dialect) {
        this.dialect = dialect.withContract(ServerContract.heartwheel(TIMEOUTS));
        this.loopContext = new LoopContext<>(
                () -> now,
                new DeviceDefaults(2_000, 0.9, 0, 150, "", "d-", jitter, MILLI, index -> sharedId),
                MISSED_AFTER_MILLIS * MILLI,
                ANSWER_WITHIN_MILLIS * MILLI,
                comeback,
                Observers.recording(seen::add),
                this,
                7,
                1);
        loopContext.observeFrom(0);
    }

    Dialect dialect() {
        return dialect;
    }

    @Override
    public void due(Device device, long dueNanos) {
        due = dueNanos;
    }

    @Override
    public void connect(Device device, long intendedNanos) {
        device.connect(dialect, intendedNanos);
        channels.add(new EmbeddedChannel(device));
    }

    /** A device that is connected and has said what it says first. */
    Device connected(Behaviour behaviour) {
        Device device = new Device(loopContext, dialect, behaviour, 3);
        connect(device, now);
        return device;
    }

    /** The same, welcomed; what it said and what was seen of that is forgotten. */
    Device welcomed(Behaviour behaviour) {
        Device device = connected(behaviour);
        receive(WELCOME);
        forget();
        return device;
    }

    /** Keeps all appointments up to this time, each at its time. */
    void runTo(Device device, long untilMillis) {
        while (due != NONE && due <= untilMillis * MILLI) {
            step(device);
        }
        now = Math.max(now, untilMillis * MILLI);
    }

    /** Keeps the next appointment, at its time. */
    void step(Device device) {
        long at = due;
        now = Math.max(now, at);
        due = NONE;
        long again = device.act(at);
        if (again != SlotRing.DONE) {
            due = again;
        }
    }

    /** What was sent and seen until now is not looked at. */
    void forget() {
        while (sent() != null) {
            // the next one
        }
        seen.clear();
    }

    EmbeddedChannel channel() {
        return channels.get(channels.size() - 1);
    }

    /** Bytes from the gateway on the newest connection. */
    void receive(String hex) {
        receive(channel(), hex);
    }

    void receive(EmbeddedChannel channel, String hex) {
        channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)));
    }

    /** The next write on the newest connection, or null. */
    String sent() {
        return sent(channel());
    }

    static String sent(EmbeddedChannel channel) {
        ByteBuf out = channel.readOutbound();
        if (out == null) {
            return null;
        }
        String hex = ByteBufUtil.hexDump(out);
        out.release();
        return hex;
    }

    /** The answer to the heartbeat with this number. */
    static String pong(int sequence) {
        return String.format("04000004%08x", sequence);
    }

    static String close(int code) {
        return String.format("08000002%04x", code);
    }

    static String goaway(int code, int leastMillis, int mostMillis) {
        return String.format("0700000b%04x%08x%08x00", code, leastMillis, mostMillis);
    }

    @Override
    public void close() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }
}
