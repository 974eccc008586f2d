package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs that SQLite wrote, and what was done to them. */
class WalCheckTest {
    private static final int HEADER = 32;
    private static final int FRAME = 24 + Sqlite.PAGE_BYTES;
    private static final int COMMITS = 30;

    @TempDir
    Path directory;

    private StoreFiles pending;
    private StoreFiles checkpointed;

    @BeforeEach
    void write() throws IOException {
        Path store = directory.resolve("store");
        try (SqliteStore open = Records.open(store)) {
            for (int i = 0; i < COMMITS; i++) {
                Records.append(open, 10);
            }
            pending = StoreFiles.of(store);
            open.checkpoint();
            checkpointed = StoreFiles.of(store);
        }
    }

    private WalCheck check(byte[] log, byte[] database) throws IOException {
        Path wal = Files.write(directory.resolve("x.db-wal"), log);
        return WalCheck.of(wal, Files.write(directory.resolve("x.db"), database));
    }

    private WalCheck flipped(int at) throws IOException {
        byte[] log = pending.log().clone();
        log[at] ^= 0x40;
        return check(log, pending.database());
    }

    @Test
    void of_wholeLog_countsItsCommits() throws IOException {
        assertEquals(new WalCheck(COMMITS, 0, false), check(pending.log(), pending.database()));
        assertEquals(new WalCheck(COMMITS, 0, false), check(checkpointed.log(), checkpointed.database()));
    }

    @Test
    void of_missingOrShort_isEmpty() throws IOException {
        assertEquals(new WalCheck(0, 0, false), WalCheck.of(directory.resolve("none"), directory.resolve("none")));
        assertEquals(new WalCheck(0, 0, false), check(Arrays.copyOf(pending.log(), 100), pending.database()));
    }

    @Test
    void of_pageOrSumFlipped_countsTheCommitsBehind() throws IOException {
        int frames = (pending.log().length - HEADER) / FRAME;
        for (int frame = 0; frame < frames; frame++) {
            WalCheck check = flipped(HEADER + frame * FRAME + (frame % 2 == 0 ? 1000 : 16));
            assertEquals(COMMITS, check.commits() + check.lostCommits(), "frame " + frame);
            assertTrue(check.lostCommits() > 0);
        }
    }

    @Test
    void of_headerFlipped_isLostUnlessTheDatabaseHasIt() throws IOException {
        for (int at = 0; at < HEADER; at++) {
            assertTrue(flipped(at).headerLost(), "byte " + at);
            byte[] log = checkpointed.log().clone();
            log[at] ^= 0x40;
            assertEquals(new WalCheck(0, 0, false), check(log, checkpointed.database()), "byte " + at);
        }
    }

    @Test
    void of_framesOfAnOlderGeneration_areNotCounted() throws IOException {
        byte[] log = pending.log().clone();
        ByteBuffer fields = ByteBuffer.wrap(log);
        for (int at = HEADER + 20 * FRAME; at + FRAME <= log.length; at += FRAME) {
            fields.putInt(at + 8, fields.getInt(at + 8) - 1);
        }
        WalCheck check = check(log, pending.database());
        assertEquals(0, check.lostCommits());
        assertTrue(check.commits() > 0 && check.commits() < COMMITS);
    }
}
