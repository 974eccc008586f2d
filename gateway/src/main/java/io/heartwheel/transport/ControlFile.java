package io.heartwheel.transport;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Small file of the kernel that is read again and again and stays open: each read from its beginning gives fresh text. One thread.
 */
final class ControlFile {
    private static final int MOST_BYTES = 16 << 10;

    private final File path;
    /** Shared by the files of one group, as they are read one after the other. */
    private final byte[] buffer;

    private @Nullable RandomAccessFile open;

    ControlFile(Path path, byte[] buffer) {
        this.path = path.toFile();
        this.buffer = buffer;
    }

    static byte[] buffer() {
        return new byte[MOST_BYTES];
    }

    /** Its text, of a very long one the beginning; empty where there is none or it can't be read. */
    String text() {
        try {
            RandomAccessFile file = open;
            if (file == null) {
                if (!path.exists()) {
                    return "";
                }
                file = new RandomAccessFile(path, "r");
                open = file;
            } else {
                file.seek(0);
            }
            int length = file.read(buffer);
            return length <= 0 ? "" : new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            close();
            return "";
        }
    }

    private void close() {
        RandomAccessFile file = open;
        if (file == null) {
            return;
        }
        open = null;
        try {
            file.close();
        } catch (IOException closed) {
            // nothing was written
        }
    }
}
