package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowsAround;
import io.heartwheel.push.schedule.MemoryRows;
import io.heartwheel.push.schedule.PutResult;
import io.heartwheel.push.schedule.ScheduleLimits;
import io.heartwheel.push.schedule.ScheduleRow;
import io.heartwheel.push.schedule.ScheduleSpec.Missed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Schedules of a fleet whose next owner has no room, ends, is slow, or fails in the middle. */
class ScheduleOwnersTest {
    private static final Duration FAR = Duration.ofHours(1);

    private ScheduleFleet fleet = new ScheduleFleet(1, "a", "b", "c");

    ScheduleOwnersTest() {
        fleet.pass(Duration.ofSeconds(3));
    }

    /** Keys of two digits at one gateway; of those the later ones are due sooner. */
    private void put(String node, int schedules, Duration due) {
        for (int i = 0; i < schedules; i++) {
            Duration after = due.minusMillis(200L * i);
            assertInstanceOf(
                    PutResult.Stored.class, fleet.node(node).put(key(i), ScheduleFleet.once(after, Missed.ONCE)));
        }
    }

    private static String key(int number) {
        return "k" + (100 + number);
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }

    private record Take(NodeId by, String key) {
        boolean isBy(String name) {
            return by.name().equals(name);
        }
    }

    /** New owners of rows, in the order in which they took them. */
    private List<Take> takes() {
        List<Take> takes = new ArrayList<>();
        Map<String, NodeId> owners = new HashMap<>();
        fleet.memory.scheduleWritten = (key, row) -> {
            NodeId now = row.node();
            if (row.held() && row.sessionId() == 0 && !now.equals(owners.put(key, now))) {
                takes.add(new Take(now, key));
            }
        };
        return takes;
    }

    // ------------------------------------------------------------------ room

    private long ran() {
        return fleet.delivered.stream()
                .map(ScheduleFleet.Delivered::key)
                .distinct()
                .count();
    }

    @Test
    void schedules_ofAGatewayThatHasAsManyAsItMay_areRunByOthers() {
        fleet.limits = new ScheduleLimits(5, 1 << 20, null);
        fleet.wheelEntries = 8;
        ScheduleFleet.Node small = fleet.start("small");
        put("a", 60, Duration.ofSeconds(60));
        fleet.pass(Duration.ofSeconds(20));
        assertEquals(5, small.schedules.size());
        fleet.node("c").kill();
        fleet.pass(Duration.ofSeconds(42));
        assertEquals(60, ran());
    }

    /** Those that belong there. */
    private Stream<String> keysOf(ScheduleFleet.Node one) {
        return Stream.iterate("x", key -> key + "x").filter(key -> fleet.nodes.stream()
                .noneMatch(other -> FleetSchedules.isBefore(other.part.id, one.part.id, key)));
    }

    @Test
    void schedules_withoutRoomInTheWheel_areRunByOthers() {
        fleet.wheelEntries = 8;
        ScheduleFleet.Node small = fleet.start("small");
        keysOf(small).limit(7).forEach(key -> small.put(key, ScheduleFleet.once(FAR, Missed.ONCE)));
        assertEquals(7, small.schedules.size());
        put("a", 60, Duration.ofSeconds(60));
        fleet.pass(Duration.ofSeconds(90));
        assertEquals(60, ran());
    }

    // ------------------------------------------------------------------ looks

    @Test
    void row_thatIsReadDuringALook_isLookedAtAgain() {
        put("a", 30, FAR);
        List<Runnable> held = new ArrayList<>();
        boolean[] holds = {true};
        fleet.fault = (node, rows) -> new RowsAround(rows) {
            @Override
            public CompletionStage<Row> readLatest(byte[] key) {
                if (!holds[0]) {
                    return there.readLatest(key);
                }
                CompletableFuture<Row> answer = new CompletableFuture<>();
                held.add(() -> there.readLatest(key).thenAccept(answer::complete));
                return answer;
            }
        };
        ScheduleFleet.Node late = fleet.start("late");
        for (int i = 0; i < 30; i++) {
            late.schedules.get(key(i));
        }
        fleet.pass(Duration.ofSeconds(6));
        assertEquals(0, late.schedules.size());
        holds[0] = false;
        held.forEach(Runnable::run);
        fleet.pass(Duration.ofSeconds(2));
        assertTrue(late.schedules.size() >= 3, () -> "has " + late.schedules.size());
    }

    @Test
    void look_thatFailsInTheMiddle_isFollowedByOthers() {
        fleet.fault = (node, rows) -> new RowsAround(rows) {
            @Override
            public CompletionStage<Row> readLatest(byte[] key) {
                if (text(key).equals(key(0))) {
                    throw new IllegalStateException("a fault of the engine");
                }
                return there.readLatest(key);
            }
        };
        ScheduleFleet.Node late = fleet.start("late");
        put("a", 30, FAR);
        List.of("a", "b", "c").forEach(name -> fleet.node(name).kill());
        fleet.pass(Duration.ofSeconds(30));
        assertEquals(29, late.schedules.size());
    }

    /** Whoever is next takes what the first has not taken within 5 s; the first takes it back. */
    @Test
    void rows_ofTheDeadThatAnotherHasJustTaken_areLeftToIt() {
        fleet = new ScheduleFleet(1, "a");
        put("a", 600, FAR);
        fleet.node("a").kill();
        fleet.start("b");
        fleet.start("c");
        fleet.memory.mostDelayNanos = TimeUnit.MILLISECONDS.toNanos(900);
        List<Take> takes = takes();
        fleet.pass(Duration.ofSeconds(60));
        NodeId b = fleet.node("b").part.id;
        NodeId c = fleet.node("c").part.id;
        Set<String> first = new HashSet<>();
        for (Take each : takes) {
            assertFalse(first.contains(each.key), () -> each + " was where it belongs");
            if (each.by.equals(FleetSchedules.isBefore(b, c, each.key) ? b : c)) {
                first.add(each.key);
            }
        }
        assertEquals(600, first.size());
    }

    @Test
    void rows_ofTheDead_areTakenInTheOrderOfTheirTimes() {
        fleet = new ScheduleFleet(1, "a");
        put("a", 200, FAR);
        NodeId a = fleet.node("a").part.id;
        fleet.node("a").kill();
        NodeId b = fleet.start("b").part.id;
        List<Take> takes = takes();
        fleet.pass(Duration.ofSeconds(30));
        List<String> keys = takes.stream()
                .map(Take::key)
                .filter(key -> FleetSchedules.isBefore(a, b, key)) // the others before it is known that a is dead
                .toList();
        String first = Collections.min(keys.subList(0, 64));
        String behind = Collections.max(keys.subList(64, keys.size()));
        assertTrue(first.compareTo(behind) > 0, () -> first + " is taken before " + behind);
    }

    // ------------------------------------------------------------------ an orderly end

    @Test
    void gateway_thatEndsWhileItTakes_takesNoMore() {
        put("c", 600, FAR);
        fleet.pass(Duration.ofSeconds(15));
        fleet.memory.mostDelayNanos = TimeUnit.MILLISECONDS.toNanos(300);
        ScheduleFleet.Node b = fleet.node("b");
        fleet.node("c").kill();
        List<Take> takes = takes();
        while (takes.stream().noneMatch(take -> take.isBy("b"))) {
            fleet.step();
        }
        b.giveBack();
        fleet.pass(Duration.ofSeconds(1));
        takes.clear();
        fleet.pass(Duration.ofSeconds(20));
        assertTrue(takes.stream().noneMatch(take -> take.isBy("b")));
        for (int i = 0; i < 600; i += 50) {
            assertEquals("a", fleet.owner(key(i)));
        }
    }

    @Test
    void rows_givenBackByOneThatIsStillThere_areTakenWithinTwoSeconds() {
        for (int second = 0; second < 10; second++) {
            fleet = new ScheduleFleet(1, "a", "b");
            put("a", 20, FAR);
            fleet.pass(Duration.ofSeconds(20 + second));
            fleet.node("b").giveBack();
            fleet.pass(Duration.ofSeconds(2));
            assertEquals(20, fleet.node("a").schedules.size(), "after " + second);
        }
    }

    @Test
    void put_atAGatewayThatEnds_isRunByAnother() {
        ScheduleFleet.Node b = fleet.node("b");
        b.giveBack();
        b.put(keysOf(b).findFirst().orElseThrow(), ScheduleFleet.once(Duration.ofSeconds(20), Missed.SKIP));
        fleet.pass(Duration.ofSeconds(25));
        assertEquals(1, ran());
    }

    // ------------------------------------------------------------------ before the fleet

    private static List<String> keys(MemoryRows disk) {
        return disk.page("", "", 1_000).join().stream().map(ScheduleRow::key).toList();
    }

    private static MemoryRows disk(int schedules) {
        MemoryRows disk = new MemoryRows();
        for (int i = 0; i < schedules; i++) {
            disk.put(ScheduleFleet.alone(key(i)));
        }
        return disk;
    }

    @Test
    void schedulesOfBefore_someThatCannotBeMoved_holdUpNoOthersAndNoneComesBack() {
        boolean[] fails = {true};
        fleet.fault = (node, rows) -> new RowsAround(rows) {
            @Override
            public CompletionStage<Boolean> write(byte[] key, Row row, long revision) {
                return fails[0] && text(key).equals(key(1))
                        ? CompletableFuture.failedFuture(new IllegalStateException("not now"))
                        : there.write(key, row, revision);
            }
        };
        MemoryRows disk = disk(100);
        fleet.start("late", 0, disk);
        fleet.pass(Duration.ofSeconds(5));
        assertEquals(List.of(key(1)), keys(disk));
        assertTrue(fleet.node("b").delete(key(0)));
        fails[0] = false;
        fleet.pass(Duration.ofSeconds(12));
        assertEquals(List.of(), keys(disk));
        List<String> moved = fleet.node("b").list();
        assertEquals(99, moved.size());
        assertEquals(key(1), moved.get(0));
    }

    @Test
    void scheduleOfBefore_deletedBeforeItsMoveIsKnown_doesNotComeBack() {
        boolean[] lost = new boolean[1];
        fleet.fault = (node, rows) -> new RowsAround(rows) {
            @Override
            public CompletionStage<Boolean> write(byte[] key, Row row, long revision) {
                CompletionStage<Boolean> written = there.write(key, row, revision);
                if (lost[0]) {
                    return written;
                }
                lost[0] = true;
                return written.thenCompose(done -> fleet.node("b").schedules.delete(text(key)))
                        .thenApply(done -> {
                            throw new IllegalStateException("the answer is lost");
                        });
            }
        };
        MemoryRows disk = disk(1);
        fleet.start("late", 0, disk);
        fleet.pass(Duration.ofSeconds(20));
        assertTrue(lost[0]);
        assertEquals(List.of(), keys(disk));
        assertEquals(List.of(), fleet.node("b").list());
    }

    @Test
    void schedulesOfBefore_beyondTheLimit_stay() {
        fleet.limits = new ScheduleLimits(100, 1 << 20, null);
        MemoryRows disk = disk(300);
        fleet.start("late", 0, disk);
        fleet.pass(Duration.ofSeconds(20));
        int moved = fleet.node("b").list().size();
        assertTrue(moved >= 100 && moved < 100 + 64, () -> "moved " + moved);
        assertEquals(300 - moved, keys(disk).size());
    }

    @Test
    void schedulesOfBefore_areInTheWheelAtOnce() {
        fleet = new ScheduleFleet(1);
        fleet.memory.mostDelayNanos = TimeUnit.MILLISECONDS.toNanos(50);
        MemoryRows disk = disk(300);
        ScheduleFleet.Node one = fleet.start("one", 0, disk);
        while (!keys(disk).isEmpty()) {
            fleet.step();
        }
        fleet.pass(Duration.ofSeconds(2));
        assertEquals(300, one.schedules.size());
    }
}
