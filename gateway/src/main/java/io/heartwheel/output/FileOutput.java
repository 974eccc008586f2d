package io.heartwheel.output;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A file that only grows at its end, and whose only writer this is.
 *
 * <p>It may be renamed or deleted under the writer, as log rotation does: once a second the name is looked up, and a file of that name is
 * opened anew if it is another one. A write that fails is cut off again and the file is opened anew at the next, so that a disk that was full
 * or away is found again. A last line without an end, left by a crash, is ended before the first write.
 */
public final class FileOutput implements LineOutput {
    private static final long LOOK_EVERY_NANOS = 1_000_000_000L;
    private static final byte[] LINE_BREAK = {'\n'};

    private final Path file;
    private final LongSupplier nanoClock;
    private @Nullable FileChannel channel;
    private @Nullable Object fileKey;
    private long lookedNanos;

    /** Opens the file, or creates it. */
    public FileOutput(Path file, LongSupplier nanoClock) throws IOException {
        this.file = file;
        this.nanoClock = nanoClock;
        open();
    }

    @Override
    public void write(ByteBuffer lines) throws IOException {
        write(lines, false);
    }

    /**
     * The same, and if asked to waits until the disk has them. If that fails they count as not written.
     *
     * @param force whether to wait for the disk
     */
    public void write(ByteBuffer lines, boolean force) throws IOException {
        long now = nanoClock.getAsLong();
        if (channel != null && now - lookedNanos >= LOOK_EVERY_NANOS) {
            lookedNanos = now;
            if (!Objects.equals(fileKey, keyOf(file))) {
                close();
            }
        }
        FileChannel open = channel == null ? open() : channel;
        int start = lines.position();
        try {
            LineOutput.writeFully(open, lines);
            if (force) {
                open.force(false);
            }
        } catch (IOException e) {
            takeBack(open, lines.position() - start, e);
            throw e;
        }
    }

    /** Waits until the disk has all that was written to the file that is open. */
    public void force() throws IOException {
        FileChannel open = channel;
        if (open != null) {
            open.force(false);
        }
    }

    /** Bytes of the file that is open; 0 if none is. */
    public long size() throws IOException {
        FileChannel open = channel;
        return open == null ? 0 : open.size();
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
        lookedNanos = nanoClock.getAsLong();
        return open;
    }

    /** Cuts off what came through of a failed write, and lets go of the file. */
    private void takeBack(FileChannel open, int written, IOException cause) {
        try (open) {
            if (written > 0 && Files.isRegularFile(file)) {
                open.truncate(Math.max(0, open.size() - written));
            }
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        channel = null;
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

    /** What tells this file from another of the same name; null if there is none. */
    private static @Nullable Object keyOf(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    /** Lets go of the file; a write after that opens it anew. */
    @Override
    public void close() throws IOException {
        WritableByteChannel open = channel;
        channel = null;
        if (open != null) {
            open.close();
        }
    }
}
