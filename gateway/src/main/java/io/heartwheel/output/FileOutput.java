package io.heartwheel.output;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file that only grows at its end, and whose only writer this is.
 *
 * <p>It may be renamed or deleted under the writer, as log rotation does: before each write the name is looked up, and a file of that name is
 * opened anew if it is another one. A write that fails is cut off again and the file is opened anew at the next, so that a disk that was full
 * or away is found again. A last line without an end, left by a crash, is ended before the first write.
 *
 * <p>With a {@link Disk} its lines can be forced, and are before the file is let go of. When forcing fails nobody knows what the disk has, and the next
 * time it would succeed without these lines: so all that was not forced is cut off, and whoever wrote it writes it again. The same holds for a write that fails.
 */
public final class FileOutput implements LineOutput {
    private static final byte[] LINE_BREAK = {'\n'};

    private final Path file;
    private final @Nullable Disk disk;
    private @Nullable FileChannel channel;
    private @Nullable Object fileKey;
    /** Whether it is to be forced: a pipe or a device cannot be. */
    private boolean forced;
    /** Bytes at the end of the open file that the disk may not have; 0 if it is not forced at all. */
    private long unforcedBytes;

    /** Way to make the disk have what a file holds. */
    @FunctionalInterface
    public interface Disk {
        /** The machine's own. */
        Disk REAL = file -> file.force(false);

        /** Returns when the disk has it. */
        void force(FileChannel file) throws IOException;
    }

    /** Opens the file, or creates it; its lines are never forced. */
    public FileOutput(Path file) throws IOException {
        this(file, null);
    }

    /** Opens the file, or creates it; its lines are forced when asked for, and when it is let go of. */
    public FileOutput(Path file, @Nullable Disk disk) throws IOException {
        this.file = file;
        this.disk = disk;
        open();
    }

    @Override
    public void write(ByteBuffer lines) throws IOException {
        FileChannel open = current();
        int start = lines.position();
        try {
            LineOutput.writeFully(open, lines);
        } catch (IOException e) {
            takeBack(open, unforcedBytes + lines.position() - start, e);
            throw e;
        }
        unforcedBytes += forced ? lines.position() - start : 0;
    }

    /** Waits until the disk has all that was written. */
    public void force() throws IOException {
        FileChannel open = channel;
        if (open != null && disk != null && unforcedBytes > 0) {
            try {
                disk.force(open);
            } catch (IOException e) {
                takeBack(open, unforcedBytes, e);
                throw e;
            }
            unforcedBytes = 0;
        }
    }

    /** Whether there is anything to force. */
    public boolean isForced() {
        return unforcedBytes == 0;
    }

    /** Bytes of the file of this name. */
    public long size() throws IOException {
        return current().size();
    }

    private FileChannel current() throws IOException {
        if (channel != null && isMoved()) {
            close();
        }
        FileChannel open = channel;
        return open == null ? open() : open;
    }

    private FileChannel open() throws IOException {
        boolean torn = isTorn(file);
        FileChannel open =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        if (torn) {
            try {
                LineOutput.writeFully(open, ByteBuffer.wrap(LINE_BREAK));
            } catch (IOException e) {
                open.close();
                throw e;
            }
        }
        channel = open;
        fileKey = keyOf(file);
        forced = disk != null && Files.isRegularFile(file);
        return open;
    }

    /** Cuts off what is not to be there, and lets go of the file. */
    private void takeBack(FileChannel open, long bytes, IOException cause) {
        channel = null;
        unforcedBytes = 0;
        try (open) {
            if (bytes > 0 && Files.isRegularFile(file) && !isMoved()) {
                open.truncate(Math.max(0, open.size() - bytes));
            }
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private static boolean isTorn(Path file) throws IOException {
        if (!Files.isRegularFile(file) || Files.size(file) == 0) {
            return false;
        }
        try (FileChannel read = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            return read.read(last, read.size() - 1) == 1 && last.get(0) != '\n';
        }
    }

    /** Whether the open file has this name no more. */
    private boolean isMoved() {
        return !Objects.equals(fileKey, keyOf(file));
    }

    /** What tells this file from another of the same name; null if there is none. */
    private static @Nullable Object keyOf(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    /** Lets go of the file, after forcing what is to be forced; a write after that opens it anew. */
    @Override
    public void close() throws IOException {
        force();
        FileChannel open = channel;
        channel = null;
        if (open != null) {
            open.close();
        }
    }
}
