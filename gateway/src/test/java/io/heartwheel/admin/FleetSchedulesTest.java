package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.cluster.RowsAround;
import io.heartwheel.log.LogCapture;
import io.heartwheel.push.schedule.MemoryRows;
import io.heartwheel.push.schedule.PutResult;
import io.heartwheel.push.schedule.PutResult.Cause;
import io.heartwheel.push.schedule.ScheduleLimits;
import io.heartwheel.push.schedule.ScheduleRow;
import io.heartwheel.push.schedule.ScheduleSpec;
import io.heartwheel.push.schedule.ScheduleSpec.Missed;
import io.heartwheel.push.schedule.Schedules;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Schedules of a fleet: who runs which. */
class FleetSchedulesTest {
    private static final Duration FAR = Duration.ofHours(1);

    private final ScheduleFleet fleet = new ScheduleFleet(1, "a", "b", "c");

    FleetSchedulesTest() {
        fleet.pass(Duration.ofSeconds(3));
    }

    private ScheduleFleet.Node node(String name) {
        return fleet.node(name);
    }

    private String owner(String key) {
        return fleet.owner(key);
    }

    private ScheduleFleet.Node ownerOf(String key) {
        return node(owner(key));
    }

    private void put(String key, ScheduleSpec spec) {
        assertInstanceOf(PutResult.Stored.class, node("a").put(key, spec));
    }

    private int inWheels() {
        return fleet.inWheels();
    }

    // ------------------------------------------------------------------ by key

    @Test
    void schedule_putAtOneGateway_isSeenAndChangedAtAll() {
        put("x", ScheduleFleet.once(FAR, Missed.ONCE));
        put("y", ScheduleFleet.once(FAR, Missed.ONCE));
        for (ScheduleFleet.Node each : fleet.nodes) {
            assertEquals(List.of("x", "y"), each.list());
        }
        PutResult.Stored replaced =
                assertInstanceOf(PutResult.Stored.class, node("b").put("x", ScheduleFleet.once(FAR, Missed.SKIP)));
        assertTrue(replaced.replaced());
        assertEquals(Missed.SKIP, node("c").get("x").orElseThrow().row().spec().missed());
        assertTrue(node("c").delete("x"));
        assertFalse(node("a").delete("x"));
        assertTrue(node("b").get("x").isEmpty());
        assertEquals(List.of("y"), node("b").list());
        fleet.pass(Duration.ofSeconds(15));
        assertEquals(1, inWheels());
    }

    @Test
    void schedules_many_areSharedOutAndEachRunsOnce() {
        for (int i = 0; i < 60; i++) {
            put("k" + i, ScheduleFleet.once(Duration.ofSeconds(60), Missed.SKIP));
        }
        fleet.pass(Duration.ofSeconds(25));
        fleet.nodes.forEach(
                node -> assertTrue(node.schedules.size() >= 10, node.name + " has " + node.schedules.size()));
        assertEquals(60, inWheels());
        assertTrue(fleet.nodes.get(1).part.counts.get(What.SCHEDULE_TAKEN) >= 10);
        fleet.pass(Duration.ofSeconds(60));
        assertEquals(60, fleet.delivered.size());
        assertEquals(
                60,
                fleet.delivered.stream()
                        .map(ScheduleFleet.Delivered::key)
                        .collect(Collectors.toSet())
                        .size());
        assertEquals(List.of(), node("b").list());
        assertEquals(0, inWheels());
    }

    @Test
    void list_ofManyGoneMeanwhile_goesOnBehindThem() {
        for (int i = 10; i < 40; i++) {
            put("k" + i, ScheduleFleet.once(FAR, Missed.ONCE));
        }
        node("b").list();
        for (int i = 10; i < 30; i++) {
            node("a").delete("k" + i);
        }
        assertEquals(
                List.of("k30", "k31", "k32"),
                fleet.await(node("b").schedules.list("", "k", 3)).stream()
                        .map(view -> view.row().key())
                        .toList());
    }

    @Test
    void put_beyondTheFleetsLimitOrTooLargeForARow_isRefused() {
        fleet.limits = new ScheduleLimits(3, 1_000, null);
        ScheduleFleet.Node late = fleet.start("late");
        for (int i = 0; i < 3; i++) {
            put("k" + i, ScheduleFleet.once(FAR, Missed.ONCE));
        }
        fleet.pass(Duration.ofSeconds(12));
        assertEquals(Cause.FULL, refused(late.put("more", ScheduleFleet.once(FAR, Missed.ONCE))));
        assertInstanceOf(PutResult.Stored.class, late.put("k1", ScheduleFleet.once(FAR, Missed.ONCE)));
        fleet.memory.maxMessageBytes = 600;
        assertEquals(Cause.TOO_LARGE, refused(node("a").put("k2", ScheduleFleet.once(FAR, Missed.ONCE))));
    }

    private static Cause refused(PutResult result) {
        return assertInstanceOf(PutResult.Refused.class, result).cause();
    }

    @Test
    void nats_away_changesAreRefusedAndWhatIsDueRunsWhenItIsBack() {
        try (LogCapture log = new LogCapture(Schedules.class)) {
            runsWhenNatsIsBack();
            assertEquals(List.of(), log.messages(), "the outage is told once");
        }
    }

    private void runsWhenNatsIsBack() {
        put("skips", ScheduleFleet.once(Duration.ofSeconds(10), Missed.SKIP));
        put("runs", ScheduleFleet.once(Duration.ofSeconds(10), Missed.ONCE));
        fleet.memory.down = true;
        fleet.pass(Duration.ofSeconds(20));
        assertEquals(Cause.NOT_STORED, refused(node("a").put("x", ScheduleFleet.once(FAR, Missed.ONCE))));
        assertEquals(List.of(), fleet.delivered);
        fleet.memory.down = false;
        fleet.pass(Duration.ofSeconds(20));
        assertEquals(0, fleet.deliveries("skips"));
        assertEquals(1, fleet.deliveries("runs"));
    }

    // ------------------------------------------------------------------ gateways that come and go

    @Test
    void gateway_killed_itsSchedulesRunElsewhere() {
        put("x", ScheduleFleet.rate(Duration.ofSeconds(30), 3, Missed.ALL));
        fleet.pass(Duration.ofSeconds(15));
        String before = owner("x");
        node(before).kill();
        fleet.pass(Duration.ofSeconds(100));
        assertEquals(3, fleet.deliveries("x"));
        assertTrue(fleet.delivered.stream().noneMatch(each -> each.by().equals(before)));
        assertEquals(List.of(), fleet.nodes.get(0).list());
    }

    @Test
    void gateway_killedInARun_theRunIsRepeatedUnderItsId() {
        fleet.resultSteps = 1_000;
        put("x", ScheduleFleet.once(Duration.ofSeconds(15), Missed.ONCE));
        fleet.pass(Duration.ofSeconds(17));
        ScheduleFleet.Node before = ownerOf("x");
        assertTrue(fleet.nodes.stream()
                .allMatch(node -> node.get("x").orElseThrow().running()));
        before.kill();
        fleet.pass(Duration.ofSeconds(60));
        assertEquals(2, fleet.deliveries("x"));
        assertEquals(
                1,
                fleet.delivered.stream()
                        .map(ScheduleFleet.Delivered::messageId)
                        .distinct()
                        .count());
    }

    @Test
    void gateway_thatEndsInOrder_nothingIsMissed() {
        put("x", ScheduleFleet.rate(Duration.ofSeconds(1), 40, Missed.SKIP));
        fleet.pass(Duration.ofSeconds(14));
        ScheduleFleet.Node before = ownerOf("x");
        before.end();
        fleet.pass(Duration.ofSeconds(40));
        assertEquals(40, fleet.deliveries("x"));
        assertTrue(before.part.counts.get(What.SCHEDULE_LEFT) > 0);
    }

    /** As when its device was sent away before the gateway ends. */
    @Test
    void gateway_thatEndsWhileARunIsTriedAgain_givesThatBackToo() {
        put("x", ScheduleFleet.once(Duration.ofSeconds(14), Missed.SKIP));
        fleet.pass(Duration.ofSeconds(13));
        ScheduleFleet.Node before = ownerOf("x");
        before.refuses = true;
        fleet.pass(Duration.ofMillis(1_500));
        assertEquals(1, fleet.deliveries("x"));
        before.giveBack();
        fleet.pass(Duration.ofSeconds(3));
        assertEquals(2, fleet.deliveries("x"));
        assertEquals(List.of(), node("a").list());
    }

    /** Before it is due, while its row is written, while its result is waited for, and behind that. */
    @Test
    void gateway_thatEndsAroundARun_keepsNothingThatIsNotUnderWay() {
        try (LogCapture log = new LogCapture(Schedules.class)) {
            for (int i = 0; i < 20; i++) {
                ScheduleFleet other = new ScheduleFleet(i, "a", "b");
                other.pass(Duration.ofSeconds(3));
                other.node("a").put("x", ScheduleFleet.rate(Duration.ofSeconds(1), 30, Missed.ALL));
                other.pass(Duration.ofMillis(14_800 + i * 20));
                String before = other.owner("x");
                other.node(before).giveBack();
                other.pass(Duration.ofSeconds(5));
                assertNotEquals(before, other.owner("x"), "ends in step " + i);
                other.pass(Duration.ofSeconds(15));
                assertEquals(30, other.deliveries("x"));
            }
            assertEquals(List.of(), log.messages());
        }
    }

    @Test
    void gateway_thatStoodStill_leavesWhatAnotherRuns() {
        put("x", ScheduleFleet.rate(Duration.ofSeconds(10), 9, Missed.ALL));
        fleet.pass(Duration.ofSeconds(12));
        ScheduleFleet.Node before = ownerOf("x");
        before.still(true);
        fleet.pass(Duration.ofSeconds(30));
        ScheduleFleet.Node other =
                fleet.nodes.stream().filter(node -> node != before).findFirst().orElseThrow();
        assertFalse(other.get("x").orElseThrow().node().equals(before.name));
        before.still(false);
        fleet.pass(Duration.ofSeconds(80));
        assertEquals(9, fleet.deliveries("x"), () -> fleet.delivered.toString());
    }

    @Test
    void gateway_thatComes_takesItsShare() {
        for (int i = 0; i < 40; i++) {
            put("k" + i, ScheduleFleet.once(FAR, Missed.ONCE));
        }
        ScheduleFleet.Node late = fleet.start("d");
        fleet.pass(Duration.ofSeconds(15));
        assertTrue(late.schedules.size() >= 4, () -> "has " + late.schedules.size());
        assertEquals(40, inWheels());
    }

    @Test
    void fleet_allKilled_whoStartsRunsAll() {
        for (int i = 0; i < 9; i++) {
            put("k" + i, ScheduleFleet.once(Duration.ofSeconds(40), Missed.ONCE));
        }
        fleet.pass(Duration.ofSeconds(15));
        List.copyOf(fleet.nodes).forEach(ScheduleFleet.Node::kill);
        fleet.start("b");
        fleet.pass(Duration.ofSeconds(80));
        assertEquals(9, fleet.delivered.size());
    }

    private ScheduleFleet.Node alone(BiFunction<RowStore, Row, Boolean> fails) {
        List.copyOf(fleet.nodes).forEach(ScheduleFleet.Node::kill);
        fleet.fault = (node, rows) -> forgetful(rows, row -> fails.apply(rows, row));
        return fleet.start("alone");
    }

    @Test
    void move_whoseAnswerIsLost_isNotDoneAgainWhenTheNextRunHasBegun() {
        int[] lost = new int[1];
        ScheduleFleet.Node one = alone((rows, row) -> row.held() && row.sessionId() == 0 && lost[0]++ == 1);
        fleet.pass(Duration.ofSeconds(10));
        one.put("x", ScheduleFleet.rate(Duration.ofMillis(100), 2, Missed.ALL));
        while (fleet.delivered.isEmpty()) {
            fleet.step();
        }
        fleet.resultSteps = 200;
        fleet.pass(Duration.ofSeconds(3));
        assertEquals(2, lost[0], "the answer to the first move was lost");
        assertEquals(2, fleet.delivered.size());
        Row row = fleet.await(one.part.engine.schedules().readLatest("x".getBytes(StandardCharsets.UTF_8)));
        assertEquals(2, row.sessionId(), "its second run has begun");
    }

    @Test
    void gateway_thatStandsStillBeforeItHearsThatItsRunHasBegun_doesNotRunIt() {
        boolean[] stood = new boolean[1];
        ScheduleFleet.Node[] one = new ScheduleFleet.Node[1];
        one[0] = alone((rows, row) -> {
            if (row.sessionId() > 0 && !stood[0]) {
                stood[0] = true;
                one[0].still(true);
            }
            return false;
        });
        fleet.pass(Duration.ofSeconds(20));
        one[0].put("x", ScheduleFleet.once(Duration.ofSeconds(4), Missed.ONCE));
        while (!stood[0]) {
            fleet.step();
        }
        fleet.start("b");
        fleet.pass(Duration.ofSeconds(60));
        one[0].still(false);
        fleet.pass(Duration.ofSeconds(60));
        assertEquals(1, fleet.deliveries("x"), () -> fleet.delivered.toString());
    }

    /** Rows that are written, and whose answer is lost if the test says so. */
    private static RowStore forgetful(RowStore rows, Predicate<Row> loses) {
        return new RowsAround(rows) {
            @Override
            public CompletionStage<Boolean> write(byte[] key, Row row, long revision) {
                boolean lost = loses.test(row);
                return there.write(key, row, revision).thenApply(written -> {
                    if (lost) {
                        throw new IllegalStateException("the answer is lost");
                    }
                    return written;
                });
            }
        };
    }

    /** As one of an earlier release, which runs none. */
    @Test
    void gateway_thatRunsNone_keepsNoneFromRunning() {
        BiFunction<NodeId, RowStore, RowStore> before = fleet.fault;
        fleet.fault = (node, rows) -> new RowsAround(rows) {
            @Override
            public CompletionStage<Boolean> write(byte[] key, Row row, long revision) {
                return CompletableFuture.completedFuture(false);
            }

            @Override
            public CompletionStage<List<Entry>> page(boolean nodesAlone, long after, int most) {
                return CompletableFuture.completedFuture(List.of());
            }
        };
        fleet.start("old");
        fleet.fault = before;
        fleet.pass(Duration.ofSeconds(3));
        for (int i = 0; i < 12; i++) {
            put("k" + i, ScheduleFleet.once(Duration.ofSeconds(60), Missed.ONCE));
        }
        fleet.pass(Duration.ofSeconds(20));
        node("a").kill();
        fleet.pass(Duration.ofSeconds(60));
        assertEquals(12, fleet.delivered.size());
    }

    // ------------------------------------------------------------------ before the fleet, and rows

    @Test
    void schedules_keptBeforeThereWasAFleet_areMovedUnlessTheKeyIsTaken() {
        put("x", ScheduleFleet.once(FAR, Missed.SKIP));
        MemoryRows disk = new MemoryRows();
        List.of("x", "y", "z").forEach(key -> disk.put(ScheduleFleet.alone(key)));
        ScheduleFleet.Node late = fleet.start("d", 0, disk);
        fleet.pass(Duration.ofSeconds(10));
        assertEquals(List.of("x", "y", "z"), node("b").list());
        assertEquals(Missed.SKIP, node("b").get("x").orElseThrow().row().spec().missed());
        assertEquals(
                List.of("x"),
                disk.page("", "", 9).join().stream().map(ScheduleRow::key).toList());
        late.kill();
        fleet.pass(Duration.ofSeconds(60));
        assertEquals(1, fleet.deliveries("y"));
        assertEquals(1, fleet.deliveries("z"));
        assertEquals(0, fleet.deliveries("x"));
    }

    @Test
    void rows_ofWhatIsOver_goAfterAMinute() {
        put("x", ScheduleFleet.once(Duration.ofSeconds(1), Missed.ONCE));
        put("y", ScheduleFleet.once(FAR, Missed.ONCE));
        fleet.pass(Duration.ofSeconds(20));
        node("b").delete("y");
        assertEquals(2, rows());
        fleet.pass(Duration.ofSeconds(200));
        assertEquals(0, rows());
    }

    @Test
    void rows_lostAndMadeAnew_areForgottenAndThoseOfNowAreSeen() {
        put("x", ScheduleFleet.once(FAR, Missed.ONCE));
        fleet.memory.makeAnew();
        put("y", ScheduleFleet.once(FAR, Missed.ONCE));
        assertEquals(List.of("y"), node("b").list());
        fleet.pass(Duration.ofSeconds(15));
        assertEquals(1, inWheels());
    }

    private int rows() {
        return fleet.await(fleet.nodes.get(0).part.engine.schedules().page(false, 0, 100))
                .size();
    }

    @Test
    void row_thatCannotBeRead_isLeftAloneAndCanBeReplaced() {
        writeUnreadable("x", 0);
        fleet.pass(Duration.ofSeconds(15));
        assertEquals(List.of(), node("b").list());
        assertEquals(
                "the row of this key is of a later release, or damaged; DELETE removes it, PUT takes its place",
                assertThrows(CompletionException.class, () -> node("b").get("x"))
                        .getCause()
                        .getMessage());
        assertTrue(node("b").delete("x"));
        assertTrue(node("a").get("x").isEmpty());
        writeUnreadable("x", latest("x").revision());
        put("x", ScheduleFleet.once(FAR, Missed.ONCE));
        assertEquals(List.of("x"), node("b").list());
        assertTrue(node("c").delete("x"));
    }

    private Row latest(String key) {
        return fleet.await(node("a").part.engine.schedules().readLatest(key.getBytes(StandardCharsets.UTF_8)));
    }

    private void writeUnreadable(String key, long revision) {
        Row foreign = new Row(node("a").part.id, 0, 1, true, 0, new byte[] {2, 7});
        RowStore rows = node("a").part.engine.schedules();
        assertTrue(fleet.await(rows.write(key.getBytes(StandardCharsets.UTF_8), foreign, revision)));
    }

    private void readAllAgain() {
        fleet.memory.down = true;
        fleet.pass(Duration.ofSeconds(10));
        fleet.memory.down = false;
        fleet.pass(Duration.ofSeconds(15));
    }

    @Test
    void row_thatCannotBeRead_isToldOnceARevision() {
        try (LogCapture log = new LogCapture(FleetRows.class)) {
            writeUnreadable("x", 0);
            readAllAgain();
            readAllAgain();
            assertEquals(3, log.messages().size(), "once by each gateway");
            writeUnreadable("x", latest("x").revision());
            readAllAgain();
            assertEquals(6, log.messages().size());
            for (int i = 0; i < 1_100; i++) {
                writeUnreadable("y" + i, 0);
            }
            readAllAgain();
            readAllAgain();
            assertEquals(3 + 3 * 1_024, log.messages().size(), "no more than can be kept in mind");
        }
    }

    @Test
    void row_underAKeyOfNoSchedule_isLeftAloneAndToldAsSuchOnce() {
        try (LogCapture log = new LogCapture(FleetRows.class)) {
            for (String key : List.of("\u00e9ghost.17", "a b", "k".repeat(129))) {
                writeUnreadable(key, 0);
                Row over = new Row(node("a").part.id, 0, 2, false, 0);
                RowStore rows = node("a").part.engine.schedules();
                assertTrue(fleet.await(rows.write(
                        key.getBytes(StandardCharsets.UTF_8), over, latest(key).revision())));
            }
            readAllAgain();
            fleet.pass(Duration.ofSeconds(150));
            assertEquals(
                    List.of(
                            "cluster: key ?ghost.17 in the bucket of schedules is none of a gateway, and is left alone"),
                    log.messages().stream().distinct().toList());
            assertEquals(3, log.messages().size());
            assertEquals(3, rows(), "none is purged");
        }
    }

    @Test
    void hash_ofManyKeys_sharesThemOutAndMovesOnlyThoseOfWhoLeaves() {
        List<NodeId> five = IntStream.range(0, 5)
                .mapToObj(i -> new NodeId("gw-" + i, 9 - i))
                .toList();
        int[] shares = new int[5];
        for (int i = 0; i < 10_000; i++) {
            String key = "key-" + i;
            int first = first(five, key);
            shares[first]++;
            int four = first(five.subList(0, 4), key);
            assertTrue(first == 4 || first == four);
        }
        for (int share : shares) {
            assertTrue(share > 1_800 && share < 2_200, () -> "" + share);
        }
        assertTrue(FleetSchedules.isBefore(new NodeId("a", 2), new NodeId("a", 1), "x"));
    }

    private static int first(List<NodeId> nodes, String key) {
        int first = 0;
        for (int i = 1; i < nodes.size(); i++) {
            first = FleetSchedules.isBefore(nodes.get(i), nodes.get(first), key) ? i : first;
        }
        return first;
    }

    // ------------------------------------------------------------------ trial

    private static final long SEED = Long.getLong("test.seed", System.nanoTime());

    @Test
    void gateways_thatComeDieAndStandStill_eachRunHasOneOwnerAndNoneIsLost() {
        for (int i = 0; i < 12; i++) {
            ScheduleTrial trial = new ScheduleTrial(SEED + i, (node, rows) -> rows);
            long seed = SEED + i;
            assertTrue(trial.run(), () -> "test.seed = " + seed + ": " + trial.violations);
        }
    }

    private static boolean finds(BiFunction<NodeId, RowStore, RowStore> fault) {
        return IntStream.range(0, 12).anyMatch(i -> !new ScheduleTrial(SEED + i, fault).run());
    }

    @Test
    void fault_writeWithoutComparing_isFound() {
        assertTrue(finds((node, rows) -> faulty(node, rows, false)), "test.seed = " + SEED);
    }

    @Test
    void fault_ownerNotLookedAt_isFound() {
        assertTrue(finds((node, rows) -> faulty(node, rows, true)), "test.seed = " + SEED);
    }

    /** Rows that compare nothing, or that say to each gateway that it is the owner. */
    private static RowStore faulty(NodeId node, RowStore rows, boolean mine) {
        return new RowsAround(rows) {
            @Override
            public CompletionStage<Row> readLatest(byte[] key) {
                return there.readLatest(key)
                        .thenApply(row -> mine && row.held()
                                ? new Row(node, row.sessionId(), row.epoch(), true, row.revision(), row.more())
                                : row);
            }

            @Override
            public CompletionStage<Boolean> write(byte[] key, Row row, long revision) {
                return mine
                        ? there.write(key, row, revision)
                        : there.readLatest(key).thenCompose(now -> there.write(key, row, now.revision()));
            }
        };
    }
}
