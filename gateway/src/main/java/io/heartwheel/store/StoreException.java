package io.heartwheel.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;

/** Failure of a store. Its message names the file and what happened. */
public final class StoreException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Cause of a failure. */
    public enum Cause {
        /** No room on the disk, or in the quota. */
        DISK_FULL,
        /** The directory is missing, cannot be written to, or is not a directory. */
        NOT_WRITABLE,
        /** Another process has it. */
        LOCKED,
        /** What is there is not what was written. */
        DAMAGED,
        /** Anything else. */
        OTHER
    }

    /** What the system says when there is no room, in the language of its messages. */
    private static final String NO_ROOM = noRoom();

    private final Cause kind;

    /** A failure of this kind. */
    public StoreException(Cause kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** A failure of this kind and where it comes from. */
    public StoreException(Cause kind, String message, Throwable from) {
        super(message, from);
        this.kind = kind;
    }

    private static String noRoom() {
        String said = null;
        try (FileChannel full = FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE)) {
            full.write(ByteBuffer.allocate(1));
        } catch (FileSystemException e) {
            // there is no such device
        } catch (IOException e) {
            said = e.getMessage();
        }
        return said == null ? "No space left" : said;
    }

    /** What a failure of a file or directory means. */
    static StoreException of(Path file, IOException e) {
        if (e instanceof StoreException known) {
            return known;
        }
        String text = String.valueOf(e.getMessage());
        boolean full = text.contains("No space left") || text.contains(NO_ROOM) || text.contains("quota exceeded");
        boolean refused = e instanceof FileSystemException && !full;
        Cause kind = full ? Cause.DISK_FULL : refused ? Cause.NOT_WRITABLE : Cause.OTHER;
        return new StoreException(kind, file + ": " + (refused ? "need a place that can be written to: " : "") + e, e);
    }

    /** What any failure of a database means. */
    static StoreException of(Path file, Exception e) {
        if (e instanceof IOException known) {
            return of(file, known);
        }
        int code = e instanceof SQLException sql ? sql.getErrorCode() & 0xFF : 0;
        Cause kind = code == SQLiteErrorCode.SQLITE_FULL.code
                ? Cause.DISK_FULL
                : code == SQLiteErrorCode.SQLITE_CORRUPT.code ? Cause.DAMAGED : Cause.OTHER;
        String text = e instanceof SQLException ? String.valueOf(e.getMessage()) : e.toString();
        return new StoreException(kind, file + ": " + text, e);
    }

    /** Whether a work of a database failed because what it needs is damaged on the disk. */
    public static boolean isDamage(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof StoreException known && known.kind == Cause.DAMAGED;
    }

    /** What kind of failure. */
    public Cause kind() {
        return kind;
    }
}
