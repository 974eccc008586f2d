package io.heartwheel.session;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.ForgetfulSink;
import io.heartwheel.liveness.Breaker;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.liveness.ExpiryQueue;
import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.Location;
import io.heartwheel.liveness.QueuedTasks;
import io.heartwheel.liveness.RateClasses;
import io.heartwheel.liveness.ShadowPolicy;
import io.heartwheel.liveness.StallSettings;
import io.heartwheel.liveness.Stalls;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelObserver;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Cost of a complete inbound frame for a real session, sessions touched in random order: the timestamp and the loop's counter. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ActivityPathBenchmark {
    private static final int PING = 3;

    /** Sessions. */
    @Param({"10000", "1000000"})
    public int sessions;

    private Peer[] peers;
    private int[] order;
    private int at;
    private long nowNanos;
    private LoopStats stats;

    /** Establishes every session. */
    @Setup
    public void establish() {
        stats = new LoopStats();
        SessionContext sessionContext =
                sessionContext(new TimingWheel(10_000_000, 512, sessions + 2, 0, WheelObserver.NONE), stats);
        peers = new Peer[sessions];
        order = new int[sessions];
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < sessions; i++) {
            peers[i] = new Peer(sessionContext, i);
            order[i] = random.nextInt(sessions);
        }
    }

    private static SessionContext sessionContext(TimingWheel wheel, LoopStats stats) {
        Stalls stalls = new Stalls(0, StallSettings.DEFAULTS, 0, SessionObserver.NONE);
        Breaker breaker =
                new Breaker(BreakerSettings.OFF, wheel, 1, () -> 0, () -> 0, SessionObserver.NONE, Runnable::run);
        return new SessionContext(
                wheel,
                new LivenessPolicy(LivenessSettings.defaults()),
                new ShadowPolicy(null),
                new SessionRegistry(() -> 1, () -> 1, 0),
                AuthPolicy.ANYBODY,
                new ConnectionQuotas(ConnectionQuotaSettings.NONE, RateClasses.OFF),
                new ForgetfulSink(),
                SessionObserver.NONE,
                stats,
                new ExpiryQueue(new QueuedTasks(new ArrayDeque<>()), () -> 0, SessionObserver.NONE, stalls, breaker),
                stalls,
                breaker,
                Outbox.none(),
                new Location(0, 0, ""),
                () -> 0,
                () -> 0);
    }

    /** One frame of the next session in random order. */
    @Benchmark
    public void activity() {
        int index = at;
        at = index + 1 == sessions ? 0 : index + 1;
        nowNanos += 1_000;
        peers[order[index]].frame(nowNanos);
        stats.frameIn(PING);
    }

    private static final class Peer extends Session {
        Peer(SessionContext sessionContext, int number) {
            super(sessionContext);
            open(number, 0);
            hello(
                    new byte[] {(byte) number, (byte) (number >> 8), (byte) (number >> 16)},
                    new byte[0],
                    0,
                    0,
                    "",
                    false);
        }

        void frame(long nowNanos) {
            activity(nowNanos);
        }

        @Override
        public String protocolName() {
            return "heartwheel";
        }

        @Override
        public String remote() {
            return "";
        }

        @Override
        public byte[] remoteAddress() {
            return new byte[4];
        }

        @Override
        protected String frameName(int type) {
            return "";
        }

        @Override
        protected Evidence.Path path() {
            return null;
        }

        @Override
        public void onLoop(Runnable task) {
            task.run();
        }

        @Override
        public void sendPing(long number) {}

        @Override
        public boolean sendData(long messageId, boolean ackWanted, boolean text, byte[] payload) {
            return false;
        }

        @Override
        protected void sendProbe() {}

        @Override
        protected void sendKeepAlive() {}

        @Override
        protected void sendGoAway(CloseReason reason, GoAway goAway) {}

        @Override
        protected boolean closeTransport(CloseReason reason, String text) {
            return false;
        }

        @Override
        protected void cut() {}

        @Override
        protected void welcome() {}

        @Override
        public long pendingBytes() {
            return 0;
        }

        @Override
        protected long currentProgressBytes() {
            return 0;
        }

        @Override
        protected void readOnce() {}

        @Override
        protected long acknowledgedBytes() {
            return -1;
        }

        @Override
        protected long lastHeardMillisAgo() {
            return -1;
        }
    }
}
