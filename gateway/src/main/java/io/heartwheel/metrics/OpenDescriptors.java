package io.heartwheel.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * Number of descriptors that the process has open, told also when there is none left to look with.
 *
 * <p>From Linux 6.2 on the size of {@code /proc/self/fd} is their number, and asking for it opens nothing. Before, the directory has to be listed, which
 * takes a descriptor: if none is to be had, all that there may be are in use.
 *
 * <p>Any thread.
 */
final class OpenDescriptors {
    private final Path directory;
    private final LongSupplier listed;
    private final LongSupplier limit;

    /**
     * Looks there.
     *
     * @param directory whose size may be the number
     * @param listed the number by listing; throws InternalError, as the JDK does, where that cannot be done
     * @param limit how many there may be
     */
    OpenDescriptors(Path directory, LongSupplier listed, LongSupplier limit) {
        this.directory = directory;
        this.listed = listed;
        this.limit = limit;
    }

    /** Those of this process. */
    static OpenDescriptors of(UnixOperatingSystemMXBean process) {
        return new OpenDescriptors(
                Path.of("/proc/self/fd"), process::getOpenFileDescriptorCount, process::getMaxFileDescriptorCount);
    }

    long count() {
        long size = size();
        if (size > 0) {
            return size;
        }
        try {
            return listed.getAsLong();
        } catch (InternalError noDescriptorLeft) {
            return limit.getAsLong();
        }
    }

    private long size() {
        try {
            return Files.size(directory);
        } catch (IOException notThere) {
            return 0;
        }
    }
}
