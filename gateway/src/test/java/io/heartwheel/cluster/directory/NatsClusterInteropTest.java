package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.Health;
import io.heartwheel.cluster.NatsServer;
import io.heartwheel.cluster.NatsStream;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.nats.NatsEngine;
import io.heartwheel.nats.NatsServers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract over a real nats-server. */
@Tag("interop")
class NatsClusterInteropTest extends ClusterContract {
    private static final int NODES = 8;
    private static final int DEVICES = 300;
    private static final double LOST = 0.05;
    private static final long MOST_UNDER_WAY = 4_000;

    @TempDir
    static Path directory;

    private static NatsServer server;
    private static final AtomicInteger FLEETS = new AtomicInteger();

    private final List<Engine> engines = new ArrayList<>();
    private final String fleet = "f" + FLEETS.incrementAndGet();

    @BeforeAll
    static void startServer() throws Exception {
        server = NatsServer.start(directory);
    }

    @AfterAll
    static void endServer() throws Exception {
        server.close();
    }

    /** Its connection looks well for some seconds: that alone would be told as the end of the outage, again and again. */
    @Test
    void repair_ofAServerThatStandsStill_fails() throws Exception {
        Health health = join(A).health();
        server.signal("STOP");
        try {
            assertThrows(EngineException.class, health::repair);
        } finally {
            server.signal("CONT");
        }
        health.repair();
        assertTrue(health.isReachable());
    }

    /** As an operator may delete it by mistake: who looks for rows notices, and who does not sees another time. */
    @Test
    void bucket_madeAnew_isNoticed() throws Exception {
        Engine a = join(A);
        Engine b = join(B);
        long before = get(a.members().state()).madeMillis();
        assertEquals(before, get(b.members().state()).madeMillis());
        NatsStream.delete(server, "KV_heartwheel-" + fleet + "-groups");
        assertThrows(ExecutionException.class, () -> get(a.members().state()));
        assertFalse(a.health().isReachable());
        a.health().repair();
        assertNotEquals(before, get(b.members().state()).madeMillis());
        assertTrue(b.health().isReachable());
    }

    @AfterEach
    void leave() {
        engines.forEach(Engine::close);
    }

    @Override
    protected Engine join(NodeId node) throws Exception {
        ClusterSettings settings = new ClusterSettings(
                fleet,
                node.name(),
                "",
                new NatsServers(List.of(server.url()), null, null, null, null),
                1,
                ClusterSettings.OnOutage.LOCAL,
                1_000);
        Engine engine = new NatsEngine(settings, node).engine();
        engines.add(engine);
        engine.health().repair();
        return engine;
    }

    @Override
    protected <T> T get(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    @Override
    protected RaceTrial trial() throws Exception {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("test.seed = " + seed);
        return new RaceTrial(new RealPlace(), NODES, DEVICES, LOST, seed);
    }

    @Override
    protected int claims() {
        return 150_000;
    }

    /** Real time, and one thread for all sessions. */
    private final class RealPlace implements RaceTrial.Place {
        private final ExecutorService loop = Executors.newSingleThreadExecutor();
        private RaceTrial trial;

        @Override
        public Engine join(NodeId node) throws Exception {
            return NatsClusterInteropTest.this.join(node);
        }

        @Override
        public void run(Runnable task) {
            loop.execute(task);
        }

        @Override
        public void settle(boolean fully) throws Exception {
            int idle = 0;
            for (int turns = 0; turns < 3_000 && idle < (fully ? 20 : 1); turns++) {
                loop.submit(() -> trial.turn()).get(60, TimeUnit.SECONDS);
                idle = trial.underWay() <= (fully ? 0 : MOST_UNDER_WAY) ? idle + 1 : 0;
                if (fully || idle == 0) {
                    TimeUnit.MILLISECONDS.sleep(10);
                }
            }
        }

        @Override
        public void watch(RaceTrial watched) {
            trial = watched;
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public <T> T get(CompletionStage<T> answer) throws Exception {
            return NatsClusterInteropTest.this.get(answer);
        }

        @Override
        public void close() {
            loop.shutdownNow();
        }
    }
}
