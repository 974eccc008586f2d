package io.heartwheel.store;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;

/** A process that commits numbered records as fast as it can and prints the newest number after each commit, until it is killed. */
public final class StoreProcess {
    /** In place of a directory: writes to this, and prints what kind of failure that is. */
    static final String FULL_DEVICE = "/dev/full";

    private StoreProcess() {}

    static List<String> command(Path directory) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                classPath(),
                StoreProcess.class.getName(),
                directory.toString());
    }

    private static String classPath() {
        return Stream.of(StoreProcess.class, SegmentStore.class, SQLiteConfig.class, LoggerFactory.class)
                .map(type ->
                        type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .collect(Collectors.joining(File.pathSeparator));
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals(FULL_DEVICE)) {
            try (FileChannel full = FileChannel.open(Path.of(FULL_DEVICE), StandardOpenOption.WRITE)) {
                full.write(ByteBuffer.allocate(1));
            } catch (IOException e) {
                System.out.println(StoreException.of(Path.of(FULL_DEVICE), e).kind());
            }
            return;
        }
        Random random = new Random();
        Transaction transaction = new Transaction();
        try (SegmentStore store = Records.open(Path.of(arguments[0]))) {
            System.out.println("open");
            while (true) {
                Records.append(store, transaction, 1 + random.nextInt(50));
                System.out.println(store.lastNumber());
            }
        }
    }
}
