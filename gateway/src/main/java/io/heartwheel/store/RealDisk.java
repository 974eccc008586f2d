package io.heartwheel.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Directory of the file system, mode 0750 if it is made here; its files have 0640, both less what the umask takes. A thread that is interrupted fails in
 * what it does, and the file is opened again by the next call.
 */
final class RealDisk implements Disk {
    private static final FileAttribute<?> OWNER_WRITES =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----"));
    private static final FileAttribute<?> OWNER_ENTERS =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---"));

    private static final Set<OpenOption> WRITES = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final Path directory;

    RealDisk(Path directory) {
        this.directory = directory;
    }

    /** Makes a directory whose parent exists, unless it is there. */
    static void makeDirectory(Path directory) throws StoreException {
        try {
            if (!Files.isDirectory(directory)) {
                Files.createDirectory(directory, OWNER_ENTERS);
                force(directory.toAbsolutePath().resolveSibling("."));
            }
        } catch (IOException e) {
            throw new StoreException(
                    StoreException.Cause.NOT_WRITABLE,
                    directory + ": need a directory, or one that can be made in its parent: " + e,
                    e);
        }
    }

    /** Opens a file for reading and writing, which is made if it is missing and that is asked for. */
    static FileChannel channel(Path file, OpenOption... more) throws IOException {
        Set<OpenOption> options = new HashSet<>(WRITES);
        options.addAll(List.of(more));
        return FileChannel.open(file, options, OWNER_WRITES);
    }

    @Override
    public Set<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return opened(directory.resolve(name), WRITES);
    }

    @Override
    public DiskFile openToRead(String name) throws IOException {
        return opened(directory.resolve(name), Set.of(StandardOpenOption.READ));
    }

    private static DiskFile opened(Path file, Set<OpenOption> options) throws IOException {
        return new RealFile(file, FileChannel.open(file, options), options);
    }

    @Override
    public long size(String name) throws IOException {
        return Files.size(directory.resolve(name));
    }

    @Override
    public DiskFile create(String name) throws IOException {
        Path file = directory.resolve(name);
        Files.deleteIfExists(file);
        return new RealFile(file, channel(file, StandardOpenOption.CREATE_NEW), WRITES);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(directory.resolve(name));
    }

    @Override
    public void forceNames() throws IOException {
        force(directory);
    }

    /** Blocks until the names in this directory are on the disk. */
    private static void force(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static final class RealFile implements DiskFile {
        private final Path file;
        private final Set<OpenOption> options;
        private FileChannel channel;
        private boolean closed;

        RealFile(Path file, FileChannel channel, Set<OpenOption> options) {
            this.file = file;
            this.channel = channel;
            this.options = options;
        }

        private synchronized FileChannel opened() throws IOException {
            if (!closed && !channel.isOpen()) {
                channel = FileChannel.open(file, options);
            }
            return channel;
        }

        @Override
        public void read(ByteBuffer into, long at) throws IOException {
            FileChannel from = opened();
            long next = at;
            while (into.hasRemaining()) {
                int bytes = from.read(into, next);
                if (bytes < 0) {
                    return;
                }
                next += bytes;
            }
        }

        @Override
        public void write(ByteBuffer from, long at) throws IOException {
            FileChannel into = opened();
            long next = at;
            while (from.hasRemaining()) {
                next += into.write(from, next);
            }
        }

        @Override
        public void force() throws IOException {
            opened().force(false);
        }

        @Override
        public void truncate(long size) throws IOException {
            opened().truncate(size);
        }

        @Override
        public synchronized void close() throws IOException {
            closed = true;
            channel.close();
        }
    }
}
