package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.cluster.RowsAround;
import io.heartwheel.push.schedule.PutResult;
import io.heartwheel.push.schedule.ScheduleSpec;
import io.heartwheel.push.schedule.ScheduleSpec.Missed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Rows of a fleet's schedules, where NATS is not as it should be. */
class FleetRowsTest {
    private static final ScheduleSpec LATER = ScheduleFleet.once(Duration.ofHours(1), Missed.ONCE);

    private final ScheduleFleet fleet = new ScheduleFleet(1);

    private ScheduleFleet.Node start(String name, UnaryOperator<RowStore> rows) {
        fleet.fault = (node, there) -> rows.apply(there);
        ScheduleFleet.Node started = fleet.start(name);
        fleet.fault = (node, there) -> there;
        fleet.pass(Duration.ofSeconds(5));
        return started;
    }

    private static void put(ScheduleFleet.Node at, String key) {
        assertInstanceOf(PutResult.Stored.class, at.put(key, LATER));
    }

    private static byte[] id(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    private static Row over() {
        return new Row(new NodeId("other", 1), 0, 1, false, 0);
    }

    // ------------------------------------------------------------------ the copy

    @Test
    void refresh_whileOthersWriteFasterThanItReads_ends() {
        ScheduleFleet.Node one = start("a", there -> there);
        int[] written = new int[1];
        fleet.memory.beforePage = () -> new RowStore.Entry(id("k" + written[0]++), over(), 0);
        CompletableFuture<?> list = one.schedules.list("", "", 10);
        fleet.pass(Duration.ofSeconds(2));
        assertTrue(list.isDone());
    }

    @Test
    void refresh_ofACopyThatLags_forgetsNothingThatWasWritten() {
        long[] knownThere = {Long.MAX_VALUE};
        ScheduleFleet.Node one = start("a", rows -> new RowsAround(rows) {
            @Override
            public CompletionStage<List<Entry>> page(boolean nodesAlone, long after, int most) {
                return there.page(nodesAlone, after, most).thenApply(page -> page.stream()
                        .filter(each -> each.row().revision() <= knownThere[0])
                        .toList());
            }
        });
        knownThere[0] = fleet.await(one.part.engine.schedules().state()).lastRevision();
        put(one, "x");
        fleet.memory.down = true;
        fleet.pass(Duration.ofSeconds(2));
        fleet.memory.down = false;
        fleet.pass(Duration.ofSeconds(15));
        assertEquals(1, one.schedules.size());
    }

    /** As after a crash of a server that had told of more than its disk had. */
    @Test
    void rows_whoseRevisionsBeginAnew_areReadFromTheBeginning() {
        ScheduleFleet.Node one = start("a", there -> there);
        ScheduleFleet.Node other = start("b", there -> there);
        put(one, "w");
        put(one, "x");
        assertEquals(List.of("w", "x"), other.list());
        fleet.memory.beginAgain();
        fleet.pass(Duration.ofSeconds(1));
        put(one, "y");
        assertEquals(List.of("y"), other.list());
    }

    // ------------------------------------------------------------------ what is over

    /** Keys in the order in which they are purged; and how many at once. */
    private final List<String> purged = new ArrayList<>();

    private int purges;
    private int mostPurges;
    private boolean purgesFail;

    private RowStore countingPurges(RowStore rows) {
        return new RowsAround(rows) {
            @Override
            public CompletionStage<?> purge(byte[] key, long revision) {
                purged.add(new String(key, StandardCharsets.UTF_8));
                mostPurges = Math.max(mostPurges, ++purges);
                return there.purge(key, purgesFail ? 0 : revision).thenAccept(done -> {
                    purges--;
                    if (purgesFail) {
                        throw new CompletionException(new EngineException(EngineException.Kind.UNREACHABLE, "fails"));
                    }
                });
            }
        };
    }

    private void writeOver(int count, NodeId by) {
        RowStore rows = fleet.nodes.get(0).part.engine.schedules();
        for (int i = 0; i < count; i++) {
            assertTrue(fleet.await(rows.write(id("k" + i), new Row(by, 0, 1, false, 0), 0)));
        }
    }

    private int rows() {
        return fleet.await(fleet.nodes.get(0).part.engine.schedules().page(false, 0, 1_000))
                .size();
    }

    @Test
    void manyThatAreOver_areRemovedSomeAtATimeAndAgainIfThatFails() {
        ScheduleFleet.Node one = start("a", this::countingPurges);
        writeOver(200, one.part.id);
        purgesFail = true;
        fleet.pass(Duration.ofSeconds(75));
        assertEquals(200, rows());
        purgesFail = false;
        fleet.pass(Duration.ofSeconds(75));
        assertEquals(0, rows());
        assertEquals(16, mostPurges);
    }

    @Test
    void over_atAGatewayThatIsGone_isRemovedByTheNextThatStarts() {
        ScheduleFleet.Node gone = start("a", this::countingPurges);
        start("b", this::countingPurges);
        writeOver(5, gone.part.id);
        fleet.pass(Duration.ofSeconds(12));
        gone.kill();
        start("c", this::countingPurges);
        fleet.pass(Duration.ofSeconds(150));
        assertEquals(0, rows());
        assertEquals(5, purged.size(), "by one");
    }

    @Test
    void over_beforeTheRowsWereMadeAnew_removesNoneOfThese() {
        ScheduleFleet.Node one = start("a", this::countingPurges);
        writeOver(1, one.part.id);
        fleet.pass(Duration.ofSeconds(30));
        fleet.memory.makeAnew();
        put(one, "k0");
        fleet.pass(Duration.ofSeconds(75));
        assertEquals(List.of("k0"), one.list());
    }

    // ------------------------------------------------------------------ changes that fail

    private static <T> CompletionStage<T> failure() {
        return CompletableFuture.failedFuture(new EngineException(EngineException.Kind.UNREACHABLE, "fails"));
    }

    @Test
    void giveBack_thatFailsForSome_givesAllOthersBack() {
        ScheduleFleet.Node one = start("a", rows -> new RowsAround(rows) {
            @Override
            public CompletionStage<Boolean> write(byte[] key, Row row, long revision) {
                return row.sessionId() < 0 && key.length == 2 ? failure() : super.write(key, row, revision);
            }
        });
        for (int i = 0; i < 150; i++) {
            put(one, "k" + i);
        }
        one.owned.giveBack();
        fleet.pass(Duration.ofSeconds(1));
        assertEquals(140, one.part.counts.get(What.SCHEDULE_LEFT), "all but k0 to k9");
    }

    @Test
    void gateway_thatEnds_takesNothingMore() {
        ScheduleFleet.Node one = start("a", there -> there);
        put(one, "x");
        ScheduleFleet.Node ends = start("b", there -> there);
        ends.owned.giveBack();
        fleet.pass(Duration.ofSeconds(1));
        assertEquals(Optional.empty(), fleet.await(ends.rows.take("x", row -> true)));
        assertEquals("a", fleet.owner("x"));
    }

    @Test
    void change_thatIsNotEvenBegun_keepsNoOtherFromTheRow() {
        boolean[] broken = {true};
        ScheduleFleet.Node one = start("a", rows -> new RowsAround(rows) {
            @Override
            public CompletionStage<Row> readLatest(byte[] key) {
                if (broken[0]) {
                    throw new IllegalArgumentException("broken");
                }
                return super.readLatest(key);
            }
        });
        assertInstanceOf(PutResult.Refused.class, one.put("x", LATER));
        broken[0] = false;
        put(one, "x");
    }

    @Test
    void move_thatFailsForOne_isDoneAgainForThatOneAlone() {
        Map<String, Integer> writes = new HashMap<>();
        boolean[] fails = {false};
        ScheduleFleet.Node one = start("a", rows -> new RowsAround(rows) {
            @Override
            public CompletionStage<Boolean> write(byte[] key, Row row, long revision) {
                String text = new String(key, StandardCharsets.UTF_8);
                writes.merge(text, 1, Integer::sum);
                return fails[0] && text.equals("k3") && row.sessionId() == 0
                        ? failure()
                        : super.write(key, row, revision);
            }
        });
        for (int i = 0; i < 5; i++) {
            one.schedules.put("k" + i, ScheduleFleet.rate(Duration.ofSeconds(60), 3, Missed.ALL), id("k" + i));
        }
        fleet.pass(Duration.ofSeconds(1));
        fails[0] = true;
        fleet.pass(Duration.ofSeconds(70));
        fails[0] = false;
        fleet.pass(Duration.ofSeconds(10));
        assertEquals(5, fleet.delivered.size());
        assertEquals(3, writes.get("k2"), "put, begun, moved");
        assertTrue(writes.get("k3") > 5);
        assertEquals(1, one.get("k3").orElseThrow().row().progress().run());
    }
}
