package io.heartwheel.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
 * A durable commit of records of 200 bytes while the oldest are dropped, and for comparison the bare append that shows the disk. Records a second are
 * {@code records} divided by the mean; {@code -prof gc} gives bytes a commit. Files are in java.io.tmpdir.
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
    private static final String OUTLET = "main";

    /** Records a commit. */
    @Param({"64", "1024"})
    public int records;

    private final Transaction transaction = new Transaction();
    private final ByteBuffer payload = ByteBuffer.allocate(PAYLOAD_BYTES);
    private Path directory;
    private Store store;
    private FileChannel raw;
    private ByteBuffer batch;

    /** Opens all of them. */
    @Setup
    public void open() throws IOException {
        directory = Files.createTempDirectory("journal");
        store = SegmentStore.open(
                new StoreSettings(directory.resolve("store"), StoreSettings.Sync.ALWAYS, 1 << 30, Duration.ZERO),
                System::currentTimeMillis);
        store.cursors().open(OUTLET, 0);
        batch = ByteBuffer.allocateDirect(records * 200);
        raw = FileChannel.open(directory.resolve("raw"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /** Closes and deletes them. */
    @TearDown
    public void close() throws IOException {
        store.close();
        raw.close();
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        }
    }

    /** The store: records committed together are one batch. */
    @Benchmark
    public long store() throws StoreException {
        transaction.clear();
        for (int i = 0; i < records; i++) {
            transaction.records().add(1, 1_767_225_600_000L, KEY, payload.clear());
        }
        store.commit(transaction);
        store.cursors().moveTo(OUTLET, store.lastNumber() - KEPT);
        return store.lastNumber();
    }

    /** What the machine itself needs: an append to a file that grows, and a force. */
    @Benchmark
    public void fileAndForce() throws IOException {
        raw.write(batch.clear());
        raw.force(false);
    }
}
