package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.heartwheel.netty.WheelTimer;
import io.netty.util.Timeout;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Examples of {@code README.md}, which stand here word for word. */
class ReadmeTest {

    private final Executor executor = ForkJoinPool.commonPool();
    private final BlockingQueue<String> reports = new LinkedBlockingQueue<>();

    private void report(String text) {
        reports.add(text);
    }

    private void awaitReports(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            String text = reports.poll(60, TimeUnit.SECONDS);
            assertNotNull(text, "no report within a minute");
        }
    }

    @AfterEach
    void noMoreReports() {
        assertNull(reports.poll());
    }

    @Test
    void example_timeout_runsOrIsCancelled() throws InterruptedException {
        // example: timeout
        TimingWheel wheel = new TimingWheel(10_000_000, 512, 1_000, System.nanoTime()); // tick of 10 ms, 512 buckets
        try (WheelThread thread = new WheelThread(wheel, System::nanoTime, 1_024)) {
            thread.start();
            Timers timers = new Timers(wheel, System::nanoTime, executor, 1_000_000, TimerObserver.NONE);
            Timer first = timers.once(Duration.ofMillis(50), () -> report("no answer"));
            Timer second = timers.once(Duration.ofSeconds(5), () -> report("never reported"));
            boolean prevented = second.cancel(); // true exactly once, and only if it will not run
            awaitReports(1);
            assert prevented && first.state() == Timer.State.FIRED;
        }
        // end
    }

    @Test
    void example_repeatingTask_runsThrice() throws InterruptedException {
        // example: repeating
        TimingWheel wheel = new TimingWheel(10_000_000, 512, 1_000, System.nanoTime());
        try (WheelThread thread = new WheelThread(wheel, System::nanoTime, 1_024)) {
            thread.start();
            Timers timers = new Timers(wheel, System::nanoTime, executor, 1_000_000, TimerObserver.NONE);
            Schedule everyTick = Schedule.atFixedRate(Duration.ZERO, Duration.ofMillis(10));
            timers.start(everyTick.times(3), () -> report("at a fixed rate"));
            Schedule pause = Schedule.withFixedDelay(Duration.ofHours(1), Duration.ofHours(1));
            timers.start(pause, () -> report("in an hour"));
            awaitReports(3);
            List<Timer> notRun = timers.stop(); // takes no new timers and gives back those that are pending
            assert notRun.size() == 1;
        }
        // end
    }

    @Test
    void example_keyedTask_runsOnce() throws InterruptedException {
        // example: keyed
        TimingWheel wheel = new TimingWheel(10_000_000, 512, 1_000, System.nanoTime());
        try (WheelThread thread = new WheelThread(wheel, System::nanoTime, 1_024)) {
            thread.start();
            Timers timers = new Timers(wheel, System::nanoTime, executor, 1_000_000, TimerObserver.NONE);
            Duration soon = Duration.ofMillis(50);
            timers.replace("device-7", Duration.ofMinutes(5), () -> report("replaced, never reported"));
            timers.replace("device-7", soon, () -> report("device-7 is forgotten"));
            timers.replace("device-8", soon, () -> report("removed, never reported"));
            boolean removed = timers.remove("device-8");
            awaitReports(1);
            assert removed && timers.pending() == 0;
        }
        // end
    }

    @Test
    void example_nettyTimer_isReplaced() throws InterruptedException {
        // example: netty
        // was: new HashedWheelTimer(10, TimeUnit.MILLISECONDS, 512)
        io.netty.util.Timer timer = new WheelTimer(10, TimeUnit.MILLISECONDS, 512);
        Timeout expires = timer.newTimeout(timeout -> report("timed out"), 50, TimeUnit.MILLISECONDS);
        Timeout cancelled = timer.newTimeout(timeout -> report("never reported"), 1, TimeUnit.HOURS);
        boolean prevented = cancelled.cancel();
        timer.newTimeout(timeout -> report("never reported"), 1, TimeUnit.HOURS);
        awaitReports(1);
        Set<Timeout> notRun = timer.stop();
        assert expires.isExpired() && prevented && notRun.size() == 1;
        // end
    }

    @Test
    void readme_itsExamples_areTheOnesRunHere() throws IOException {
        Path own = Path.of("src/test/java/io/heartwheel/wheel/ReadmeTest.java");
        List<String> shown = WheelPageTest.examples(Path.of("README.md"), "<!-- example: ", "```");
        assertEquals(4, shown.size());
        assertEquals(WheelPageTest.examples(own, "// example: ", "// end"), shown);
    }
}
