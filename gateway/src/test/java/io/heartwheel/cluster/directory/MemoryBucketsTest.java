package io.heartwheel.cluster.directory;

import static io.heartwheel.cluster.directory.MemoryClusterTest.NO_FAULT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.DeviceRegistry;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.Moment;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeRow;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract in memory, the rows of devices in three buckets whose revisions have nothing to do with each other. */
class MemoryBucketsTest extends MemoryContract {
    private static final long TENTH = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int DEVICES = 30;

    MemoryBucketsTest() {
        fleet.deviceBuckets = 3;
    }

    @Override
    protected int claims() {
        return 10_000;
    }

    @Test
    void deaths_inTheEnd_eventsSayWhatIs() {
        fleet.mostDelayNanos = 2 * TENTH;
        assertEquals(List.of(), MemoryClusterTest.afterDeaths(fleet, SEED, false, false, NO_FAULT));
        assertEquals(List.of(), fleet.violations);
    }

    @Test
    void standstills_overABadWay_eventsSayWhatIsAndNobodyAnswersWrongly() {
        fleet.mostDelayNanos = 2 * TENTH;
        fleet.dropped = 0.005;
        fleet.repeated = 0.01;
        List<String> wrong = MemoryClusterTest.afterDeaths(fleet, SEED, true, false, NO_FAULT);
        assertEquals(List.of(), MemoryClusterTest.known(wrong));
    }

    /** Each finds no row where the other has written one. */
    @Test
    void fault_gatewaysOfTwoCounts_isFound() throws Exception {
        MemoryPlace place = new MemoryPlace(fleet) {
            @Override
            public Engine join(NodeId node) {
                fleet.deviceBuckets = 5 - fleet.deviceBuckets;
                return super.join(node);
            }
        };
        try (RaceTrial trial = new RaceTrial(place, 2, 100, 0, SEED)) {
            trial.run(2_000);
            trial.sweep();
            assertTrue(trial.violations().stream().anyMatch(text -> text.contains("stale sockets")), trial::summary);
        }
    }

    @Test
    void moment_ofARowThatWasWrittenOver_fails() {
        RowStore rows = join(A).rows();
        byte[] key = NodeRow.key(B);
        get(rows.write(key, NodeRow.living(Row.NONE, B), 0));
        Row read = get(rows.read(key));
        get(new DeviceRegistry(rows).claim(id(0), A, 7, 500, row -> true));
        long written = get(rows.read(id(0))).revision();
        assertTrue(get(rows.moment(key, read.revision())).includes(written));
        get(rows.write(key, NodeRow.living(read, B), read.revision()));
        CompletionStage<Moment> over = rows.moment(key, read.revision());
        assertThrows(CompletionException.class, () -> get(over));
    }

    @Test
    void write_withARevisionOfAnotherBucket_isNotDone() {
        RowStore rows = join(A).rows();
        int other = IntStream.range(1, DEVICES)
                .filter(i -> bucketOf(rows, i) != bucketOf(rows, 0))
                .findFirst()
                .orElseThrow();
        Row row = get(rows.read(id(0)));
        assertFalse(get(rows.write(id(0), row, get(rows.read(id(other))).revision())));
        assertTrue(get(rows.write(id(0), row, row.revision())));
    }

    private int bucketOf(RowStore rows, int device) {
        get(new DeviceRegistry(rows).claim(id(device), A, 7, 500, row -> true));
        return Moment.bucket(get(rows.read(id(device))).revision());
    }

    @Test
    void watch_ofADevice_hearsWhatOthersWrite() {
        RowStore rows = join(A).rows();
        List<String> heard = new ArrayList<>();
        rows.hear((deviceId, row) -> heard.add(new String(deviceId, StandardCharsets.UTF_8)));
        rows.watch(id(1), true);
        rows.watch(id(2), true);
        rows.watch(id(2), false);
        DeviceRegistry other = new DeviceRegistry(join(B).rows());
        IntStream.range(0, 4).forEach(i -> get(other.claim(id(i), B, 8, 500, row -> true)));
        fleet.pass(TENTH);
        assertEquals(List.of("d1"), heard);
    }

    private static byte[] id(int device) {
        return ("d" + device).getBytes(StandardCharsets.UTF_8);
    }
}
