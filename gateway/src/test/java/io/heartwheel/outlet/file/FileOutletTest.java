package io.heartwheel.outlet.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.EventKind;
import io.heartwheel.outlet.Outlet;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.store.SyncPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileOutletTest {
    private static final long DAY = 86_400_000L;

    @TempDir
    Path directory;

    @AutoClose
    private FileOutlet outlet;

    private Path file;
    private long wallMillis = 1_767_225_600_000L;
    private long nanos;
    private boolean failing;

    @BeforeEach
    void name() {
        file = directory.resolve("events.jsonl");
    }

    private FileOutlet open(long rotateBytes, Duration rotateEvery, int keep, SyncPolicy sync) throws Exception {
        return new FileOutlet(
                new OutletSettings.ToFile(file, rotateBytes, rotateEvery, keep, sync),
                channel -> {
                    if (failing) {
                        throw new IOException("disk");
                    }
                },
                () -> wallMillis,
                () -> nanos);
    }

    private static List<OutletEvent> events(String... json) {
        return Stream.of(json)
                .map(each -> new OutletEvent("a-1", 1, EventKind.DATA, 0, "d", each.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    /** What was written, without the ids. */
    private static String text(Path file) throws IOException {
        return Files.readString(file).replace(",\"event_id\":\"a-1\"", "");
    }

    private List<String> names() throws Exception {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void deliver_events_areLines() throws Exception {
        outlet = open(1_000, Duration.ZERO, 3, SyncPolicy.ALWAYS);
        outlet.deliver(events("{1}", "{2}"), 1);
        outlet.deliver(events("{3}"), 1);
        assertEquals("{1}\n{2}\n{3}\n", text(file));
    }

    @Test
    void deliver_eventsAgain_haveTheSameIdInTheirLines() throws Exception {
        outlet = open(1_000, Duration.ZERO, 3, SyncPolicy.ALWAYS);
        List<OutletEvent> events = Stream.of("s-8", "s-9")
                .map(id -> new OutletEvent(
                        id, 8, EventKind.DATA, 0, "d", "{\"event\":\"data\"}".getBytes(StandardCharsets.UTF_8)))
                .toList();
        outlet.deliver(events, 1);
        outlet.deliver(events.subList(1, 2), 2);
        assertEquals(
                List.of(
                        "{\"event\":\"data\",\"event_id\":\"s-8\"}",
                        "{\"event\":\"data\",\"event_id\":\"s-9\"}",
                        "{\"event\":\"data\",\"event_id\":\"s-9\"}"),
                Files.readAllLines(file));
    }

    @Test
    void rotate_full_keepsTheNewestFiles() throws Exception {
        outlet = open(2L * "{1,\"event_id\":\"a-1\"}\n".length(), Duration.ZERO, 2, SyncPolicy.ALWAYS);
        for (int i = 1; i <= 9; i++) {
            outlet.deliver(events("{" + i + "}"), 1);
        }
        assertEquals(
                List.of("events.jsonl", "events.jsonl.20260101T000000.002Z", "events.jsonl.20260101T000000.003Z"),
                names());
        assertEquals("{9}\n", text(file));
        assertEquals("{7}\n{8}\n", text(directory.resolve(names().get(2))));
    }

    @Test
    void rotate_newDay_alsoAfterARestart() throws Exception {
        try (FileOutlet outlet = open(1_000, Duration.ofDays(1), 9, SyncPolicy.NEVER)) {
            outlet.deliver(events("{1}"), 1);
            wallMillis += DAY - 1;
            outlet.deliver(events("{2}"), 1);
            wallMillis += 1;
            outlet.deliver(events("{3}"), 1);
        }
        assertEquals("{3}\n", text(file));
        Files.setLastModifiedTime(file, FileTime.fromMillis(wallMillis));
        wallMillis += DAY;
        try (FileOutlet outlet = open(1_000, Duration.ofDays(1), 9, SyncPolicy.NEVER)) {
            outlet.deliver(events("{4}"), 1);
        }
        assertEquals("{4}\n", text(file));
        assertEquals(3, names().size());
    }

    @Test
    void deliver_fullDevice_isTriedAgain() throws Exception {
        file = Path.of("/dev/full");
        outlet = open(1_000, Duration.ZERO, 3, SyncPolicy.NEVER);
        assertThrows(IOException.class, () -> outlet.deliver(events("{1}"), 1));
    }

    @Test
    void idle_everySoOften_asksToBeForcedWhenItIsTime() throws Exception {
        outlet = open(1_000, Duration.ZERO, 3, new SyncPolicy(50));
        assertEquals(Outlet.NOT_AGAIN, outlet.idle());
        outlet.deliver(events("{1}"), 1);
        assertEquals(51, outlet.idle());
        nanos += 30_000_000;
        outlet.deliver(events("{2}"), 1);
        assertEquals(21, outlet.idle());
        nanos += 20_000_000;
        assertFalse(outlet.isSettled());
        assertEquals(Outlet.NOT_AGAIN, outlet.idle());
        assertTrue(outlet.isSettled());
    }

    @ParameterizedTest
    @CsvSource({"always,true", "every 50ms,false", "never,true"})
    void deliver_lines_areSettledWhenTheyAreForced(String sync, boolean settled) throws Exception {
        outlet = open(1_000, Duration.ZERO, 3, SyncPolicy.parse(sync));
        outlet.deliver(events("{1}"), 1);
        assertEquals(settled, outlet.isSettled());
    }

    @Test
    void deliver_diskFailsToForce_takesBackAllSinceTheLastTime() throws Exception {
        outlet = open(1_000, Duration.ZERO, 3, new SyncPolicy(50));
        outlet.deliver(events("{1}"), 1);
        nanos += 50_000_000;
        outlet.deliver(events("{2}"), 1);
        outlet.deliver(events("{3}"), 1);
        nanos += 50_000_000;
        failing = true;
        assertThrows(IOException.class, () -> outlet.deliver(events("{4}"), 1));
        assertEquals("{1}\n{2}\n", text(file));
        failing = false;
        outlet.deliver(events("{3}", "{4}"), 2);
        nanos += 50_000_000;
        outlet.idle();
        assertEquals("{1}\n{2}\n{3}\n{4}\n", text(file));
    }
}
