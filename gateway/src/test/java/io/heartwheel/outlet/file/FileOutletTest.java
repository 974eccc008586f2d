package io.heartwheel.outlet.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.EventKind;
import io.heartwheel.outlet.Outlet;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletException;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.store.SyncPolicy;
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

class FileOutletTest {
    private static final long DAY = 86_400_000L;

    @TempDir
    Path directory;

    @AutoClose
    private FileOutlet outlet;

    private Path file;
    private long wallMillis = 1_767_225_600_000L;
    private long nanos;

    @BeforeEach
    void name() {
        file = directory.resolve("events.jsonl");
    }

    private FileOutlet open(long rotateBytes, Duration rotateEvery, int keep, SyncPolicy sync) throws Exception {
        return new FileOutlet(
                new OutletSettings.ToFile(file, rotateBytes, rotateEvery, keep, sync), () -> wallMillis, () -> nanos);
    }

    private static List<OutletEvent> events(String... json) {
        return Stream.of(json)
                .map(each -> new OutletEvent("a-1", 1, EventKind.DATA, 0, "d", each.getBytes(StandardCharsets.UTF_8)))
                .toList();
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
        assertEquals("{1}\n{2}\n{3}\n", Files.readString(file));
    }

    @Test
    void rotate_full_keepsTheNewestFiles() throws Exception {
        outlet = open(8, Duration.ZERO, 2, SyncPolicy.ALWAYS);
        for (int i = 1; i <= 9; i++) {
            outlet.deliver(events("{" + i + "}"), 1);
        }
        assertEquals(
                List.of("events.jsonl", "events.jsonl.20260101T000000.002Z", "events.jsonl.20260101T000000.003Z"),
                names());
        assertEquals("{9}\n", Files.readString(file));
        assertEquals("{7}\n{8}\n", Files.readString(directory.resolve(names().get(2))));
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
        assertEquals("{3}\n", Files.readString(file));
        Files.setLastModifiedTime(file, FileTime.fromMillis(wallMillis));
        wallMillis += DAY;
        try (FileOutlet outlet = open(1_000, Duration.ofDays(1), 9, SyncPolicy.NEVER)) {
            outlet.deliver(events("{4}"), 1);
        }
        assertEquals("{4}\n", Files.readString(file));
        assertEquals(3, names().size());
    }

    @Test
    void deliver_fullDevice_isTriedAgain() throws Exception {
        file = Path.of("/dev/full");
        outlet = open(1_000, Duration.ZERO, 3, SyncPolicy.NEVER);
        OutletException failure = assertThrows(OutletException.class, () -> outlet.deliver(events("{1}"), 1));
        assertTrue(failure.getMessage().startsWith("/dev/full: "), failure::getMessage);
    }

    @Test
    void idle_everySoOften_asksToBeForcedWhenItIsTime() throws Exception {
        outlet = open(1_000, Duration.ZERO, 3, new SyncPolicy(SyncPolicy.Mode.EVERY, 50));
        assertEquals(Outlet.NOT_AGAIN, outlet.idle());
        outlet.deliver(events("{1}"), 1);
        assertEquals(51, outlet.idle());
        nanos += 30_000_000;
        outlet.deliver(events("{2}"), 1);
        assertEquals(21, outlet.idle());
        nanos += 20_000_000;
        assertEquals(Outlet.NOT_AGAIN, outlet.idle());
    }
}
