package io.heartwheel.transport.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.AtOnce;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ticket keys in a file that others read and write too; two stores stand for two processes. */
class TicketStoreTest {
    private static final Duration ROTATION = Duration.ofHours(1);
    private static final long HOUR = ROTATION.toMillis();
    private static final long START = 1_000 * HOUR;

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("keys");
    }

    @Test
    void refresh_firstOfAll_makesAFileForItsOwnerOnly() throws Exception {
        TicketStore store = store();

        assertTrue(store.refresh(START));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertFalse(store.refresh(START + 1));
        assertFalse(Files.exists(directory.resolve("keys.part")));
    }

    @Test
    void refresh_whenDue_isRotatedByOneAndTakenByTheOther() throws Exception {
        TicketStore first = store();
        TicketStore second = store();
        first.refresh(START);
        second.refresh(START);
        List<TicketKey> before = first.ring().keys();

        long due = START + HOUR - TicketRing.LEAD_MILLIS;
        assertTrue(second.refresh(due));
        assertTrue(first.refresh(due + 1));
        assertEquals(second.ring().keys(), first.ring().keys());
        assertNotEquals(before, first.ring().keys());
        assertTrue(first.ring().keys().containsAll(before));
    }

    @Test
    void refresh_lockHeldByAnother_goesOnWithWhatThereIs() throws Exception {
        TicketStore store = store();
        store.refresh(START);
        List<TicketKey> before = store.ring().keys();

        try (FileChannel channel = FileChannel.open(directory.resolve("keys.lock"), StandardOpenOption.WRITE)) {
            channel.lock();
            assertFalse(store.refresh(START + 2 * HOUR));
            assertEquals(before, store.ring().keys());
        }
        assertTrue(store.refresh(START + 2 * HOUR));
    }

    @Test
    void refresh_readableByOthers_isRefusedAndTheKeysStay() throws Exception {
        TicketStore store = store();
        store.refresh(START);
        List<TicketKey> before = store.ring().keys();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));

        String said =
                assertThrows(IOException.class, () -> store.refresh(START + 1)).getMessage();
        assertTrue(said.contains("need a file that only its owner can read, mode 0600, not rw-r-----"), said);
        assertEquals(before, store.ring().keys());
    }

    @Test
    void refresh_somethingElseInTheFile_isRefusedAndNotWrittenOver() throws Exception {
        byte[] key = Fixtures.bytes("ec.key");
        Files.write(file, key);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));

        String said =
                assertThrows(IOException.class, () -> store().refresh(START)).getMessage();
        assertTrue(said.contains("something else than ticket keys"), said);
        assertEquals(new String(key, java.nio.charset.StandardCharsets.US_ASCII), Files.readString(file));
    }

    @Test
    void refresh_fileDeleted_isMadeAnew() throws Exception {
        TicketStore store = store();
        store.refresh(START);
        Files.delete(file);

        assertTrue(store.refresh(START + 1));
        assertTrue(Files.exists(file));
    }

    @Test
    void refresh_manyAtOnce_agreeInTheEnd() throws Exception {
        List<TicketStore> stores = Stream.generate(this::store).limit(8).toList();
        AtOnce.run(8, thread -> {
            for (long now = START; now < START + 5 * HOUR; now += HOUR / 8) {
                stores.get(thread).refresh(now);
            }
        });
        TicketStore last = store();
        last.refresh(START + 5 * HOUR);
        assertFalse(last.ring().keys().isEmpty());
        for (TicketStore store : stores) {
            store.refresh(START + 5 * HOUR);
            assertEquals(last.ring().keys(), store.ring().keys());
        }
    }

    @Test
    void refresh_withoutFile_keepsKeysInMemory() throws Exception {
        TicketStore store = new TicketStore(new TlsUpkeepSettings.Tickets(true, null, ROTATION));

        assertTrue(store.refresh(START));
        assertFalse(store.refresh(START + HOUR / 2));
        assertTrue(store.refresh(START + HOUR));
    }

    private TicketStore store() {
        return new TicketStore(new TlsUpkeepSettings.Tickets(true, file, ROTATION));
    }
}
