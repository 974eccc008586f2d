package io.heartwheel.baseline;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Live heap a connection: the heap after full collection with all connections idle, less the one without any. */
final class HeapTrial {
    private static final int DAY_MILLIS = 86_400_000;
    private static final int WARM_UP_CONNECTIONS = 500;
    /** So often that the compiler has seen enough: its memory is not to be counted as the connections'. */
    private static final int WARM_UP_TIMES = 24;

    private static final int CONNECTS_PER_SECOND = 4_000;

    private final Stage.Settings settings;
    private final int connections;

    HeapTrial(Stage.Settings settings, int connections) {
        this.settings = settings;
        this.connections = connections;
    }

    /**
     * What one side needs.
     *
     * @param heapBytes live bytes a connection
     * @param objects live objects a connection
     * @param leftBytes live bytes that stay, for each connection there was, after all have gone
     * @param outsideBytes growth of resident memory a connection; outside the heap, when all of that was resident before
     * @param shares heap bytes by class
     */
    record Result(
            Side side,
            double heapBytes,
            double objects,
            double leftBytes,
            double outsideBytes,
            List<ClassHistogram.Share> shares) {}

    Result run(Side side) throws Exception {
        String name = "heap-" + side.fileName();
        try (Stage stage = Stage.open(side, settings, name, DAY_MILLIS)) {
            int descriptors = stage.server().descriptors();
            for (int i = 0; i < WARM_UP_TIMES; i++) {
                stage.gather(WARM_UP_CONNECTIONS, CONNECTS_PER_SECOND);
                stage.beat(10 * WARM_UP_CONNECTIONS, 0.2);
                stage.scatter(descriptors);
            }
            ClassHistogram empty = stage.server().histogram();
            long emptyResident = stage.server().residentBytes();
            stage.gather(connections, CONNECTS_PER_SECOND);
            TimeUnit.MILLISECONDS.sleep(500);
            long resident = stage.server().residentBytes();
            ClassHistogram full = stage.server().histogram();
            stage.scatter(descriptors);
            TimeUnit.SECONDS.sleep(1);
            ClassHistogram left = stage.server().histogram();
            List<ClassHistogram.Share> shares = full.growth(empty, connections);
            write(name, ClassHistogram.table(shares));
            write(name + "-left", ClassHistogram.table(left.growth(empty, connections)));
            return new Result(
                    side,
                    (double) (full.bytes() - empty.bytes()) / connections,
                    (double) (full.instances() - empty.instances()) / connections,
                    (double) (left.bytes() - empty.bytes()) / connections,
                    (double) (resident - emptyResident) / connections,
                    shares);
        }
    }

    private void write(String name, String text) throws IOException {
        Path file = settings.directory().resolve(name + ".txt");
        Files.writeString(file, text);
    }
}
