package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One device id has one connection: the newest. */
@Execution(ExecutionMode.CONCURRENT)
class TakeoverIT {
    /** Four takeovers: of one more the newcomer waits. */
    private static final int RIVALS = 5;

    private static final int ROUNDS = 60;

    private static GatewayProcess gateway;

    @BeforeAll
    static void start() throws Exception {
        gateway = GatewayProcess.with("transport.event-loops", "4", "heartbeat.interval", "60s")
                .start();
    }

    @AfterAll
    static void end() throws Exception {
        gateway.close();
    }

    /** A connection that was taken, the epoch it got, and how it went on. */
    private record Rival(WireClient client, long epoch) {}

    @Test
    void rivals_atTheSameTime_leaveOneAndItIsTheLatest() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(RIVALS);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                String device = "contested-" + round;
                CyclicBarrier start = new CyclicBarrier(RIVALS);
                List<Rival> rivals = all(threads, () -> {
                    WireClient client = WireClient.connect(gateway.tcp());
                    start.await();
                    return new Rival(client, client.sayHello(device).epoch());
                });
                assertOneIsLeft(rivals, round);
            }
        } finally {
            threads.shutdownNow();
            assertTrue(threads.awaitTermination(Await.LONG.toSeconds(), TimeUnit.SECONDS));
        }
    }

    private static void assertOneIsLeft(List<Rival> rivals, int round) throws Exception {
        long latest = rivals.stream().mapToLong(Rival::epoch).max().orElseThrow();
        assertEquals(RIVALS, rivals.stream().map(Rival::epoch).distinct().count(), "an epoch was given twice");
        for (Rival rival : rivals) {
            String who = "round " + round + ", epoch " + rival.epoch + ", latest " + latest;
            if (rival.epoch == latest) {
                rival.client.ping((byte) 1);
                WireFrame answer = rival.client.read();
                assertTrue(answer != null && answer.type() == WireFrame.PONG, () -> who + ": " + answer);
            } else {
                WireFrame answer = rival.client.read();
                assertTrue(answer != null && answer.type() == WireFrame.CLOSE, () -> who + ": " + answer);
                assertEquals(4409, answer.code(), who);
                rival.client.expectEnd();
            }
        }
        for (Rival rival : rivals) {
            rival.client.close();
        }
    }

    private static <T> List<T> all(ExecutorService threads, Callable<T> task) throws Exception {
        List<Future<T>> running = new ArrayList<>();
        for (int i = 0; i < RIVALS; i++) {
            running.add(threads.submit(task));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> each : running) {
            results.add(each.get(Await.LONG.toSeconds(), TimeUnit.SECONDS));
        }
        return results;
    }

    /** The old socket closes, breaks or lingers around the time the new one says HELLO: the new one stays registered whatever the order. */
    @Test
    void oldSocket_endingAroundTheTakeover_neverUnregistersTheNew() throws Exception {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 150; round++) {
            String device = "handed-over-" + round;
            WireClient old = WireClient.hello(gateway.tcp(), device);
            try (WireClient young = WireClient.connect(gateway.tcp())) {
                int way = random.nextInt(4);
                if (way == 0) {
                    old.close();
                } else if (way == 1) {
                    old.reset();
                }
                young.sayHello(device);
                if (way == 2) {
                    old.reset();
                } else if (way == 3) {
                    old.expectClose(4409);
                    old.close();
                }
                young.roundTrip(round);
                try (WireClient third = WireClient.hello(gateway.tcp(), device)) {
                    // only who is registered can be taken over
                    assertEquals(WireFrame.CLOSE, young.read().type(), "seed " + seed + ", round " + round);
                    third.roundTrip(round);
                }
            }
        }
    }
}
