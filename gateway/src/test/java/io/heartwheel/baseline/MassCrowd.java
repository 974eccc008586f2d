package io.heartwheel.baseline;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The clients of a mass expiry: most of them beat, send one more all at once and fall silent; the rest beat on at a pace that depends on nothing, and
 * measure each answer from the time its heartbeat was meant to go out.
 *
 * <p>Those who beat have a loop of their own, so that what the others' ends cost here is not counted as the server's. TCP only. The methods may be
 * called by any one thread and wait.
 */
final class MassCrowd implements AutoCloseable {
    private static final int MOST_UNDER_WAY = 256;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = 20 * SECOND;
    /** How often the silent ones beat before. */
    private static final long WARM_UP_PERIOD_NANOS = 3 * SECOND;
    /** What the burst of last heartbeats may disturb is not counted as before, nor the probes some servers send. */
    private static final long SETTLE_NANOS = 2 * SECOND;

    private static final long LONGEST_NANOS = 120 * SECOND;

    private final Wire wire;
    private final int intervalMillis;
    private final InetSocketAddress server;
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final EventLoop beating = group.next();
    private final EventLoop falling = group.next();
    private final ByteBuf beat;

    // ---- each list belongs to its loop
    private final List<MassMember> live = new ArrayList<>();
    private final List<MassMember> silent = new ArrayList<>();

    // ---- of the falling loop
    private final Future<?> warmingUp;
    private long warmedNanos = System.nanoTime();
    private double warmingDue;
    private int warmingNext;

    // ---- of the beating loop
    private final Histogram before = new Histogram(LONGEST_NANOS, 3);
    private final Histogram during = new Histogram(LONGEST_NANOS, 3);
    private long beforeFromNanos = Long.MAX_VALUE;
    private long beforeToNanos = Long.MAX_VALUE;
    private long expiryNanos = Long.MAX_VALUE;
    private long lateNanos;

    /**
     * What the clients saw. Times are microseconds; of the closes from each one's own deadline, its last heartbeat and the timeout, to the end of its
     * stream.
     *
     * @param closed of the silent ones
     * @param burstMicros from the first last heartbeat to the last
     * @param lost of those who went on
     * @param lateMicros the most that a heartbeat went out behind its plan in the second of the expiry
     */
    record Outcome(
            long closed,
            long firstMicros,
            long medianMicros,
            long lastMicros,
            long burstMicros,
            long beforeP50Micros,
            long beforeP99Micros,
            long beforeMaxMicros,
            long duringP50Micros,
            long duringP99Micros,
            long duringMaxMicros,
            long lost,
            long lateMicros) {
        static Outcome of(long... n) {
            return new Outcome(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11], n[12]);
        }

        String line() {
            long[] all = {
                closed,
                firstMicros,
                medianMicros,
                lastMicros,
                burstMicros,
                beforeP50Micros,
                beforeP99Micros,
                beforeMaxMicros,
                duringP50Micros,
                duringP99Micros,
                duringMaxMicros,
                lost,
                lateMicros
            };
            return Arrays.stream(all)
                    .mapToObj(Long::toString)
                    .reduce((a, b) -> a + ' ' + b)
                    .orElse("");
        }
    }

    MassCrowd(Wire wire, int intervalMillis, InetSocketAddress server) {
        this.wire = wire;
        this.intervalMillis = intervalMillis;
        this.server = server;
        beat = Unpooled.unreleasableBuffer(Unpooled.directBuffer().writeBytes(wire.beat()));
        warmingUp = falling.scheduleWithFixedDelay(this::warmUp, STEP_NANOS, STEP_NANOS, TimeUnit.NANOSECONDS);
    }

    /** From the first one connected each beats in its turn: on a slow machine connecting alone may take longer than a server waits. */
    private void warmUp() {
        long nowNanos = System.nanoTime();
        double share = (double) (nowNanos - warmedNanos) / WARM_UP_PERIOD_NANOS;
        warmedNanos = nowNanos;
        warmingDue = Math.min(silent.size(), warmingDue + share * silent.size());
        for (; warmingDue >= 1; warmingDue--) {
            warmingNext = warmingNext + 1 < silent.size() ? warmingNext + 1 : 0;
            silent.get(warmingNext).beat(beat.duplicate(), nowNanos);
        }
    }

    // ------------------------------------------------------------------ connecting

    /**
     * Connects both kinds.
     *
     * @return how many are there
     */
    int gather(int silentCount, int liveCount, int perSecond) throws Exception {
        return gather(falling, silent, silentCount, perSecond) + gather(beating, live, liveCount, perSecond);
    }

    private int gather(EventLoop loop, List<MassMember> members, int count, int perSecond) throws Exception {
        Bootstrap bootstrap = bootstrap(loop, members);
        long startNanos = System.nanoTime();
        long progressNanos = startNanos;
        int asked = 0;
        int done = 0;
        while (done < count && System.nanoTime() - progressNanos < PATIENCE_NANOS) {
            long due = Math.min(count, (System.nanoTime() - startNanos) * perSecond / SECOND);
            for (; asked < due && asked - done < MOST_UNDER_WAY; asked++) {
                bootstrap.connect(server);
            }
            TimeUnit.NANOSECONDS.sleep(STEP_NANOS);
            int now = on(loop, () ->
                    (int) members.stream().filter(MassMember::isWelcome).count());
            progressNanos = now > done ? System.nanoTime() : progressNanos;
            done = now;
        }
        return done;
    }

    private Bootstrap bootstrap(EventLoop loop, List<MassMember> members) {
        return new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                // reset at the end: no port waits
                .option(ChannelOption.SO_LINGER, 0)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        String id = (members == live ? "live-" : "silent-") + (1_000_000 + members.size());
                        MassMember member = new MassMember(wire, id, intervalMillis, MassCrowd.this::answered);
                        members.add(member);
                        channel.pipeline().addLast(member);
                    }
                });
    }

    private static <T> T on(EventLoop loop, Callable<T> task) throws Exception {
        return loop.submit(task).get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
    }

    // ------------------------------------------------------------------ the expiry

    /**
     * All beat for a while; then most fall silent at once, and the rest beat on until the last of those is closed.
     *
     * @param periodMillis of each one that goes on
     * @param timeoutMillis after which the server closes
     * @param mostMillis how long the ends may take from then
     */
    Outcome expire(int warmUpMillis, int periodMillis, int timeoutMillis, int mostMillis) throws Exception {
        long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        Future<?> steady = pace(TimeUnit.MILLISECONDS.toNanos(periodMillis));
        TimeUnit.MILLISECONDS.sleep(warmUpMillis);
        warmingUp.cancel(false);
        if (stillOpen() < silent.size()) {
            throw new IllegalStateException((silent.size() - stillOpen()) + " were closed while they beat");
        }
        long burstNanos = on(falling, this::lastHeartbeats);
        long fellNanos = on(falling, () -> silent.get(0).lastSentNanos());
        on(beating, () -> window(fellNanos, timeoutNanos));
        long untilNanos = fellNanos + timeoutNanos + TimeUnit.MILLISECONDS.toNanos(mostMillis);
        // the last answers of the second that is measured must be in
        long leastNanos = fellNanos + timeoutNanos + 2 * SECOND;
        while (System.nanoTime() - leastNanos < 0 || (stillOpen() > 0 && System.nanoTime() - untilNanos < 0)) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        steady.cancel(false);
        long[] lateness = on(falling, () -> lateness(timeoutNanos));
        return on(beating, () -> outcome(lateness, burstNanos));
    }

    private long lastHeartbeats() {
        for (MassMember member : silent) {
            member.beat(beat.duplicate(), System.nanoTime());
        }
        return silent.get(silent.size() - 1).lastSentNanos() - silent.get(0).lastSentNanos();
    }

    private boolean window(long fellNanos, long timeoutNanos) {
        beforeFromNanos = fellNanos + SETTLE_NANOS;
        beforeToNanos = fellNanos + TimeUnit.MILLISECONDS.toNanos(intervalMillis) - SECOND;
        expiryNanos = fellNanos + timeoutNanos;
        return true;
    }

    private long stillOpen() throws Exception {
        return on(
                falling,
                () -> silent.stream().filter(member -> member.endedNanos() == 0).count());
    }

    private long[] lateness(long timeoutNanos) {
        return silent.stream()
                .filter(member -> member.endedNanos() != 0)
                .mapToLong(member -> member.endedNanos() - member.lastSentNanos() - timeoutNanos)
                .sorted()
                .toArray();
    }

    private Outcome outcome(long[] lateness, long burstNanos) {
        int count = lateness.length;
        return new Outcome(
                count,
                count == 0 ? 0 : lateness[0] / 1_000,
                count == 0 ? 0 : lateness[count / 2] / 1_000,
                count == 0 ? 0 : lateness[count - 1] / 1_000,
                burstNanos / 1_000,
                before.getValueAtPercentile(50) / 1_000,
                before.getValueAtPercentile(99) / 1_000,
                before.getMaxValue() / 1_000,
                during.getValueAtPercentile(50) / 1_000,
                during.getValueAtPercentile(99) / 1_000,
                during.getMaxValue() / 1_000,
                live.stream().filter(member -> member.endedNanos() != 0).count(),
                lateNanos / 1_000);
    }

    /** One beat of each live member in a period, evenly, whatever becomes of the answers. */
    private Future<?> pace(long periodNanos) {
        double nanosEach = (double) periodNanos / live.size();
        long startNanos = System.nanoTime();
        long[] sent = new long[1];
        return beating.scheduleAtFixedRate(
                () -> {
                    long nowNanos = System.nanoTime();
                    for (; startNanos + sent[0] * nanosEach <= nowNanos; sent[0]++) {
                        long intendedNanos = startNanos + (long) (sent[0] * nanosEach);
                        if (isExpirySecond(intendedNanos)) {
                            lateNanos = Math.max(lateNanos, nowNanos - intendedNanos);
                        }
                        live.get((int) (sent[0] % live.size())).beat(beat.duplicate(), intendedNanos);
                    }
                },
                0,
                STEP_NANOS,
                TimeUnit.NANOSECONDS);
    }

    private boolean isExpirySecond(long intendedNanos) {
        return intendedNanos - expiryNanos >= 0 && intendedNanos - expiryNanos < SECOND;
    }

    private void answered(long intendedNanos) {
        long tookNanos = Math.min(LONGEST_NANOS, System.nanoTime() - intendedNanos);
        if (isExpirySecond(intendedNanos)) {
            during.recordValue(tookNanos);
        } else if (intendedNanos - beforeFromNanos >= 0 && intendedNanos - beforeToNanos < 0) {
            before.recordValue(tookNanos);
        }
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
