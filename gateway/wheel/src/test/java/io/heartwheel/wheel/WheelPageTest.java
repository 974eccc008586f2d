package io.heartwheel.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/wheel.md} is right: its drawings, step by step, and its examples, word for word. */
class WheelPageTest {

    private static final Path PAGE = Path.of("../docs/wheel.md");
    private static final Path OWN = Path.of("src/test/java/io/heartwheel/wheel/WheelPageTest.java");
    private static final long TICK_NANOS = 10_000_000;

    private final LongSupplier clock = System::nanoTime;
    private final Executor executor = Runnable::run;

    // --- the drawings ---

    private final TimingWheel drawn = new TimingWheel(TICK_NANOS, 8, 4, 0);
    private final Ring ring = drawn.turner().ring();

    private int at(Probe probe) {
        int handle = drawn.register(probe);
        drawn.arm(handle, probe.deadlineNanos());
        return handle;
    }

    private String place(int handle) {
        int place = ring.placeOf(drawn.cells().entry(handle));
        return place == Cells.NONE ? "nowhere" : ring.levelOf(place) + "/" + ring.slotOf(place);
    }

    private void tick(long tick) {
        drawn.advance(tick * TICK_NANOS, 100);
    }

    @Test
    void drawings_tickByTick_areWhatTheRingDoes() {
        Probe b = new Probe(6 * TICK_NANOS);
        int handleA = at(new Probe(3 * TICK_NANOS));
        int handleB = at(b);
        int handleC = at(new Probe(13 * TICK_NANOS));
        int handleD = at(new Probe(40 * TICK_NANOS));
        tick(0);
        assertEquals(
                List.of("0/3", "0/6", "1/3", "2/2"),
                List.of(place(handleA), place(handleB), place(handleC), place(handleD)));
        tick(2);
        b.deadlineNanos = 14 * TICK_NANOS;
        tick(3);
        assertEquals(List.of("nowhere", "0/6"), List.of(place(handleA), place(handleB)));
        tick(6);
        assertEquals(List.of("1/3", "1/3"), List.of(place(handleB), place(handleC)));
        tick(8);
        assertEquals(List.of("1/3", "1/3"), List.of(place(handleB), place(handleC)));
        tick(9);
        assertEquals(List.of("0/6", "1/3"), List.of(place(handleB), place(handleC)));
        tick(10);
        assertEquals(List.of("0/6", "0/5"), List.of(place(handleB), place(handleC)));
        tick(14);
        assertEquals(List.of("nowhere", "nowhere"), List.of(place(handleB), place(handleC)));
        assertEquals(32 * TICK_NANOS, drawn.nextWakeNanos(14 * TICK_NANOS));
    }

    // --- the examples ---

    private static final class Connection implements Timed {
        private final LongSupplier clock;
        private final CountDownLatch expired = new CountDownLatch(1);
        private volatile long lastHeardNanos;

        Connection(LongSupplier clock) {
            this.clock = clock;
            heard();
        }

        void heard() {
            lastHeardNanos = clock.getAsLong();
        }

        void awaitExpiry() throws InterruptedException {
            assertTrue(expired.await(60, SECONDS));
        }

        @Override
        public long deadlineNanos() {
            return lastHeardNanos + MILLISECONDS.toNanos(30);
        }

        @Override
        public void expire(long nowNanos) {
            expired.countDown();
        }
    }

    @Test
    void example_connection_expires() throws InterruptedException {
        // example: connection
        TimingWheel wheel = new TimingWheel(TICK_NANOS, 512, 1_000_000, clock.getAsLong());
        try (WheelThread thread = new WheelThread(wheel, clock, 1_024)) {
            thread.start();
            Connection connection = new Connection(clock); // implements Timed
            int handle = wheel.register(connection);
            wheel.arm(handle, connection.deadlineNanos());
            connection.heard(); // activity: stores a time, and that is all
            connection.awaitExpiry(); // 30 ms after it was last heard, on the wheel's thread
            wheel.release(handle);
        }
        // end
    }

    private final AtomicBoolean ran = new AtomicBoolean();

    private void retry() {
        ran.set(true);
    }

    private void report() {
        ran.set(true);
    }

    private void forget() {
        ran.set(true);
    }

    @Test
    void example_timers_cancelAndStop() {
        TimingWheel wheel = new TimingWheel(TICK_NANOS, 512, 10, clock.getAsLong());
        // example: timers
        Timers timers = new Timers(wheel, clock, executor, 100_000, TimerObserver.NONE);
        Timer retry = timers.once(MILLISECONDS.toNanos(200), this::retry);
        timers.start(
                Schedule.atFixedRate(Duration.ofSeconds(1), Duration.ofSeconds(1))
                        .times(3),
                this::report);
        timers.replace("device-7", Duration.ofMinutes(5), this::forget); // by key: the one before is cancelled
        boolean prevented = retry.cancel();
        List<Timer> notRun = timers.stop();
        // end
        assertTrue(prevented);
        assertEquals(2, notRun.size());
        assertFalse(ran.get());
    }

    @Test
    void example_waits_completes() {
        TimingWheel wheel = new TimingWheel(TICK_NANOS, 512, 10, clock.getAsLong());
        // example: waits
        PendingResults<Long, String> answers = new PendingResults<>(wheel, clock, executor, 100_000);
        CompletableFuture<String> answer = answers.await(42L, SECONDS.toNanos(5));
        answers.complete(42L, "delivered"); // or the deadline, whichever comes first
        // end
        assertEquals("delivered", answer.getNow("nothing"));
    }

    @Test
    void page_itsExamples_areTheOnesRunHere() throws IOException {
        assertEquals(examples(OWN, "// example: ", "// end"), examples(PAGE, "<!-- example: ", "```"));
    }

    /** By name, in order, white space aside, since a formatter keeps the code here and none the page. */
    static List<String> examples(Path file, String begins, String ends) throws IOException {
        List<String> found = new ArrayList<>();
        List<String> current = null;
        for (String line : Files.readAllLines(file)) {
            String text = line.strip();
            if (current == null && text.startsWith(begins)) {
                current = new ArrayList<>();
                current.add(text.substring(begins.length()).replace(" -->", ""));
            } else if (current != null && text.equals(ends)) {
                found.add(current.stream().collect(Collectors.joining()).replaceAll("\\s+", ""));
                current = null;
            } else if (current != null && !text.equals("```java")) {
                current.add(text);
            }
        }
        return found;
    }

    @Test
    void page_everyStressTest_standsThereAndInTheCode() throws IOException {
        String page = Files.readString(PAGE);
        try (var files = Files.list(Path.of("src/jcstress/java/io/heartwheel/wheel"))) {
            List<String> names = files.map(file -> file.getFileName().toString().replace(".java", ""))
                    .filter(name -> name.endsWith("Stress"))
                    .toList();
            assertTrue(names.size() > 10);
            names.forEach(name -> assertTrue(page.contains("`" + name + "`"), name + " is missing in wheel.md"));
        }
    }
}
