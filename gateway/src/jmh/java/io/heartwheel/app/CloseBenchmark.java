package io.heartwheel.app;

import com.sun.management.ThreadMXBean;
import io.heartwheel.drain.DrainCounts;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.ForgetfulSink;
import io.heartwheel.history.CloseLog;
import io.heartwheel.history.EvidenceSettings;
import io.heartwheel.history.RecentCloses;
import io.heartwheel.history.RecentIncidents;
import io.heartwheel.jfr.FlightEvents;
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
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.protocol.frame.FrameConnection;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.ConnectionQuotaSettings;
import io.heartwheel.session.ConnectionQuotas;
import io.heartwheel.session.LoopStats;
import io.heartwheel.session.Outbox;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.sink.RefusalEvents;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelObserver;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of the close of a silent connection of {@code heartwheel}, when 14,000 of them are due in one tick: the second look, evidence, all observers of a
 * gateway, history, event (to a sink that drops it), CLOSE and the end of the channel. No socket: what the kernel does is not in it.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 20)
@Measurement(iterations = 20)
@Fork(1)
public class CloseBenchmark {
    private static final int CONNECTIONS = 14_000;
    private static final int PING = 3;
    private static final long TICK_NANOS = 20_000_000;

    /** Whether the peer can still be told why. */
    @Param({"true", "false"})
    public boolean told;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final QueuedTasks tasks = new QueuedTasks(new ArrayDeque<>());
    private final Channel[] channels = new Channel[CONNECTIONS];
    private final FrameConnection[] connections = new FrameConnection[CONNECTIONS];
    private final SessionRegistry registry = new SessionRegistry(() -> 1, () -> 1, 0);
    private final TimingWheel wheel = new TimingWheel(TICK_NANOS, 512, 1 << 16, 0, WheelObserver.NONE);
    private SessionContext sessionContext;
    private Stalls stalls;
    private long nowNanos;
    private long ids;
    private long bytesPerClose;

    /** One loop of a gateway with the observers of {@link Telemetry}. */
    @Setup
    public void build() {
        EventSink sink = new ForgetfulSink();
        SessionObserver observer = SessionObserver.all(List.of(
                new GatewayMetrics("0", "none"),
                new RecentCloses(EvidenceSettings.DEFAULTS),
                new RecentIncidents(),
                SessionObserver.NONE,
                new CloseLog(() -> nowNanos),
                new RefusalEvents(sink, 10),
                new FlightEvents(),
                new ClosesLastMinute(60),
                new DrainCounts(),
                SessionObserver.NONE));
        stalls = new Stalls(0, StallSettings.DEFAULTS, 0, observer);
        Breaker breaker = new Breaker(BreakerSettings.OFF, wheel, 1, () -> nowNanos, () -> 0, observer, Runnable::run);
        sessionContext = new SessionContext(
                wheel,
                new LivenessPolicy(LivenessSettings.defaults()),
                new ShadowPolicy(null),
                registry,
                AuthPolicy.ANYBODY,
                new ConnectionQuotas(ConnectionQuotaSettings.NONE, RateClasses.OFF),
                sink,
                observer,
                new LoopStats(),
                new ExpiryQueue(tasks, () -> nowNanos, observer, stalls, breaker),
                stalls,
                breaker,
                Outbox.none(),
                new Location(0, 0, "tcp"),
                () -> nowNanos,
                () -> 1_700_000_000_000L);
    }

    /** Establishes them all, and asks them all. */
    @Setup(Level.Iteration)
    public void establish() {
        for (int i = 0; i < CONNECTIONS; i++) {
            channels[i] = new Channel(i);
            connections[i] = new FrameConnection(sessionContext, 65_536);
            channels[i].pipeline().addLast(connections[i]);
            connections[i].start(++ids, nowNanos);
            channels[i].writeInbound(hello("device-" + i));
        }
        long asked = sessionContext.stats().framesOut(PING) + CONNECTIONS;
        while (sessionContext.stats().framesOut(PING) < asked) {
            tick();
        }
        for (Channel channel : channels) {
            channel.releaseOutbound();
            channel.ended = !told;
        }
        if (registry.size() != CONNECTIONS) {
            throw new AssertionError(registry.size());
        }
    }

    /** They all die. */
    @Benchmark
    @OperationsPerInvocation(CONNECTIONS)
    public void close() {
        long before = allocatedBytes();
        while (registry.size() > 0) {
            tick();
        }
        bytesPerClose = (allocatedBytes() - before) / CONNECTIONS;
    }

    /** Without what the set-up allocates, which {@code -prof gc} counts too. */
    @TearDown
    public void tell() {
        System.out.println(bytesPerClose + " B/close");
    }

    private static long allocatedBytes() {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private void tick() {
        nowNanos += TICK_NANOS;
        stalls.turned(nowNanos);
        wheel.advance(nowNanos, Integer.MAX_VALUE);
        tasks.run();
    }

    private static ByteBuf hello(String id) {
        byte[] name = id.getBytes(StandardCharsets.UTF_8);
        ByteBuf hello = Unpooled.buffer();
        hello.writeByte(1).writeByte(0).writeShort(20 + name.length);
        hello.writeShort(0x4857).writeByte(1).writeByte(0).writeInt(0).writeLong(0);
        return hello.writeByte(name.length).writeBytes(name).writeShort(0).writeByte(0);
    }

    /** Channel to an address, without a socket. */
    private static final class Channel extends EmbeddedChannel {
        private final InetSocketAddress remote;
        boolean ended;

        Channel(int number) {
            super(DefaultChannelId.newInstance());
            remote = new InetSocketAddress("10.1.2." + number % 250, 10_000 + number);
        }

        @Override
        public boolean isActive() {
            return !ended && super.isActive();
        }

        @Override
        protected SocketAddress remoteAddress0() {
            return remote;
        }
    }
}
