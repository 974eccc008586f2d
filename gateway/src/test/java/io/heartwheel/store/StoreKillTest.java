package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** kill -9 at random instants. */
@Timeout(120)
class StoreKillTest {
    private static final int KILLS = 5;

    @TempDir
    Path directory;

    @Test
    void open_afterKill_hasAllThatWasAcknowledged() throws Exception {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("StoreKillTest seed " + seed);
        Random random = new Random(seed);
        long acknowledged = 0;
        String id = null;
        for (int run = 0; run < KILLS; run++) {
            acknowledged = killedAfter(random.nextInt(400), acknowledged);
            try (SqliteStore store = Records.open(directory)) {
                assertFalse(store.damage().any(), store.damage()::text);
                assertTrue(store.lastNumber() >= acknowledged, store.lastNumber() + " of " + acknowledged);
                assertEquals(0, Records.damagedIn(Records.read(store, 0), 1, store.lastNumber()));
                acknowledged = store.lastNumber();
                assertEquals(id == null ? store.id() : id, store.id());
                id = store.id();
            }
        }
    }

    /** Kills it after so many commits were told; returns the newest number that was. */
    private long killedAfter(int commits, long before) throws Exception {
        Process process = new ProcessBuilder(StoreProcess.command(directory))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long newest = before;
        try (BufferedReader numbers = process.inputReader()) {
            assertEquals("open", numbers.readLine());
            for (int i = 0; i < commits; i++) {
                newest = Long.parseLong(numbers.readLine());
            }
            process.toHandle().destroyForcibly(); // what it has printed can still be read
            String line = numbers.readLine();
            while (line != null) {
                newest = line.isEmpty() ? newest : Math.max(newest, parsed(line, newest));
                line = numbers.readLine();
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        return newest;
    }

    /** The last line may be cut: then it is a smaller number. */
    private static long parsed(String line, long newest) {
        return line.length() < Long.toString(newest).length() ? newest : Long.parseLong(line);
    }
}
