package io.heartwheel.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The bytes of a store's files at one moment. A file that is missing has none. */
record StoreFiles(byte[] database, byte[] log, byte[] mark) {
    /** Reads them, beside a store that has them open: in this process nobody else relies on its locks. */
    static StoreFiles of(Path directory) throws IOException {
        return new StoreFiles(
                bytes(directory.resolve("journal.db")),
                bytes(directory.resolve("journal.db-wal")),
                bytes(directory.resolve("journal.mark")));
    }

    private static byte[] bytes(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    }

    /** Writes them into a directory, which is made if it is missing. */
    void writeTo(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.deleteIfExists(directory.resolve("journal.db-shm"));
        Files.write(directory.resolve("journal.db"), database);
        Files.write(directory.resolve("journal.mark"), mark);
        if (log.length > 0) {
            Files.write(directory.resolve("journal.db-wal"), log);
        } else {
            Files.deleteIfExists(directory.resolve("journal.db-wal"));
        }
    }
}
