package io.heartwheel.loadgen.app;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * File that is written at the end of a run and opened before it. What is written goes to a file beside it that takes its
 * place when it is whole, so a run that fails leaves an older file as it was. What cannot be replaced (a device, a pipe, a
 * file in a directory that takes no other) is written where it is. One thread.
 *
 * @param option that names it, for messages
 * @param path as it was given
 * @param target where it really is: two options must not name one file
 * @param part the file beside it; null where it is written in place
 */
record OutputFile(String option, Path path, Path target, @Nullable Path part) implements AutoCloseable {

    /**
     * Opens it.
     *
     * @throws IllegalArgumentException when it cannot be written, saying why
     */
    static OutputFile open(String option, Path path) {
        try {
            // A link stays one: what it leads to is replaced.
            Path target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
            if (Files.isDirectory(target)) {
                throw new FileSystemException(path.toString(), null, "is a directory");
            }
            return new OutputFile(option, path, target, part(target));
        } catch (IOException e) {
            throw new IllegalArgumentException(option + " = " + path + ": cannot be written: " + reason(e), e);
        }
    }

    private static @Nullable Path part(Path target) throws IOException {
        boolean there = Files.exists(target);
        if (!there || Files.isRegularFile(target)) {
            Path part = target.resolveSibling(
                    target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
            try {
                return Files.writeString(part, "");
            } catch (IOException e) {
                if (!there) {
                    throw e;
                }
            }
        }
        if (!Files.isWritable(target)) {
            throw new AccessDeniedException(target.toString());
        }
        return null;
    }

    /** Writes it and puts it in its place. */
    void write(String text) throws IOException {
        if (part == null) {
            Files.writeString(target, text);
        } else {
            Files.writeString(part, text);
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
        }
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
        if (part != null) {
            try {
                Files.deleteIfExists(part);
            } catch (IOException e) {
                // It is told by its name for what it is.
            }
        }
    }
}
