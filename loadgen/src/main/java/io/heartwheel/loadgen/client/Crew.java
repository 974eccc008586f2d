package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.pace.Cadence;
import io.heartwheel.loadgen.wire.FrameCursor;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsWriter;
import org.jspecify.annotations.Nullable;

/**
 * What the devices of one event loop share, so that each of them stays small. Owned by that loop's thread; the clock
 * counts from the beginning of the run.
 */
public final class Crew {

    /** Far enough ahead that no device falls silent, near enough that a difference does not overflow. */
    private static final long NOT_YET = Long.MAX_VALUE / 2;

    final NanoClock clock;
    final Habits habits;
    final DeviceObserver observer;
    final BeatSchedule schedule;
    final FrameCursor frames = new FrameCursor();
    final WsCursor messages = new WsCursor();
    final WsWriter writer;

    private long observingFromNanos = NOT_YET;
    private long cadenceMillis = -1;
    private @Nullable Cadence cadence;

    /** A crew; {@code seed} decides the WebSocket masks. */
    public Crew(NanoClock clock, Habits habits, DeviceObserver observer, BeatSchedule schedule, long seed) {
        this.clock = clock;
        this.habits = habits;
        this.observer = observer;
        this.schedule = schedule;
        this.writer = new WsWriter(seed);
    }

    /** Observation begins at this time: devices may fall silent, counted from here. */
    public void observeFrom(long nanos) {
        observingFromNanos = nanos;
    }

    /** When observation began; far in the future while it has not. */
    long observingFromNanos() {
        return observingFromNanos;
    }

    /** The cadence for a granted interval; nearly always the one asked for last, so one object serves all devices. */
    Cadence cadence(long grantedMillis) {
        Cadence known = cadence;
        if (known == null || cadenceMillis != grantedMillis) {
            known = habits.cadence(grantedMillis);
            cadence = known;
            cadenceMillis = grantedMillis;
        }
        return known;
    }
}
