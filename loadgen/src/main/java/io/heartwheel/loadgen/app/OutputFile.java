package io.heartwheel.loadgen.app;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A file that is written at the end of a run and opened before it. What is written goes to a file beside it that takes its
 * place when it is whole, so a run that fails leaves an older file as it was. What cannot be replaced (a device, a pipe, a
 * file in a directory that takes no other) is written where it is. One thread.
 */
final class OutputFile implements AutoCloseable {

    private final String option;
    private final Path path;
    private final Path target;
    private final @Nullable Path part;
    private final @Nullable OutputStream stream;
    private boolean written;

    private OutputFile(String option, Path path, Path target, @Nullable Path part, @Nullable OutputStream stream) {
        this.option = option;
        this.path = path;
        this.target = target;
        this.part = part;
        this.stream = stream;
    }

    /**
     * Opens it.
     *
     * @param option that names it, for messages
     * @throws IllegalArgumentException when it cannot be written, saying why
     */
    static OutputFile open(String option, Path path) {
        try {
            // A link stays one: what it leads to is replaced.
            Path target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
            if (Files.isDirectory(target)) {
                throw new FileSystemException(path.toString(), null, "is a directory");
            }
            if (Files.exists(target) && !Files.isRegularFile(target)) {
                return inPlace(option, path, target);
            }
            Path part = target.resolveSibling(
                    target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
            try {
                OutputStream stream =
                        Files.newOutputStream(part, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
                return new OutputFile(option, path, target, part, stream);
            } catch (IOException e) {
                if (Files.exists(target)) {
                    return inPlace(option, path, target);
                }
                throw e;
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(option + " = " + path + ": cannot be written: " + reason(e), e);
        }
    }

    private static OutputFile inPlace(String option, Path path, Path target) throws IOException {
        if (!Files.isWritable(target)) {
            throw new AccessDeniedException(path.toString());
        }
        return new OutputFile(option, path, target, null, null);
    }

    /** Where it really is: two options must not name one file. */
    Path target() {
        return target;
    }

    /** Writes it and puts it in its place. */
    void write(String text) throws IOException {
        Path from = part;
        OutputStream to = stream;
        if (from == null || to == null) {
            Files.writeString(target, text);
            return;
        }
        try (to) {
            to.write(text.getBytes(StandardCharsets.UTF_8));
        }
        try {
            Files.move(from, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(from, target, StandardCopyOption.REPLACE_EXISTING);
        }
        written = true;
    }

    /** One line for people about why it was not written. */
    String complaint(Exception why) {
        return option + " = " + path + ": not written: "
                + (why instanceof IOException io ? reason(io) : why.toString());
    }

    private static String reason(IOException e) {
        String given = e instanceof FileSystemException file ? file.getReason() : e.getMessage();
        if (given != null) {
            return given;
        }
        return switch (e.getClass().getSimpleName()) {
            case "NoSuchFileException" -> "no such directory";
            case "AccessDeniedException" -> "permission denied";
            default -> e.getClass().getSimpleName();
        };
    }

    /** Leaves nothing of it behind when it was not written. */
    @Override
    public void close() {
        if (part != null && stream != null && !written) {
            try {
                stream.close();
            } catch (IOException e) {
                // Nothing of it is kept.
            }
            try {
                Files.deleteIfExists(part);
            } catch (IOException e) {
                // It is told by its name for what it is.
            }
        }
    }
}
