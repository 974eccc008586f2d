package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.DeviceRegistry;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.Moment;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeRow;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.session.VirtualGateway;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lost gateway of which there are rows alone, and one that gives back what it has left, in virtual time. */
class LostNodesTest {
    private static final long TENTH = TimeUnit.MILLISECONDS.toNanos(100);
    private static final NodeId LOST = new NodeId("lost", 1);
    private static final NodeId BEFORE = new NodeId("before", 1);
    /** No gateway; its engine is used for rows of others. */
    private static final NodeId WRITER = new NodeId("writer", 1);

    private static final byte[] KEY = NodeRow.key(LOST);
    private static final int DEVICES = 30;

    private final MemoryFleet fleet = new MemoryFleet(1);
    private RowStore rows = fleet.join(WRITER).rows();
    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());

    /** The lost one had all devices. */
    private void begin(int deviceBuckets) {
        fleet.deviceBuckets = deviceBuckets;
        rows = fleet.join(WRITER).rows();
        write(NodeRow.living(Row.NONE, LOST));
        DeviceRegistry registry = new DeviceRegistry(rows);
        IntStream.range(0, DEVICES).forEach(i -> fleet.await(registry.claim(id(i), LOST, 7, 500, row -> true)));
    }

    private Row write(Row row) {
        assertTrue(fleet.await(
                rows.write(KEY, row, fleet.await(rows.readLatest(KEY)).revision())));
        return fleet.await(rows.readLatest(KEY));
    }

    private void release(int from, int to) {
        DeviceRegistry registry = new DeviceRegistry(rows);
        IntStream.range(from, to).forEach(i -> assertTrue(fleet.await(registry.release(id(i), LOST, 7))));
    }

    private void survive(int atTurn, Runnable then, UnaryOperator<RowStore> fault) {
        MemoryGateway survivor = new MemoryGateway(
                fleet,
                "a",
                new SessionRegistry(fleet::now, () -> 1 + fleet.now() / 1_000, 0),
                OnOutage.LOCAL,
                gateway.sessionContext.sink(),
                there -> MemoryClusterTest.withRows(there, fault.apply(there.rows())));
        for (int turn = 0; turn < 300; turn++) {
            if (turn == atTurn) {
                then.run();
            }
            fleet.pass(TENTH);
            survivor.turn();
        }
        assertTrue(NodeRow.isDone(fleet.row("node lost.1"), LOST), "done, " + atTurn);
    }

    private Set<String> told() {
        return gateway.events.stream()
                .filter(ConnectionEvent.NodeLost.class::isInstance)
                .map(each -> ((ConnectionEvent.NodeLost) each).identity().deviceId())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static byte[] id(int device) {
        return ("d" + device).getBytes(StandardCharsets.UTF_8);
    }

    private static Set<String> ids(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "d" + i).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Its devices left before; one that looked after it has given ids back, and nobody knows whether it has told them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void survivor_diesWhileItGivesBack_theNextTellsWhatThatHasGivenBackAndNoMore(int deviceBuckets) {
        begin(deviceBuckets);
        release(0, 10);
        Row lost = write(NodeRow.taken(fleet.await(rows.readLatest(KEY)), LOST, BEFORE));
        Moment lostAt = fleet.await(rows.moment(KEY, lost.revision()));
        write(NodeRow.told(lost, BEFORE, lostAt));
        release(10, 20);
        survive(-1, () -> {}, there -> there);
        assertEquals(ids(10, DEVICES), told());
    }

    /** It goes on and looks at its devices, firmly, just when a page of its rows has been read. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void lostGateway_hasWrittenARowAgainSince_keepsIt(int deviceBuckets) {
        begin(deviceBuckets);
        DeviceRegistry registry = new DeviceRegistry(rows);
        survive(-1, () -> {}, there -> new ReassertsBefore(there, registry, id(5), new AtomicBoolean()));
        assertTrue(fleet.row("d5").isHeldBy(LOST, 7));
        Set<String> others = ids(0, DEVICES);
        others.remove("d5");
        assertEquals(others, told());
    }

    /** Whenever that is: nobody waits for rows that are not there. */
    @ParameterizedTest
    @ValueSource(ints = {140, 142, 144, 146, 148, 150, 152, 154, 156, 158, 160, 170, 180, 190})
    void bucket_madeAnewMeanwhile_theOthersAreGivenBack(int atTurn) {
        begin(3);
        survive(atTurn, () -> fleet.makeAnew(2), there -> there);
        assertEquals(
                0,
                IntStream.range(0, DEVICES)
                        .filter(i -> fleet.row("d" + i).held())
                        .count());
    }

    /** Before the row of one device is given back, its gateway writes it. */
    private record ReassertsBefore(RowStore there, DeviceRegistry registry, byte[] device, AtomicBoolean done)
            implements RowStore {
        @Override
        public CompletionStage<Row> read(byte[] deviceId) {
            return there.read(deviceId);
        }

        @Override
        public CompletionStage<Row> readLatest(byte[] deviceId) {
            return there.readLatest(deviceId);
        }

        @Override
        public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
            return Arrays.equals(deviceId, device) && !done.getAndSet(true)
                    ? registry.reassert(deviceId, LOST, 7, 500, true)
                            .thenCompose(look -> there.write(deviceId, row, revision))
                    : there.write(deviceId, row, revision);
        }

        @Override
        public CompletionStage<List<Entry>> page(boolean nodesAlone, long after, int most) {
            return there.page(nodesAlone, after, most);
        }

        @Override
        public CompletionStage<Moment> moment(byte[] key, long revision) {
            return there.moment(key, revision);
        }
    }
}
