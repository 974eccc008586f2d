package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.DeviceRegistry;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.Moment;
import io.heartwheel.cluster.NatsStream;
import io.heartwheel.cluster.NodeRow;
import io.heartwheel.cluster.Row;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract over a real nats-server, the rows of devices in three buckets. */
@Tag("interop")
class NatsBucketsInteropTest extends NatsClusterInteropTest {
    private static final int IDS = 60;

    @Override
    protected int deviceBuckets() {
        return 3;
    }

    @Override
    protected int claims() {
        return 50_000;
    }

    private static byte[] id(int device) {
        return ("d" + device).getBytes(StandardCharsets.UTF_8);
    }

    private String stream(int share) {
        return "KV_heartwheel-" + fleet + (share == 0 ? "" : "-devices-" + share);
    }

    private void claimAll(Engine engine) throws Exception {
        claimAll(engine, 1);
    }

    private void claimAll(Engine engine, int session) throws Exception {
        DeviceRegistry registry = new DeviceRegistry(engine.rows());
        for (int i = 0; i < IDS; i++) {
            assertTrue(
                    get(registry.claim(id(i), A, session + i, 500, row -> true)).isGranted());
        }
    }

    @Test
    void rows_ofDevices_areInAllBucketsButTheFirst() throws Exception {
        Engine a = join(A);
        claimAll(a);
        get(a.rows().write(NodeRow.key(A), NodeRow.living(Row.NONE, A), 0));
        assertEquals(1, NatsStream.messages(server, stream(0)));
        for (int i = 0; i < IDS; i++) {
            int bucket = Moment.bucket(get(a.rows().read(id(i))).revision());
            assertTrue(bucket > 0);
            assertTrue(NatsStream.messages(server, stream(bucket)) > IDS / 6);
        }
    }

    @Test
    void settings_ofOtherCounts_areThoseOfTheFleet() throws Exception {
        claimAll(join(A));
        for (int count : new int[] {1, 5}) {
            Engine other = join(B, count);
            for (int i = 0; i < IDS; i++) {
                assertTrue(get(other.rows().readLatest(id(i))).isHeldBy(A, 1 + i));
            }
        }
    }

    /** As after a mistake of an operator, and a gateway with another setting that came first: who goes on would have its devices twice. */
    @Test
    void firstBucket_madeAnewWithAnotherCount_isRefused() throws Exception {
        Engine a = join(A);
        NatsStream.delete(server, stream(0));
        join(B, 2);
        EngineException refused = assertThrows(EngineException.class, a.health()::repair);
        assertTrue(refused.getMessage().contains("= 2, and this gateway began with 3"), refused.getMessage());
    }

    /** It reads no row, and so claims the id of a device that another has. */
    @Test
    void earlierRelease_thatKnowsTheFirstBucketAlone_writesNoDevice() throws Exception {
        join(A);
        assertThrows(
                IOException.class, () -> NatsStream.publish(server, "$KV.heartwheel-" + fleet + ".9f.ZA", new byte[0]));
        NatsStream.publish(server, "$KV.heartwheel-" + fleet + ".node.old.1", new byte[0]);
    }

    @Test
    void bucketOfDevices_lost_isNoticedByWhoLooksThereAndMadeAnew() throws Exception {
        Engine a = join(A);
        claimAll(a);
        NatsStream.delete(server, stream(2));
        for (int i = 0; i < IDS; i++) {
            byte[] id = id(i);
            if (a.health().isReachable()) {
                try {
                    assertTrue(get(a.rows().read(id)).held());
                } catch (ExecutionException lost) {
                    assertFalse(a.health().isReachable(), "d" + i);
                }
            }
        }
        assertFalse(a.health().isReachable());
        a.health().repair();
        claimAll(a);
        assertTrue(NatsStream.messages(server, stream(2)) > IDS / 6);
    }

    /** Nobody else notices, but for those whose ids are there: NATS is away until it takes writes again. */
    @Test
    void bucketOfDevices_thatTakesNoWrites_isNoticedAndProvedByARowThatGoes() throws Exception {
        Engine a = join(A);
        claimAll(a);
        long rows = NatsStream.messages(server, stream(2));
        NatsStream.limit(server, stream(2), 1);
        try {
            assertThrows(ExecutionException.class, () -> claimAll(a, 1_000));
            EngineException refused = assertThrows(EngineException.class, a.health()::repair);
            assertTrue(refused.getMessage().contains("maximum bytes"), refused.getMessage());
        } finally {
            NatsStream.limit(server, stream(2), -1);
        }
        repairSoon(a.health());
        assertEquals(rows, NatsStream.messages(server, stream(2)));
        claimAll(a, 2_000);
    }

    @Test
    void watch_ofADevice_hearsWhatOthersWrite() throws Exception {
        Engine a = join(A);
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        a.rows().hear((deviceId, row) -> heard.add(new String(deviceId, StandardCharsets.UTF_8)));
        for (int i = 0; i < IDS; i += 7) {
            a.rows().watch(id(i), true);
        }
        get(a.rows().read(id(0))); // what was subscribed before is known to the server
        claimAll(join(B));
        for (int i = 0; i < IDS; i += 7) {
            assertEquals("d" + i, heard.poll(20, TimeUnit.SECONDS));
        }
        assertTrue(heard.isEmpty());
    }
}
