package io.heartwheel.process;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Thousands of devices that speak frames over TCP and each keep a report of what a gateway did to them, from which one can say whether it was
 * right ({@link Judgement}).
 *
 * <pre>
 *   every 5 ms:  the next few of all, in turn -- beat --&gt;   so that each one beats once in the herd's period
 *   HerdDevice:  a PING is answered at once; CLOSE, end and reset are noted when they are seen
 * </pre>
 *
 * <p>One loop owns all devices and their reports, and paces them: no device has a timer. It notes when it stood still itself. The methods may be called
 * by any one thread and wait for the loop.
 */
final class Herd implements AutoCloseable {
    private static final int MOST_UNDER_WAY = 256;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** A pause of the herd this long is noted. */
    private static final long STOOD_STILL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(40);

    private final Settings settings;
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private final Bootstrap bootstrap;

    // ---- the loop's
    private final List<HerdDevice> devices = new ArrayList<>();
    private final List<long[]> pauses = new ArrayList<>();
    private int begun;
    private int welcomed;
    private int failed;
    private long pacedNanos = System.nanoTime();
    private double due;
    private int next;

    /**
     * Target of a herd, and its heartbeats.
     *
     * @param gateway where
     * @param name the first part of all its device ids
     * @param beatMillis each device sends a PING so often
     * @param firstSource address of the first devices; each source has as many neighbours as there are sources, one address further each
     * @param sources how many addresses the devices take in turn; 0: as the system chooses
     */
    record Settings(InetSocketAddress gateway, String name, int beatMillis, String firstSource, int sources) {
        /** From wherever the system chooses, beating once a second. */
        static Settings of(InetSocketAddress gateway, String name) {
            return new Settings(gateway, name, 1_000, "", 0);
        }

        /** From so many addresses, this one the first. */
        Settings from(String first, int count) {
            return new Settings(gateway, name, beatMillis, first, count);
        }

        /** The source of the device with this number, the port left to the system. */
        InetSocketAddress source(int device) throws UnknownHostException {
            byte[] address = InetAddress.getByName(firstSource).getAddress();
            int last = (address[2] & 0xFF) << 8 | (address[3] & 0xFF);
            last += device % sources;
            address[2] = (byte) (last >>> 8);
            address[3] = (byte) last;
            return new InetSocketAddress(InetAddress.getByAddress(address), 0);
        }
    }

    /** Number of live and of silent devices that are still connected. */
    record Count(int live, int silent) {}

    Herd(Settings settings) {
        this.settings = settings;
        bootstrap = new Bootstrap()
                .group(group)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                // unwatched: a herd that is itself slow to read is no judge
                .option(ChannelOption.ALLOCATOR, new UnpooledByteBufAllocator(true, true))
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 30_000)
                // reset at the end: no port waits
                .option(ChannelOption.SO_LINGER, 0)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        HerdDevice device = new HerdDevice(Herd.this, settings.name() + '-' + devices.size());
                        devices.add(device);
                        channel.pipeline().addLast(device);
                    }
                });
        // with a fixed delay: after a pause there is nothing to catch up with before the sockets are read
        loop.scheduleWithFixedDelay(this::pace, STEP_NANOS, STEP_NANOS, TimeUnit.NANOSECONDS);
    }

    // ------------------------------------------------------------------ what it is told

    /**
     * Connects so many more and waits for their WELCOME.
     *
     * @throws AssertionError if one is refused
     */
    void connect(int count) throws Exception {
        int before = onLoop(() -> welcomed);
        int done = 0;
        long progressNanos = System.nanoTime();
        for (int asked = 0; done < count; ) {
            for (; asked < count && asked - done < MOST_UNDER_WAY; asked++) {
                connectOne();
            }
            TimeUnit.MILLISECONDS.sleep(1);
            int now = onLoop(() -> welcomed) - before;
            progressNanos = now > done ? System.nanoTime() : progressNanos;
            done = now;
            if (onLoop(() -> failed) > 0 || System.nanoTime() - progressNanos > PATIENCE_NANOS) {
                throw new AssertionError(done + " of " + count + " welcome, " + onLoop(() -> failed) + " refused");
            }
        }
    }

    private void connectOne() throws UnknownHostException {
        int number = begun++;
        InetSocketAddress from = settings.sources() == 0 ? null : settings.source(number);
        bootstrap.connect(settings.gateway(), from).addListener(connected -> failed += connected.isSuccess() ? 0 : 1);
    }

    /**
     * These say nothing any more.
     *
     * @return when that is so for all
     */
    long silence(int first, int count) throws Exception {
        return onLoop(() -> {
            devices.subList(first, first + count).forEach(HerdDevice::silence);
            return System.nanoTime();
        });
    }

    /** These only answer. */
    void answerOnly(int first, int count) throws Exception {
        onLoop(() -> {
            devices.subList(first, first + count).forEach(HerdDevice::answerOnly);
            return count;
        });
    }

    Count count() throws Exception {
        return onLoop(() -> {
            int live = 0;
            int silent = 0;
            for (HerdDevice device : devices) {
                live += device.isOpen() && !device.isSilent() ? 1 : 0;
                silent += device.isOpen() && device.isSilent() ? 1 : 0;
            }
            return new Count(live, silent);
        });
    }

    /** What all of them wrote. */
    List<DeviceReport> reports() throws Exception {
        return onLoop(() -> devices.stream().map(HerdDevice::report).toList());
    }

    private <T> T onLoop(Callable<T> task) throws Exception {
        return loop.submit(task).get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
    }

    // ------------------------------------------------------------------ the loop's

    private void pace() {
        long nowNanos = System.nanoTime();
        long elapsedNanos = nowNanos - pacedNanos;
        pacedNanos = nowNanos;
        double share = elapsedNanos / 1e6 / settings.beatMillis();
        due = Math.min(devices.size(), due + share * devices.size());
        if (elapsedNanos > STOOD_STILL_NANOS) {
            pauses.add(new long[] {nowNanos - elapsedNanos, nowNanos});
            // what came meanwhile is read first: who was closed does not write to a closed connection
            return;
        }
        for (; due >= 1; due--) {
            next = next + 1 < devices.size() ? next + 1 : 0;
            devices.get(next).beat();
        }
    }

    /** How long this loop stood still since then. */
    long stoodStillNanos(long sinceNanos) {
        long sumNanos = 0;
        for (long[] pause : pauses) {
            sumNanos += Math.max(0, pause[1] - Math.max(pause[0], sinceNanos));
        }
        return sumNanos;
    }

    /** A device is welcome, or gone before it was. */
    void settled(boolean isWelcome) {
        welcomed += isWelcome ? 1 : 0;
        failed += isWelcome ? 0 : 1;
    }

    @Override
    public void close() throws Exception {
        onLoop(() -> {
            devices.forEach(HerdDevice::leave);
            return devices.size();
        });
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
