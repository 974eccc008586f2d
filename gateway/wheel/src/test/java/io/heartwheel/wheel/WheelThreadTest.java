package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With a real thread and a real clock; nothing waits for longer than what it waits for takes, and nothing is claimed of how long that is. */
@Timeout(30)
class WheelThreadTest {

    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long HOUR = 3_600_000_000_000L;

    private final AtomicLong clockReads = new AtomicLong();
    private final TimingWheel wheel = new TimingWheel(TICK, 64, 1_000, System.nanoTime());
    private final WheelThread thread = new WheelThread(wheel, this::clock, 100);

    private long clock() {
        clockReads.incrementAndGet();
        return System.nanoTime();
    }

    @AfterEach
    void close() {
        thread.close();
    }

    /** An entry that remembers where and when it expired. */
    private final class Meeting implements Timed {
        final CountDownLatch met = new CountDownLatch(1);
        volatile long deadlineNanos;
        volatile long atNanos;
        volatile Thread on;
        volatile boolean onWheelThread;

        Meeting(long delayNanos) {
            deadlineNanos = System.nanoTime() + delayNanos;
            wheel.arm(wheel.register(this), deadlineNanos);
        }

        @Override
        public long deadlineNanos() {
            return deadlineNanos;
        }

        @Override
        public void expire(long nowNanos) {
            atNanos = nowNanos;
            on = Thread.currentThread();
            onWheelThread = thread.onWheelThread();
            met.countDown();
        }

        Thread await() throws InterruptedException {
            assertTrue(met.await(20, TimeUnit.SECONDS), "never expired");
            assertTrue(atNanos - deadlineNanos >= 0, "early");
            return on;
        }
    }

    /** Waits until the thread sleeps and has looked at the clock for the last time before it. */
    private long awaitSleep(Thread turner) {
        long reads = -1;
        while (turner.getState() != Thread.State.TIMED_WAITING || clockReads.get() != reads) {
            reads = clockReads.get();
            Thread.onSpinWait();
        }
        return reads;
    }

    @Test
    void start_armedEntry_expiresOnTheDaemonThread() throws InterruptedException {
        Meeting meeting = new Meeting(5 * TICK);
        assertFalse(thread.isRunning());
        thread.start();
        Thread on = meeting.await();
        assertTrue(thread.isRunning());
        assertTrue(meeting.onWheelThread);
        assertFalse(thread.onWheelThread());
        assertTrue(on.isDaemon());
        assertEquals("heartwheel-wheel", on.getName());
    }

    @Test
    void start_twice_isOneThread() throws InterruptedException {
        thread.start();
        thread.start();
        new Meeting(0).await();
    }

    @Test
    void arm_earlierThanTheSleep_wakes() throws InterruptedException {
        thread.start();
        Thread turner = new Meeting(0).await();
        for (int i = 0; i < 20; i++) {
            new Meeting(HOUR);
            awaitSleep(turner);
            new Meeting(i % 3 * TICK).await();
        }
    }

    @Test
    void arm_laterThanTheSleep_doesNotWake() throws InterruptedException {
        thread.start();
        Thread turner = new Meeting(0).await();
        new Meeting(HOUR);
        while (wheel.counters().filed() == 0) {
            Thread.onSpinWait();
        }
        long reads = awaitSleep(turner);
        for (int i = 0; i < 500; i++) {
            new Meeting(10 * HOUR + i);
        }
        assertEquals(reads, clockReads.get());
    }

    @Test
    void sleep_interrupted_sleepsOn() throws InterruptedException {
        thread.start();
        Thread turner = new Meeting(0).await();
        for (int i = 0; i < 5; i++) {
            awaitSleep(turner);
            turner.interrupt();
        }
        awaitSleep(turner);
        new Meeting(TICK).await();
    }

    @Test
    void advance_byAnotherThread_isRefused() {
        assertThrows(AssertionError.class, () -> wheel.advance(System.nanoTime(), 1));
        assertThrows(AssertionError.class, () -> wheel.nextWakeNanos(System.nanoTime()));
    }

    @Test
    void turn_clockThrowsErrors_goesOnAndTells() throws InterruptedException {
        AtomicLong planted = new AtomicLong();
        AtomicLong told = new AtomicLong();
        WheelObserver observer = new WheelObserver() {
            @Override
            public void turnFailed(Throwable failure) {
                told.incrementAndGet();
                throw new IllegalStateException("an observer that fails as well", failure);
            }
        };
        TimingWheel other = new TimingWheel(TICK, 64, 10, System.nanoTime(), observer);
        LongSupplier failing = () -> {
            if (planted.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new OutOfMemoryError("as planned");
            }
            return System.nanoTime();
        };
        try (WheelThread sturdy = new WheelThread(other, failing, 100)) {
            sturdy.start();
            for (int round = 1; round <= 3; round++) {
                CountDownLatch ran = new CountDownLatch(1);
                Probe probe = new Probe(System.nanoTime() + 3 * TICK);
                probe.then = ran::countDown;
                planted.set(2);
                other.arm(other.register(probe), probe.deadlineNanos);
                assertTrue(ran.await(20, TimeUnit.SECONDS), "no expiry after an error");
                assertTrue(sturdy.isRunning());
            }
            assertEquals(6, told.get());
            assertEquals(12, other.counters().failed());
        }
    }

    @Test
    void close_whileAsleep_ends() throws InterruptedException {
        thread.start();
        Thread turner = new Meeting(0).await();
        new Meeting(HOUR);
        awaitSleep(turner);
        thread.close();
        assertFalse(turner.isAlive());
        assertFalse(thread.isRunning());
        thread.close();
    }

    @Test
    void close_neverStarted_returnsAndPreventsStart() {
        thread.close();
        thread.start();
        assertFalse(thread.isRunning());
    }

    @Test
    void close_interruptedCaller_waitsAndKeepsTheInterrupt() throws InterruptedException {
        thread.start();
        Thread turner = new Meeting(0).await();
        Thread.currentThread().interrupt();
        thread.close();
        assertTrue(Thread.interrupted());
        assertFalse(turner.isAlive());
    }

    @Test
    void close_fromWithinExpire_doesNotWaitForItself() throws InterruptedException {
        CountDownLatch closed = new CountDownLatch(1);
        Probe probe = new Probe(System.nanoTime());
        Thread[] turner = new Thread[1];
        probe.then = () -> {
            turner[0] = Thread.currentThread();
            thread.close();
            closed.countDown();
        };
        wheel.arm(wheel.register(probe), probe.deadlineNanos);
        thread.start();
        assertTrue(closed.await(20, TimeUnit.SECONDS));
        assertNotNull(turner[0]);
        turner[0].join();
        assertFalse(thread.isRunning());
    }

    // --- started when needed, by a factory of the caller's ---

    @Test
    void startWhenNeeded_nothingArmed_startsWithTheFirstArm() throws InterruptedException {
        thread.startWhenNeeded();
        thread.startWhenNeeded();
        int handle = wheel.register(new Probe(0));
        assertFalse(thread.isRunning());
        wheel.release(handle);
        assertFalse(thread.isRunning());
        new Meeting(TICK).await();
        assertTrue(thread.isRunning());
        new Meeting(0).await();
    }

    @ParameterizedTest
    @ValueSource(longs = {-100_000 * HOUR, 1_000 * HOUR, Deadline.MAX_DELAY_NANOS})
    void startWhenNeeded_armedLongAgoOrFarAhead_startsToo(long delayNanos) {
        thread.startWhenNeeded();
        new Meeting(delayNanos);
        assertTrue(thread.isRunning());
    }

    @Test
    void startWhenNeeded_armedAlready_startsAtOnce() throws InterruptedException {
        Meeting meeting = new Meeting(0);
        thread.startWhenNeeded();
        assertTrue(thread.isRunning());
        meeting.await();
    }

    @Test
    void startWhenNeeded_closedBeforeTheFirstArm_neverStarts() {
        thread.startWhenNeeded();
        thread.close();
        new Meeting(0);
        assertFalse(thread.isRunning());
    }

    @Test
    void startWhenNeeded_threadCannotStart_armThrowsAndTheNextTriesAgain() throws InterruptedException {
        TimingWheel other = new TimingWheel(TICK, 64, 10, System.nanoTime());
        int[] fails = {2};
        CountDownLatch ran = new CountDownLatch(1);
        WheelThread unlucky = new WheelThread(other, System::nanoTime, 100, run -> new Thread(run) {
            @Override
            public synchronized void start() {
                if (fails[0]-- > 0) {
                    throw new OutOfMemoryError("as planned");
                }
                super.start();
            }
        });
        try (unlucky) {
            unlucky.startWhenNeeded();
            Probe probe = new Probe(System.nanoTime());
            probe.then = ran::countDown;
            int handle = other.register(probe);
            assertThrows(OutOfMemoryError.class, () -> other.arm(handle, probe.deadlineNanos));
            other.disarm(handle);
            assertThrows(OutOfMemoryError.class, () -> other.arm(handle, probe.deadlineNanos));
            other.disarm(handle);
            assertFalse(unlucky.isRunning());
            other.arm(handle, probe.deadlineNanos);
            assertTrue(ran.await(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void wheelThread_factory_makesTheThread() throws InterruptedException {
        TimingWheel other = new TimingWheel(TICK, 64, 10, System.nanoTime());
        CountDownLatch ran = new CountDownLatch(1);
        String[] name = new String[1];
        try (WheelThread named = new WheelThread(other, System::nanoTime, 100, run -> new Thread(run, "mine"))) {
            Probe probe = new Probe(System.nanoTime());
            probe.then = () -> {
                name[0] = Thread.currentThread().getName();
                ran.countDown();
            };
            other.arm(other.register(probe), probe.deadlineNanos);
            named.start();
            assertTrue(ran.await(20, TimeUnit.SECONDS));
        }
        assertEquals("mine", name[0]);
        assertThrows(NullPointerException.class, () -> new WheelThread(other, System::nanoTime, 100, run -> null));
    }
}
