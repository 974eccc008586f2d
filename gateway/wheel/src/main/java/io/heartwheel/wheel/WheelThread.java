package io.heartwheel.wheel;

import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Thread that turns a wheel: a daemon that sleeps until the next tick with something in it, works it off in slices, and looks at the
 * clock between them.
 *
 * <p>With nothing due for long it does not wake. An owner that arms an earlier deadline wakes it, once; it then waits for the tick to end, so
 * that all that is armed within one tick is taken over together and it never wakes more than twice a tick.
 *
 * <p>Nothing that is thrown while it turns ends it, an {@code OutOfMemoryError} no more than a fault of the clock's: a process without its wheel would look
 * alive and close nobody. It is counted and told ({@link WheelObserver#turnFailed}), and after a tick, or {@value #MOST_PAUSE_MILLIS} ms if that is less, it
 * goes on with what was left.
 *
 * <p>{@link #startWhenNeeded} starts it with the first arm, for an owner that may never arm anything.
 *
 * <h2>Concurrency</h2>
 *
 * Callers: any thread. The wheel's turning thread is this one from construction on; nobody else may call {@link TimingWheel#advance}.
 *
 * <p>Fields: {@code closed}, volatile, written by any thread; {@code started}, volatile, written under the lock of this.
 *
 * <p>Allowed race: an owner wakes the thread when it is about to be started; it begins with an advance and needs no waking. That the first of
 * several arms at once starts it, once, is the gate's promise (jcstress: {@code FirstArmStartsTheThreadStress}).
 */
public final class WheelThread implements AutoCloseable {

    private static final long MOST_PAUSE_MILLIS = 100;
    private static final long MOST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(MOST_PAUSE_MILLIS);

    private final TimingWheel wheel;
    private final LongSupplier clock;
    private final int slice;
    private final Thread thread;

    private volatile boolean closed;
    private volatile boolean started;

    /**
     * Takes charge of the wheel; call {@link #start} to turn it.
     *
     * @param clock monotonic nanoseconds, as {@code System::nanoTime}; must run at the pace of real time, as sleep is measured by it
     * @param slice the most expiries between two looks at the clock, 1 or more
     */
    public WheelThread(TimingWheel wheel, LongSupplier clock, int slice) {
        this(wheel, clock, slice, WheelThread::daemon);
    }

    /**
     * As {@link #WheelThread(TimingWheel, LongSupplier, int)}, on a thread of the caller's making.
     *
     * @param threads asked for one thread, here and now, that runs what it is given and is not started; what keeps the process alive, its name
     *     and its priority are the factory's choice
     * @throws NullPointerException when the factory makes none
     */
    public WheelThread(TimingWheel wheel, LongSupplier clock, int slice, ThreadFactory threads) {
        this.wheel = wheel;
        this.clock = clock;
        this.slice = slice;
        thread = Objects.requireNonNull(threads.newThread(this::run), "thread of the factory");
        wheel.turnedBy(thread);
        wheel.wokenBy(this::wake);
    }

    private static Thread daemon(Runnable run) {
        Thread thread = new Thread(run, "heartwheel-wheel");
        thread.setDaemon(true);
        return thread;
    }

    /** Starts the thread; a second call and one after {@link #close} do nothing. */
    public synchronized void start() {
        if (!started && !closed) {
            started = true;
            try {
                thread.start();
            } catch (Throwable failure) {
                started = false;
                throw failure;
            }
        }
    }

    /**
     * Starts the thread as soon as there is something to turn for: now if something is armed, otherwise with the first {@link TimingWheel#arm}.
     * An arm that cannot start it throws what that threw, and the next one tries again. A second call and one after {@link #start} or {@link
     * #close} do nothing.
     */
    public synchronized void startWhenNeeded() {
        if (!started && !closed && wheel.sleepUntilArmed(clock.getAsLong())) {
            start();
        }
    }

    /** Whether the caller runs on the thread that turns the wheel. */
    public boolean onWheelThread() {
        return Thread.currentThread() == thread;
    }

    /**
     * Ends the turning and waits for the slice at hand to be over; what is armed then stays armed and does not expire. From within {@link
     * Timed#expire} it does not wait. Interrupts do not cut the wait short; the caller's interrupt is kept.
     */
    @Override
    public void close() {
        boolean running;
        synchronized (this) {
            closed = true;
            running = started;
        }
        wake();
        if (running && !onWheelThread()) {
            join();
        }
    }

    private void join() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void wake() {
        if (started) {
            LockSupport.unpark(thread);
        } else {
            startByArm();
        }
    }

    private void startByArm() {
        try {
            start();
        } catch (Throwable failure) {
            wheel.sleepUntilArmed(clock.getAsLong());
            throw failure;
        }
    }

    private void run() {
        assert onWheelThread();
        while (!closed) {
            try {
                wheel.advance(clock.getAsLong(), slice);
                sleep();
            } catch (Throwable failure) {
                wheel.turnFailed(failure);
                LockSupport.parkNanos(this, Math.min(wheel.tickNanos(), MOST_PAUSE_NANOS));
            }
        }
    }

    /** Returns when the wheel has to be turned. */
    private void sleep() {
        while (!closed) {
            long now = clock.getAsLong();
            long wake = wheel.beginSleep(now);
            if (wake - now <= 0) {
                return;
            }
            LockSupport.parkNanos(this, wake - now);
            wheel.endSleep();
            // An interrupt that stood would make every later park return at once.
            Thread.interrupted();
        }
    }

    /** Whether the thread is turning the wheel: started and not closed. */
    public boolean isRunning() {
        return thread.isAlive() && !closed;
    }
}
