package io.heartwheel.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A durable commit of records of 200 bytes: the store's, and for comparison SQLite with a row a record, a preallocated segment file, and the bare append that
 * shows the disk. Records a second are {@code records} divided by the mean; {@code -prof gc} gives bytes a commit. Files are in java.io.tmpdir.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class JournalBenchmark {
    private static final int PAYLOAD_BYTES = 176;
    private static final byte[] KEY = "device-123".getBytes(StandardCharsets.US_ASCII);
    private static final long KEPT = 50_000;
    private static final long SEGMENT_BYTES = 64 << 20;

    /** Records a commit. */
    @Param({"64", "1024"})
    public int records;

    private final Transaction transaction = new Transaction();
    private final ByteBuffer payload = ByteBuffer.allocate(PAYLOAD_BYTES);
    private final CRC32C crc = new CRC32C();
    private Path directory;
    private SqliteStore store;
    private Connection connection;
    private PreparedStatement begin;
    private PreparedStatement insert;
    private PreparedStatement drop;
    private PreparedStatement commit;
    private FileChannel segment;
    private FileChannel raw;
    private ByteBuffer batch;
    private long last;
    private int commits;

    /** Opens all of them. */
    @Setup
    public void open() throws IOException, SQLException {
        directory = Files.createTempDirectory("journal");
        store = SqliteStore.open(
                new StoreSettings(directory.resolve("store"), SyncPolicy.ALWAYS), System::currentTimeMillis);
        connection = Sqlite.connect(directory.resolve("rows.db"), SyncPolicy.ALWAYS, false);
        Sqlite.execute(connection, "PRAGMA wal_autocheckpoint = 4096");
        Sqlite.execute(connection, "CREATE TABLE record(number INTEGER PRIMARY KEY, body BLOB NOT NULL)");
        begin = connection.prepareStatement(Sqlite.BEGIN);
        insert = connection.prepareStatement("INSERT INTO record(number, body) VALUES(?, ?)");
        drop = connection.prepareStatement("DELETE FROM record WHERE number <= ?");
        commit = connection.prepareStatement(Sqlite.COMMIT);
        batch = ByteBuffer.allocateDirect(records * 200);
        segment = channel("segment");
        for (long at = 0; at < SEGMENT_BYTES; at += batch.capacity()) {
            segment.write(batch.clear());
        }
        segment.force(true);
        segment.position(0);
        raw = channel("raw");
    }

    private FileChannel channel(String name) throws IOException {
        return FileChannel.open(directory.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /** Closes and deletes them. */
    @TearDown
    public void close() throws IOException, SQLException {
        store.close();
        connection.close();
        segment.close();
        raw.close();
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        }
    }

    private boolean dropsNow() {
        return ++commits % 16 == 0;
    }

    /** The store: records committed together are one row. */
    @Benchmark
    public long store() throws StoreException {
        transaction.clear();
        for (int i = 0; i < records; i++) {
            transaction.records().add(1, 1_767_225_600_000L, KEY, payload.clear());
        }
        if (dropsNow()) {
            transaction.dropUpTo(store.lastNumber() - KEPT);
        }
        store.commit(transaction);
        return store.lastNumber();
    }

    /** SQLite with a row a record. */
    @Benchmark
    public long rowARecord() throws SQLException {
        begin.execute();
        for (int i = 0; i < records; i++) {
            insert.setLong(1, ++last);
            insert.setBytes(2, new byte[200]);
            insert.executeUpdate();
        }
        if (dropsNow()) {
            drop.setLong(1, last - KEPT);
            drop.executeUpdate();
        }
        commit.execute();
        return last;
    }

    /** A log of our own: a checksum a batch, into a file that has its blocks already. */
    @Benchmark
    public void segment() throws IOException {
        batch.clear();
        for (int i = 0; i < records; i++) {
            batch.put((byte) 1)
                    .put((byte) KEY.length)
                    .putInt(PAYLOAD_BYTES)
                    .putLong(1_767_225_600_000L)
                    .put(KEY)
                    .put(payload.clear());
        }
        batch.flip();
        crc.reset();
        crc.update(batch.duplicate());
        batch.putInt(0, (int) crc.getValue());
        if (segment.position() + batch.remaining() > SEGMENT_BYTES) {
            segment.position(0);
        }
        segment.write(batch);
        segment.force(false);
    }

    /** What the machine itself needs: an append to a file that grows, and a force. */
    @Benchmark
    public void fileAndForce() throws IOException {
        raw.write(batch.clear());
        raw.force(false);
    }
}
