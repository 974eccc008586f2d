package io.heartwheel.push;

import static io.heartwheel.push.PushWorld.DEVICE;
import static io.heartwheel.push.PushWorld.ids;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.VirtualGateway;
import io.heartwheel.store.Database;
import io.heartwheel.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages on a disk that has damaged pages of the database: SQLite can neither read nor remove what stands there. */
class DamagedMessagesTest {
    private static final long START_MICROS = 1_000_000_000_000_000L;

    @AutoClose
    private final TestDatabase database = new TestDatabase();

    private PushWorld world = new PushWorld(3, database, START_MICROS);

    private void restart() {
        database.kill();
        world = new PushWorld(3, database, world.nowMicros());
    }

    private static Push push(String device, long id, String payload, Duration timeout) {
        byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
        return new Push(device, id, true, bytes, Push.Ack.DEVICE, false, timeout.toNanos(), true);
    }

    private void store(String device, long id, String payload) {
        store(device, id, payload, Duration.ofHours(1));
    }

    private void store(String device, long id, String payload, Duration timeout) {
        assertEquals(
                Outcome.QUEUED,
                world.push(push(device, id, payload, timeout)).join().outcome());
    }

    private FakeSession connect() {
        FakeSession device = world.loops.get(0).accept("heartwheel");
        device.onData = data -> device.onLoop(() -> device.ack(data.messageId(), true));
        world.loops.get(0).tasks.add(() -> device.hello(DEVICE, ""));
        world.settle();
        return device;
    }

    /** A leaf of a table or an index that has this text. */
    private static Predicate<String> leaf(int kind, String text) {
        return page -> page.charAt(0) == kind && page.contains(text);
    }

    private void assertLeft(int rows, long damaged) {
        StoredMessages stored = world.pushes.rows();
        assertEquals(rows, database.ask("SELECT count(*) FROM message"), "rows");
        assertEquals(damaged, stored.damaged());
        assertEquals(0, stored.room.count(), "places");
        assertEquals(0, stored.room.bytes().get());
        assertEquals(0, world.pushes.waiting());
        assertEquals(0, world.gateway.timers.pending(), "nothing is tried again");
    }

    @Test
    void load_payloadCannotBeRead_costsThatMessageAloneAfterARestartToo() {
        store(DEVICE, 1, "before");
        store(DEVICE, 2, "x".repeat(20_000));
        store(DEVICE, 3, "behind");
        database.damage(TestDatabase.payloadOf('x'));
        assertEquals(List.of(1L, 3L), ids(connect()));
        world.pass(Duration.ofSeconds(3));
        assertLeft(1, 1);
        restart();
        store(DEVICE, 4, "later");
        assertEquals(List.of(4L), ids(connect()));
        world.pass(Duration.ofSeconds(3));
        assertTrue(ids(connect()).isEmpty());
        assertLeft(1, 1);
    }

    @Test
    void sweep_rowCannotBeRemoved_endsItAndRemovesAllOthers() {
        store("another", 1, "x".repeat(20_000), Duration.ofSeconds(2));
        store("another", 2, "y", Duration.ofSeconds(2));
        database.damage(TestDatabase.payloadOf('x'));
        world.pass(Duration.ofSeconds(4));
        store(DEVICE, 3, "z");
        assertEquals(List.of(3L), ids(connect()));
        world.pass(Duration.ofSeconds(3));
        assertLeft(1, 1);
    }

    @Test
    void load_rowsCannotBeRead_getsTheOthers() {
        for (long id = 1; id <= 40; id++) {
            store(DEVICE, id, "m" + id + "-".repeat(400), Duration.ofSeconds(id % 10 == 0 ? 2 : 3_600));
        }
        database.damage(leaf(13, "m20-"));
        world.pass(Duration.ofSeconds(4));
        List<Long> seen = ids(connect());
        assertFalse(seen.contains(20L) || seen.contains(10L));
        assertEquals(
                seen,
                LongStream.rangeClosed(1, 40).boxed().filter(seen::contains).toList());
        world.pass(Duration.ofSeconds(3));
        StoredMessages stored = world.pushes.rows();
        assertTrue(seen.size() > 25 && stored.damaged() > 3, seen + " " + stored.damaged());
        assertTrue(40 - 3 - seen.size() <= stored.damaged(), "each of the others is counted");
        assertEquals(stored.damaged(), stored.claimed());
        assertEquals(0, world.gateway.timers.pending(), "nothing is tried again");
    }

    @Test
    void load_againForDamageAfterTheDeviceCameBack_takesNothingFromItsNewConnection() {
        store(DEVICE, 1, "before");
        store(DEVICE, 2, "x".repeat(20_000));
        database.damage(TestDatabase.payloadOf('x'));
        FakeSession first = world.loops.get(0).accept("heartwheel");
        world.loops.get(0).tasks.add(() -> first.hello(DEVICE, ""));
        while (database.waiting() == 0) {
            world.gateway.runTasks();
            assertTrue(world.loops.get(0).step());
        }
        database.step(1); // the load of the first meets the damage
        FakeSession second = world.connect(0);
        assertEquals(List.of(1L), ids(second));
        world.on(second, () -> second.ack(1, true));
        world.pass(Duration.ofSeconds(3));
        assertLeft(1, 1);
    }

    @Test
    void load_indexIsDamaged_letsOthersPass() {
        store(DEVICE, 1, "m");
        database.damage(leaf(10, DEVICE));
        FakeSession device = connect();
        CompletableFuture<PushResult> direct = world.push(Push.Ack.SENT, 2);
        assertEquals(Outcome.SENT, direct.join().outcome());
        assertEquals(List.of(2L), ids(device));
        assertTrue(world.pushes.rows().damaged() > 0);
        world.pass(Duration.ofSeconds(3));
        assertEquals(0, world.gateway.timers.pending(), "nothing is tried again");
    }

    @Test
    void cancel_cannotBeRemoved_isNotSaidToBeTakenBack() {
        store(DEVICE, 1, "x".repeat(20_000));
        store(DEVICE, 2, "y");
        database.damage(TestDatabase.payloadOf('x'));
        CompletableFuture<Boolean> refused =
                world.pushes.cancel(DEVICE, 1, true).toCompletableFuture();
        CompletableFuture<Boolean> taken = world.pushes.cancel(DEVICE, 2, true).toCompletableFuture();
        world.settle();
        assertEquals(
                "the message is damaged on the disk and cannot be removed",
                assertThrows(CompletionException.class, refused::join)
                        .getCause()
                        .getMessage());
        assertTrue(taken.join());
        assertTrue(ids(connect()).isEmpty());
        assertLeft(1, 1);
    }

    // ------------------------------------------------------------------ a file

    private static Database open(Path directory) throws StoreException {
        return Database.open(
                directory, "messages.db", true, List.of(StoredMessages.TABLES), new ThreadProgress("messages"));
    }

    /** A file with these messages, damaged where a page is like this. */
    private static Path damagedFile(Path directory, List<Push> messages, Predicate<String> like) throws IOException {
        VirtualGateway gateway = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
        try (Database before = open(directory)) {
            StoredMessages kept = StoredMessages.open(before, gateway.timers, () -> START_MICROS);
            for (Push push : messages) {
                assertNull(kept.room.take(push.deviceId(), push.payload().length, PushSettings.DEFAULTS));
                assertEquals(
                        Outcome.QUEUED,
                        kept.put(push, null).toCompletableFuture().join().outcome());
            }
        }
        Path file = directory.resolve("messages.db");
        Files.write(file, TestDatabase.damaged(Files.readAllBytes(file), like));
        return file;
    }

    @Test
    void load_pageOfTheFileIsDamaged_costsThatMessageAlone(@TempDir Path parent) throws IOException {
        VirtualGateway gateway = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
        Path directory = parent.resolve("messages");
        damagedFile(
                directory,
                LongStream.rangeClosed(1, 5)
                        .mapToObj(id -> push("d" + id % 2, id, id == 3 ? "x".repeat(20_000) : "m", Duration.ofHours(1)))
                        .toList(),
                TestDatabase.payloadOf('x'));
        for (int start = 1; start <= 2; start++) {
            try (Database damaged = open(directory)) {
                StoredMessages kept = StoredMessages.open(damaged, gateway.timers, () -> START_MICROS);
                deliver(kept, "d1", start == 1 ? List.of(1L, 5L) : List.of());
                deliver(kept, "d0", start == 1 ? List.of(2L, 4L) : List.of());
                deliver(kept, "d1", List.of());
                kept.removedSoFar("d1", 1).toCompletableFuture().join();
                assertEquals(1, kept.damaged(), "start " + start);
                assertEquals(1, kept.claimed());
                assertEquals(1, rows(damaged));
                assertEquals(0, gateway.timers.pending(), "nothing is tried again");
            }
        }
    }

    @Test
    void open_rowsCannotBeCounted_isRefusedByName(@TempDir Path parent) throws IOException {
        VirtualGateway gateway = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
        Path directory = parent.resolve("messages");
        Path file = damagedFile(
                directory, List.of(push("d", 1, "here it is", Duration.ofHours(1))), leaf(13, "here it is"));
        try (Database damaged = open(directory)) {
            IOException refused = assertThrows(
                    IOException.class, () -> StoredMessages.open(damaged, gateway.timers, () -> START_MICROS));
            assertTrue(refused.getMessage().startsWith(file + ": "), refused::getMessage);
        }
    }

    private static void deliver(StoredMessages kept, String device, List<Long> expected) {
        StoredMessages.Page page = kept.load(new MessageMemory(() -> 1 << 20), device, 0, true, true)
                .join();
        assertTrue(page.end());
        assertEquals(expected, page.rows().stream().map(row -> row.push.id()).toList());
        page.rows().forEach(row -> assertTrue(kept.end(row)));
    }

    private static long rows(Database database) {
        return database.run(on -> {
                    try (ResultSet found = on.of("SELECT count(*) FROM message").executeQuery()) {
                        return found.getLong(1);
                    }
                })
                .join();
    }
}
