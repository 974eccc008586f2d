package io.heartwheel.loadgen.workers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Lines of UTF-8 in both directions, each no longer than a limit. One reading and one writing thread; they may be two.
 * A line that is still without its end when the stream ends was never said.
 */
final class LineChannel {

    private static final int FIRST_BYTES = 8_192;

    private final InputStream in;
    private final OutputStream out;

    private volatile int mostBytes;
    private byte[] buffer = new byte[FIRST_BYTES]; // reading thread
    private int filled; // reading thread
    private int looked; // reading thread: up to here there is no line end

    /** A line was longer than allowed; the stream cannot be read any further. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;

        TooLong(int mostBytes) {
            super("line = over " + mostBytes + " bytes: need at most " + mostBytes);
        }
    }

    LineChannel(InputStream in, OutputStream out, int mostBytes) {
        this.in = in;
        this.out = out;
        this.mostBytes = mostBytes;
    }

    /** From here on lines may be so long. */
    void limit(int bytes) {
        mostBytes = bytes;
    }

    /** The next line without its end; null at the end of the stream. */
    @Nullable
    String read() throws IOException {
        while (true) {
            for (; looked < filled; looked++) {
                if (buffer[looked] == '\n') {
                    return take();
                }
            }
            if (filled > mostBytes) {
                throw new TooLong(mostBytes);
            }
            if (filled == buffer.length) {
                buffer = Arrays.copyOf(buffer, 2 * filled);
            }
            int read = in.read(buffer, filled, buffer.length - filled);
            if (read < 0) {
                return null;
            }
            filled += read;
        }
    }

    private String take() throws TooLong {
        if (looked > mostBytes) {
            throw new TooLong(mostBytes);
        }
        String line = new String(buffer, 0, looked, StandardCharsets.UTF_8);
        int rest = filled - looked - 1;
        // A scenario is long once and then never again: its buffer is not kept.
        byte[] next = buffer.length > FIRST_BYTES && rest <= FIRST_BYTES ? new byte[FIRST_BYTES] : buffer;
        System.arraycopy(buffer, looked + 1, next, 0, rest);
        buffer = next;
        filled = rest;
        looked = 0;
        return line;
    }

    /** Says a line; it must have no line end of its own (JSON has none). */
    void write(String line) throws IOException {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        if (bytes.length - 1 > mostBytes) {
            throw new TooLong(mostBytes);
        }
        out.write(bytes);
        out.flush();
    }
}
