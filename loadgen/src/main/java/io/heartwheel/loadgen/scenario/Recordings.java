package io.heartwheel.loadgen.scenario;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * Recordings by file. A process plays one scenario but reads its text more than once (with the addresses of the gateways
 * it started, for one), and a recording may be long: so the last one read is kept. Any thread.
 */
final class Recordings {

    private static @Nullable Kept kept;

    private record Kept(Path file, long bytes, FileTime changed, Recording recording) {

        boolean is(Path other, long otherBytes, FileTime otherChanged) {
            return file.equals(other) && bytes == otherBytes && changed.equals(otherChanged);
        }
    }

    private Recordings() {}

    /**
     * What a file tells.
     *
     * @throws IOException if it cannot be read, or is no file
     */
    static synchronized Recording of(Path file) throws IOException {
        Path known = file.toRealPath();
        if (!Files.isRegularFile(known)) {
            throw new IOException("not a regular file");
        }
        long bytes = Files.size(known);
        FileTime changed = Files.getLastModifiedTime(known);
        Kept last = kept;
        if (last != null && last.is(known, bytes, changed)) {
            return last.recording();
        }
        // Bytes that are no UTF-8 become characters that are no JSON, so the line with them is named.
        try (Reader text = new InputStreamReader(Files.newInputStream(known), StandardCharsets.UTF_8)) {
            Recording recording = Recording.read(text);
            kept = new Kept(known, bytes, changed, recording);
            return recording;
        }
    }
}
