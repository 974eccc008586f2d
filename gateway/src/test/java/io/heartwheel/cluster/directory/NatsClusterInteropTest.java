package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.Health;
import io.heartwheel.cluster.NatsServer;
import io.heartwheel.cluster.NatsStream;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.cluster.nats.NatsEngine;
import io.heartwheel.log.LogCapture;
import io.heartwheel.nats.DeviceTokens;
import io.heartwheel.nats.NatsServers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

    protected static NatsServer server;

    private static final AtomicInteger FLEETS = new AtomicInteger();

    private final List<Engine> engines = new ArrayList<>();
    protected final String fleet = "f" + FLEETS.incrementAndGet();

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

    @Test
    void page_withKeysOfOthers_hasAllThatIsNotTheirs() throws Exception {
        RowStore rows = join(A).schedules();
        for (String key : List.of("foo", "foo.bar", "foo.bar/b", "00.eA")) {
            NatsStream.publish(server, "$KV.heartwheel-" + fleet + "-schedules." + key, new byte[] {1, 2});
        }
        assertTrue(get(rows.write(id("x"), new Row(A, 0, 1, true, 0), 0)));
        List<RowStore.Entry> page = get(rows.page(false, 0, 10));
        assertEquals(5, page.size());
        page.subList(0, 4).forEach(each -> assertNull(each.row().node()));
        assertArrayEquals(id("x"), page.get(4).deviceId());
        assertTrue(page.get(4).row().held());
    }

    /** As the tools of NATS delete a key: the row is an empty message then. */
    @Test
    void row_thatAToolHasDeleted_isNoneAndIsWrittenOver() throws Exception {
        RowStore rows = join(A).schedules();
        byte[] key = id("x");
        assertTrue(get(rows.write(key, new Row(A, 0, 1, true, 0), 0)));
        String subject = DeviceTokens.hash(key) + "." + DeviceTokens.whole(key);
        NatsStream.publish(server, "$KV.heartwheel-" + fleet + "-schedules." + subject, new byte[0]);
        Row none = get(rows.readLatest(key));
        assertNull(none.node());
        assertTrue(get(rows.write(key, new Row(A, 0, 2, true, 0), none.revision())));
        assertEquals(2, get(rows.readLatest(key)).epoch());
    }

    /** Its acknowledgement comes first, and is not taken for the answer. */
    @Test
    void request_thatAStreamAcknowledges_isAnsweredByTheNodeAndTheStreamIsNamed() throws Exception {
        Engine a = join(A);
        join(B).bus().serve(message -> new CompletableFuture<byte[]>()
                .completeOnTimeout(message, 200, TimeUnit.MILLISECONDS));
        NatsStream.make(server, "all-" + fleet, "heartwheel." + fleet + ".>", -1);
        try (LogCapture log = new LogCapture(NatsEngine.class)) {
            for (byte i = 1; i <= 3; i++) {
                assertArrayEquals(new byte[] {i}, get(a.bus().request(B, new byte[] {i})));
            }
            assertEquals(3, NatsStream.messages(server, "all-" + fleet));
            assertFails("no answer in time", a.bus().request(new NodeId("nobody", 1), new byte[] {1}, 300_000_000));
            List<String> told = log.messages();
            assertEquals(1, told.size(), told::toString);
            assertTrue(told.get(0).contains("stream all-" + fleet + " of NATS"), told::toString);
        } finally {
            NatsStream.delete(server, "all-" + fleet);
        }
        assertFails("nobody is there", a.bus().request(new NodeId("nobody", 1), new byte[] {1}));
    }

    private void assertFails(String why, CompletionStage<?> asked) {
        Throwable failure =
                assertThrows(ExecutionException.class, () -> get(asked)).getCause();
        assertEquals(why, failure.getMessage());
    }

    /** All it is asked works but writes: that alone would be told as the end of the outage, again and again. */
    @Test
    void repair_ofAServerThatTakesNoWrites_fails(@TempDir Path full) throws Exception {
        NatsServer small = NatsServer.start(
                full, "jetstream { max_file_store: 2M, store_dir: \"" + full.resolve("store") + "\" }");
        try {
            Engine a = join(A, 1, small);
            Row large = new Row(A, 0, 1, true, 0, new byte[100_000]);
            fill(a.schedules(), large, 100);
            a.health().repair(); // devices are admitted as long as there is room for them
            Exception failure = fill(a.rows(), new Row(A, 0, 1, true, 0), 2_000);
            EngineException repair = assertThrows(EngineException.class, a.health()::repair);
            assertEquals(failure.getCause().getMessage(), repair.getMessage());
            NatsStream.delete(small, "KV_heartwheel-" + fleet + "-schedules");
            repairSoon(a.health());
        } finally {
            small.close();
        }
    }

    private Exception fill(RowStore rows, Row row, int most) {
        return assertThrows(ExecutionException.class, () -> {
            for (int i = 0; i < most; i++) {
                get(rows.write(id("x" + i), row, 0));
            }
        });
    }

    /** The server may need a moment to count what it has room for. */
    static void repairSoon(Health health) throws Exception {
        for (int looks = 100; ; looks--) {
            try {
                health.repair();
                return;
            } catch (EngineException notYet) {
                if (looks == 0) {
                    throw notYet;
                }
                TimeUnit.MILLISECONDS.sleep(200);
            }
        }
    }

    @AfterEach
    void leave() {
        engines.forEach(Engine::close);
    }

    @Override
    protected Engine join(NodeId node) throws Exception {
        return join(node, deviceBuckets());
    }

    /** Of a fleet that is made. */
    protected int deviceBuckets() {
        return 1;
    }

    /** With a setting of its own. */
    protected final Engine join(NodeId node, int deviceBuckets) throws Exception {
        return join(node, deviceBuckets, server);
    }

    private Engine join(NodeId node, int deviceBuckets, NatsServer at) throws Exception {
        ClusterSettings settings = new ClusterSettings(
                fleet,
                node.name(),
                "",
                new NatsServers(List.of(at.url()), null, null, null, null),
                1,
                deviceBuckets,
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
