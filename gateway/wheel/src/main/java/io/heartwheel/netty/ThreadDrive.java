package io.heartwheel.netty;

import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelSettings;
import io.heartwheel.wheel.WheelThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/** Wheel turned by a thread from the caller's factory, which starts when the first deadline is armed. */
final class ThreadDrive implements Drive {

    private final TimingWheel wheel;
    private final WheelThread turner;
    private final Thread thread;

    /**
     * Makes the thread and does not start it.
     *
     * @param tickNanos as for {@link TimingWheel}
     * @param buckets as for {@link TimingWheel}
     */
    ThreadDrive(ThreadFactory threads, long tickNanos, int buckets) {
        wheel = new TimingWheel(tickNanos, buckets, TimingWheel.MAX_ENTRIES, System.nanoTime());
        List<Thread> made = new ArrayList<>(1);
        turner = new WheelThread(wheel, System::nanoTime, WheelSettings.DEFAULT_SLICE, run -> {
            Thread one = threads.newThread(run);
            made.add(one);
            return one;
        });
        thread = made.get(0);
        turner.startWhenNeeded();
    }

    @Override
    public TimingWheel wheel() {
        return wheel;
    }

    @Override
    public long nowNanos() {
        return System.nanoTime();
    }

    @Override
    public void start() {
        turner.start();
    }

    @Override
    public boolean isHere() {
        return turner.onWheelThread();
    }

    @Override
    public boolean isDaemon() {
        return thread.isDaemon();
    }

    @Override
    public void end() {
        // A task that blocks is told.
        thread.interrupt();
        turner.close();
    }
}
