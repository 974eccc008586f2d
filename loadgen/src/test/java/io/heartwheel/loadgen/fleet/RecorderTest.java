package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.loadgen.client.Behaviours;
import io.heartwheel.loadgen.client.ConnectionEnd;
import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.client.LoopContext;
import io.heartwheel.loadgen.client.PacingLoop;
import io.heartwheel.loadgen.client.Takeover;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.LoopStalls;
import io.heartwheel.loadgen.measure.ProcessStalls;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Closes that were read late are judged by when the kernel says that they came in; round trips of the ramp stand apart. The clock is set. */
final class RecorderTest implements PacingLoop<Device> {

    private static final long MILLI = 1_000_000L;
    /** Interval 2 s, grace 1.5. */
    private static final String WELCOME = "0200001c0100000007d000960000000000000007000000000000000100010000";

    private final Scenario scenario = ScenarioReader.read(
            "targets = [{ protocol = tcp, address = \"127.0.0.1:1\" }]\nheartbeat.interval = 2s, duration = 30s",
            "test");
    private final LoopStalls stalls = new LoopStalls(MILLI, new ProcessStalls(MILLI));
    private final Recorder recorder = new Recorder(scenario.contract(), () -> now(), stalls);
    private final Dialect dialect = scenario.targets().get(0).dialect();
    private final LoopContext<Device> context =
            recorder.context(scenario, scenario.deviceDefaults(), this, 0, String::valueOf);
    private final Device device = new Device(context, dialect, Behaviours.steady(), 0);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private long now;

    private long now() {
        return now;
    }

    @Override
    public void due(Device what, long dueNanos) {}

    @Override
    public void connect(Device what, long intendedNanos) {}

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void receive(String hex) {
        channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)));
    }

    /** Silent from the first moment, so that its deadline is at 3 s; its loop stands still from then on and reads the CLOSE at 8 s. */
    private void closedAndReadLate(long ageNanos) {
        context.dataToldBy(any -> ageNanos);
        device.connect(dialect, 0);
        channel.pipeline().addLast(device);
        device.channelActive(channel.pipeline().context(device));
        receive(WELCOME);
        device.fallSilent();
        stalls.tick(2_999 * MILLI);
        stalls.tick(3_000 * MILLI);
        now = 8_000 * MILLI;
        receive("080000020fa1");
    }

    private long latenessMillis(Timing timing) {
        return recorder.recent.summary(timing).maxNanos() / MILLI;
    }

    @Test
    void close_inTimeAndReadLate_isInTimeAsTheKernelProves() {
        closedAndReadLate(4_990 * MILLI);
        assertEquals(1, recorder.ledger().of(Count.DETECTED));
        assertEquals(10, latenessMillis(Timing.LATENESS));
        assertEquals(10, latenessMillis(Timing.LATENESS_AS_SEEN));
        assertEquals(0, recorder.ledger().of(Count.LATENESS_EXCUSED), "it is judged, not excused");
    }

    @Test
    void close_lateAndReadLate_isAsLateAsTheKernelTells() {
        closedAndReadLate(4_000 * MILLI);
        assertEquals(1, recorder.ledger().of(Count.DETECTED));
        assertEquals(1_000, latenessMillis(Timing.LATENESS), "what the loop did not see excuses nothing");
        assertEquals(0, recorder.ledger().of(Count.LATENESS_EXCUSED));
    }

    @Test
    void close_readLateWhereTheKernelTellsNothing_isExcused() {
        closedAndReadLate(LoopContext.UNTOLD);
        assertEquals(0, latenessMillis(Timing.LATENESS));
        assertEquals(1, recorder.ledger().of(Count.LATENESS_EXCUSED));
    }

    @Test
    void close_beforeItsDeadlineAndReadLate_isAFalseKill() {
        closedAndReadLate(6_000 * MILLI);
        assertEquals(1, recorder.ledger().of(Count.FALSE_KILLS), "a late reader does not hide it");
    }

    @Test
    void close_longAfterItsDeadline_isMissedThoughTheLoopStoodStill() {
        closedAndReadLate(0);
        assertEquals(1, recorder.ledger().of(Count.CLOSED_AFTER_MISSED));
    }

    /** A takeover whose older connection is closed so much later than the newer one was welcomed. */
    private record Closed(long succeededNanos, long endedNanos, boolean isTakenOver) implements Takeover {
        @Override
        public boolean isUnreachable() {
            return false;
        }

        @Override
        public ConnectionEnd ending() {
            return ConnectionEnd.CLOSE;
        }

        @Override
        public int code() {
            return 4409;
        }

        @Override
        public boolean isJudged() {
            return false;
        }

        @Override
        public void judge() {}
    }

    private void assertLate(int many, long endedMillis) {
        recorder.tookOver(device, new Closed(MILLI, endedMillis * MILLI, true));
        assertEquals(many, recorder.ledger().of(Count.TAKEOVERS_LATE));
    }

    @Test
    void takeover_olderOneClosedLate_isJudgedFromWhenTheGatewayWasFree() {
        long missedAfterMillis = scenario.contract().missedAfterNanos() / MILLI;
        assertLate(0, missedAfterMillis);
        assertLate(1, 5_000 + missedAfterMillis);
        context.hinderedUntil(5_000 * MILLI);
        assertLate(1, 4_000);
        assertLate(1, 5_000 + missedAfterMillis);
        assertLate(2, 5_001 + missedAfterMillis);
        context.hinderedUntil(0);
        assertLate(2, 5_000 + missedAfterMillis);
    }

    @Test
    void takeover_olderOneEndedWithoutAWordWhileItsGatewayWasKilled_isNotJudged() {
        context.outageUntil(5_000 * MILLI);
        recorder.tookOver(device, new Closed(MILLI, 4_000 * MILLI, false));
        assertEquals(0, recorder.ledger().of(Count.TAKEOVERS_WRONG));
        recorder.tookOver(device, new Closed(MILLI, 6_000 * MILLI, false));
        assertEquals(1, recorder.ledger().of(Count.TAKEOVERS_WRONG));
    }

    @Test
    void roundTrips_ofTheRamp_standApartAndAreNotLost() {
        recorder.beatAnswered(device, 400 * MILLI, -1);
        recorder.observe(10 * MILLI, Long.MAX_VALUE);
        recorder.beatAnswered(device, 90 * MILLI, -1);
        now = 10 * MILLI;
        recorder.beatAnswered(device, 5 * MILLI, -1);
        Ledger all = new Ledger();
        recorder.addTo(all);
        assertEquals(1, all.summary(Timing.ROUND_TRIP_RAMP).count());
        assertEquals(1, all.summary(Timing.ROUND_TRIP_COLD).count());
        assertEquals(1, all.summary(Timing.ROUND_TRIP).count());
    }
}
