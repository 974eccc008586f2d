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
import org.jspecify.annotations.Nullable;

/** Lock on a directory: a file with the owner's pid in it, which the operating system unlocks when the owner ends, however it ends. */
final class StoreLock implements Closeable {
    private static final String FILE = "lock";

    private final FileChannel channel;

    private StoreLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Takes it, or throws and names who has it. */
    static StoreLock take(Path directory) throws StoreException {
        Path file = directory.resolve(FILE);
        FileChannel channel;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new StoreException(StoreException.Cause.NOT_WRITABLE, directory + ": cannot be written to: " + e, e);
        }
        try {
            FileLock lock = tryLock(channel);
            if (lock == null) {
                throw new StoreException(
                        StoreException.Cause.LOCKED,
                        directory + ": in use by process "
                                + Files.readString(file).strip());
            }
            channel.truncate(0);
            byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
            channel.write(ByteBuffer.wrap(pid));
            return new StoreLock(channel);
        } catch (IOException e) {
            close(channel, e);
            throw e instanceof StoreException known
                    ? known
                    : new StoreException(StoreException.Cause.OTHER, file + ": " + e, e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // this very process
        }
    }

    private static void close(FileChannel channel, IOException cause) {
        try {
            channel.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /** Lets go of it; the file stays. */
    void release() {
        try {
            channel.close();
        } catch (IOException e) {
            // the end of the process does it
        }
    }

    @Override
    public void close() {
        release();
    }
}
