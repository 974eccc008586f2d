package io.heartwheel.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lock on a directory: a file with the owner's pid in it, which the operating system unlocks when the owner ends, however it ends.
 *
 * <p>The lock is the process's: closing any descriptor of the file lets go of it. So a process that has it must not open the file again, not even to be
 * refused; {@link #HELD} is asked first. Any thread.
 */
final class StoreLock implements Closeable {
    private static final String FILE = "lock";

    /** Directories that this process has locked. */
    private static final Set<Path> HELD = new HashSet<>();

    private final Path directory;
    private final FileChannel channel;

    private StoreLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    /** Takes it, or throws and names who has it. */
    static StoreLock take(Path directory) throws StoreException {
        try {
            Path real = directory.toRealPath();
            synchronized (HELD) {
                if (HELD.contains(real)) {
                    throw inUse(directory, Long.toString(ProcessHandle.current().pid()));
                }
                StoreLock lock = new StoreLock(real, locked(directory));
                HELD.add(real);
                return lock;
            }
        } catch (IOException e) {
            throw StoreException.of(directory, e);
        }
    }

    private static FileChannel locked(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        FileChannel channel = RealDisk.channel(file, StandardOpenOption.CREATE);
        try {
            FileLock lock = tryLock(channel);
            if (lock == null) {
                String pid = Files.readString(file).strip();
                throw inUse(directory, pid.isEmpty() ? "that has just started" : pid);
            }
            byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
            channel.write(ByteBuffer.wrap(pid), 0);
            channel.truncate(pid.length);
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static StoreException inUse(Path directory, String process) {
        return new StoreException(StoreException.Cause.LOCKED, directory + ": in use by process " + process);
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // this very process, by a class loader of its own
        }
    }

    /** Lets go of it; the file stays. */
    @Override
    public void close() {
        synchronized (HELD) {
            try {
                channel.close();
            } catch (IOException e) {
                // the end of the process does it
            }
            HELD.remove(directory);
        }
    }
}
